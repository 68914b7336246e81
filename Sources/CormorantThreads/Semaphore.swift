import CThreads
import CormorantPlatform

/// A number of permits that threads take and give back. Those who wait are served in their order; a thread that comes by may
/// take a free one before them, as long as none has waited for a millisecond, for waking a thread costs more than most calls.
package class Semaphore: @unchecked Sendable {  // `mutex` guards `waiters`; the numbers are atomic
    /// Those that are free, those who wait, and what a subclass has.
    let numbers = SharedNumbers.make(4)
    private let mutex = RecursiveLock()
    private var waiters: [Waiter] = []

    package init(_ count: Int) { numbers[0] = Int64(count) }

    deinit { numbers.deallocate() }

    @inline(__always)
    package final func tryTake() -> Bool {
        var free = cthreads_load(numbers)
        while free > 0 {
            if cthreads_swap(numbers, free, free &- 1) { return true }
            free = cthreads_load(numbers)
        }
        return false
    }

    /// Takes one, waiting for it where there is none.
    /// - Parameters:
    ///   - timeout: milliseconds; `Int.max` waits for ever.
    ///   - givesUp: asked before waiting and now and then.
    /// - Returns: false when the time is over, or when it gave up.
    @inline(never)
    package final func take(_ timeout: Int, givingUpWhen givesUp: () -> Bool) -> Bool {
        if tryTake() { return true }
        if givesUp() || timeout <= 0 { return false }
        let begin = monotonicTime()
        let limit = Int64(clamping: timeout).multipliedReportingOverflow(by: 1_000_000)
        let end = limit.overflow ? Int64.max : begin.addingReportingOverflow(limit.partialValue).partialValue
        let waiter = Waiter(since: begin)
        mutex.lock()
        defer { mutex.unlock() }
        waiters.append(waiter)
        _ = cthreads_add(numbers + 1, 1)
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
        _ = cthreads_add(numbers + 1, -1)
        if cthreads_load(numbers) > 0 { waiters.first?.condition.signal() }
    }

    @inline(__always)
    package final func giveBack() {
        _ = cthreads_add(numbers, 1)
        if cthreads_load(numbers + 1) > 0 { wakeFirst() }
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
            _ = cthreads_add(numbers + 1, -1)
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

/// Nanoseconds that only go forward.
package func monotonicTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
