import CormorantBase
import CormorantSQLite

extension Database {
    /// Calls back after every statement with its SQL, parameters unexpanded, and the nanoseconds from its first step to
    /// its end; nil stops. It runs inside the traced call, of any thread, and must not call the database.
    @available(*, noasync)
    public func setTrace(_ callback: (@Sendable (_ sql: String, _ nanoseconds: Int64) -> Void)?) throws {
        try setRawTrace(callback.map { callback in { callback(String(cString: $0), $1) } })
    }

    /// The same with the SQL as SQLite holds it.
    package func setRawTrace(_ callback: TraceCallback?) throws {
        if isOnlyReading {
            throw CormorantError(
                .transaction, "a trace cannot be set inside a transaction that only reads",
                hint: "set it before the transaction begins, or after it has ended")
        }
        try withConnection { connection in
            try set(callback, readers) { try set(callback, writers) { connection.setTrace(callback) } }
        }
    }

    private func set(_ callback: TraceCallback?, _ pool: ConnectionPool?, _ others: () throws -> Void) throws {
        if let pool { try pool.setTrace(callback, others) } else { try others() }
    }
}
