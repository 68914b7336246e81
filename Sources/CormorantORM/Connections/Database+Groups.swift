import CormorantBase
import CormorantSQLite

/// How a queue's thread runs writes that share a transaction.
extension Database {
    /// Whether nobody else commits while a transaction of a queue is open.
    var excludesWriters: Bool { dialect == .sqlite && !isReadOnly }

    /// Runs writes in one transaction, each in a savepoint, and leaves in each how it ended: nil where all was rolled back
    /// because of another one, and it is to be run again by itself.
    /// - Parameter next: the next write, after so many; nil: commit.
    func runGroup(_ next: (Int) -> QueuedWrite?) -> [QueuedWrite] {
        var group: [QueuedWrite] = []
        do {
            try begin()
        } catch {
            while let write = next(group.count) {
                write.outcome = .failure(plain(error))
                group.append(write)
            }
            return group
        }
        while let write = next(group.count) {
            group.append(write)
            write.outcome = run(write)
            if write.hasConflict || ownWriter.connection?.isInTransaction != true {
                undo(group, nil, but: write.hasConflict ? nil : write)
                return group
            }
        }
        guard group.contains(where: { $0.isDone }) else {
            undo(group, nil)
            return group
        }
        do {
            try commit()
        } catch {
            // What a constraint or a trigger that is deferred refuses is one write's mistake, which each finds out by itself.
            let error = plain(error)
            undo(group, group.count > 1 && isOfOneWrite(error) ? nil : error)
        }
        return group
    }

    /// Whether a COMMIT was refused for what one of its writes did. On a server that may be any error of a trigger's; those left out
    /// would meet each write alike, or leave open whether it was committed.
    private func isOfOneWrite(_ error: CormorantError) -> Bool {
        if dialect == .sqlite { return [.foreignKey, .conflict].contains(error.code) }
        let ofAll: [ErrorCode] = [
            .connection, .busy, .full, .io, .noMemory, .interrupted, .corrupt, .readOnly, .transaction, .misuse,
        ]
        return !ofAll.contains(error.code)
    }

    /// Rolls back. What was done is gone: with an error that is told, without one it is to be run again, and what failed behind it,
    /// for that may have met what is gone.
    /// - Parameter culprit: the one for which it is rolled back, which keeps its own error.
    private func undo(_ group: [QueuedWrite], _ error: CormorantError?, but culprit: QueuedWrite? = nil) {
        for _ in 0..<transactionDepth { try? rollback() }
        if let error {
            for write in group where write.isDone { write.outcome = .failure(error) }
        } else {
            let behind = group.drop { !$0.isDone }
            for write in behind where write.isDone || write !== culprit { write.outcome = nil }
        }
    }

    private func run(_ write: QueuedWrite) -> Result<[WriteResult], CormorantError> {
        do {
            try begin()
        } catch {
            return .failure(plain(error))
        }
        do {
            let results = try keepingTransaction("write") { try write.body(self) }
            try commit()
            return .success(results)
        } catch {
            try? rollback()
            return .failure(plain(error))
        }
    }

    /// Runs `body`, which can end no transaction but those that it begins.
    /// - Parameter what: what messages call it.
    func keepingTransaction<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        let writer = ownWriter
        guard let connection = writer.connection else { throw databaseClosed() }
        let (depth, kept) = (connection.transactionDepth, writer.keptDepth)
        writer.keptDepth = depth
        defer { writer.keptDepth = kept }
        let result = Swift.Result(catching: body)
        guard writer.connection === connection else { throw databaseClosed() }
        let isLeftOpen = rollBack(to: depth, connection)
        if case .success = result, isLeftOpen || !connection.isInTransaction {
            if let engine = connection.engine, engine.hasFailedTransaction { throw connection.failedTransaction() }
            throw endedWrongly(what, isLeftOpen: isLeftOpen)
        }
        return try result.get()
    }

    /// Rolls back what the calls for transactions began on this thread's writer.
    /// - Returns: whether there was any.
    func rollBack(to depth: Int, _ connection: Connection) -> Bool {
        let count = max(0, connection.transactionDepth - depth)
        for _ in 0..<count { try? rollback() }
        return count > 0
    }

    func endedWrongly(_ what: String, isLeftOpen: Bool) -> CormorantError {
        CormorantError(
            .transaction,
            isLeftOpen ? "the \(what) left a transaction open" : "the \(what) ended the transaction that it runs in",
            hint: "end what the \(what) begins, and nothing else")
    }
}

extension QueuedWrite {
    /// Whether another transaction was in its way, so that it can be run again.
    var hasConflict: Bool { if case .failure(let error)? = outcome { error.code == .conflict } else { false } }

    fileprivate var isDone: Bool { if case .success? = outcome { true } else { false } }
}

/// What the write of a queue is told to have failed with: a hook, too, may throw an error of its own.
func plain(_ error: any Error) -> CormorantError {
    error as? CormorantError ?? CormorantError(.callback, "the write failed: \(error)", cause: error)
}
