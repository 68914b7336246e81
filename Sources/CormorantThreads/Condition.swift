import CormorantPlatform

/// What threads that hold a lock, once, wait for.
package final class Condition: @unchecked Sendable {  // the condition itself is the synchronisation
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Gives the lock up until it is signalled, or now and then without, or for so many nanoseconds.
    package func wait(_ lock: RecursiveLock, nanoseconds: Int64? = nil) {
        guard let nanoseconds else {
            pthread_cond_wait(condition, lock.mutex)
            return
        }
        // By a clock that nobody sets.
        #if canImport(Darwin)
            var time = duration(nanoseconds)
            pthread_cond_timedwait_relative_np(condition, lock.mutex, &time)
        #else
            let sum = monotonicTime().addingReportingOverflow(nanoseconds)
            var end = duration(sum.overflow ? .max : sum.partialValue)
            pthread_cond_timedwait(condition, lock.mutex, &end)
        #endif
    }

    private func duration(_ nanoseconds: Int64) -> timespec {
        timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    package func signal() { pthread_cond_signal(condition) }

    package func broadcast() { pthread_cond_broadcast(condition) }
}
