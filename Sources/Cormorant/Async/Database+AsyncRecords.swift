/// Records, as the synchronous calls of the same names.
extension Database {
    /// Inserts a record; false: `onConflict: .ignore` skipped it. The generated key, defaults and computed columns come
    /// back into the record.
    @discardableResult
    public func insert<R: Record & Sendable>(
        _ record: inout R, into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) async throws -> Bool {
        try await alter(&record) { try $0.insert(&$1, into: table, onConflict: policy) }
    }

    /// Inserts a record and returns it as it then is: for a property of an actor, which cannot be given `inout`.
    public func inserted<R: Record & Sendable>(
        _ record: R, into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) async throws -> R {
        try await perform { try $0.inserted(record, into: table, onConflict: policy) }
    }

    /// Inserts the record or, when its primary key is there, updates that row, in one statement.
    public func save<R: Record & Sendable>(_ record: inout R, in table: RecordTable<R>? = nil) async throws {
        try await alter(&record) { try $0.save(&$1, in: table) }
    }

    /// Saves a record and returns it as it then is.
    public func saved<R: Record & Sendable>(_ record: R, in table: RecordTable<R>? = nil) async throws -> R {
        try await perform { try $0.saved(record, in: table) }
    }

    /// Writes the record, or only the properties, to the row with its key. Throws `noRecord` when there is none.
    public func update<R: Record & Sendable>(
        _ record: inout R, in table: RecordTable<R>? = nil, properties: [String]? = nil
    ) async throws {
        try await alter(&record) { try $0.update(&$1, in: table, properties: properties) }
    }

    /// Saves a record with the loaded records of its relations, in one transaction.
    public func save<R: Record & Sendable>(graph record: inout R) async throws {
        try await alter(&record) { try $0.save(graph: &$1) }
    }

    /// Deletes the row with the record's key; false: there was none.
    @discardableResult
    public func delete<R: Record & Sendable>(_ record: R, from table: RecordTable<R>? = nil) async throws -> Bool {
        try await perform { try $0.delete(record, from: table) }
    }

    /// Inserts records in one transaction and returns how many went in. The first error takes back all.
    @discardableResult
    public func insert<R: Record & Sendable>(
        contentsOf records: inout [R], into table: RecordTable<R>? = nil, onConflict policy: ConflictPolicy = .abort
    ) async throws -> Int {
        try await alter(&records) { try $0.insert(contentsOf: &$1, into: table, onConflict: policy) }
    }

    /// Saves records in one transaction. The first error takes back all.
    public func save<R: Record & Sendable>(
        contentsOf records: inout [R], in table: RecordTable<R>? = nil
    ) async throws {
        try await alter(&records) { try $0.save(contentsOf: &$1, in: table) }
    }

    /// Updates records in one transaction. The first error takes back all.
    public func update<R: Record & Sendable>(contentsOf records: inout [R], properties: [String]? = nil) async throws {
        try await alter(&records) { try $0.update(contentsOf: &$1, properties: properties) }
    }

    /// Deletes records by their keys in one transaction and returns how many there were.
    @discardableResult
    public func delete<R: Record & Sendable>(contentsOf records: [R]) async throws -> Int {
        try await perform { try $0.delete(contentsOf: records) }
    }

    /// Inserts what a JSON text says, without making records of it, in one transaction.
    @discardableResult
    public func importJSON<R: Record>(
        _ type: R.Type, _ text: String, saves: Bool = false, _ options: JSONOptions = JSONOptions()
    ) async throws -> Int {
        try await perform { try $0.importJSON(type, text, saves: saves, options) }
    }

    /// Deletes the row with a key; false: there was none.
    @discardableResult
    public func delete<R: Record>(_ type: R.Type, key: any ColumnValue...) async throws -> Bool {
        let key = try key.map { try $0.columnValue }
        return try await perform { try $0.delete(R.model, key: key) }
    }

    /// Deletes the row with a key from another table than the record's own; false: there was none.
    @discardableResult
    public func delete<R: Record>(_ table: RecordTable<R>, key: any ColumnValue...) async throws -> Bool {
        let key = try key.map { try $0.columnValue }
        return try await perform { try $0.delete(table.model, key: key) }
    }

    /// Deletes all rows of a record's table, and returns how many there were.
    @discardableResult
    public func deleteAll<R: Record>(_ type: R.Type) async throws -> Int {
        try await perform { try $0.deleteAll(type) }
    }
}

/// Records by their primary key, as the synchronous calls of the same names.
extension Reader {
    /// The record with a key, of several columns in their order; nil: there is none.
    public func find<R: Record & Sendable>(_ type: R.Type, key: any ColumnValue...) async throws -> R? {
        let key = try key.map { try $0.columnValue }
        return try await look { try $0.find(type, R.model, key: key) }
    }

    /// The record of another table than its own with a key; nil: there is none.
    public func find<R: Record & Sendable>(_ table: RecordTable<R>, key: any ColumnValue...) async throws -> R? {
        let key = try key.map { try $0.columnValue }
        return try await look { try $0.find(R.self, table.model, key: key) }
    }

    /// Whether there is a record with a key.
    public func exists<R: Record>(_ type: R.Type, key: any ColumnValue...) async throws -> Bool {
        let key = try key.map { try $0.columnValue }
        return try await look { try $0.exists(R.model, key: key) }
    }

    /// The greatest key of a table; nil for an empty one.
    public func maxKey<R: Record>(_ type: R.Type) async throws -> Value? { try await look { try $0.maxKey(type) } }

    /// Reads the record anew by its key. Throws `noRecord` when there is none.
    public func refresh<R: Record & Sendable>(
        _ record: inout R, from table: RecordTable<R>? = nil
    ) async throws {
        try await alter(&record, reading: true) { try $0.refresh(&$1, from: table) }
    }
}

/// The record's own verbs, for `try await person.insert(in: database)`.
extension Record where Self: Sendable {
    /// Inserts the record.
    @discardableResult
    public mutating func insert(
        in database: Database, onConflict policy: ConflictPolicy = .abort
    ) async throws -> Bool {
        try await database.insert(&self, onConflict: policy)
    }

    /// Inserts the record or updates the row with its key.
    public mutating func save(in database: Database) async throws { try await database.save(&self) }

    /// Writes all properties, or those named, to the row with the record's key.
    public mutating func update(in database: Database, properties: [String]? = nil) async throws {
        try await database.update(&self, properties: properties)
    }

    /// Writes properties, given as key paths, to the row with the record's key.
    public mutating func update<First, each Content>(
        in database: Database, _ property: KeyPath<Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<Columns, SQLExpression<each Content>>
    ) async throws {
        try await database.update(&self, properties: Self.names(property, repeat each more))
    }

    /// Writes the properties that differ from those of an earlier copy, and returns their names.
    @discardableResult
    public mutating func updateChanges(in database: Database, since old: Self) async throws -> [String] {
        try await database.updateChanges(of: &self, since: old)
    }

    /// Deletes the row with the record's key; false when there was none.
    @discardableResult
    public func delete(in database: Database) async throws -> Bool { try await database.delete(self) }

    /// Reads the record anew by its key.
    public mutating func refresh(in reader: Reader) async throws { try await reader.refresh(&self) }
}

extension JSONRecords {
    /// Writes the records that are complete into a database, as the synchronous call of the same name.
    @discardableResult
    public nonisolated(nonsending) func importAll(into database: Database, saves: Bool = false) async throws -> Int {
        // Its caller waits, so that one thread at a time has it.
        nonisolated(unsafe) let records = self
        return try await database.perform { try records.importAll(into: $0, saves: saves) }
    }
}
