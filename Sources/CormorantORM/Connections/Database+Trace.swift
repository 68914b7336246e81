import CormorantBase
import CormorantSQLite
import CormorantThreads

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
        let end = time(after: writer.timeout)
        let pools = [readers, writers].compactMap(\.self)
        func set() throws -> (ConnectionPool, PooledConnection)? {
            if writers != nil { return try ConnectionPool.setTrace(pools, choose) }
            return try withConnection { connection in
                try ConnectionPool.setTrace(pools) {
                    let callback = choose()
                    connection.setTrace(callback)
                    return callback
                }
            }
        }
        while let (pool, pooled) = try set() {
            try pool.wait(for: pooled, Int(max(0, end - monotonicTime()) / 1_000_000))
        }
    }
}
