import CormorantBase
import CormorantSQLite
import CormorantThreads

extension ConnectionPool {
    /// What a pool has beside its connections where they write. Under the pool's `state`, but for `threads`.
    final class Writing {
        /// Called each time that a thread is done with one of them.
        var beforeRelease: ((Connection) -> (() -> Void)?)?
        /// The one that everybody gets, because raw SQL has begun a transaction on it or left it with what the others lack.
        var pinned: PooledConnection?
        var isPinnedForGood = false
        /// By threads, what the newest statement of each did.
        var outcomes: [Int64: Outcome] = [:]
        var totalChanges: Int64 = 0
        /// The thread that alone has come; -1 once another has.
        let onlyThread = AtomicNumber()

        deinit { onlyThread.deallocate() }
    }

    /// What a thread's newest statement that writes did.
    struct Outcome {
        var changes: Int64
        var lastInsertID: Int64
    }

    /// A connection for the calling thread, locked: the one that it uses, in a call, a transaction or a cursor, or one that is free.
    func acquireWriting(waits: Bool = true) throws -> PooledConnection {
        if let pooled = held() {
            try pooled.acquire()
            return pooled
        }
        shareIfOthersCame()
        while true {
            if let pooled = try acquirePinned() ?? acquireKept() { return pooled }
            // What was lost is told, though another connection is free.
            if let lost = members.first(where: { freeIfAbandoned($0) }) { throw lost.endedWithItsThread() }
            if let pooled = try acquireFree(waits: waits) { return pooled }
            // It was pinned while this thread waited.
            guard state.locked({ writing?.pinned }) != nil else { throw isFull() }
        }
    }

    /// One that nobody uses, without waiting.
    func acquireFreeNow() -> PooledConnection? {
        guard held() == nil, state.locked({ writing?.pinned }) == nil else { return nil }
        return try? acquireFree(waits: false)
    }

    /// The same for a thread that has none of them, in a transaction or with a cursor.
    func acquireUnused() -> PooledConnection? {
        let thread = currentThread().pointee.id
        return state.locked({ members.contains { $0.taker == thread } }) ? nil : acquireFreeNow()
    }

    private func acquirePinned() throws -> PooledConnection? {
        guard let pooled = state.locked({ writing?.pinned }) else { return nil }
        try pooled.acquire()
        if state.locked({ writing?.pinned === pooled }) { return pooled }
        giveUp(pooled)
        return nil
    }

    /// The one that the thread has a cursor on.
    private func acquireKept() throws -> PooledConnection? {
        let thread = currentThread().pointee.id
        guard let pooled = state.locked({ members.first { $0.taker == thread } }) else { return nil }
        try pooled.acquire()
        // With no other use it is about to be given back, or another thread's by now.
        if pooled.uses > 1, state.locked({ pooled.taker == thread }) { return pooled }
        giveUp(pooled)
        return nil
    }

    /// Unlocks what was acquired and is not the thread's.
    private func giveUp(_ pooled: PooledConnection) {
        pooled.uses -= 1
        pooled.lock.unlock()
    }

    /// Whether one thread alone has come, whose reads need no connection beside.
    var isAlone: Bool { writing.map { $0.onlyThread.load() == currentThread().pointee.id } ?? false }

    private func shareIfOthersCame() {
        guard let only = writing?.onlyThread else { return }
        let (known, thread) = (only.load(), currentThread().pointee.id)
        if known == 0 { only.store(thread) } else if known != thread { only.store(-1) }
    }

    /// From here on reads go to connections that read.
    func share() { writing?.onlyThread.store(-1) }

    /// After SQL that a program has written: a transaction that it began is nobody's, and all see it.
    func follow(_ pooled: PooledConnection, _ connection: Connection) {
        guard let writing else { return }
        let isOpen = connection.isInTransaction && connection.transactionDepth == 0
        let isPinned = state.locked { writing.pinned === pooled && !writing.isPinnedForGood }
        if isOpen {
            pin(pooled, forGood: false)
        } else if isPinned {
            state.locked { writing.pinned = nil }
        }
    }

    // What the newest statements did ---------------------------------------------------------------------------------

    /// Before a call gives a connection back: what it did, and who is to be told once a thread is done with it.
    /// - Returns: what is to be called afterwards.
    func note(_ pooled: PooledConnection, _ writing: Writing) -> (() -> Void)? {
        guard let connection = pooled.connection else { return nil }
        count(pooled, connection, writing)
        guard pooled.lock.holds == 1, let told = state.locked({ writing.beforeRelease }) else { return nil }
        return told(connection)
    }

    private func count(_ pooled: PooledConnection, _ connection: Connection, _ writing: Writing) {
        let total = connection.totalChanges
        state.lock()
        defer { state.unlock() }
        writing.totalChanges += total - pooled.counted
        pooled.counted = total
        let thread = currentThread().pointee.id
        writing.outcomes[thread] = Outcome(changes: connection.changes, lastInsertID: connection.lastInsertID)
        // Threads come and go; what one did long ago nobody asks for.
        if writing.outcomes.count > 1024 { writing.outcomes = writing.outcomes.filter { $0.key == thread } }
    }

    /// What the thread did on another connection before, it did.
    func takeOver(_ pooled: PooledConnection, _ writing: Writing) {
        let thread = currentThread().pointee.id
        let outcome = state.locked { writing.outcomes[thread] } ?? Outcome(changes: 0, lastInsertID: 0)
        pooled.connection?.engine?.changes = outcome.changes
        pooled.connection?.newestKey = outcome.lastInsertID
    }

    /// How many are some thread's now.
    var usedCount: Int { state.locked { members.count - freeCount } }

    /// What the calling thread's newest statement did.
    var outcome: Outcome {
        if let connection = held()?.connection {
            return Outcome(changes: connection.changes, lastInsertID: connection.lastInsertID)
        }
        let thread = currentThread().pointee.id
        return state.locked { writing?.outcomes[thread] } ?? Outcome(changes: 0, lastInsertID: 0)
    }

    /// Rows changed by all of them.
    var totalChanges: Int64 {
        let pooled = held()
        let own = pooled.flatMap { pooled in pooled.connection.map { $0.totalChanges - pooled.counted } } ?? 0
        return own + state.locked { writing?.totalChanges ?? 0 }
    }
}
