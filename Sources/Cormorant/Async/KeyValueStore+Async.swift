/// Stores for `async` code, as the synchronous calls of the same names.
extension Database {
    /// The store of a name, which needs no making: it is there once something is put into it.
    public func store(_ name: String) async throws -> KeyValueStore { try await perform { try $0.store(name) } }
}

extension Reader {
    /// What the store of a name holds, to be read.
    public func store(_ name: some StringProtocol) async throws -> KeyValueReader {
        let name = String(name)
        return try await look { reader -> KeyValueReader in try reader.store(Substring(name)) }
    }
}

extension KeyValueReader {
    /// The value of a key; nil where there is none.
    public func value(_ key: String) async throws -> Value? { try await database.look { _ in try self.value(key) } }

    /// The entry of a key: its value, times and version.
    public func entry(_ key: String) async throws -> KeyValueEntry? {
        try await database.look { _ in try self.entry(key) }
    }

    /// Whether the key is there and has not expired.
    public func contains(_ key: String) async throws -> Bool { try await database.look { _ in try self.contains(key) } }

    /// The entries of a range in the order of their keys.
    public func entries(_ range: KeyValueRange = KeyValueRange()) async throws -> [KeyValueEntry] {
        try await database.look { _ in try self.entries(range) }
    }

    /// How many entries a range has.
    public func count(_ range: KeyValueRange = KeyValueRange()) async throws -> Int {
        try await database.look { _ in try self.count(range) }
    }
}

extension KeyValueStore {
    /// Writes a value in place of what the key has.
    public func put(_ key: String, _ value: Value, expires: Int64? = nil) async throws {
        try await database.perform { _ in try self.put(key, value, expires: expires) }
    }

    /// Writes a text of JSON. What is none is an error.
    public func put(_ key: String, json: String, expires: Int64? = nil) async throws {
        try await database.perform { _ in try self.put(key, json: json, expires: expires) }
    }

    /// Writes entries, whatever their versions, in one transaction.
    public func put(contentsOf entries: [KeyValueEntry]) async throws {
        try await database.perform { _ in try self.put(contentsOf: entries) }
    }

    /// Writes an entry where the store has it in the version given; false: someone else wrote first.
    public func compareAndSet(_ entry: KeyValueEntry) async throws -> Bool {
        try await database.perform { _ in try self.compareAndSet(entry) }
    }

    /// Takes an entry away; false: there was none.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        try await database.perform { _ in try self.delete(key) }
    }

    /// Takes the entries of a range away, and returns how many there were.
    @discardableResult
    public func clear(_ range: KeyValueRange = KeyValueRange()) async throws -> Int {
        try await database.perform { _ in try self.clear(range) }
    }

    /// Takes away what has expired, and returns how many there were.
    @discardableResult
    public func purge() async throws -> Int { try await database.perform { _ in try self.purge() } }

    /// Copies the entries of a table that YTKKeyValueStore made, and returns how many.
    @discardableResult
    public func adopt(table: String) async throws -> Int {
        try await database.perform { _ in try self.adopt(table: table) }
    }
}
