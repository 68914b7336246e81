import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// What a key-value store is to those who only read: as `Reader` gives it in `read`.
public class KeyValueReader: @unchecked Sendable {  // what it holds does not change
    package final let database: Database
    /// The store's name.
    public final let name: String
    private let nameBytes: UnsafeMutableRawBufferPointer

    init(_ database: Database, name: String) throws {
        guard !name.utf8.contains(0) else {
            throw CormorantError(.encoding, "the store's name holds a NUL character", hint: "give another name")
        }
        self.database = database
        self.name = name
        let bytes = Array(name.utf8)
        // Never of no bytes, for it must have an address.
        nameBytes = .allocate(byteCount: bytes.count + 1, alignment: 1)
        nameBytes.copyBytes(from: bytes)
        try perform(.probe) { _, statement in _ = try statement.step() }
    }

    deinit { nameBytes.deallocate() }

    /// Runs one operation; where the file has no table yet, there is nothing to read.
    /// - Parameters:
    ///   - creates: makes the table first where it is not there.
    ///   - body: gets the statement with the store's name bound.
    /// - Returns: false where there is no table.
    @discardableResult
    final func perform(
        _ operation: KeyValueOperation, creates: Bool = false, _ body: (Connection, Statement) throws -> Void
    ) throws -> Bool {
        try database.withConnection(reading: operation.isReading && !creates) { connection in
            var isRetry = false
            while true {
                do {
                    guard let statements = try KeyValueStatements.of(connection) else {
                        guard creates else { return false }
                        try database.inTransaction { try KeyValueStatements.createTable(connection) }
                        continue
                    }
                    let statement = try statements.statement(operation)
                    defer { statement.reset() }
                    if operation != .probe {
                        guard let base = nameBytes.baseAddress else { return false }
                        try statement.bindText(borrowing: base, count: nameBytes.count - 1, 1)
                    }
                    try body(connection, statement)
                    return true
                } catch let error as CormorantError {
                    // The next call looks at the table anew.
                    if error.code == .sql { connection.setAttachment(KeyValueStatements?.none) }
                    guard error.isMissingTable, !isRetry else {
                        throw error.recordIndex.map(error.ofStore.at(record:)) ?? error.ofStore
                    }
                    isRetry = true
                }
            }
        }
    }

    /// The same for an operation on one key.
    @discardableResult
    @inline(__always)
    final func perform(
        _ operation: KeyValueOperation, key: UnsafeRawBufferPointer, creates: Bool = false,
        _ body: (Connection, Statement) throws -> Void
    ) throws -> Bool {
        let base = UnsafeRawPointer(key.baseAddress ?? UnsafeRawPointer(emptyText))
        guard isValidUTF8(base, count: key.count) else {
            throw CormorantError(.encoding, "the key is not UTF-8", hint: "convert it")
        }
        return try perform(operation, creates: creates) { connection, statement in
            try statement.bindText(borrowing: base, count: key.count, 2)
            try body(connection, statement)
        }
    }

    // --- What the bindings are made of ---

    /// Reads an entry where it is: value, json, created, updated, expires, version.
    package final func get(_ key: UnsafeRawBufferPointer, _ read: (Row) throws -> Void) throws -> Bool {
        var found = false
        try perform(.get, key: key) { _, statement in
            guard try statement.step() else { return }
            let row = Row(statement)
            guard isAlive(expires: row.cell(4)) else { return }
            try read(row)
            found = true
        }
        return found
    }

    package final func contains(_ key: UnsafeRawBufferPointer) throws -> Bool {
        var found = false
        try perform(.contains, key: key) { _, statement in
            statement.bind(now(), 4)
            found = try statement.step()
        }
        return found
    }
}

/// Values by key, in the same file and the same transactions as models. Threads may share it, as they do its database; it
/// holds nothing of the file, so any number of stores of one name may be made.
public final class KeyValueStore: KeyValueReader, @unchecked Sendable {
    /// Writes an entry.
    /// - Parameters:
    ///   - version: writes only where the entry has it, or is not there for 0; nil writes in any case.
    ///   - bind: binds the value.
    /// - Returns: whether it was written.
    package func put(
        _ key: UnsafeRawBufferPointer, isJSON: Bool, expires: Int64?, version: Int64? = nil,
        bind: (Statement, Int32) throws -> Void
    ) throws -> Bool {
        let operation: KeyValueOperation = version == nil ? .put : version == 0 ? .add : .replace
        var written = true
        try perform(operation, key: key, creates: true) { connection, statement in
            if let version, version != 0 { statement.bind(version, 3) }
            statement.bind(now(), 4)
            if let expires { statement.bind(expires, 5) } else { statement.bindNull(5) }
            statement.bind(Int64(isJSON ? 1 : 0), 6)
            if connection.engine != nil {
                try statement.bindOnServer(connection.memory, bind) {
                    // A batch waits for all of it; what has a version is to be known at once.
                    if version == nil, connection.engine?.isPipelining == true {
                        _ = try statement.engine?.send(copying: nil)
                    } else {
                        _ = try statement.step()
                    }
                }
            } else {
                try bind(statement, 7)
                _ = try statement.step()
            }
            if version != nil { written = connection.changes > 0 }
        }
        return written
    }

    /// Writes many entries in one transaction; an error says at which it failed, and none is written.
    package func batch(_ count: Int, _ body: (Int) throws -> Void) throws {
        func write() throws {
            for index in 0..<count {
                do { try body(index) } catch let error as CormorantError {
                    throw error.at(record: error.recordIndex ?? index)
                }
            }
        }
        try database.inTransaction {
            guard database.dialect != .sqlite, count > 1 else { return try write() }
            // Before all is sent, the table is there.
            try perform(.probe, creates: true) { _, _ in }
            try database.withConnection(reading: false) { connection in
                do {
                    try connection.engine?.pipelined(write)
                } catch let error as CormorantError {
                    throw error.recordIndex.map(error.ofStore.at(record:)) ?? error.ofStore
                }
            }
        }
    }

    package func delete(_ key: UnsafeRawBufferPointer) throws -> Bool {
        var wasSeen = false
        try perform(.delete, key: key) { _, statement in
            while try statement.step() { wasSeen = isAlive(expires: Row(statement).cell(0)) }
        }
        return wasSeen
    }

    /// The time that lies so many milliseconds ahead, as `expires` has it.
    package static func expiry(_ milliseconds: Int64) throws -> Int64 {
        let (time, overflow) = now().addingReportingOverflow(milliseconds)
        guard milliseconds > 0, !overflow else {
            throw CormorantError(
                .range, "an entry cannot live \(milliseconds) milliseconds",
                hint: "give \(milliseconds > 0 ? "less" : "more than 0"), or no time at all")
        }
        return time
    }
}

private func isAlive(expires: Cell) -> Bool { expires.type == StorageType.null || expires.int64 > now() }

/// Milliseconds since 1970 UTC.
func now() -> Int64 { wallTime() / 1_000_000 }
