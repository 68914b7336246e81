import CormorantORM

/// What changed in a record since it was fetched, and updates of that alone.
///
/// ```swift
/// let old = person
/// person.city = "Paris"
/// try database.updateChanges(of: &person, since: old)  // ["city"]
/// ```
extension Record {
    /// The names of the properties whose values differ from those of an earlier copy, by what the file would hold of them.
    /// Computed columns, the version and the time of the update, which the database fills in, are not among them, nor is a
    /// foreign key whose relation was set to another record: a write takes it, and so does `updateChanges`.
    public func changes(since old: Self) throws -> [String] {
        let columns = Self.model.columns.indices
        return Self.model.changes(
            from: try columns.map { try old.columnValue(at: $0) }, to: try columns.map { try columnValue(at: $0) })
    }

    /// Writes the properties that differ from those of an earlier copy; see `Database.updateChanges(of:since:in:)`.
    @available(*, noasync)
    @discardableResult
    public mutating func updateChanges(in database: Database, since old: Self) throws -> [String] {
        try database.updateChanges(of: &self, since: old)
    }
}

extension Database {
    /// Writes the properties of a record that differ from those of an earlier copy to the row with its key, which must be there.
    /// Where none differs nothing is run.
    ///
    /// - Parameters:
    ///   - record: what is written.
    ///   - old: the record as it was fetched, or written last.
    ///   - table: another table than the record's own.
    /// - Returns: the names of the properties that were written.
    @available(*, noasync)
    @discardableResult
    public func updateChanges<R: Record>(
        of record: inout R, since old: R, in table: RecordTable<R>? = nil
    ) throws -> [String] {
        try record.takeForeignKeys(RecordWrite(.update, table.model()), in: self)
        let properties = try record.changes(since: old)
        if !properties.isEmpty { try update(&record, in: table, properties: properties) }
        return properties
    }

    /// The same for `async` code.
    @discardableResult
    public func updateChanges<R: Record & Sendable>(
        of record: inout R, since old: R, in table: RecordTable<R>? = nil
    ) async throws -> [String] {
        try await alter(&record) { try $0.updateChanges(of: &$1, since: old, in: table) }
    }
}
