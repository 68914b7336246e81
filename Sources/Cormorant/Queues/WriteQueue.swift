import CormorantORM
import CormorantSQLite
import CormorantThreads
import Dispatch

/// Writes of any thread or task, run in the order in which they came by one thread of the queue's own. It takes what waits, and
/// what comes meanwhile, into one transaction, each write in a savepoint, and commits once: only then is each told how it
/// ended. One that fails is rolled back alone and gets its own error. When the commit fails, each write of the group gets that
/// error, nothing of it is there, and the queue goes on.
///
/// A body can end no transaction but those that it begins. Where another write of its group had the whole transaction
/// rolled back (ON CONFLICT ROLLBACK, a full disk, a deferred constraint), it is called once more: let it do nothing that cannot be
/// repeated.
///
/// It ends by `close`, with its database, or with its last reference, which runs what waits.
public final class WriteQueue: Sendable {
    let queue: CormorantORM.WriteQueue
    /// Where tasks' writes wait for room.
    private let waiters = DispatchQueue(label: "cormorant.queue")

    /// A queue of a database.
    ///
    /// - Parameters:
    ///   - database: what its writes go to. Closing it closes the queue first.
    ///   - capacity: how many writes wait at most; then adding waits.
    public init(_ database: Database, capacity: Int = 1024) throws {
        guard capacity >= 1 else {
            throw CormorantError(
                .misuse, "a queue for \(capacity) writes", hint: "give a capacity of at least 1")
        }
        queue = try CormorantORM.WriteQueue(database, capacity: capacity)
    }

    deinit { queue.stop() }

    /// Has `body` called on the queue's thread and returns. A full queue makes it wait for room, up to the busy timeout, and then
    /// throws `busy`; on the queue's own thread, which makes the room, at once.
    /// - Parameters:
    ///   - tag: what the program calls the write; listeners are told it.
    ///   - told: called on the queue's thread, in no transaction, with how the write ended. It may use the database and add
    ///     to queues; the queue's other writes wait meanwhile.
    ///   - body: writes, in a transaction that it shares with others.
    /// - Returns: the write's number.
    @available(*, noasync)
    @discardableResult
    public func add(
        tag: String? = nil, told: (@Sendable (WriteCompletion) -> Void)? = nil,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) throws -> Int64 {
        var number: Int64 = 0
        let write = QueuedWrite(tag: tag, told: told) { database in
            try body(database)
            return []
        }
        try queue.add(write) { number = $0 }
        return number
    }

    /// Has `body` called on the queue's thread and waits until its result is committed. A thread that is cancelled takes it
    /// back if it has not begun.
    @available(*, noasync)
    @discardableResult
    public func perform<Result: Sendable>(
        tag: String? = nil, _ body: @escaping @Sendable (Database) throws -> Result
    ) throws -> Result {
        let outcome = BodyOutcome<Result>()
        let write = QueuedWrite(tag: tag) { try outcome.run(body, $0) }
        return try outcome.result(queue.perform(write))
    }

    /// The same as `add` for `async` code, where a full queue makes the task wait for room and no thread of Swift's pool.
    @discardableResult
    public func add(
        tag: String? = nil, told: (@Sendable (WriteCompletion) -> Void)? = nil,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws -> Int64 {
        try await apart { try self.add(tag: tag, told: told, body) }
    }

    /// Waits until all that was added before has ended, as the synchronous call.
    public func flush() async throws { try await apart { try self.flush() } }

    /// Runs what waits, then ends the thread, as the synchronous call.
    public func close() async throws { try await apart { try self.close() } }

    /// The same for `async` code. A task that is cancelled takes the write back if it has not begun; else it runs to its end.
    @discardableResult
    public func perform<Result: Sendable>(
        tag: String? = nil, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        let outcome = BodyOutcome<Result>()
        let completion = try await completion { told in
            QueuedWrite(tag: tag, told: told) { try outcome.run(body, $0) }
        }
        return try outcome.result(completion)
    }

    /// Takes a write back, of which nobody is told then but who waits for it in `perform` or `commit`: that throws `interrupted`.
    /// - Returns: false when it has begun or ended.
    @discardableResult
    public func cancel(_ number: Int64) -> Bool { queue.cancel(number: number) }

    /// An empty batch.
    public func begin() -> WriteBatch { WriteBatch(self) }

    /// Begins to tell how writes end, whoever added them; with a tag only those that have it. Without a callback they wait to
    /// be taken.
    public func listen(
        tag: String? = nil, callback: (@Sendable (WriteCompletion) -> Void)? = nil
    ) throws -> WriteListener {
        WriteListener(try QueueListener(queue, tag: tag, callback: callback))
    }

    /// Waits until all that was added before has ended.
    @available(*, noasync)
    public func flush() throws { try queue.flush() }

    /// How many writes wait.
    public var count: Int { queue.count }

    /// Runs what waits, then ends the thread: nothing more can be added. A second call does nothing.
    @available(*, noasync)
    public func close() throws { try queue.close() }

    /// Adds a write, and waits for its end without holding a thread of Swift's pool up.
    func completion(of make: (@escaping (WriteCompletion) -> Void) -> QueuedWrite) async throws -> WriteCompletion {
        let pending = PendingWrite(queue, waiters)
        let write = make { pending.resume(.success($0)) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { pending.start(write, $0) }
        } onCancel: {
            pending.cancel()
        }
    }
}

/// What a body gave or threw, until it is certain that it stays.
private final class BodyOutcome<Value: Sendable>: @unchecked Sendable {  // one thread after another
    private var result: Result<Value, any Error>?

