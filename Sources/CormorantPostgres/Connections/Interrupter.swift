import CormorantThreads

/// What another thread needs to stop the statement that runs, made when the connection was opened.
final class Interrupter: @unchecked Sendable {  // its state is kept under the lock
    private let pq: LibPQ
    private var cancellation: OpaquePointer?
    private let lock = RecursiveLock(.serverInterrupt)
    private var isRunning = false
    private var wasAsked = false

    init(_ pq: LibPQ, _ connection: OpaquePointer?) {
        self.pq = pq
        cancellation = pq.getCancel(connection)
    }

    deinit { pq.freeCancel(cancellation) }

    /// For another connection in place of the one that was lost.
    func replace(_ connection: OpaquePointer?) {
        lock.locked {
            pq.freeCancel(cancellation)
            cancellation = pq.getCancel(connection)
        }
    }

    /// From here on an interrupt stops what the server does.
    func begin() {
        lock.locked {
            isRunning = true
            wasAsked = false
        }
    }

    /// From here on an interrupt does nothing. One that is under way is waited for, so that it does not hit what runs next.
    func end() { lock.locked { isRunning = false } }

    /// Whether `interrupt` was called since the statement began.
    var isAsked: Bool { lock.locked { wasAsked } }

    func interrupt() {
        lock.locked {
            guard isRunning else { return }
            wasAsked = true
            cancel()
        }
    }

    /// By a connection of its own, which the server closes once it has told the one that runs.
    func cancel() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            _ = pq.cancel(cancellation, buffer.baseAddress, 256)
        }
    }
}
