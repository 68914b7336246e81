import CormorantThreads

/// What is left to do of cursors that were closed while another thread had their connection. Whoever has that does it.
final class ClosedCursors {
    // `lock` guards `waiting`; the number is atomic.
    private let lock = RecursiveLock(.closedCursors)
    private var waiting: [(PooledConnection) -> Void] = []
    private let count = AtomicNumber()

    deinit { count.deallocate() }

    @inline(__always)
    var areWaiting: Bool { count.load() != 0 }

    /// Has `work` done on the connection that these are of: now, where no other thread has it after all.
    func add(on pooled: PooledConnection, _ work: @escaping (PooledConnection) -> Void) {
        lock.locked {
            waiting.append(work)
            count.store(1)
        }
        pooled.endClosedCursors()
    }

    /// While the connection is locked; within a function of the program's, that waits: one of them may be what it runs in.
    func end(on pooled: PooledConnection) {
        if pooled.isInFunction { return }
        let all = lock.locked {
            defer { waiting = [] }
            count.store(0)
            return waiting
        }
        for work in all { work(pooled) }
    }
}
