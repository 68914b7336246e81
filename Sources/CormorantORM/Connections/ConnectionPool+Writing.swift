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
        var outcomes: [Int64: (outcome: Outcome, turn: Int)] = [:]
        /// How many there have been.
        var turns = 0
        var totalChanges: Int64 = 0
        /// The thread that alone has come; -1 once another has.
        let onlyThread = AtomicNumber()

        deinit { onlyThread.deallocate() }
    }

    /// What a thread's newest statement that writes did.
    struct Outcome: Equatable {
        var thread: Int64
        var changes: Int64 = 0
        var lastInsertID: Int64 = 0
    }

    /// A connection for the calling thread, locked: the one that it uses, in a call, a transaction or a cursor, or one that is free.
    func acquireWriting(waits: Bool = true) throws -> PooledConnection {
        let thread = currentThread()
        if let pooled = held(by: thread.pointee.id) {
            try pooled.acquire()
            return pooled
        }
        shareIfOthersCame(thread.pointee.id)
        while true {
            if let pooled = try acquireShared(thread.pointee.id) { return pooled }
            // What was lost is told, though another connection is free.
            if Threads.anyHasEnded, let lost = members.first(where: { freeIfAbandoned($0) }) {
                throw lost.endedWithItsThread()
            }
            if let pooled = try acquireFree(thread, waits: waits) { return pooled.takeUnretainedValue() }
            // It was pinned while this thread waited.
            guard state.locked({ writing?.pinned }) != nil else { throw isFull() }
        }
    }

    /// One that nobody uses, without waiting.
    func acquireFreeNow() -> PooledConnection? {
        guard held() == nil, state.locked({ writing?.pinned }) == nil else { return nil }
        return try? acquireFree(currentThread(), waits: false)?.takeUnretainedValue()
    }

    /// The same for a thread that has none of them, in a transaction or with a cursor.
    func acquireUnused() -> PooledConnection? {
        let thread = currentThread().pointee.id
        return state.locked({ members.contains { $0.taker == thread } }) ? nil : acquireFreeNow()
    }

    /// The one that everybody gets, else the one that the thread has a cursor on.
    private func acquireShared(_ thread: Int64) throws -> PooledConnection? {
        let (pinned, kept) = state.locked { (writing?.pinned, taken(by: thread)) }
        guard let pooled = pinned ?? kept else { return nil }
        try pooled.acquire()
        if pinned != nil {
            if state.locked({ writing?.pinned === pooled }) { return pooled }
        } else if pooled.uses > 1, state.locked({ pooled.taker == thread }) {
            // With no other use it is about to be given back, or another thread's by now.
            return pooled
        }
        pooled.uses -= 1
        pooled.lock.unlock()
        return pinned == nil ? nil : try acquireShared(thread)
    }

    private func taken(by thread: Int64) -> PooledConnection? {
        freeCount == members.count ? nil : members.first { $0.taker == thread }
    }

    /// Whether one thread alone has come, whose reads need no connection beside.
    func isAlone(_ thread: Int64) -> Bool { writing.map { $0.onlyThread.load() == thread } ?? false }

    private func shareIfOthersCame(_ thread: Int64) {
        guard let only = writing?.onlyThread else { return }
        let known = only.load()
        if known == 0 { only.store(thread) } else if known != thread { only.store(-1) }
    }

    /// From here on reads go to connections that read.
    func share() { writing?.onlyThread.store(-1) }

    /// After SQL that a program has written: a transaction that it began is nobody's, and all see it.
    func follow(_ pooled: PooledConnection, _ connection: Connection) {
        guard let writing else { return }
        // One that has failed is to be rolled back there.
        let isOpen = connection.isOpenOnServer && connection.transactionDepth == 0
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
        let total = connection.totalChanges
        let outcome = Outcome(
            thread: currentThread().pointee.id, changes: connection.changes, lastInsertID: connection.lastInsertID)
        let told = state.locked {
            if outcome != pooled.outcome || total != pooled.counted { count(pooled, total, outcome, writing) }
            return writing.beforeRelease
        }
        return pooled.lock.holds == 1 ? told?(connection) : nil
    }

    private func count(_ pooled: PooledConnection, _ total: Int64, _ outcome: Outcome, _ writing: Writing) {
        writing.totalChanges += total - pooled.counted
        pooled.counted = total
        pooled.outcome = outcome
        writing.turns += 1
        writing.outcomes[outcome.thread] = (outcome, writing.turns)
        // Threads come and go; what one did long ago nobody asks for.
        if writing.outcomes.count > 1024 {
            let newest = writing.outcomes.values.map(\.turn).sorted()[512]
            writing.outcomes = writing.outcomes.filter { $0.value.turn >= newest }
        }
    }

    /// What the thread did on another connection before, it did.
    func takeOver(_ pooled: PooledConnection, _ outcome: Outcome) {
        pooled.outcome = outcome
        pooled.connection?.engine?.changes = outcome.changes
        pooled.connection?.newestKey = outcome.lastInsertID
    }

    /// How many are some thread's now.
    var usedCount: Int { state.locked { members.count - freeCount } }

    /// What the calling thread's newest statement did.
    var outcome: Outcome {
        let thread = currentThread().pointee.id
        if let connection = held(by: thread)?.connection {
            return Outcome(
                thread: thread, changes: connection.changes, lastInsertID: connection.lastInsertID)
        }
        return state.locked { writing?.outcomes[thread]?.outcome } ?? Outcome(thread: thread)
    }

    /// Rows changed by all of them.
    var totalChanges: Int64 {
        let pooled = held()
        let own = pooled.flatMap { pooled in pooled.connection.map { $0.totalChanges - pooled.counted } } ?? 0
        return own + state.locked { writing?.totalChanges ?? 0 }
    }
}
