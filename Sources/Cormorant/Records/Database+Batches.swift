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
        try batchOfNew(&records, table.model(), sending: policy == .abort) { plan, record in
            if try plan.insert(&record, policy) { count += 1 }
        }
        return count
    }

    /// Saves records; see `save(_:)`.
    @available(*, noasync)
    public func save<R: Record>(contentsOf records: inout [R], in table: RecordTable<R>? = nil) throws {
        try batchOfNew(&records, table.model()) { plan, record in try plan.save(&record) }
    }

    func batchOfNew<R: Record>(
        _ records: inout [R], _ model: ModelDescriptor, sending isSent: Bool = true,
        _ body: (ModelPlan, inout R) throws -> Void
    ) throws {
        guard !records.isEmpty else { return }
        var madeKeys: [Int] = []
        // Versions and times of what is rolled back.
        let isCounted = model.isCounted
        let before = isCounted ? records : []
        do {
            _ = try batch(model, sending: isSent ? records.count : 0) { plan, index in
                try records.withUnsafeMutableBufferPointer { records in
                    guard let first = records.baseAddress else { return }
                    while index < records.count {
                        plan.madeKey = false
                        try body(plan, &first[index])
                        if plan.madeKey { madeKeys.append(index) }
                        index += 1
                    }
                }
            }
        } catch {
            for index in madeKeys { records[index].clearGeneratedKey() }
            if isCounted { records = before }
            throw error
        }
    }

    /// Updates records, each of which must be there; see `update(_:properties:)`.
    @available(*, noasync)
    public func update<R: Record>(contentsOf records: inout [R], properties: [String] = []) throws {
        guard !records.isEmpty else { return }
        var planned: PlannedStatement?
        try batchOfNew(&records, R.model) { plan, record in
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
        let (deleted, missing) = try batch(R.model, sending: records.count, mayChangeNothing: true) { plan, index in
            try plan.model.requireKey()
            // Read where they lie: an element of a generic array would be copied first.
            return try records.withUnsafeBufferPointer { records in
                var count = 0
                while index < records.count {
                    let isDeleted =
                        R.hookKind != .all
                        ? try plan.delete(versioned: { try records[index].write(to: &$0) })
                        : try plan.delete(copyOf: records[index])
                    if isDeleted { count += 1 }
                    index += 1
                }
                return count
            }
        }
        return deleted - missing.count
    }
}
