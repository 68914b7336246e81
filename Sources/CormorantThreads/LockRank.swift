/// Every lock of the engine, in the order in which one thread may take them: only downward in this list, so that no two threads
/// can wait for each other. A lock may be taken again by the thread that holds it, and a lock that is tried without waiting may be
/// taken in any order. Debug builds stop the program where a lock is taken in another order.
package enum LockRank: UInt8, Comparable {
    // Held while a program's code runs, in transactions and callbacks.

    /// A connection of a database, the writer or a reader. A program may hold those of several databases; it waits for them no
    /// longer than the busy timeout.
    case connection
    /// While a connection reads what a server's outbox has.
    case outbox
    /// An observer's, while what a live query gave becomes an event.
    case event
    /// A batch's, while it is added to its queue, which may have to make room.
    case writeBatch

    // Held for moments, and under which nothing of a program's runs.

    case registry
    case writeQueue
    /// Of the language bindings: what a C handle, a Swift task or a terminal has beside the engine.
    case binding
    /// What a database keeps beside its connections: queues, companions, close handlers.
    case database
    case writerPool
    case readerPool
    case openTransactions
    case takenTransactions
    case observationHub
    case fileWatcher
    case preparedModels
    case tableOwners
    case modelVariants
    case relations
    case compiledForms
    case rowCache
    /// One for each key that is being derived, which takes long.
    case keyDerivation
    case keyCache
    case temporaryFiles
    /// What SQLite's kinds of files are handed on to.
    case fileMethods
    case childOfFork
    case mailbox
    case modelLayouts
    /// Records that C has been given to free.
    case ownedRecords
    case handles
    /// Who is told of misuse.
    case misuseLog
    /// Cursors that were closed while another thread had their connection.
    case closedCursors
    /// While the thread that has a connection is interrupted.
    case interruption
    /// While a server is told to stop a statement, which takes a connection to it.
    case serverInterrupt
    /// Damage that is to be told.
    case damage
    /// Those who wait for a semaphore or a connection.
    case waiters
    /// The numbers of threads that were cancelled, or ended within a transaction.
    case threads

    package static func < (left: LockRank, right: LockRank) -> Bool { left.rawValue < right.rawValue }
}

#if DEBUG
    import CormorantPlatform

    /// The locks that the calling thread holds.
    enum HeldLocks {
        private final class List {
            var locks: [(rank: LockRank, lock: UnsafeRawPointer)] = []
        }

        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key) { if let list = $0 as UnsafeMutableRawPointer? { release(list) } }
            return key
        }()

        private static func release(_ list: UnsafeMutableRawPointer) { Unmanaged<List>.fromOpaque(list).release() }

        private static var mine: List {
            if let list = pthread_getspecific(key) { return Unmanaged<List>.fromOpaque(list).takeUnretainedValue() }
            let list = List()
            pthread_setspecific(key, Unmanaged.passRetained(list).toOpaque())
            return list
        }

        /// Before a lock is taken.
        static func add(_ rank: LockRank, _ lock: UnsafeRawPointer) {
            if !mine.locks.contains(where: { $0.lock == lock }) { check(rank) }
            mine.locks.append((rank, lock))
        }

        static func remove(_ lock: UnsafeRawPointer) {
            if let last = mine.locks.lastIndex(where: { $0.lock == lock }) { mine.locks.remove(at: last) }
        }

        /// Stops the program where a lock of this rank must not be waited for now.
        static func check(_ rank: LockRank) {
            guard let highest = mine.locks.map(\.rank).max(), highest >= rank else { return }
            fatalError("lock order: \(rank) is taken under \(highest), which LockRank has not before it")
        }
    }
#endif
