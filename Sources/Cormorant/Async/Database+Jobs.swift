import CormorantBase
import CormorantSQLite
import CormorantThreads
import Dispatch

/// What one thread does for a task, which can be cancelled at any time.
final class Job: @unchecked Sendable {  // `lock` guards all but the database
    private let database: Database
    private let lock = RecursiveLock(.binding)
    private var thread: Int64?
    private var isCancelled = false
    /// Ends the call of a task that is cancelled before its turn has come.
    private var giveUp: ((CancellationError) -> Void)?

    init(_ database: Database) { self.database = database }

    /// Runs it. Where the task's being cancelled interrupts it, it throws `CancellationError`.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try interruptibly(body)
        } catch let error as CormorantError where error.code == .interrupted && isTaskCancelled {
            throw CancellationError()
        }
    }

    private var isTaskCancelled: Bool {
        lock.lock()
        defer { lock.unlock() }
        return isCancelled
    }

    private func interruptibly<Result>(_ body: () throws -> Result) throws -> Result {
        lock.lock()
        let me = currentThread().pointee.id
        thread = me
        if isCancelled { database.cancel(me) }
        lock.unlock()
        defer {
            lock.lock()
            thread = nil
            if isCancelled { Threads.resume() }
            lock.unlock()
        }
        return try body()
    }

    /// - Parameter giveUp: called at most once, where the task is cancelled before the job begins.
    func wait(_ giveUp: @escaping (CancellationError) -> Void) {
        lock.lock()
        self.giveUp = giveUp
        let isCancelled = isCancelled
        lock.unlock()
        if isCancelled { cancel() }
    }

    /// - Returns: false where it was given up.
    func begins() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        defer { giveUp = nil }
        return giveUp != nil
    }

    func cancel() {
        lock.lock()
        isCancelled = true
        let giveUp = giveUp
        self.giveUp = nil
        if let thread { database.cancel(thread) }
        lock.unlock()
        giveUp?(CancellationError())
    }
}

/// Where the calls of `async` code run: those that may write one at a time, on a server as many as connections write, and beside
/// them some that read.
final class JobQueues: Companion {
    private let writing: JobQueue
    /// As many as there are readers by default: a thread that waits is one too many.
    private let reading = JobQueue("cormorant.reading", 4)

    init(writers: Int) { writing = JobQueue("cormorant", writers) }

    func add(reading isReading: Bool, _ work: @escaping @Sendable () -> Void) {
        (isReading ? reading : writing).add(work)
    }
}

/// Calls that run at once, so many at most; the others wait in their order.
private final class JobQueue: @unchecked Sendable {  // `lock` guards what is below it
    private let lock = RecursiveLock(.binding)
    /// Serial ones, which get a thread each whatever others wait for; those of a concurrent queue are few in a process.
    private var idle: [DispatchQueue]
    private var waiting: [@Sendable () -> Void] = []

    init(_ name: String, _ most: Int) { idle = (0..<most).map { _ in DispatchQueue(label: name) } }

    func add(_ work: @escaping @Sendable () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        if let queue = idle.popLast() { start(work, on: queue) } else { waiting.append(work) }
    }

    private func start(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        queue.async {
            work()
            self.next(on: queue)
        }
    }

    private func next(on queue: DispatchQueue) {
        lock.lock()
        defer { lock.unlock() }
        if waiting.isEmpty { idle.append(queue) } else { start(waiting.removeFirst(), on: queue) }
    }
}