    func run(_ body: (Database) throws -> Value, _ database: Database) throws -> [WriteResult] {
        result = Result { try body(database) }
        _ = try result?.get()
        return []
    }

    func result(_ completion: WriteCompletion) throws -> Value {
        if let error = completion.error {
            // The body's own error, which need not be one of the library's; not where it was to run once more and could not.
            if error.code == .callback { _ = try result?.get() }
            throw error
        }
        guard let result else { throw CormorantError(.internal, "a write was told before it was run") }
        return try result.get()
    }
}

/// A write that a task waits for.
private final class PendingWrite: @unchecked Sendable {  // `lock` guards what stands below it
    private let queue: CormorantORM.WriteQueue
    private let waiters: DispatchQueue
    private let lock = RecursiveLock(.binding)
    private var write: QueuedWrite?
    private var continuation: CheckedContinuation<WriteCompletion, any Error>?
    private var isCancelled = false
    private var isAdded = false

    init(_ queue: CormorantORM.WriteQueue, _ waiters: DispatchQueue) {
        self.queue = queue
        self.waiters = waiters
    }

    func start(_ write: QueuedWrite, _ continuation: CheckedContinuation<WriteCompletion, any Error>) {
        lock.lock()
        self.write = write
        self.continuation = continuation
        let isCancelled = isCancelled
        lock.unlock()
        if isCancelled { return resume(.failure(CancellationError())) }
        write.takenBack = { [weak self] in self?.takenBack() }
        do {
            try add(write, timeout: 0)
        } catch let error as CormorantError where error.code == .busy {
            waiters.async {
                do { try self.add(write) } catch { self.resume(.failure(error)) }
            }
        } catch {
            resume(.failure(error))
        }
    }

    private func add(_ write: QueuedWrite, timeout: Int? = nil) throws {
        try queue.add(write, timeout: timeout) { _ in
            self.lock.lock()
            defer { self.lock.unlock() }
            // Its task has been told by now.
            if self.isCancelled { throw CancellationError() }
            self.isAdded = true
        }
        takeBackIfCancelled()
    }

    /// Takes the write back, or sees to it that one which still waits for room is not added.
    func cancel() {
        lock.lock()
        isCancelled = true
        let waits = !isAdded
        lock.unlock()
        if waits { resume(.failure(CancellationError())) } else { takeBackIfCancelled() }
    }

    private func takeBackIfCancelled() {
        lock.lock()
        let added = isCancelled ? write : nil
        lock.unlock()
        if let added { _ = queue.cancel(added) }
    }

    /// By its task's cancellation, or by its number.
    private func takenBack() {
        lock.lock()
        let completion = isCancelled ? nil : write?.completion
        lock.unlock()
        resume(completion.map { .success($0) } ?? .failure(CancellationError()))
    }

    func resume(_ result: Result<WriteCompletion, any Error>) {
        lock.lock()
        let waiting = continuation
        continuation = nil
        write = nil
        lock.unlock()
        waiting?.resume(with: result)
    }
}
