import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

/// One entry of a store. Times are milliseconds since 1970 UTC.
public struct KeyValueEntry: Sendable, Hashable {
    /// The key, which is unique in the store.
    public var key: String
    /// The value.
    public var value: Value
    /// Whether the value is a text of JSON.
    public var isJSON: Bool
    /// When it stops being there; nil for never.
    public var expires: Int64?
    /// Another number after each write, for `compareAndSet`; 0 stands for no entry.
    public var version: Int64
    /// When the key was first written, in milliseconds since 1970 UTC; 0 in an entry that was not read.
    public internal(set) var created: Int64 = 0
    /// When it was last written, in milliseconds since 1970 UTC; 0 in an entry that was not read.
    public internal(set) var updated: Int64 = 0

    /// An entry to be put.
    public init(key: String, value: Value, isJSON: Bool = false, expires: Int64? = nil, version: Int64 = 0) {
        self.key = key
        self.value = value
        self.isJSON = isJSON
        self.expires = expires
        self.version = version
    }
}

extension KeyValueEntry {
    /// - Parameter first: the column of the value, after which the others come.
    fileprivate init(key: String, _ row: Row, from first: Int32) throws {
        let expires = row.cell(first + 4)
        self.init(
            key: key, value: try row.value(first), isJSON: row.cell(first + 1).int64 != 0,
            expires: expires.type == StorageType.null ? nil : expires.int64, version: row.cell(first + 5).int64)
        created = row.cell(first + 2).int64
        updated = row.cell(first + 3).int64
    }
}

extension Database {
    /// The store of a name, which needs no making: it is there once something is put into it.
    @available(*, noasync)
    public func store(_ name: String) throws -> KeyValueStore { try KeyValueStore(self, name: name) }
}

extension Reader {
    /// What the store of a name holds, to be read.
    // Generic, so that that of `Database`, which gives a subclass, is no override.
    @available(*, noasync)
    public func store(_ name: some StringProtocol) throws -> KeyValueReader {
        try KeyValueReader(database, name: String(name))
    }
}

extension KeyValueReader {
    /// The value of a key; nil where there is none.
    @available(*, noasync, message: "await value(_:)")
    public subscript(key: String) -> Value? {
        get throws { try value(key) }
    }

    /// The value of a key; nil where there is none.
    @available(*, noasync)
    public func value(_ key: String) throws -> Value? {
        var value: Value?
        try withBytes(of: key) { key in _ = try get(key) { value = try $0.value(0) } }
        return value
    }

    /// The entry of a key: its value, times and version.
    @available(*, noasync)
    public func entry(_ key: String) throws -> KeyValueEntry? {
        var entry: KeyValueEntry?
        try withBytes(of: key) { bytes in
            _ = try get(bytes) { entry = try KeyValueEntry(key: key, $0, from: 0) }
        }
        return entry
    }

    /// Whether the key is there and has not expired.
    @available(*, noasync)
    public func contains(_ key: String) throws -> Bool { try withBytes(of: key) { try contains($0) } }

    /// The entries of a range in the order of their keys.
    @available(*, noasync)
    public func entries(_ range: KeyValueRange = KeyValueRange()) throws -> [KeyValueEntry] {
        let cursor = try scan(range)
        defer { cursor.close() }
        var entries: [KeyValueEntry] = []
        try cursor.forEachRow { row in
            guard case .text(let key) = try row.value(0) else { return }
            entries.append(try KeyValueEntry(key: key, row, from: 1))
        }
        return entries
    }

    fileprivate func withBytes<Result>(
        of key: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        var key = key
        return try key.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}

extension KeyValueStore {
    /// Writes a value in place of what the key has.
    /// - Parameter expires: when the entry stops being there, as `expiry(after:)` gives it; nil for never.
    @available(*, noasync)
    public func put(_ key: String, _ value: Value, expires: Int64? = nil) throws {
        try put(KeyValueEntry(key: key, value: value, expires: expires), version: nil)
    }

    /// Writes a text of JSON. What is none is an error.
    @available(*, noasync)
    public func put(_ key: String, json: String, expires: Int64? = nil) throws {
        try put(KeyValueEntry(key: key, value: .text(json), isJSON: true, expires: expires), version: nil)
    }

    /// Writes entries, whatever their versions, in one transaction; an error says at which it failed, and none is written.
    @available(*, noasync)
    public func put(contentsOf entries: [KeyValueEntry]) throws {
        try batch(entries.count) { try put(entries[$0], version: nil) }
    }

    /// Writes an entry where the store has it in the version given: as it was read, or not at all for 0.
    /// - Returns: whether it was written; else someone else wrote first.
    @available(*, noasync)
    public func compareAndSet(_ entry: KeyValueEntry) throws -> Bool { try put(entry, version: entry.version) }

    /// - Returns: whether there was an entry.
    @available(*, noasync)
    @discardableResult
    public func delete(_ key: String) throws -> Bool { try withBytes(of: key) { try delete($0) } }

    /// The time that lies so far ahead, for `expires`.
    public static func expiry(after duration: Duration) throws -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return try expiry(overflow || overflows ? (seconds < 0 ? .min : .max) : sum)
    }

    @discardableResult
    private func put(_ entry: KeyValueEntry, version: Int64?) throws -> Bool {
        try withBytes(of: entry.key) { key in
            try put(key, isJSON: entry.isJSON, expires: entry.expires, version: version) {
                try $0.bind(entry.value, $1)
            }
        }
    }
}
