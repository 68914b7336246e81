import CormorantBase
import CormorantSQLite

extension Database {
    /// Begins a transaction or, inside one, a savepoint. It belongs to this thread.
    public func begin(_ kind: TransactionKind = .immediate) throws {
        if kind == .read, let readers {
            writer.lock.share()
            if try readers.begin(writer) { return }
        }
        if kind == .read { try writer.enter() } else { _ = try writing() }
        // Kept until the transaction ends, so that other threads wait.
        do {
            try writer.connected().begin(kind)
        } catch {
            writer.leave()
            throw error
        }
        let isOutermost = writer.connection?.transactionDepth == 1
        if isOutermost {
            currentThread().beginTransaction()
            forgetPreparation()
        }
        writer.hasTransaction = true
        if writer.readDepth > 0 || (kind == .read && isOutermost) { writer.readDepth += 1 }
    }

    /// Commits the innermost transaction or releases the innermost savepoint. On failure it stays open.
    public func commit() throws {
        if try readers?.end() ?? false { return }
        try end { try $0.commit() }
    }

    /// Rolls back the innermost transaction or savepoint.
    public func rollback() throws {
        if try readers?.end() ?? false { return }
        try end { connection in
            forgetPreparation()
            try connection.rollback()
        }
    }

    private func end(_ body: (Connection) throws -> Void) throws {
        guard writer.lock.isMine else { throw isClosed ? databaseClosed() : noTransaction() }
        guard let connection = writer.connection else { throw databaseClosed() }
        guard connection.transactionDepth > writer.keptDepth else { throw noTransaction() }
        try body(connection)
        if writer.readDepth > 0 { writer.readDepth -= 1 }
        if connection.transactionDepth == 0 {
            currentThread().endTransaction()
            writer.hasTransaction = false
        }
        writer.leaveWriter()
    }

    /// Whether the transaction that this thread has open only reads.
    package var isOnlyReading: Bool {
        readers?.held()?.readDepth ?? 0 > 0 || (writer.lock.isMine && writer.readDepth > 0)
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

    /// How many transactions and savepoints this thread has open.
    public var transactionDepth: Int {
        if let depth = readers?.held()?.readDepth, depth > 0 { return depth }
        return writer.lock.isMine ? writer.connection?.transactionDepth ?? 0 : 0
    }

    /// Runs `body` in a transaction, or in a savepoint inside one: committed when it returns, rolled back when it
    /// throws.
    @discardableResult
    public func transaction<T>(_ kind: TransactionKind = .immediate, _ body: () throws -> T) throws -> T {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // Rolling back cannot tell more than the error that led here.
            try? rollback()
            throw error
        }
    }
}
