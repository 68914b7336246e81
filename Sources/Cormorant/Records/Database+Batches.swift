import CormorantORM

/// Many records in one transaction, or a savepoint inside one. The first error stops and rolls back the whole batch,
/// and its `recordIndex` says which record it was; keys that SQLite had made are taken back from the records.
extension Database {
    /// Inserts records.
    ///
    /// - Returns: how many went in: fewer than all only with `.ignore`.
    @available(*, noasync)
    @discardableResult
    public func insert<R: Record>(
        contentsOf records: inout [R], into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) throws -> Int {
        var count = 0
        let ignored = try batchOfNew(&records, table.model(), .insert) { plan, record in
            if try plan.insert(&record, policy) { count += 1 }
        }
        return count - ignored
    }

    /// Saves records; see `save(_:)`.
    @available(*, noasync)
    public func save<R: Record>(contentsOf records: inout [R], in table: RecordTable<R>? = nil) throws {
        try batchOfNew(&records, table.model(), .save) { plan, record in try plan.save(&record) }
    }

    /// - Parameters:
    ///   - kind: what `body` does.
    ///   - isSent: whether nothing of a record need be known before the next is written.
    ///   - takesRows: whether records become what their rows are.
    ///   - done: called for each once it is written.
    /// - Returns: how many of those that were sent were ignored, or found.
    @discardableResult
    func batchOfNew<R: Record>(
        _ records: inout [R], _ model: ModelDescriptor, _ kind: RecordWrite.Kind, sending isSent: Bool = true,
        takesRows: Bool = false,
        _ body: (ModelPlan, inout R) throws -> Void, done: ((inout R) throws -> Void)? = nil
    ) throws -> Int {
        guard !records.isEmpty else { return 0 }
        var madeKeys: [Int] = []
        var unchanged = 0
        // Versions, times and rows of what is rolled back, and what hooks took from rows that they wrote.
        let isRestored = model.isCounted || takesRows || R.hookKind == .all
        let before = isRestored ? records : []
        do {
            try batch(R.noted(model), records.count, isSent: isSent && R.hookKind != .all, isInsert: kind == .insert) {
                plan, index, end in
                try records.withUnsafeMutableBufferPointer { records in
                    guard let first = records.baseAddress else { return }
                    while index < end {
                        plan.madeKey = false
                        try body(plan, &first[index])
                        if plan.pipeline == nil { try done?(&first[index]) }
                        if plan.madeKey { madeKeys.append(index) }
                        index += 1
                    }
                }
            } receive: { plan, index in
                if try !plan.receive(&records[index], kind) { unchanged += 1 }
                try done?(&records[index])
            }
        } catch {
            for index in madeKeys { records[index].clearGeneratedKey() }
            if isRestored { records = before }
            throw error
        }
        return unchanged
    }

    /// Updates records, each of which must be there; see `update(_:properties:)`.
    @available(*, noasync)
    public func update<R: Record>(contentsOf records: inout [R], properties: [String]? = nil) throws {
        guard !records.isEmpty, properties?.isEmpty != true else { return }
        var planned: PlannedStatement?
        try batchOfNew(&records, R.model, .update) { plan, record in
            let ready = try planned ?? plan.update(named: properties)
            planned = ready
            try plan.update(&record, with: ready)
        }
    }

    /// Deletes the rows with the records' keys.
    ///
    /// - Returns: how many there were.
    @available(*, noasync)
    @discardableResult
    public func delete<R: Record>(contentsOf records: [R]) throws -> Int {
        guard !records.isEmpty else { return 0 }
        var (deleted, missing) = (0, 0)
        try batch(R.notedModel, records.count, isSent: R.hookKind != .all) { plan, index, end in
            try plan.model.requireKey()
            // Read where they lie: an element of a generic array would be copied first.
            try records.withUnsafeBufferPointer { records in
                while index < end {
                    let isDeleted =
                        R.hookKind != .all
                        ? try plan.delete(versioned: { try records[index].write(to: &$0) })
                        : try plan.delete(copyOf: records[index])
                    if isDeleted { deleted += 1 }
                    index += 1
                }
            }
        } receive: { plan, index in
            if try !plan.receive(deletionOf: { try records[index].write(to: &$0) }) { missing += 1 }
        }
        return deleted - missing
    }
}
