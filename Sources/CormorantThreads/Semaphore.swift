import CormorantPlatform

/// A counting semaphore: permits that threads take and give back. Those who wait are served in their order; a thread that comes
/// by may take a free one before them, as long as none has waited for a millisecond, for waking a thread costs more than most
/// calls.
package final class Semaphore: @unchecked Sendable {  // `mutex` guards `waiters`; the numbers are atomic
    private let free: AtomicNumber
    private let waiting = AtomicNumber()
    private let mutex = RecursiveLock(.waiters)
    private var waiters: [Waiter] = []

    package init(_ count: Int) { free = AtomicNumber(Int64(count)) }

    deinit {
        free.deallocate()
        waiting.deallocate()
    }

    /// Takes one that is free; does not wait.
    @inline(__always)
    package func tryTake() -> Bool {
        var count = free.load()
        while count > 0 {
            if free.exchange(count, for: count &- 1) { return true }
            count = free.load()
        }
        return false
    }

    /// Takes one, waiting for it where there is none.
    /// - Parameters:
    ///   - timeout: milliseconds; `Int.max` waits for ever.
    ///   - givesUp: asked before waiting and now and then.
    /// - Returns: false when the time is over, or when it gave up.
    @inline(never)
    package func take(_ timeout: Int, givingUpWhen givesUp: () -> Bool) -> Bool {
        if tryTake() { return true }
        if givesUp() || timeout <= 0 { return false }
        let begin = monotonicTime()
        let end = time(after: timeout, from: begin)
        let waiter = Waiter(since: begin)
        mutex.lock()
        defer { mutex.unlock() }
        waiters.append(waiter)
        waiting.add(1)
        while !waiter.isGranted {
            if waiters.first === waiter, tryTake() {
                leave(waiter)
                return true
            }
            let left = end &- monotonicTime()
            guard left > 0, !givesUp() else {
                leave(waiter)
                return false
            }
            waiter.condition.wait(mutex, nanoseconds: min(left, 100_000_000))
        }
        return true
    }

    private func leave(_ waiter: Waiter) {
        waiters.removeAll { $0 === waiter }
        waiting.add(-1)
        if free.load() > 0 { waiters.first?.condition.signal() }
    }

    @inline(__always)
    package func giveBack() {
        free.add(1)
        if waiting.load() > 0 { wakeFirst() }
    }

    @inline(never)
    private func wakeFirst() {
        mutex.lock()
        defer { mutex.unlock() }
        let now = monotonicTime()
        while let first = waiters.first {
            guard now &- first.since > 1_000_000, tryTake() else { return first.condition.signal() }
            first.isGranted = true
            waiters.removeFirst()
            waiting.add(-1)
            first.condition.signal()
        }
    }

    private final class Waiter {
        let since: Int64
        var isGranted = false
        let condition = Condition()

        init(since: Int64) { self.since = since }
    }
}
