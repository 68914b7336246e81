import CSQLite
import CormorantBase
import CormorantEngine

/// A prepared statement, of SQLite's or of another engine's. Belongs to its connection's lock.
@usableFromInline
package final class Statement {
    /// Constant, so that the hot paths read it without a check; owners do not use a statement they have finalised. nil where it
    /// is another engine's.
    @usableFromInline package let pointer: OpaquePointer?
    /// nil where it is SQLite's.
    package let engine: (any EngineStatement)?
    package let sql: String
    /// What a step gives behind which there is nothing to look at: SQLITE_ROW and SQLITE_DONE, but no status where a collation of the
    /// program's may have failed.
    @usableFromInline let (row, done): (Int32, Int32)
    @usableFromInline package let parameterCount: Int
    /// As it was prepared; SQLite prepares it again when the schema has changed.
    package var columnCount: Int { engine.map(\.columnCount) ?? Int(sqlite3_column_count(pointer)) }
    /// How often the engine has prepared it again.
    package var reprepareCount: Int32 {
        engine.map { Int32(truncatingIfNeeded: $0.preparations) } ?? sqliteReprepareCount
    }
    /// How often SQLite has; 0 of another engine's.
    @inlinable @inline(__always)
    package var sqliteReprepareCount: Int32 {
        pointer == nil ? 0 : sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
    }
    /// BEGIN, COMMIT and the like, where it is one.
    package let transactionWord: String?
    /// Whether it may change the schema.
    let changesSchema: Bool
    /// Outlives the statement, which it finalises or whose owner keeps it.
    private unowned(unsafe) let connection: Connection
    private var isFinalized = false
    /// What the connection's cache knows of it.
    var isCached = false
    var isOut = false
    var lastUse: UInt64 = 0

    /// Prepares exactly one statement to be used again and again.
    package init(_ connection: Connection, _ sql: String) throws {
        self.connection = connection
        self.sql = sql
        (row, done) = connection.hasHostCollations ? (-1, -1) : (SQLITE_ROW, SQLITE_DONE)
        if let other = connection.engine {
            pointer = nil
            let statement = try other.prepare(sql)
            engine = statement
            transactionWord = statement.transactionWord
            changesSchema = statement.changesSchema
            parameterCount = statement.parameterCount
            if changesSchema { connection.schemaChanges &+= 1 }
            return
        }
        engine = nil
        var prepared: OpaquePointer?
        var trailing = false
        var text = sql
        let status = text.withUTF8 { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return SQLITE_OK }
            return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
                var tail: UnsafePointer<CChar>?
                let status = connection.waitingForSharedMemory {
                    sqlite3_prepare_v3(
                        connection.handle, start, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                        &prepared,
                        &tail)
                }
                if status == SQLITE_OK, let tail, tail < start + bytes.count {
                    trailing = hasStatement(connection.handle, tail, start + bytes.count)
                }
                return status
            }
        }
        // Comparisons with what ANALYZE found, to plan by.
        connection.hostCalls?.forgetCollationFailure()
        pointer = prepared
        transactionWord = transactionWordOf(prepared)
        changesSchema = CormorantSQLite.changesSchema(prepared)
        if changesSchema { connection.schemaChanges &+= 1 }
        parameterCount = Int(sqlite3_bind_parameter_count(prepared))
        guard status == SQLITE_OK else { throw connection.compileError(status, sql: sql) }
        guard !sql.utf8.contains(0) else { throw StatementFault.nul(sql) }
        guard !trailing else { throw StatementFault.several(sql) }
        guard prepared != nil else {
            throw StatementFault.none(sql)
        }
    }

    deinit { finalize() }

    package func finalize() {
        if !isFinalized { if let engine { engine.finalize() } else { sqlite3_finalize(pointer) } }
        isFinalized = true
    }

    /// Goes to the next row; false at the end.
    @inlinable @inline(__always)
    package func step() throws -> Bool {
        if pointer == nil { return try stepEngine() }
        let status = sqlite3_step(pointer)
        if status == row { return true }
        if status == done { return false }
        return try stepAgain(status)
    }

    @usableFromInline @inline(never)
    func stepAgain(_ status: Int32) throws -> Bool {
        // Tables are locked before the first row.
        let again =
            status == lockedInSharedMemory
            ? connection.waitingForSharedMemory {
                sqlite3_reset(pointer)
                return sqlite3_step(pointer)
            } : status
        if let error = connection.endIfCollationFailed(pointer, sql) { throw error }
        guard again == SQLITE_ROW || again == SQLITE_DONE else { throw stepError(again) }
        return again == SQLITE_ROW
    }

    @usableFromInline @inline(never)
    package func stepError(_ status: Int32) -> CormorantError {
        let error = connection.error(status, sql: sql).ofSearch
        sqlite3_reset(pointer)
        connection.changeLog?.statementFailed(pointer)
        return error
    }

    @inlinable
    package func reset() { if pointer == nil { resetEngine() } else { sqlite3_reset(pointer) } }

    package func clearBindings() { if let engine { engine.clearBindings() } else { sqlite3_clear_bindings(pointer) } }

    /// The text of the statement alone, without what followed it.
    package var ownSQL: String { pointer == nil ? sql : sqlite3_sql(pointer).map { String(cString: $0) } ?? sql }

    package var isReadOnly: Bool { engine.map(\.isReadOnly) ?? (sqlite3_stmt_readonly(pointer) != 0) }

    package func columnName(_ index: Int) -> String {
        if let engine { return engine.columnName(index) }
        return sqlite3_column_name(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) } ?? ""
    }

    /// Position of the named parameter, with or without its sigil; 0 for none.
    package func parameterIndex(_ name: String) -> Int {
        if let engine { return engine.parameterIndex(name) }
        if let first = name.first, ":@$?".contains(first) {
            return Int(sqlite3_bind_parameter_index(pointer, name))
        }
        for sigil in [":", "@", "$"] {
            let index = sqlite3_bind_parameter_index(pointer, sigil + name)
            if index > 0 { return Int(index) }
        }
        return 0
    }

    /// The name of a parameter with its sigil, nil for `?`.
    package func parameterName(_ index: Int) -> String? {
        if let engine { return engine.parameterName(index) }
        return sqlite3_bind_parameter_name(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) }
    }

    /// The text of the first row's first column, for PRAGMAs.
    package func firstText() throws -> String? {
        defer { reset() }
        return try step() ? Row(self).cell(0).string : nil
    }
}

/// Those statements read, and have no columns.
func transactionWordOf(_ statement: OpaquePointer?) -> String? {
    guard sqlite3_column_count(statement) == 0, sqlite3_stmt_readonly(statement) != 0 else { return nil }
    return sqlite3_sql(statement).flatMap(StatementStart.transactionWord)
}

package func databaseClosed() -> CormorantError {
    CormorantError(.misuse, "the database is closed", hint: "open it again, and close it after its last use")
}

/// Whether anything but space and comments follows.
private func hasStatement(
    _ handle: OpaquePointer?, _ start: UnsafePointer<CChar>, _ end: UnsafePointer<CChar>
) -> Bool {
    var next: OpaquePointer?
    let status = sqlite3_prepare_v2(handle, start, Int32(clamping: end - start), &next, nil)
    sqlite3_finalize(next)
    return status != SQLITE_OK || next != nil
}
