import CSQLite
import CormorantBase
import CormorantPlatform

extension Connection {
    /// The error of the call that just returned `status` on this connection.
    /// - Parameter from: where in the SQL the failing statement begins.
    func error(_ status: Int32, sql: String? = nil, from start: Int = 0) -> CormorantError {
        let extended = sqlite3_extended_errcode(handle)
        let code = extended & 0xFF == status & 0xFF ? extended : status
        if let error = codecError(code) { return told(error) }
        if let error = hostCalls?.take(code) { return error.during(sql) }
        // Before anything else is asked of SQLite, which keeps them of its last call alone.
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        let offset = sqlite3_error_offset(handle)
        // ENOTTY is of an ioctl, with which SQLite asks what a file can do: it says nothing of what failed.
        let systemError = sqlite3_system_errno(handle) == ENOTTY ? 0 : sqlite3_system_errno(handle)
        if let error = movedError(code) { return error }
        // A checkpoint is tried where the file is only read, too.
        if isReadOnly, code & 0xFF == SQLITE_IOERR, systemError == EBADF {
            return told(sqliteError(SQLITE_READONLY, "attempt to write a readonly database", sql: sql))
        }
        return told(
            sqliteError(
                code, message, sql: sql, offset: offset >= 0 && sql != nil ? Int(offset) + start : nil,
                systemError: systemError))
    }
}

/// An error from SQLite's extended code and message, with what can be read from the message put into fields.
func sqliteError(
    _ code: Int32, _ message: String, sql: String? = nil, offset: Int? = nil, systemError: Int32 = 0
) -> CormorantError {
    func make(
        _ kind: ErrorCode, _ message: String, hint: String? = nil, table: String? = nil, columns: [String] = [],
        constraint: String? = nil
    ) -> CormorantError {
        CormorantError(
            kind, message, hint: hint, sqliteCode: code, sql: sql, offset: offset, table: table, columns: columns,
            constraint: constraint)
    }
    switch code & 0xFF {
    case SQLITE_CONSTRAINT: return constraintError(code, message, make)
    case SQLITE_LOCKED where code == lockedInSharedMemory:
        return make(
            .busy, "a table of the shared memory is locked by another of those that have it open",
            hint: "end their transactions and cursors, or give a longer busy timeout when opening")
    case SQLITE_LOCKED:
        return make(
            .busy, "a table is in use by a statement of this database",
            hint: "close the cursors open on it, and try again")
    case SQLITE_BUSY where code == SQLITE_BUSY | 2 << 8:  // SNAPSHOT
        return make(
            .busy, "another connection wrote since this transaction began to read",
            hint: "close the cursors, or begin the transaction IMMEDIATE before reading")
    case SQLITE_BUSY:
        return make(
            .busy, "the database is locked by another connection",
            hint: "try again, or give a longer busy timeout when opening")
    case SQLITE_READONLY:
        return make(
            .readOnly, message, hint: "open the file for writing, and check that it and its folder are writable")
    case SQLITE_INTERRUPT: return make(.interrupted, "the statement was interrupted")
    // What SQLite makes of it where the first use of a pragma as a table is interrupted.
    case SQLITE_ERROR where message == "interrupted": return make(.interrupted, "the statement was interrupted")
    case SQLITE_IOERR where systemCode(systemError, else: .io) == .full:
        return make(
            .full, systemMessage(systemError), hint: "free some disk space and try again; nothing was written")
    case SQLITE_IOERR:
        return make(.io, systemError == 0 ? message : "\(message): \(systemMessage(systemError))")
    case SQLITE_CORRUPT:
        return make(
            .corrupt, message, hint: damagedHint)
    case SQLITE_FULL: return make(.full, message, hint: "free some disk space and try again; nothing was written")
    case SQLITE_CANTOPEN:
        let what = message == "not an error" ? "unable to open a file beside the database's" : message
        return make(
            .cannotOpen, systemError == 0 ? what : "\(what): \(systemMessage(systemError))",
            hint: openingHint(systemError))
    case SQLITE_NOTADB:
        return make(.notADatabase, message, hint: "check the path; an encrypted file needs its key")
    case SQLITE_NOMEM: return make(.noMemory, message)
    case SQLITE_TOOBIG: return make(.tooBig, message, hint: "SQLite takes texts and blobs up to 1,000,000,000 bytes")
    case SQLITE_MISUSE: return make(.misuse, message)
    case SQLITE_ERROR where message.hasSuffix("no transaction is active"):
        return make(
            .sql, message, hint: "begin one first; an error may have rolled it back, as ON CONFLICT ROLLBACK does")
    case SQLITE_ERROR where message == "cannot start a transaction within a transaction":
        return make(.sql, message, hint: "end the one that is open first, or use a SAVEPOINT inside it")
    case SQLITE_ERROR:
        if let fault = DecimalFault(rawValue: message) { return make(fault.code, message, hint: fault.hint) }
        let isPattern = message.hasPrefix(patternFault)
        return make(.sql, message, hint: isPattern ? patternHint : nil)
    case SQLITE_MISMATCH:
        if let fault = StoredFault(rawValue: code >> 8) { return make(fault.code, message, hint: fault.hint) }
        return make(.type, message, hint: "give the key, LIMIT or OFFSET an integer")
    default: return make(.sqlite, message)
    }
}

