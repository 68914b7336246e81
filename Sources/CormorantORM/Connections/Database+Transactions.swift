import CormorantBase
import CormorantSQLite
import CormorantThreads

extension Database {
    /// Begins a transaction or, inside one, a savepoint. It belongs to this thread and, within a task, to the task: nothing may
    /// be awaited until it ends.
    @available(*, noasync, message: "await transaction, read or write with a body")
    public func begin(_ kind: TransactionKind = .immediate) throws { _ = try open(kind) }

    /// Commits the innermost transaction or releases the innermost savepoint. On failure it stays open.
    @available(*, noasync, message: "await transaction, read or write with a body")
    public func commit() throws {
        try refuseLeaving(committing: true)
        try endInnermost(committing: true)
    }

    /// Rolls back the innermost transaction or savepoint.
    @available(*, noasync, message: "await transaction, read or write with a body")
    public func rollback() throws {
        try refuseLeaving(committing: false)
        try endInnermost(committing: false)
    }

    func endInnermost(committing: Bool) throws {
        if let number = taken.newest {
            if committing { throw leftOnOtherThread() }
            return try closeTaken(number, committing: false)
        }
        if try readers?.end() ?? false { return }
        let writer = ownWriter
        guard writer.lock.isMine, writer.lock.lock(0) == .taken else { throw nothingOpen() }
        defer { writer.releaseAfterWriting() }
        guard let connection = writer.connection else { throw databaseClosed() }
        guard connection.transactionDepth > writer.keptDepth else { throw nothingOpen() }
        if committing {
            try connection.commit()
        } else {
            forgetPreparation()
            try connection.rollback()
        }
        ended(writer)
    }

    /// A writer's innermost transaction has ended, or the one with this number.
    func ended(_ writer: PooledConnection, _ number: Int64? = nil) {
        if writer.readDepth > 0 { writer.readDepth -= 1 }
        if writer.connection?.transactionDepth == 0 {
            currentThread().endTransaction()
            writer.hasTransaction = false
        }
        writer.ended(number)
    }

    /// Whether the transaction that this thread has open only reads.
    package var isOnlyReading: Bool {
        readers?.held()?.readDepth ?? 0 > 0 || (ownWriter.lock.isMine && ownWriter.readDepth > 0)
    }

    /// Throws where the caller has a transaction open and what it calls makes its own.
    package func refuseTransaction() throws {
        try withConnection { connection in
            guard connection.transactionDepth == 0, !connection.isInTransaction else {
                throw CormorantError(
                    .transaction, "a migration cannot run inside a transaction",
                    hint: "end the transaction first: a migration makes its own")
            }
        }
    }

    fileprivate var openTransactions: Int {
        if let depth = readers?.held()?.readDepth, depth > 0 { return depth }
        let writer = ownWriter
        return writer.lock.isMine ? writer.connection?.transactionDepth ?? 0 : taken.count
    }

    /// Runs `body` in a transaction, or in a savepoint inside one: committed when it returns, rolled back when it
    /// throws. In `async` code the body takes the database: `await database.transaction { database in ... }`.
    ///
    /// On a server it is run again, up to ten times, where another transaction has written what it reads or writes: the body
    /// must do nothing outside of the database that may not be done twice.
    @available(*, noasync, message: "await transaction with a body that takes the database")
    @discardableResult
    public func transaction<T>(_ kind: TransactionKind = .immediate, _ body: () throws -> T) throws -> T {
        if dialect == .sqlite || transactionDepth > 0 { return try inTransaction(kind) { try endingItsOwn(body) } }
        return try again { try inTransaction(kind) { try endingItsOwn(body) } }
    }

    /// Runs the body of a transaction, which can end none but those that it begins.
    private func endingItsOwn<T>(_ body: () throws -> T) throws -> T {
        guard let depth = readers?.held()?.readDepth, depth > 0 else { return try keepingTransaction("body", body) }
        let result = Result(catching: body)
        let isLeftOpen = transactionDepth > depth
        while transactionDepth > depth { try endInnermost(committing: false) }
        if case .success = result, isLeftOpen || transactionDepth < depth {
            throw endedWrongly("body", isLeftOpen: isLeftOpen)
        }
        return try result.get()
    }

    /// Runs `body`, which is a whole transaction, again as long as others are in its way, with a pause that differs for each.
    package func again<T>(_ body: () throws -> T) throws -> T {
        var attempt: UInt32 = 0
        while true {
            do {
                return try body()
            } catch let error as CormorantError where error.code == .conflict && attempt < 9 {
                sleepMilliseconds(UInt32.random(in: 0...(1 << min(attempt, 6)) * 2))
                attempt += 1
            }
        }
    }

    /// `transaction` for a body that cannot be run again.
    /// - Parameter isBatch: whether it is one call's statements, each of which stands for itself.
    package func inTransaction<T>(
        _ kind: TransactionKind = .immediate, isBatch: Bool = false, _ body: () throws -> T
    ) throws -> T {
        _ = try open(kind, isBatch: isBatch)
        do {
            let result = try body()
            // Whoever cancelled it believes that nothing of it stays.
            if Threads.isCancelled {
                throw CormorantError(
                    .interrupted, "the transaction was cancelled before its commit", hint: "run it again")
            }
            try commit()
            return result
        } catch {
            // Rolling back cannot tell more than the error that led here.
            try? rollback()
            throw error
        }
    }
}

extension Reader {
    /// How many transactions and savepoints this thread has open.
    public var transactionDepth: Int { database.openTransactions }
}
