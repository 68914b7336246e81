import CSQLite
import CormorantBase

// What migrations need of a connection.
extension Connection {
    /// Takes what the CREATE statements of other programs may hold: texts in double quotes, collations that are not
    /// registered here.
    package func acceptForeignSchemas() {
        guard handle != nil else { return }
        csqlite_set_double_quoted_strings(handle, 1)
        sqlite3_collation_needed(handle, nil) { _, handle, encoding, name in
            // SQLite asks for its own, too, where texts are UTF-16, before it makes them of those for UTF-8.
            let name = name.map { String(cString: $0) } ?? ""
            guard !["BINARY", "NOCASE", "RTRIM"].contains(where: { sameIdentifier($0, name) }) else { return }
            sqlite3_create_collation_v2(handle, name, encoding, nil, compareBytes, nil)
        }
    }

    /// Runs one statement that may name functions of the program's, or of another's: there are no rows that they could be
    /// called for.
    package func foreignScript(_ sql: String) throws {
        try requireSQLite("schemas of other programs")
        var known = Set<String>()
        while true {
            do {
                return try script(sql)
            } catch let error as CormorantError {
                guard try defineMissingFunction(error, &known) else { throw error }
            }
        }
    }

    /// Makes the function that a statement lacks, one that gives NULL.
    /// - Parameter known: those that were made for it.
    /// - Returns: false where it lacks none.
    func defineMissingFunction(_ error: CormorantError, _ known: inout Set<String>) throws -> Bool {
        let prefix = "no such function: "
        guard error.plainMessage.hasPrefix(prefix) else { return false }
        let name = String(error.plainMessage.dropFirst(prefix.count))
        guard known.insert(name).inserted else { return false }
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let status = sqlite3_create_function_v2(
            handle, name, -1, flags, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        if status != SQLITE_OK { throw self.error(status) }
        return true
    }

    /// Whether CREATE statements may hold texts in double quotes, as SQLite's own shell lets them.
    package func setDoubleQuotedStrings(_ on: Bool) {
        if handle != nil { csqlite_set_double_quoted_strings(handle, on ? 1 : 0) }
    }

    /// The number that a PRAGMA answers with; 0 for none.
    package func pragma(_ name: String) throws -> Int64 {
        try requireSQLite("PRAGMA \(name)")
        let statement = try Statement(self, "PRAGMA \(name)")
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    /// Turns foreign keys on or off and makes sure of it: inside a transaction SQLite would take no notice.
    package func setForeignKeys(_ on: Bool) throws {
        try script("PRAGMA foreign_keys = \(on ? "ON" : "OFF")")
        guard try pragma("foreign_keys") == (on ? 1 : 0) else {
            throw CormorantError(
                .transaction, "foreign keys cannot be switched \(on ? "on" : "off") inside a transaction",
                hint: "end the transaction first")
        }
    }

    /// Refuses transactions and ATTACH from here on, as a step of a migration must, or allows them again. What is begun by
    /// `begin` here is not refused, for it is prepared before.
    package func setTransactionGuard(_ on: Bool) {
        guard on, handle != nil else { return restoreAuthorizer() }
        sqlite3_set_authorizer(handle, denyTransactions, Unmanaged.passUnretained(faults).toOpaque())
    }
}

private func compareBytes(
    _: UnsafeMutableRawPointer?, _ leftCount: Int32, _ left: UnsafeRawPointer?, _ rightCount: Int32,
    _ right: UnsafeRawPointer?
) -> Int32 {
    let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
    let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
}

private func denyTransactions(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    let denied: String
    switch action {
    case SQLITE_TRANSACTION: denied = name.map { String(cString: $0) } ?? "BEGIN"
    case SQLITE_ATTACH: denied = "ATTACH"
    case SQLITE_DETACH: denied = "DETACH"
    case SQLITE_PRAGMA:
        guard let name, sameIdentifier(String(cString: name), "writable_schema") else { return SQLITE_OK }
        denied = "PRAGMA writable_schema"
    default: return SQLITE_OK
    }
    let error =
        action == SQLITE_PRAGMA
        ? CormorantError(
            .migration, "a step of a migration may not edit the schema's own table: \(denied) is refused",
            hint: "change the schema with CREATE, ALTER and DROP")
        : CormorantError(
            .transaction,
            "a step of a migration has its transaction, and ends, begins and attaches nothing: \(denied) is refused",
            hint: "leave \(denied) out")
    if let context { Unmanaged<CodecFaults>.fromOpaque(context).takeUnretainedValue().note(.error(error), "") }
    return SQLITE_DENY
}

/// ATTACH, and VACUUM INTO, which attaches the file that it makes: beside an encrypted file they would write a plain one.
/// In memory, and in SQLite's own temporary files, which have no name, nothing is plain.
func denyPlainFiles(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    guard action == SQLITE_ATTACH, let context else { return SQLITE_OK }
    let faults = Unmanaged<CodecFaults>.fromOpaque(context).takeUnretainedValue()
    let name = name.map { String(cString: $0) }
    guard !faults.allowsAttach, name != "", name != ":memory:" else { return SQLITE_OK }
    let error = CormorantError(
        .misuse, "ATTACH and VACUUM INTO would write a plain file beside an encrypted one",
        hint: "call attach or backup, which take what the other file is encrypted with")
    faults.note(.error(error), "")
    return SQLITE_DENY
}
