/// One record at a time. What SQLite makes comes back into the record: the key, defaults, computed columns.
extension Database {
    /// Inserts a record.
    ///
    /// - Parameters:
    ///   - record: what is inserted.
    ///   - table: another table than the record's own.
    ///   - policy: what to do when a constraint refuses it.
    /// - Returns: false when `.ignore` skipped it.
    @available(*, noasync)
    @discardableResult
    public func insert<R: Record>(
        _ record: inout R, into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) throws -> Bool {
        try withPlan(table.model(), writing: &record) { try $0.insert(&$1, policy) }
    }

    /// Inserts a record and returns it as it then is.
    @available(*, noasync)
    public func inserted<R: Record>(
        _ record: R, into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) throws -> R {
        var record = record
        try insert(&record, into: table, onConflict: policy)
        return record
    }

    /// Inserts a record or, when its key is there, updates that row, in one statement. Another unique column in the way
    /// is an error.
    @available(*, noasync)
    public func save<R: Record>(_ record: inout R, in table: RecordTable<R>? = nil) throws {
        try withPlan(table.model(), writing: &record) { try $0.save(&$1) }
    }

    /// Saves a record and returns it as it then is.
    @available(*, noasync)
    public func saved<R: Record>(_ record: R, in table: RecordTable<R>? = nil) throws -> R {
        var record = record
        try save(&record, in: table)
        return record
    }

    /// Writes a record to the row with its key, which must be there.
    ///
    /// - Parameters:
    ///   - record: what is written.
    ///   - table: another table than the record's own.
    ///   - properties: names of the properties to write; nil: all but the key. Of `[]` nothing is run.
    @available(*, noasync)
    public func update<R: Record>(
        _ record: inout R, in table: RecordTable<R>? = nil, properties: [String]? = nil
    ) throws {
        _ = try withPlan(table.model(), writing: &record) { try $0.update(&$1, named: properties) }
    }

    /// Deletes the row with the record's key.
    ///
    /// - Returns: false when there was none.
    @available(*, noasync)
    @discardableResult
    public func delete<R: Record>(_ record: R, from table: RecordTable<R>? = nil) throws -> Bool {
        try withPlan(table.model()) { plan in
            try plan.model.requireKey()
            guard R.hookKind != .all else { return try plan.delete(copyOf: record) }
            return try plan.delete(versioned: { try record.write(to: &$0) })
        }
    }

    /// Deletes every row of a table.
    ///
    /// - Returns: how many there were.
    @available(*, noasync)
    @discardableResult
    public func deleteAll<R: Record>(_ type: R.Type) throws -> Int {
        try Int(withPlan(R.model) { try $0.deleteAll() })
    }
}

/// Tables.
extension Database {
    /// Creates the tables and indexes that are missing, referenced tables first, in one transaction. A table that is
    /// there is left as it is; one that lacks a column of its record is an error and nothing is created.
    @available(*, noasync)
    public func createTables(_ types: any Record.Type...) throws {
        try createTables(types.map { $0.model })
    }
}

extension Reader {
    /// Reads a record anew by its key, which must be there.
    @available(*, noasync)
    public func refresh<R: Record>(_ record: inout R, from table: RecordTable<R>? = nil) throws {
        try database.withReadingPlan(table.model()) { try $0.refresh(&record) }
        try record.forgetOtherRecords()
    }

    /// Whether the record's table is in the file.
    @available(*, noasync)
    public func tableExists<R: Record>(_ type: R.Type) throws -> Bool { try tableExists(R.model) }
}
