import CormorantPlatform

/// Holds the locks that the child of a fork goes on with while the process forks: of those that other threads held then, the child
/// would have a copy that nobody ever unlocks, over data that somebody was about to change.
package enum ForkGuard {
    /// A lock that is not of this library's making.
    package struct Lock: Sendable {
        let take: @Sendable () -> Bool
        let giveBack: @Sendable () -> Void

        /// - Parameter take: does not wait; false where another thread has it.
        package init(take: @escaping @Sendable () -> Bool, giveBack: @escaping @Sendable () -> Void) {
            self.take = take
            self.giveBack = giveBack
        }
    }

    /// Guards what is below it. Not a `RecursiveLock`, which would ask for itself here.
    nonisolated(unsafe) private static let list: UnsafeMutablePointer<pthread_mutex_t> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        RecursiveLock.make(mutex)
        pthread_atfork({ takeAll() }, { giveBackAll() }, { beginAnew() })
        return mutex
    }()
    nonisolated(unsafe) private static var mutexes: Set<UnsafeMutablePointer<pthread_mutex_t>> = []
    nonisolated(unsafe) private static var others: [Lock] = []
    nonisolated(unsafe) private static var childHandlers: [@Sendable () -> Void] = []
    /// The thread that holds locks for a fork, and how many: of `list`, `mutexes` and `others` in this order.
    nonisolated(unsafe) private static var holder: (thread: pthread_t, count: Int)?

    /// How long a fork waits for others to let the locks go, which they hold for moments: nanoseconds.
    private static let patience: Int64 = 2_000_000_000

    static func add(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) { changed { mutexes.insert(mutex) } }

    static func remove(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) { changed { mutexes.remove(mutex) } }

    /// - Parameter inChild: called in the child of each fork; may call what a signal's handler may.
    package static func add(_ locks: [Lock], inChild: @escaping @Sendable () -> Void) {
        changed {
            others += locks
            childHandlers.append(inChild)
        }
    }

    private static func changed(_ body: () -> Void) {
        pthread_mutex_lock(list)
        body()
        pthread_mutex_unlock(list)
    }

    /// All or none, so that it does not matter in which order others take them. After two seconds the process forks without:
    /// then the thread that forks has one of them itself.
    private static func takeAll() {
        let end = monotonicTime() &+ patience
        while true {
            if pthread_mutex_trylock(list) == 0 {
                let count = takeMost()
                holder = (pthread_self(), count)
                if count > mutexes.count &+ others.count { return }
                giveBackAll()
            }
            guard monotonicTime() < end else { return }
            usleep(20)
        }
    }

    /// - Returns: how many it has, with the list's.
    private static func takeMost() -> Int {
        var count = 1
        for mutex in mutexes {
            guard pthread_mutex_trylock(mutex) == 0 else { return count }
            count &+= 1
        }
        for lock in others {
            guard lock.take() else { return count }
            count &+= 1
        }
        return count
    }

    private static func giveBackAll() {
        release { pthread_mutex_unlock($0) }
    }

    /// The thread has another number in the child, so that it cannot unlock what knows its owner.
    private static func beginAnew() {
        release { RecursiveLock.make($0) }
        for handler in childHandlers { handler() }
    }

    private static func release(_ unlock: (UnsafeMutablePointer<pthread_mutex_t>) -> Void) {
        guard let (thread, count) = holder, pthread_equal(thread, pthread_self()) != 0 else { return }
        holder = nil
        for (index, lock) in others.enumerated() where index &+ 1 &+ mutexes.count < count { lock.giveBack() }
        for (index, mutex) in mutexes.enumerated() where index &+ 1 < count { unlock(mutex) }
        unlock(list)
    }
}
