/// A lock under which threads wait for what other threads change. A thread takes it once.
package final class Monitor: @unchecked Sendable {  // the lock itself is the synchronisation
    private let mutex: RecursiveLock
    private let condition = Condition()
    private let forks: Int32

    /// Whether this process is a child of the one that made it: then nothing but this may be asked of it.
    package var isForked: Bool { forks != forkCount }

    package init(_ rank: LockRank) {
        mutex = RecursiveLock(rank)
        // Forks are counted from a thread's first record on.
        _ = currentThread()
        forks = forkCount
    }

    package func lock() { mutex.lock() }

    package func unlock() { mutex.unlock() }

    package func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Lets the lock go until another thread tells of a change, or for so many nanoseconds; it may return before either.
    package func wait(_ nanoseconds: Int64) { condition.wait(mutex, nanoseconds: nanoseconds) }

    /// Tells all that wait.
    package func changed() { condition.broadcast() }
}
