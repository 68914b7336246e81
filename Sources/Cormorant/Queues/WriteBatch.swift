import CormorantORM

/// What becomes of a batch when a part of it fails.
public enum BatchPolicy: Sendable {
    /// Nothing of it stays: it ends with that error, whose `recordIndex` says which part it was.
    case rollback
    /// The others stay: each part has its own result.
    case `continue`
}

/// SQL and records that are one write of a queue. What is added is copied; what the database makes does not come back into
/// it: see `WriteResult`.
public final class WriteBatch: Sendable {
    private let queue: WriteQueue
    private let batch: CormorantORM.WriteBatch

    init(_ queue: WriteQueue) {
        self.queue = queue
        batch = CormorantORM.WriteBatch(queue.queue)
    }

    /// How many parts it has.
    public var count: Int { batch.count }

    /// Adds one statement of SQL.
    public func execute(_ sql: SQL, _ bindings: Bindings = .none) {
        batch.add(sql.text) { try sql.bind(bindings, to: $0) }
    }

    /// Adds a record to insert.
    public func insert<R: Record & Sendable>(_ record: R, onConflict policy: ConflictPolicy = .abort) {
        batch.add(.insert(policy), record, of: R.model)
    }

    /// Adds a record to insert or, when its key is there, to update.
    public func save<R: Record & Sendable>(_ record: R) { batch.add(.save, record, of: R.model) }

    /// Adds a record to write to the row with its key.
    /// - Parameters:
    ///   - record: what is written, as it is now.
    ///   - properties: those to write; nil: all but the key; `[]`: nothing.
    public func update<R: Record & Sendable>(_ record: R, properties: [String]? = nil) {
        batch.add(.update(properties), record, of: R.model)
    }

    /// Adds a record whose row is deleted.
    public func delete<R: Record & Sendable>(_ record: R) { batch.add(.delete, record, of: R.model) }

    /// Hands all to the queue as one write and returns; the batch is empty then, and can be filled again. Where it throws, the
    /// batch is as it was.
    /// - Parameters:
    ///   - tag: what the program calls the write; listeners are told it.
    ///   - policy: what becomes of the others when one part fails.
    ///   - told: as of `WriteQueue.add`.
    /// - Returns: the write's number.
    @available(*, noasync)
    @discardableResult
    public func commit(
        tag: String? = nil, onError policy: BatchPolicy = .rollback, told: @escaping @Sendable (WriteCompletion) -> Void
    ) throws -> Int64 {
        var number: Int64 = 0
        try batch.commit(tag: tag, continues: policy == .continue, told: told) {
            try batch.queue.add($0) { number = $0 }
        }
        return number
    }

    /// The same for `async` code, where a full queue makes the task wait for room and no thread of Swift's pool.
    @discardableResult
    public func commit(
        tag: String? = nil, onError policy: BatchPolicy = .rollback, told: @escaping @Sendable (WriteCompletion) -> Void
    ) async throws -> Int64 {
        try await apart { try self.commit(tag: tag, onError: policy, told: told) }
    }

    /// The same, and waits until it is committed. The batch is as it was where the queue did not take the write, or the wait
    /// for it was cancelled before it began.
    @available(*, noasync)
    @discardableResult
    public func commit(tag: String? = nil, onError policy: BatchPolicy = .rollback) throws -> [WriteResult] {
        var completion: WriteCompletion?
        try batch.commit(tag: tag, continues: policy == .continue) { completion = try batch.queue.perform($0) }
        return try completion.map(results) ?? []
    }

    /// The same for `async` code. A task that is cancelled takes the write back if it has not begun; else it runs to its end.
    @discardableResult
    public func commit(tag: String? = nil, onError policy: BatchPolicy = .rollback) async throws -> [WriteResult] {
        var putBack: (() -> Void)?
        let completion: WriteCompletion
        do {
            completion = try await queue.completion { told in
                let (write, back) = batch.take(tag: tag, continues: policy == .continue, told: told)
                putBack = back
                return write
            }
        } catch {
            putBack?()
            throw error
        }
        return try results(completion)
    }

    private func results(_ completion: WriteCompletion) throws -> [WriteResult] {
        if let error = completion.error { throw error }
        return completion.results
    }
}

/// Is told how writes of a queue end. It ends by `cancel`, with its last reference, or with its queue. Without a callback
/// completions wait to be taken: by `next`, or by `for await` loops, each of which gets every one from its own beginning on.
public final class WriteListener: AsyncSequence, Sendable {
    public typealias Element = WriteCompletion

    private let listener: QueueListener
    private let loops = Loops<WriteCompletion>()

    init(_ listener: QueueListener) { self.listener = listener }

    deinit { listener.cancel() }

    /// Ends it. It does not wait: a callback that runs on another thread runs to its end. A second call does nothing. May be
    /// called in the callback.
    public func cancel() { listener.cancel() }

    /// The next completion; nil when none waits.
    public func next() -> WriteCompletion? { listener.completions.next() }

    public func makeAsyncIterator() -> AsyncIterator {
        let loop = loops.begin()
        listener.completions.onReady { [loops] in loops.wake() }
        return AsyncIterator(listener: self, loop: loop, wakes: loop.wakes.makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let listener: WriteListener
        let loop: LoopState<WriteCompletion>
        var wakes: AsyncStream<Void>.Iterator

        /// The next completion; nil once none will come, or the task is cancelled.
        public mutating func next() async throws -> WriteCompletion? {
            let listener = listener
            return try await loop.next(
                &wakes, { listener.next() }, isOver: { listener.listener.completions.isOver })
        }
    }
}
