import CSQLite
import CormorantBase
import CormorantThreads

/// Counts rows while statements run, and asks now and then whether to go on.
package final class ProgressMonitor {
    /// Rows written since the monitor was set, as SQLite's update hook tells them: those of WITHOUT ROWID tables are not.
    package private(set) var rows: Int64 = 0
    private let shouldContinue: (Int64) -> Bool
    package private(set) var isCancelled = false

    /// - Parameter shouldContinue: gets the rows written so far; false stops the running statement, which then throws
    ///   `interrupted`. Called from inside the statement: it must not use the connection.
    package init(_ shouldContinue: @escaping (Int64) -> Bool) { self.shouldContinue = shouldContinue }

    fileprivate func count() { rows &+= 1 }

    fileprivate func ask() -> Bool {
        if !isCancelled, !shouldContinue(rows) { isCancelled = true }
        return !isCancelled
    }
}

extension Connection {
    /// From here on a statement looks now and then whether the thread that runs it is cancelled, and is interrupted alone: the flag of
    /// sqlite3_interrupt is of all statements, and stays as long as one of them runs.
    package func watchCancellation() {
        guard handle != nil, !watchesCancellation else { return }
        watchesCancellation = true
        setCancellation()
    }

    private func setCancellation() {
        sqlite3_progress_handler(handle, 100_000, { _ in Threads.isCancelled ? 1 : 0 }, nil)
    }

    /// Watches every statement until it is set to nil. The monitor must live until then.
    package func setMonitor(_ monitor: ProgressMonitor?) {
        guard let monitor else {
            // A callback of the monitor's may have closed the connection.
            guard isOpen, handle != nil else { return }
            sqlite3_progress_handler(handle, 0, nil, nil)
            sqlite3_update_hook(handle, nil, nil)
            if watchesCancellation { setCancellation() }
            return
        }
        guard handle != nil else { return }
        let context = Unmanaged.passUnretained(monitor).toOpaque()
        // About a hundredth of a second of copying.
        sqlite3_progress_handler(
            handle, 100_000,
            { context in
                guard let context else { return 0 }
                if Threads.isCancelled { return 1 }
                return Unmanaged<ProgressMonitor>.fromOpaque(context).takeUnretainedValue().ask() ? 0 : 1
            }, context)
        sqlite3_update_hook(
            handle,
            { context, _, _, _, _ in
                guard let context else { return }
                Unmanaged<ProgressMonitor>.fromOpaque(context).takeUnretainedValue().count()
            }, context)
    }
}
