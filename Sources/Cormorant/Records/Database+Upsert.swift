import CormorantORM

/// Records by their unique keys: written over the row that is there, or read where it is there.
///
/// ```swift
/// try database.upsert(&user, on: \.email, keeping: \.created)
/// let isNew = try database.fetchOrInsert(&user, on: \.email)
/// ```
///
/// The properties of a key must be unique together in the model, else the call throws `misuse`; given none, the key is the
/// primary key. nil in a key is the same as no other.
extension Database {
    /// Inserts a record or, where a row has its values of a unique key, updates that row, in one statement. The row as it then
    /// is comes back into the record: its primary key, what it kept, defaults and computed columns.
    ///
    /// - Parameters:
    ///   - record: what is written.
    ///   - table: another table than the record's own.
    ///   - key: the properties of the unique key.
    ///   - kept: properties that a row which is there keeps, besides its primary key.
    @available(*, noasync)
    public func upsert<R: Record, each Key, each Kept>(
        _ record: inout R, in table: RecordTable<R>? = nil, on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>,
        keeping kept: repeat KeyPath<R.Columns, SQLExpression<each Kept>>
    ) throws {
        try upsert(&record, table.model(), on: R.names(repeat each key), keeping: R.names(repeat each kept))
    }

    /// The same for `async` code.
    public func upsert<R: Record & Sendable, each Key, each Kept>(
        _ record: inout R, in table: RecordTable<R>? = nil, on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>,
        keeping kept: repeat KeyPath<R.Columns, SQLExpression<each Kept>>
    ) async throws {
        let (key, kept) = (try R.names(repeat each key), try R.names(repeat each kept))
        try await alter(&record) { try $0.upsert(&$1, table.model(), on: key, keeping: kept) }
    }

    private func upsert<R: Record>(
        _ record: inout R, _ model: ModelDescriptor, on key: [String], keeping kept: [String]
    ) throws {
        try withPlan(model, writing: &record) { try $0.upsert(&$1, with: $0.upsertion(on: key, keeping: kept)) }
        try record.forgetOtherRecords()
    }

    /// Upserts records in one transaction. The first error takes back all.
    @available(*, noasync)
    public func upsert<R: Record, each Key, each Kept>(
        contentsOf records: inout [R], in table: RecordTable<R>? = nil,
        on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>,
        keeping kept: repeat KeyPath<R.Columns, SQLExpression<each Kept>>
    ) throws {
        try upsert(
            contentsOf: &records, table.model(), on: R.names(repeat each key), keeping: R.names(repeat each kept))
    }

    /// The same for `async` code.
    public func upsert<R: Record & Sendable, each Key, each Kept>(
        contentsOf records: inout [R], in table: RecordTable<R>? = nil,
        on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>,
        keeping kept: repeat KeyPath<R.Columns, SQLExpression<each Kept>>
    ) async throws {
        let (key, kept) = (try R.names(repeat each key), try R.names(repeat each kept))
        try await alter(&records) { try $0.upsert(contentsOf: &$1, table.model(), on: key, keeping: kept) }
    }

    private func upsert<R: Record>(
        contentsOf records: inout [R], _ model: ModelDescriptor, on key: [String], keeping kept: [String]
    ) throws {
        var planned: PlannedStatement?
        try batchOfNew(&records, model, .save, takesRows: true) { plan, record in
            let ready = try planned ?? plan.upsertion(on: key, keeping: kept)
            planned = ready
            try plan.upsert(&record, with: ready)
        } done: {
            try $0.forgetOtherRecords()
        }
    }

    /// Reads the row with a record's values of a unique key into it or, when there is none, inserts the record. Of threads and
    /// processes that ask at once, one inserts.
    ///
    /// - Returns: whether it was inserted.
    @available(*, noasync)
    @discardableResult
    public func fetchOrInsert<R: Record, each Key>(
        _ record: inout R, in table: RecordTable<R>? = nil, on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>
    ) throws -> Bool {
        try fetchOrInsert(&record, table.model(), on: R.names(repeat each key))
    }

    private func fetchOrInsert<R: Record>(_ record: inout R, _ model: ModelDescriptor, on key: [String]) throws
        -> Bool
    {
        let columns = try key.isEmpty ? model.keyColumns : key.map(model.require)
        try record.takeForeignKeys(RecordWrite(.insert, model, columns: columns), in: self)
        let isInserted = try fetchOrInsert(&record, of: model, on: key)
        if !isInserted { try record.forgetOtherRecords() }
        return isInserted
    }

    /// The same of records, in one transaction: of two with the same values of the key the second is read. The first error takes
    /// back all.
    ///
    /// - Returns: how many were inserted.
    @available(*, noasync)
    @discardableResult
    public func fetchOrInsert<R: Record, each Key>(
        contentsOf records: inout [R], in table: RecordTable<R>? = nil,
        on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>
    ) throws -> Int {
        try fetchOrInsert(contentsOf: &records, table.model(), on: R.names(repeat each key))
    }

    /// The same for `async` code.
    @discardableResult
    public func fetchOrInsert<R: Record & Sendable, each Key>(
        contentsOf records: inout [R], in table: RecordTable<R>? = nil,
        on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>
    ) async throws -> Int {
        let key = try R.names(repeat each key)
        return try await alter(&records) { try $0.fetchOrInsert(contentsOf: &$1, table.model(), on: key) }
    }

    private func fetchOrInsert<R: Record>(
        contentsOf records: inout [R], _ model: ModelDescriptor, on key: [String]
    ) throws -> Int {
        var planned: PlannedStatement?
        var inserted = 0
        let columns = try key.isEmpty ? model.keyColumns : key.map(model.require)
        // Where a related record has no key yet, or none is wanted, only a record that is inserted may be refused.
        let areSent =
            try R.noted(model).isFoundOrInsertedByOne(on: key)
            && (dialect == .sqlite
                || records.allSatisfy { try $0.assigned().allSatisfy { $0.key?.contains(.null) == false } })
        let found = try batchOfNew(&records, model, .save, sending: areSent, takesRows: true) { plan, record in
            let ready = try planned ?? plan.fetchingOrInserting(on: key)
            planned = ready
            let taken = plan.pipeline == nil ? columns : nil
            try record.takeForeignKeys(RecordWrite(.insert, model, columns: taken), in: self)
            if try plan.fetchOrInsert(&record, with: ready) { inserted += 1 }
        } done: {
            try $0.forgetOtherRecords()
        }
        return inserted - found
    }

    /// The same for `async` code.
    @discardableResult
    public func fetchOrInsert<R: Record & Sendable, each Key>(
        _ record: inout R, in table: RecordTable<R>? = nil, on key: repeat KeyPath<R.Columns, SQLExpression<each Key>>
    ) async throws -> Bool {
        let key = try R.names(repeat each key)
        return try await alter(&record) { try $0.fetchOrInsert(&$1, table.model(), on: key) }
    }
}
