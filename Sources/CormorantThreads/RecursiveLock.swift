import CormorantPlatform

/// A mutex that the thread holding it may take again.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {  // the mutex itself is the synchronisation
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let rank: LockRank

    package init(_ rank: LockRank) {
        self.rank = rank
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @usableFromInline
    package func lock() {
        #if DEBUG
            HeldLocks.add(rank, mutex)
        #endif
        pthread_mutex_lock(mutex)
    }

    @usableFromInline
    package func unlock() {
        pthread_mutex_unlock(mutex)
        #if DEBUG
            HeldLocks.remove(mutex)
        #endif
    }

    /// Runs `body` under the lock.
    @inlinable @inline(__always)
    package func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock()
        defer { unlock() }
        return try body()
    }
}
