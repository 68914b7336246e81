import CormorantBase
import CormorantSQLite

extension Database {
    /// Calls back after every statement with its SQL, parameters unexpanded, and the nanoseconds from its first step to
    /// its end; nil stops. It runs inside the traced call, of any thread, and must not call the database.
    @available(*, noasync)
    public func setTrace(_ callback: (@Sendable (_ sql: String, _ nanoseconds: Int64) -> Void)?) throws {
        try setRawTrace { callback.map { callback in { callback(String(cString: $0), $1) } } }
    }

    /// The same with the SQL as SQLite holds it.
    /// - Parameter choose: gives the callback once no statement runs: then no other call sets one.
    package func setRawTrace(_ choose: () -> TraceCallback?) throws {
        if isOnlyReading {
            throw CormorantError(
                .transaction, "a trace cannot be set inside a transaction that only reads",
                hint: "set it before the transaction begins, or after it has ended")
        }
        if let writers {
            // In order: two that held one each while they wait for all would wait for each other.
            _ = try set(readers) { try writers.setTrace { choose() } }
            return
        }
        try withConnection { connection in
            _ = try set(readers) {
                let callback = choose()
                connection.setTrace(callback)
                return callback
            }
        }
    }

    private func set(_ pool: ConnectionPool?, _ others: () throws -> TraceCallback?) throws -> TraceCallback? {
        try pool.map { try $0.setTrace(others) } ?? others()
    }
}
