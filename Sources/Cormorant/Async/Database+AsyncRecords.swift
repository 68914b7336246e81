/// Records, as the synchronous calls of the same names.
extension Database {
    /// Inserts a record; false: `onConflict: .ignore` skipped it. The generated key, defaults and computed columns come
    /// back into the record.
    @discardableResult
    public func insert<R: Record & Sendable>(
        _ record: inout R, onConflict policy: ConflictPolicy = .abort
    ) async throws -> Bool {
        try await alter(&record) { try $0.insert(&$1, onConflict: policy) }
    }

    /// Inserts a record and returns it as it then is: for a property of an actor, which cannot be given `inout`.
    public func inserted<R: Record & Sendable>(
        _ record: R, onConflict policy: ConflictPolicy = .abort
    ) async throws -> R {
        try await perform { try $0.inserted(record, onConflict: policy) }
    }

    /// Inserts the record or, when its primary key is there, updates that row, in one statement.
    public func save<R: Record & Sendable>(_ record: inout R) async throws {
        try await alter(&record) { try $0.save(&$1) }
    }

    /// Saves a record and returns it as it then is.
    public func saved<R: Record & Sendable>(_ record: R) async throws -> R {
        try await perform { try $0.saved(record) }
    }

    /// Writes the record, or only the properties, to the row with its key. Throws `noRecord` when there is none.
    public func update<R: Record & Sendable>(_ record: inout R, properties: [String] = []) async throws {
        try await alter(&record) { try $0.update(&$1, properties: properties) }
    }

    /// Saves a record with the loaded records of its relations, in one transaction.
    public func save<R: Record & Sendable>(graph record: inout R) async throws {
        try await alter(&record) { try $0.save(graph: &$1) }
    }

    /// Deletes the row with the record's key; false: there was none.
    @discardableResult
    public func delete<R: Record & Sendable>(_ record: R) async throws -> Bool {
        try await perform { try $0.delete(record) }
    }

    /// Reads the record anew by its key. Throws `noRecord` when there is none.
    public func refresh<R: Record & Sendable>(_ record: inout R) async throws {
        try await alter(&record, reading: true) { try $0.refresh(&$1) }
    }

    /// Inserts records in one transaction and returns how many went in. The first error takes back all.
    @discardableResult
    public func insert<R: Record & Sendable>(
        contentsOf records: inout [R], onConflict policy: ConflictPolicy = .abort
    ) async throws -> Int {
        try await alter(&records) { try $0.insert(contentsOf: &$1, onConflict: policy) }
    }

    /// Saves records in one transaction. The first error takes back all.
    public func save<R: Record & Sendable>(contentsOf records: inout [R]) async throws {
        try await alter(&records) { try $0.save(contentsOf: &$1) }
    }

    /// Updates records in one transaction. The first error takes back all.
    public func update<R: Record & Sendable>(contentsOf records: inout [R], properties: [String] = []) async throws {
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
}

/// Records by their primary key, as the synchronous calls of the same names.
extension Database {
    /// The record with a key; nil: there is none.
    public func find<R: Record & Sendable, Key: ColumnValue & Sendable>(_ type: R.Type, key: Key) async throws -> R? {
        try await look { try $0.find(type, key: key) }
    }

    /// Whether there is a record with a key.
    public func exists<R: Record, Key: ColumnValue & Sendable>(_ type: R.Type, key: Key) async throws -> Bool {
        try await look { try $0.exists(type, key: key) }
    }

    /// Deletes the row with a key; false: there was none.
    @discardableResult
    public func delete<R: Record, Key: ColumnValue & Sendable>(_ type: R.Type, key: Key) async throws -> Bool {
        try await perform { try $0.delete(type, key: key) }
    }

    /// Deletes all rows of a record's table, and returns how many there were.
    @discardableResult
    public func deleteAll<R: Record>(_ type: R.Type) async throws -> Int64 {
        try await perform { try $0.deleteAll(type) }
    }

    /// The greatest key of a table; nil for an empty one.
    public func maxKey<R: Record>(_ type: R.Type) async throws -> Value? { try await look { try $0.maxKey(type) } }
}
