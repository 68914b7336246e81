#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock under which threads wait for what other threads change.
package final class Monitor: @unchecked Sendable {  // the mutex itself is the synchronisation
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let forks: Int32

    /// Whether this process is a child of the one that made it: then nothing but this may be asked of it.
    package var isForked: Bool { forks != forkCount }

    package init() {
        // Forks are counted from a thread's first record on.
        _ = currentThread()
        forks = forkCount
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    package func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Lets the lock go until another thread tells of a change, or for so many nanoseconds; it may return before either.
    package func wait(_ nanoseconds: Int64) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let sum = Int64(end.tv_nsec) &+ nanoseconds
        end.tv_sec += Int(sum / 1_000_000_000)
        end.tv_nsec = Int(sum % 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &end)
    }

    /// Tells all that wait.
    package func changed() { pthread_cond_broadcast(condition) }
}
