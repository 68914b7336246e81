/// A mutex that the thread holding it may take again, and that others get in the order in which they came. A thread may hold it
/// from call to call, for a transaction: while it is between two calls, another thread can take the lock away.
package final class FairLock: @unchecked Sendable {
    // Sendable: who holds the lock guards `depth`, `kept`, `lastOwner`, `beforeRelease`
    package enum Outcome { case taken, timedOut, abandoned, forked }

    /// Of one permit, which is the lock.
    private let semaphore = Semaphore(1)
    /// The thread that holds it, negative while that is between calls; 0: none does.
    package let owner = AtomicNumber()
    /// 1 once more than one thread has held it.
    private let shared = AtomicNumber()
    private var depth = 0
    /// How many of the holds last from call to call. With no others the thread is between calls.
    private var kept = 0
    private var lastOwner: Int64 = 0
    /// Set where another thread holds it than before, until who holds it has seen it.
    package var ownerIsNew = false
    private let forks = forkCount
    private let refused = Threads.refused
    /// While the thread that holds it is interrupted.
    private let interrupting = RecursiveLock(.interruption)
    /// Called just before the lock becomes free; what it gives is called after. Set by who holds the lock.
    package var beforeRelease: (() -> (() -> Void)?)?

    package init() {}

    deinit {
        owner.deallocate()
        shared.deallocate()
    }

    /// Whether more than one thread has held it.
    @inline(__always)
    package var isShared: Bool { shared.load() != 0 }

    /// Whether this process is a child of the one whose lock it is.
    package var isForked: Bool { forks != forkCount }

    package func share() { shared.store(1) }

    /// Takes the lock, or says why not. After `abandoned` it is taken, too: from a thread that has ended with a transaction
    /// open. `forked`: this process is a child of the one whose lock it is.
    /// - Parameter timeout: milliseconds.
    package func lock(_ timeout: Int) -> Outcome {
        let me = currentThread().pointee.id
        guard forks == forkCount else { return .forked }
        if takeAgain(me) { return .taken }
        #if DEBUG
            if timeout > 0 { HeldLocks.check(.connection) }
        #endif
        if !semaphore.tryTake() {
            let isTaken = semaphore.take(timeout) { isAbandoned || Threads.isCancelled }
            guard isTaken else { return seize(me) }
        }
        owner.storeReleasing(me)
        depth = 1
        if lastOwner != me { ownerChanged(me) }
        return .taken
    }

    /// Takes it once more where this thread has it.
    @inline(__always)
    private func takeAgain(_ me: Int64) -> Bool {
        let holder = owner.load()
        guard holder == me || (holder == -me && owner.exchange(holder, for: me)) else { return false }
        depth &+= 1
        return true
    }

    /// Takes the lock if no thread but this one has ever come, and does not wait.
    package func lockIfAlone() -> Bool {
        let me = currentThread().pointee.id
        if takeAgain(me) { return true }
        if isShared || forks != forkCount { return false }
        guard semaphore.tryTake() else {
            share()
            return false
        }
        if lastOwner != me {
            ownerChanged(me)
            if isShared {
                semaphore.giveBack()
                return false
            }
        }
        owner.storeReleasing(me)
        depth = 1
        return true
    }

    private func ownerChanged(_ me: Int64) {
        if lastOwner != 0 { share() }
        lastOwner = me
        ownerIsNew = true
    }

    private func seize(_ me: Int64) -> Outcome {
        let other = owner.load()
        guard Threads.hasEnded(abs(other)), takeOver(other, me) else { return .timedOut }
        return .abandoned
    }

    /// Takes the lock away from a thread that keeps it between calls.
    /// - Returns: that thread; nil where no thread does, and in a child of the process whose lock it is.
    package func takeAway() -> Int64? {
        let other = owner.load()
        guard other < 0, forks == forkCount, takeOver(other, currentThread().pointee.id) else { return nil }
        return -other
    }

    private func takeOver(_ other: Int64, _ me: Int64) -> Bool {
        guard owner.exchange(other, for: me) else { return false }
        depth = 1
        kept = 0
        ownerChanged(me)
        return true
    }

    /// Has one of the holds last from call to call.
    package func keep() {
        kept &+= 1
        markIfBetweenCalls()
    }

    /// One hold less lasts from call to call; the thread is inside of a call.
    package func dropKept(_ count: Int = 1) {
        kept &-= count
        depth &-= count
    }

    @inline(__always)
    private func markIfBetweenCalls() {
        if depth == kept { owner.storeReleasing(0 &- owner.load()) }
    }

    package func unlock() {
        guard depth == 1 else {
            depth &-= 1
            markIfBetweenCalls()
            return
        }
        let afterwards = beforeRelease?()
        depth = 0
        // With a fence: who interrupts has said so before it looked for the owner.
        owner.store(0)
        if anyIsRefused { interrupting.locked {} }
        semaphore.giveBack()
        afterwards?()
    }

    /// Whether the thread that holds it has ended with a transaction open.
    package var isAbandoned: Bool { Threads.hasEnded(abs(owner.load())) }

    /// Whether calls of any thread are refused.
    package var anyIsRefused: Bool { refused.load() > 0 }

    /// Whether this thread holds it.
    package func isHeld(by thread: Int64) -> Bool { holder == thread }

    /// The thread that holds it; 0: none does.
    package var holder: Int64 { abs(owner.load()) }

    /// Runs `body`, which interrupts what a thread that is cancelled does, if that thread holds the lock; no other gets it meanwhile.
    package func ifHeld(by thread: Int64, _ body: () -> Void) {
        interrupting.locked { if isHeld(by: thread) { body() } }
    }

    /// Whether the calling thread holds it.
    package var isMine: Bool { isHeld(by: currentThread().pointee.id) }

    /// How often the calling thread, which holds it, has taken it.
    package var holds: Int { depth }
}
