import CormorantBase
import CormorantSQLite
import CormorantThreads

// Where a connection is written by beside cursors of other threads on the same, SQLite does not wait for the locks of other connections,
// which may wait for the cursors. So the library does, as long as it waits for any lock.

extension PooledConnection {
    /// Begins a transaction once the lock is to be had; where it throws, the connection is given back.
    @inline(never)
    func beginBesideCursors(_ kind: TransactionKind, isBatch: Bool = false) throws {
        let end = time(after: timeout)
        while true {
            // The thread's own cursors go on no earlier than this has ended.
            let waits = connection?.isInTransaction == false && !hasOwnRunningCursors
            do {
                return try connected().begin(kind, isBatch: isBatch)
            } catch {
                release()
                let isBusy = (error as? CormorantError)?.code == .busy
                guard waits, isBusy, monotonicTime() < end else { throw error }
            }
            sleepMilliseconds(1)
            try acquire()
        }
    }
}

extension Database {
    /// Runs `body`, which writes, on a connection, in a transaction of its own where none is open, and gives the connection back. What it
    /// wrote before an error stays, as without one.
    @inline(never)
    func writeBesideCursors<T>(_ pooled: PooledConnection, _ body: () throws -> T) throws -> T {
        // Beside one that writes, as RETURNING does, the lock is there, and nothing can be committed before that has ended.
        guard let connection = pooled.connection, !connection.isInTransaction, !connection.isWriting,
            !pooled.hasOwnRunningCursors
        else {
            defer { release(pooled) }
            return try body()
        }
        do {
            try pooled.beginBesideCursors(.immediate)
        } catch let error as CormorantError where error.code == .busy {
            // The lock is not to be had. What writes to temporary tables alone, or to another file, needs none.
            try pooled.acquire()
            defer { release(pooled) }
            return try body()
        }
        defer { release(pooled) }
        do {
            let result = try body()
            try connection.commit()
            return result
        } catch {
            if connection.transactionDepth > 0 {
                do {
                    guard connection.isInTransaction else { throw error }
                    try connection.commit()
                } catch { try? connection.rollback() }
            }
            throw error
        }
    }
}
