import CormorantBase
import CormorantSQLite
import CormorantThreads
import Dispatch

/// What one thread does for a task, which can be cancelled at any time. It is the executor of that one call, so that the task itself
/// moves to the thread, with its task-local values and its priority.
final class Job: SerialExecutor, @unchecked Sendable {  // `lock` guards what stands below it
    private let database: Database
    private let queues: JobQueues
    private let kind: JobQueues.Kind
    private let lock = RecursiveLock(.binding)
    private var thread: Int64?
    private var isCancelled = false
    /// The task's, which waits for its turn.
    private var waiting: UnownedJob?

    init(_ database: Database, _ queues: JobQueues, _ kind: JobQueues.Kind) {
        self.database = database
        self.queues = queues
        self.kind = kind
    }

    /// Runs it. Where the task's being cancelled interrupts it, it throws `CancellationError`.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try interruptibly(body)
        } catch let error as CormorantError where error.code == .interrupted && isTaskCancelled {
            throw CancellationError()
        }
    }

    private var isTaskCancelled: Bool { lock.locked { isCancelled } }

    private func interruptibly<Result>(_ body: () throws -> Result) throws -> Result {
        lock.lock()
        // What was given up runs on a thread that is not of the queues.
        guard let me = thread else {
            lock.unlock()
            throw CancellationError()
        }
        if isCancelled { database.cancel(me) }
        lock.unlock()
        // It is one of few that take readers and give them back.
        let patience = Threads.patience
        Threads.patience = .work
        defer {
            Threads.patience = patience
            lock.lock()
            thread = nil
            if isCancelled { Threads.resume() }
            lock.unlock()
        }
        return try body()
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    func enqueue(_ job: UnownedJob) {
        let isLate = lock.locked {
            waiting = job
            return isCancelled
        }
        if isLate { return giveUp() }
        // On its queue the call may end, and take this along, before `add` returns: nobody keeps an executor for it.
        queues.add(kind) { self.begin() }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func begin() {
        let job: UnownedJob? = lock.locked {
            defer { waiting = nil }
            if waiting != nil { thread = currentThread().pointee.id }
            return waiting
        }
        job?.runSynchronously(on: asUnownedSerialExecutor())
    }

    /// Ends the call of a task that is cancelled before its turn has come.
    private func giveUp() {
        let job: UnownedJob? = lock.locked {
            defer { waiting = nil }
            return waiting
        }
        guard let job else { return }
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func cancel() {
        lock.locked {
            isCancelled = true
            if let thread { database.cancel(thread) }
        }
        giveUp()
    }
}

/// Where the body of one call runs.
actor JobActor {
    private nonisolated let job: Job

    init(_ job: Job) { self.job = job }

    nonisolated var unownedExecutor: UnownedSerialExecutor { job.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try job.run(body) }
}

/// Where the calls of `async` code run: those that may write one at a time, on a server as many as connections write, and beside
/// them some that read.
final class JobQueues: Companion {
    enum Kind {
        case writing, reading
        /// The next rows of a statement that runs, and has its connection.
        case fetching
    }

    private let writing: JobQueue
    /// As many as there are readers by default: a thread that waits is one too many.
    private let reading = JobQueue("cormorant.reading", 4)
    /// Not behind those that wait for a connection: these wait for what is fetched to end.
    private let fetching = JobQueue("cormorant.fetching", 4)

    init(writers: Int) { writing = JobQueue("cormorant", writers) }

    func add(_ kind: Kind, _ work: @escaping @Sendable () -> Void) {
        switch kind {
        case .writing: writing.add(work)
        case .reading: reading.add(work)
        case .fetching: fetching.add(work)
        }
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
