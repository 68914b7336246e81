import CThreads

/// A mutex that the thread holding it may take again, and that others get in the order in which they came.
package final class FairLock: Semaphore, @unchecked Sendable {
    package enum Outcome { case taken, timedOut, abandoned, forked }

    private var depth = 0
    /// How many of the holds last from call to call. With no others the thread is between calls, and the number of its
    /// owner stands negative, so that another thread can tell, and take the lock away.
    private var kept = 0
    private var lastOwner: Int64 = 0
    private let forks = forkCount
    private let refused = SharedNumbers.refused
    /// Called just before the lock becomes free; what it gives is called after. Set by who holds the lock.
    package var beforeRelease: (() -> (() -> Void)?)?

    package init() { super.init(1) }

    private var owner: UnsafeMutablePointer<Int64> { numbers + 2 }

    /// Whether more than one thread has held it.
    @inline(__always)
    package var isShared: Bool { cthreads_load(numbers + 3) != 0 }

    /// Whether this process is a child of the one whose lock it is.
    package var isForked: Bool { forks != forkCount }

    package func share() { cthreads_store(numbers + 3, 1) }

    /// Takes the lock, or says why not. After `abandoned` it is taken, too: from a thread that has ended with a transaction
    /// open. `forked`: this process is a child of the one whose lock it is.
    package func lock(_ timeout: Int) -> Outcome {
        let me = currentThread().pointee.id
        guard forks == forkCount else { return .forked }
        if isTakenAgain(me) { return .taken }
        if !tryTake() {
            let hasTurn = take(timeout) { isAbandoned || Threads.isCancelled }
            guard hasTurn else { return seize(me) }
        }
        cthreads_note(owner, me)
        depth = 1
        if lastOwner != me { ownerChanged(me) }
        return .taken
    }

    /// Takes it once more where this thread has it.
    @inline(__always)
    private func isTakenAgain(_ me: Int64) -> Bool {
        let holder = cthreads_load(owner)
        guard holder == me || (holder == -me && cthreads_swap(owner, holder, me)) else { return false }
        depth &+= 1
        return true
    }

    /// Takes the lock if no thread but this one has ever come, and does not wait.
    package func lockIfAlone() -> Bool {
        let me = currentThread().pointee.id
        if isTakenAgain(me) { return true }
        if isShared || forks != forkCount { return false }
        guard tryTake() else {
            share()
            return false
        }
        if lastOwner != me {
            ownerChanged(me)
            if isShared {
                giveBack()
                return false
            }
        }
        cthreads_note(owner, me)
        depth = 1
        return true
    }

    private func ownerChanged(_ me: Int64) {
        if lastOwner != 0 { share() }
        lastOwner = me
    }

    private func seize(_ me: Int64) -> Outcome {
        let other = cthreads_load(owner)
        guard Threads.hasEnded(abs(other)), cthreads_swap(owner, other, me) else { return .timedOut }
        depth = 1
        kept = 0
        ownerChanged(me)
        return .abandoned
    }

    /// Takes the lock away from a thread that keeps it between calls.
    /// - Returns: that thread; nil where no thread does.
    package func takeAway() -> Int64? {
        let me = currentThread().pointee.id
        let other = cthreads_load(owner)
        guard other < 0, cthreads_swap(owner, other, me) else { return nil }
        depth = 1
        kept = 0
        ownerChanged(me)
        return -other
    }

    /// Has one of the holds last from call to call.
    package func keep() {
        kept &+= 1
        rest()
    }

    /// One hold less lasts from call to call; the thread is inside of a call.
    package func dropKept(_ count: Int = 1) {
        kept &-= count
        depth &-= count
    }

    @inline(__always)
    private func rest() {
        if depth == kept { cthreads_note(owner, 0 &- cthreads_load(owner)) }
    }

    package func unlock() {
        guard depth == 1 else {
            depth &-= 1
            rest()
            return
        }
        let afterwards = beforeRelease?()
        depth = 0
        cthreads_note(owner, 0)
        giveBack()
        afterwards?()
    }

    /// Whether the thread that holds it has ended with a transaction open.
    package var isAbandoned: Bool { Threads.hasEnded(abs(cthreads_load(owner))) }

    /// Whether calls of any thread are refused.
    package var anyIsRefused: Bool { cthreads_load(refused) > 0 }

    /// Whether this thread holds it.
    package func isHeld(by thread: Int64) -> Bool { abs(cthreads_load(owner)) == thread }

    /// Whether the calling thread holds it.
    package var isMine: Bool { isHeld(by: currentThread().pointee.id) }

    /// How often the calling thread, which holds it, has taken it.
    package var holds: Int { depth }
}
