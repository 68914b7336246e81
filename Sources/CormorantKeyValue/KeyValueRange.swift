import CormorantBase
import CormorantORM
import CormorantSQLite

/// Which entries of a store, in the order of their keys' bytes. What is nil does not limit.
public struct KeyValueRange: Sendable {
    /// The keys that begin with it.
    public var prefix: String?
    /// The first key.
    public var start: String?
    /// The key before which it ends.
    public var end: String?
    /// The key after which it begins: the last one of the page before.
    public var after: String?
    /// How many entries at most.
    public var limit: Int?

    /// A range; without arguments all entries.
    public init(
        prefix: String? = nil, start: String? = nil, end: String? = nil, after: String? = nil, limit: Int? = nil
    ) {
        self.prefix = prefix
        self.start = start
        self.end = end
        self.after = after
        self.limit = limit
    }
}

extension KeyValueRange {
    /// Binds the least key and the one before which the range ends.
    func bind(to statement: Statement) throws {
        var lower = start ?? ""
        var upper = end
        if let prefix, !prefix.isEmpty {
            lower = later(lower, prefix)
            if let next = successor(of: prefix) { upper = upper.map { isLess($0, next) ? $0 : next } ?? next }
        }
        let isOfFile = statement.engine == nil
        // Nothing lies between a key and the key with a NUL behind it, which a server has in no text.
        if let after { lower = later(lower, after + (isOfFile ? "\0" : "\u{1}")) }
        try statement.bind(.text(lower), 2)
        // A blob comes after every text.
        try statement.bind(upper.map { .text($0) } ?? (isOfFile ? .blob([]) : .null), 3)
    }

    /// Refuses a limit where all entries of the range are meant.
    func refuseLimit() throws {
        guard limit == nil else {
            throw CormorantError(.misuse, "a limit goes with a scan only", hint: "give no limit")
        }
    }
}

/// By bytes, as SQLite has it; Swift's own order is another.
private func isLess(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

private func later(_ left: String, _ right: String) -> String { isLess(left, right) ? right : left }

/// The least text behind all that begin with the prefix; nil for none.
private func successor(of prefix: String) -> String? {
    var scalars = prefix.unicodeScalars
    while let last = scalars.popLast() {
        // Behind the last before the surrogates comes the first after them.
        if let next = Unicode.Scalar(last.value + 1) ?? Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : .max) {
            scalars.append(next)
            return String(scalars)
        }
    }
    return nil
}

extension KeyValueReader {
    /// The entries of a range as they come: key, value, json, created, updated, expires, version.
    package func scan(_ range: KeyValueRange) throws -> StatementCursor {
        if let limit = range.limit, limit < 0 {
            throw CormorantError(.misuse, "the limit is negative", hint: "give none for all")
        }
        // A cached statement would tell of a table that is gone only when it runs.
        guard try perform(.probe, { _, statement in _ = try statement.step() }) else {
            return try database.cursor(emptyScanStatement) { _ in }
        }
        return try database.cursor(scanStatement(database.dialect)) { statement in
            try statement.bind(.text(name), 1)
            try range.bind(to: statement)
            statement.bind(now(), 4)
            if let limit = range.limit {
                statement.bind(Int64(limit), 5)
            } else if database.dialect == .sqlite {
                statement.bind(-1 as Int64, 5)
            } else {
                statement.bindNull(5)
            }
        }
    }

    /// How many entries a range has.
    @available(*, noasync)
    public func count(_ range: KeyValueRange = KeyValueRange()) throws -> Int {
        try range.refuseLimit()
        var count = 0
        try perform(.count) { _, statement in
            try range.bind(to: statement)
            statement.bind(now(), 4)
            if try statement.step() { count = Int(Row(statement).cell(0).int64) }
        }
        return count
    }
}

extension KeyValueStore {
    /// Deletes the entries of a range, all without one; how many rows went, expired ones among them.
    @available(*, noasync)
    @discardableResult
    public func clear(_ range: KeyValueRange = KeyValueRange()) throws -> Int {
        try range.refuseLimit()
        return try remove(.clear) { try range.bind(to: $0) }
    }

    /// Deletes what has expired, which is never seen but takes room; how many rows went.
    @available(*, noasync)
    @discardableResult
    public func purge() throws -> Int {
        try remove(.purge) { $0.bind(now(), 4) }
    }

    private func remove(_ operation: KeyValueOperation, _ bind: (Statement) throws -> Void) throws -> Int {
        var removed = 0
        try perform(operation) { connection, statement in
            try bind(statement)
            _ = try statement.step()
            removed = Int(connection.changes)
        }
        return removed
    }
}
