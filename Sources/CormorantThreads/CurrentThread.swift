import CThreads
import CormorantBase
import CormorantPlatform

/// What is kept for a thread. Its number is never another's, not even after its end.
package typealias ThreadRecord = UnsafeMutablePointer<cthreads_record>

/// The calling thread's record. Not to be inlined: each module would have records of its own.
@inline(never)
package func currentThread() -> ThreadRecord {
    let record = cthreads_current()
    if record.pointee.id == 0 {
        record.pointee.id = Threads.count.add(1)
        Threads.watchForks()
    }
    return record
}

/// How often this process is the child of a fork since the library was loaded.
nonisolated(unsafe) var forkCount: Int32 = 0

/// Tells whether the process is the child of a fork since this was made: what threads of the parent held then is held for ever.
package struct ForkMark: Sendable {
    private let forks: Int32

    package init() {
        Threads.watchForks()
        forks = forkCount
    }

    package var isForked: Bool { forks != forkCount }

    package func refuse() throws { if forks != forkCount { throw usedAfterFork() } }
}

package func usedAfterFork() -> CormorantError {
    CormorantError(
        .misuse, "the database was opened before this process was forked",
        hint: "reopen it in the child, or open another, and leave the parent's alone")
}

package enum Threads {
    static let count = AtomicNumber()
    /// How many of the threads that have ended left a transaction open.
    private static let abandoned = AtomicNumber()
    /// How many threads are cancelled, and how many transactions were taken away and are still to be closed.
    static let refused = AtomicNumber()
    fileprivate static let transactions = AtomicNumber()

    private static let lock = RecursiveLock(.threads, outlivesForks: true)
    /// Threads that ended with a transaction open.
    nonisolated(unsafe) private static var abandoning: Set<Int64> = []
    nonisolated(unsafe) private static var cancelled: Set<Int64> = []

    private static let atEnd: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { Threads.ended($0) }
        return key
    }()

    private static let forks: Void = {
        // SQLite's locks are the process's, so a child must not go on with its parent's connections.
        pthread_atfork(
            nil, nil,
            {
                forkCount &+= 1
                let logs = cthreads_current().pointee.logs
                cthreads_current().pointee = cthreads_record()
                cthreads_current().pointee.logs = logs
            })
    }()

    static func watchForks() { _ = forks }

    /// The task of Swift's that runs on the calling thread; 0: none.
    package static var task: Int64 { Int64(Int(bitPattern: cthreads_task())) }

    private static func ended(_ record: UnsafeMutableRawPointer?) {
        guard let record = record?.assumingMemoryBound(to: cthreads_record.self), record.pointee.transactions > 0 else {
            return
        }
        lock.lock()
        abandoning.insert(record.pointee.id)
        lock.unlock()
        abandoned.add(1)
    }

    /// Whether any thread ended with a transaction open.
    package static var anyHasEnded: Bool { abandoned.load() > 0 }

    /// Whether the thread ended with a transaction open.
    package static func hasEnded(_ thread: Int64) -> Bool {
        guard abandoned.load() > 0 else { return false }
        lock.lock()
        defer { lock.unlock() }
        return abandoning.contains(thread)
    }

    /// The thread's calls fail from here on, until it resumes.
    package static func cancel(_ thread: Int64) {
        lock.lock()
        defer { lock.unlock() }
        if cancelled.insert(thread).inserted { refused.add(1) }
    }

    /// The calling thread's calls are made again.
    package static func resume() {
        guard refused.load() > 0 else { return }
        lock.lock()
        defer { lock.unlock() }
        if cancelled.remove(currentThread().pointee.id) != nil { refused.add(-1) }
    }

    /// Whether the calling thread is cancelled.
    package static var isCancelled: Bool {
        guard refused.load() > 0 else { return false }
        lock.lock()
        defer { lock.unlock() }
        return cancelled.contains(currentThread().pointee.id)
    }

    /// Whether calls of any thread are refused.
    package static var anyIsRefused: Bool { refused.load() > 0 }

    /// So many more reasons there are to refuse calls.
    package static func refuse(_ count: Int) { refused.add(Int64(count)) }

    /// How the calling thread waits for a reader.
    package static var patience: Patience {
        get { currentThread().patience }
        set { currentThread().pointee.patience = newValue.rawValue }
    }

    fileprivate static func watchEnd(_ record: ThreadRecord) { pthread_setspecific(atEnd, record) }
}

/// How a thread waits for a reader where all are in use.
package enum Patience: Int32 {
    /// Up to the busy timeout.
    case none
    /// As long as some are given back, or are in use by work that ends by itself. What it takes ends by itself, too. Where
    /// all are kept, its reads are the writer's.
    case work
    /// As long as that; but what it takes may be kept while its program does something else.
    case keeping
}

/// The number of a transaction that begins.
package func newTransactionNumber() -> Int64 { Threads.transactions.add(1) }

extension UnsafeMutablePointer where Pointee == cthreads_record {
    /// The thread begins a transaction: should it end before that does, others are told.
    package func beginTransaction() {
        pointee.transactions &+= 1
        if pointee.transactions == 1 { Threads.watchEnd(self) }
    }

    /// How the thread waits for a reader.
    package var patience: Patience { Patience(rawValue: pointee.patience) ?? .none }

    package func endTransaction() { pointee.transactions &-= 1 }
}
