import CSQLite
import CormorantBase

extension Connection {
    /// Whether SQLite compiles this SQL here, to a statement that changes nothing. It is in the cache afterwards.
    package func onlyReads(_ sql: String) throws -> Bool {
        let statement = try self.statement(sql)
        defer { recycle(statement) }
        return statement.isReadOnly
    }

    /// Refuses SQL that asks for what only the connection that wrote knows.
    package func refuseWritersFunctions() {
        isReader = true
        restoreAuthorizer()
    }

    /// Sets what this connection always refuses, after it was something else for a while.
    func restoreAuthorizer() {
        guard handle != nil else { return }
        let context = Unmanaged.passUnretained(faults).toOpaque()
        sqlite3_set_authorizer(
            handle, isReader ? denyWritersFunctions : hasEncryptedFile ? denyPlainFiles : nil, context)
    }
}

extension CormorantError {
    /// Whether it is because the connection is a reader.
    package var isRefusedToReaders: Bool { sqliteCode & 0xFF == SQLITE_AUTH }
}

private func denyWritersFunctions(
    _: UnsafeMutableRawPointer?, _ action: Int32, _: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    guard action == SQLITE_FUNCTION, let name else { return SQLITE_OK }
    let isWriters =
        sqlite3_stricmp(name, "last_insert_rowid") == 0 || sqlite3_stricmp(name, "changes") == 0
        || sqlite3_stricmp(name, "total_changes") == 0
    return isWriters ? SQLITE_DENY : SQLITE_OK
}
