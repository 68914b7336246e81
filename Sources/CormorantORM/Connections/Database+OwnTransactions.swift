import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Transactions that are left by their number: one that is not the innermost, or not its thread's or its task's, is told from
/// one that is.
extension Database {
    /// Begins a transaction or, inside one, a savepoint.
    /// - Parameters:
    ///   - owner: the task that it belongs to; nil: Swift's own, where one runs.
    ///   - isBatch: whether it is one call's statements, each of which stands for itself.
    /// - Returns: its number, which no other has.
    package func open(
        _ kind: TransactionKind = .immediate, owner: TransactionOwner? = nil, isBatch: Bool = false
    ) throws -> Int64 {
        let owner = owner ?? TransactionOwner { Threads.task }
        if kind == .read, let readers {
            if let writers { writers.share() } else { writer.lock.share() }
            if let number = try readers.begin(isWriting: ownWriter.lock.isMine, owner) { return number }
        }
        let writer = kind == .read ? try acquireWriterToRead() : try acquireWriter()
        // Kept until the transaction ends, so that other threads wait.
        if writer.isBesideCursors {
            try writer.beginBesideCursors(kind, isBatch: isBatch)
        } else {
            do {
                try writer.connected().begin(kind, isBatch: isBatch)
            } catch {
                writer.release()
                throw error
            }
        }
        let isOutermost = writer.connection?.transactionDepth == 1
        if isOutermost {
            currentThread().beginTransaction()
            forgetPreparation()
        }
        writer.hasTransaction = true
        if writer.readDepth > 0 || (kind == .read && isOutermost) { writer.readDepth += 1 }
        return writer.began(owner)
    }

    /// Commits or rolls back the transaction with this number. Where it is not the innermost, or another thread or task began
    /// it, all that is open around it and in it is rolled back, and this throws. In a child of the process that began it, it is only
    /// forgotten.
    package func close(_ number: Int64, committing: Bool) throws {
        guard !writer.lock.isForked else {
            if committing { throw usedAfterFork() }
            return
        }
        guard let pooled = pooled(of: number) else { return try closeTaken(number, committing: committing) }
        guard pooled.lock.isMine else { return try takeAway(number, pooled, committing: committing) }
        if let loss = pooled.connection?.loss {
            try leaveBroken(pooled, number)
            if committing { throw loss }
            return
        }
        if let owner = pooled.owner, !owner.isCalling {
            try breakUp(pooled, number)
            throw leftByOtherTask()
        }
        switch pooled.transactions.place(of: number) {
        case .innermost: try endInnermost(committing: committing)
        case .outer:
            try breakUp(pooled, number)
            throw leftOutOfTurn()
        case .nowhere: throw noTransaction()
        }
    }

    private func pooled(of number: Int64) -> PooledConnection? {
        if writer.transactions.place(of: number) != .nowhere { return writer }
        if let pooled = writers?.pooled(of: number) { return pooled }
        return readers?.pooled(of: number)
    }

    /// Before the innermost transaction is left: whether it is who began it that leaves it.
    func refuseLeaving(committing: Bool) throws {
        let task = Threads.task
        if let pooled = readers?.held(), pooled.readDepth > 0 {
            try pooled.refuseOtherTask()
        } else if ownWriter.lock.isMine {
            try ownWriter.refuseOtherTask()
        } else if task != 0,
            let number = writer.transactions.newest(of: task) ?? writers?.newest(of: task) ?? readers?.newest(of: task)
        {
            try close(number, committing: committing)
        }
    }

    /// Rolls back all that is open; the one with this number is left.
    private func breakUp(_ pooled: PooledConnection, _ number: Int64) throws {
        guard !pooled.isReader else {
            _ = try readers?.end(number)
            return
        }
        guard pooled.lock.lock(0) == .taken else { throw noTransaction() }
        defer { pooled.releaseAfterWriting() }
        forgetPreparation()
        try pooled.connected().breakUp(brokenUp())
        ended(pooled, number)
    }

    /// Leaves one of those that were rolled back with another.
    private func leaveBroken(_ pooled: PooledConnection, _ number: Int64) throws {
        guard pooled.lock.lock(0) == .taken else { throw noTransaction() }
        defer { pooled.releaseAfterWriting() }
        try pooled.connected().rollback()
        ended(pooled, number)
    }

    /// Rolls back what another thread has open, once it is between two calls; who waits for the connection goes on.
    private func takeAway(_ number: Int64, _ pooled: PooledConnection, committing: Bool) throws {
        var waited = 0
        while !pooled.transactions.takeAway(number, pooled.lock, taken) {
            guard pooled.transactions.place(of: number) != .nowhere else {
                return try closeTaken(number, committing: committing)
            }
            guard waited < pooled.timeout else {
                throw CormorantError(
                    .busy, "the transaction is left while the thread that began it is using it",
                    hint: "end it on that thread")
            }
            sleepMilliseconds(1)
            waited += 1
        }
        pooled.rollBack()
        if pooled.isPooled {
            pooled.readers?.reclaim(pooled)
        } else {
            forgetPreparation()
            pooled.lock.unlock()
        }
        throw leftOnOtherThread()
    }
}

extension Database {
    /// Closes one that was rolled back when another thread left one that was open with it.
    func closeTaken(_ number: Int64, committing: Bool) throws {
        guard taken.remove(number) else { throw nothingOpen() }
        if committing { throw leftOnOtherThread() }
    }

    /// Where this thread has begun nothing.
    func nothingOpen() -> CormorantError {
        if isClosed { return databaseClosed() }
        // Where several write, the one that all get then.
        let writer = writers.flatMap { writers in writers.state.locked { writers.writing?.pinned } } ?? writer
        guard writer.tryAcquire(0) else { return noTransaction() }
        defer { writer.release() }
        guard let connection = writer.connection, connection.isOpenOnServer, connection.transactionDepth == 0 else {
            return noTransaction()
        }
        return begunBySQL()
    }
}

private func begunBySQL() -> CormorantError {
    CormorantError(
        .transaction, "the transaction that is open was begun by raw SQL", hint: "end it with COMMIT or ROLLBACK in SQL"
    )
}
