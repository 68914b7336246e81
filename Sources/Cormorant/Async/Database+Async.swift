import Dispatch

/// The calls for `async` code. They run on threads of the database's own, so that no thread of Swift's pool waits for a disk
/// or a lock: those that may write one after another, on a server at once, those that only read beside them. Inside `read`, `write`, `perform` and
/// `transaction` the body is plain synchronous code of the task, with its `@TaskLocal` values. A task that is cancelled has its
/// call end at once, while it waits for its turn as well as in it, and throws `CancellationError`.
extension Database {
    /// Runs `body`, which may write, on the database's queue. It must end the transactions that it begins.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await run(body, .writing)
    }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ kind: TransactionKind = .immediate, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        let queue: JobQueues.Kind = kind == .read ? .reading : .writing
        return try await run({ database in try database.transaction(kind) { try body(database) } }, queue)
    }

    /// Runs `body` in a transaction that may write.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await transaction(.immediate, body)
    }
}

extension Reader {
    /// Runs `body` on one snapshot, beside others that read or write. It is given what reads, and nothing that writes.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Result
    ) async throws -> Result {
        try await database.transaction(.read) { try body($0) }
    }

    /// Runs `body`, which is one call that reads.
    func look<Result: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Result
    ) async throws -> Result {
        try await run(body, .reading)
    }

    func run<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result, _ kind: JobQueues.Kind
    ) async throws -> Result {
        let database = database
        let queues = database.companion { JobQueues(writers: database.writerCount) }
        let job = Job(database, queues, kind)
        return try await withTaskCancellationHandler {
            try await JobActor(job).run { try body(database) }
        } onCancel: {
            job.cancel()
        }
    }

    /// Runs `body` on a copy of a record, or of an array of them, which takes its place if it does not throw.
    func alter<Subject: Sendable, Result: Sendable>(
        _ subject: inout Subject, reading isReading: Bool = false,
        _ body: @escaping @Sendable (Database, inout Subject) throws -> Result
    ) async throws -> Result {
        let before = subject
        let (after, result) = try await run(
            { database in
                var copy = before
                let result = try body(database, &copy)
                return (copy, result)
            }, isReading ? .reading : .writing)
        subject = after
        return result
    }
}
