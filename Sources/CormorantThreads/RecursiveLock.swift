import CormorantPlatform

/// A mutex that the thread holding it may take again.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {  // the mutex itself is the synchronisation
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let rank: LockRank

    private let outlivesForks: Bool

    /// - Parameter outlivesForks: whether the child of a fork goes on with what it guards: no other thread holds it at a fork.
    package init(_ rank: LockRank, outlivesForks: Bool = false) {
        self.rank = rank
        self.outlivesForks = outlivesForks
        mutex = .allocate(capacity: 1)
        RecursiveLock.make(mutex)
        if outlivesForks { ForkGuard.add(mutex) }
    }

    static func make(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
        mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        if outlivesForks { ForkGuard.remove(mutex) }
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
        // Who waits for it may be the last that needs it, and end it: nothing comes after.
        #if DEBUG
            HeldLocks.remove(mutex)
        #endif
        pthread_mutex_unlock(mutex)
    }

    /// Runs `body` under the lock.
    @inlinable @inline(__always)
    package func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock()
        defer { unlock() }
        return try body()
    }
}