extension CormorantError {
    /// Whether the statement does not compile because the file lacks a table or column.
    package var isMissingName: Bool {
        // The last: "table t has no column named c".
        code == .sql && ["no such table", "no such column", "table "].contains { message.hasPrefix($0) }
    }

    /// Of a statement that runs: what FTS5 and FTS4 say to a text that they cannot search for, told as such.
    var ofSearch: CormorantError {
        // A column that the file lacks has an offset, or stands in an UPDATE.
        guard code == .sql, offset == nil, let sql, contains(foldIdentifier(sql), "match"),
            ["fts5: ", "no such column: ", "unterminated string", "unknown special query", "malformed MATCH"].contains(
                where: { plainMessage.hasPrefix($0) })
        else { return self }
        return CormorantError(
            .sql, "the search text is no query of full-text search: \(plainMessage)",
            hint: "put words with signs in them into double quotes, such as \"well-known\", and a quote in them twice",
            sqliteCode: sqliteCode, sql: sql)
    }

    /// Whether the table that is not there stands in a FROM with arguments.
    package var isMissingTableFunction: Bool {
        let prefix = "no such table: "
        guard plainMessage.hasPrefix(prefix), let sql else { return false }
        let (name, folded) = (foldIdentifier(String(plainMessage.dropFirst(prefix.count))), foldIdentifier(sql))
        return ["from ", "join ", ", "].contains { before in
            contains(folded, "\(before)\(name)(") || contains(folded, "\(before)\(quoteIdentifier(name))(")
        }
    }
}

/// Texts of constraint errors: sqlite3HaltConstraint and its callers in SQLite's vdbe.c and insert.c.
private func constraintError(
    _ code: Int32, _ message: String,
    _ make: (ErrorCode, String, String?, String?, [String], String?) -> CormorantError
) -> CormorantError {
    let detail = message.split(separator: ":", maxSplits: 1).dropFirst().first.map { trimmingSpaces(String($0)) }
    let (table, columns) = columnList(detail)
    switch code {
    case SQLITE_CONSTRAINT | 8 << 8, SQLITE_CONSTRAINT | 6 << 8, SQLITE_CONSTRAINT | 10 << 8:
        // UNIQUE, PRIMARYKEY, ROWID
        if let detail, detail.hasPrefix("index '"), detail.hasSuffix("'") {
            return make(
                .unique, message, "another row has the same value", nil, [], String(detail.dropFirst(7).dropLast()))
        }
        // Saving goes by the key alone.
        let isKey = code != SQLITE_CONSTRAINT | 8 << 8
        return make(
            .unique, message,
            "another row has the same value; change it, or \(isKey ? "save instead of insert" : "update that row")",
            table,
            columns, isKey ? "PRIMARY KEY" : "UNIQUE")
    case SQLITE_CONSTRAINT | 5 << 8:
        return make(.notNull, message, "give the column a value", table, columns, "NOT NULL")
    // ON DELETE RESTRICT comes with a trigger's code.
    case _ where message == "FOREIGN KEY constraint failed":
        return make(
            .foreignKey, message, "write the referenced row first, and delete referring rows before it", nil, [],
            "FOREIGN KEY")
    case SQLITE_CONSTRAINT | 1 << 8:
        return make(.check, message, "give a value that meets the condition", nil, [], detail)
    case SQLITE_CONSTRAINT | 12 << 8:  // DATATYPE: "cannot store TEXT value in INTEGER column t.c"
        let name = message.split(separator: " ").last.map(String.init)
        let (table, columns) = columnList(name)
        return make(.type, message, "give a value of the column's type", table, columns, nil)
    default: return make(.constraint, message, nil, nil, [], nil)
    }
}

/// "t.a, t.b" as the table and its columns. A name with a dot or comma in it cannot be told apart and gives none.
private func columnList(_ text: String?) -> (table: String?, columns: [String]) {
    guard let text else { return (nil, []) }
    var table: String?
    var columns: [String] = []
    var rest = Substring(text)
    while !rest.isEmpty {
        let item: Substring
        if let comma = rest.firstIndex(of: ",") {
            item = rest[..<comma]
            rest = rest[rest.index(after: comma)...].drop { $0 == " " }
        } else {
            item = rest
            rest = ""
        }
        let parts = item.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, table == nil || table == String(parts[0]) else { return (nil, []) }
        table = String(parts[0])
        columns.append(String(parts[1]))
    }
    return (table, columns)
}

private func trimmingSpaces(_ text: String) -> String {
    var text = Substring(text)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
}

/// What to do about a damaged file.
package let damagedHint = "restore a backup, or save what is left: corm repair FILE --out NEW"
