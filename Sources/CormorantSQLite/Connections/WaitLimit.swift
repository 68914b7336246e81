import CSQLite
import CormorantBase
import CormorantThreads

/// What is left of a busy timeout that several waits share, and who is told of them.
package final class WaitLimit {
    private var left: Int64
    private let shouldContinue: () -> Bool
    /// Milliseconds.
    package private(set) var waited: Int64 = 0
    package private(set) var isCancelled = false
    /// Whether a wait ended before the lock did.
    package private(set) var isOver = false

    fileprivate init(_ timeout: Int64, _ shouldContinue: @escaping () -> Bool) {
        left = timeout
        self.shouldContinue = shouldContinue
    }

    /// Waits a little; false when that was enough.
    /// - Parameter attempt: counted from 0 for each lock.
    fileprivate func wait(_ attempt: Int32) -> Bool {
        if !isCancelled, !shouldContinue() { isCancelled = true }
        guard !isCancelled, left > 0 else {
            isOver = true
            return false
        }
        let pause = min(left, attempt < 5 ? 1 << Int64(attempt) : 50)
        WriteTurns.sleep(UInt32(clamping: pause) &* 1000)
        left -= pause
        waited += pause
        return true
    }
}

extension Connection {
    /// Runs `body` with all its waits for the locks of others together as long as the busy timeout. SQLite by itself gives it
    /// to each of them: to that for the write lock, to that for the commit, and where a journal is rolled back to every time
    /// that memory is too small for what a transaction has changed.
    /// - Parameters:
    ///   - shouldContinue: called again and again while it waits, and must not use the connection; false ends the wait.
    ///   - body: gets what tells of the waits.
    package func limitingWaits<Result>(
        _ shouldContinue: @escaping () -> Bool, _ body: (WaitLimit) throws -> Result
    ) throws -> Result {
        try requireSQLite("waits that are told of")
        let timeout = try pragma("busy_timeout")
        let limit = WaitLimit(timeout, shouldContinue)
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                return Unmanaged<WaitLimit>.fromOpaque(context).takeUnretainedValue().wait(attempt) ? 1 : 0
            }, Unmanaged.passUnretained(limit).toOpaque())
        // A callback of the caller's may have closed the connection.
        defer { if isOpen { sqlite3_busy_timeout(handle, Int32(clamping: timeout)) } }
        return try withExtendedLifetime(limit) { try body(limit) }
    }
}
