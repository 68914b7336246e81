import CormorantThreads

/// What another thread needs to stop the statement that runs, made when the connection was opened.
final class Interrupter: @unchecked Sendable {  // its state is kept under the lock
    private let pq: LibPQ
    private var cancellation: OpaquePointer?
    /// Held while the server is told.
    private let lock = RecursiveLock(.serverInterrupt)
    private let state = AtomicNumber(State.idle)

    private enum State {
        static let (idle, running, asked, askedBefore) = (0 as Int64, 1 as Int64, 2 as Int64, 3 as Int64)
    }

    init(_ pq: LibPQ, _ connection: OpaquePointer?) {
        self.pq = pq
        cancellation = pq.getCancel(connection)
    }

    deinit {
        pq.freeCancel(cancellation)
        state.deallocate()
    }

    /// For another connection in place of the one that was lost.
    func replace(_ connection: OpaquePointer?) {
        lock.locked {
            pq.freeCancel(cancellation)
            cancellation = pq.getCancel(connection)
        }
    }

    /// From here on an interrupt stops what the server does.
    func begin() { state.store(State.running) }

    /// From here on an interrupt does nothing. One that is under way is waited for, so that it does not hit what runs next.
    func end() {
        if state.exchange(State.running, for: State.idle) { return }
        lock.locked { _ = state.exchange(State.asked, for: State.askedBefore) }
    }

    /// Whether `interrupt` was called since the statement began.
    var isAsked: Bool { state.load() >= State.asked }

    func interrupt() {
        lock.locked {
            guard state.exchange(State.running, for: State.asked) || state.load() == State.asked else { return }
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
