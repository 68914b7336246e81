import CSQLite
import CormorantBase

/// How the outermost transaction begins (https://www.sqlite.org/lang_transaction.html).
public enum TransactionKind: Int32, Sendable {
    /// Takes the write lock at once; a read-only handle begins deferred.
    case immediate = 0
    /// One snapshot for several reads.
    case deferred = 1
    /// Takes the write lock at once; in journal modes other than WAL it keeps readers out, too.
    case exclusive = 2
    /// One snapshot for several reads, beside which others write. Writing in it is refused.
    case read = 3
}

extension Connection {
    /// How many transactions and savepoints are open, those included that SQLite has already rolled back.
    package var transactionDepth: Int { savepoints }

    /// Not one that has failed, in which nothing but a rollback goes on.
    @inlinable
    package var isInTransaction: Bool { handle == nil ? isInTransactionOfEngine : sqlite3_get_autocommit(handle) == 0 }

    /// Whether a statement that runs has written to the file, or a transaction has.
    package var isWriting: Bool { handle != nil && sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

    /// - Parameter isBatch: whether it is one call's statements, each of which stands for itself.
    package func begin(_ kind: TransactionKind, isBatch: Bool = false) throws {
        if savepoints == 0 {
            guard !isInTransaction else {
                throw CormorantError(
                    .transaction, "a transaction begun by raw SQL is open",
                    hint: "end it with COMMIT or ROLLBACK, or begin it through the transaction calls")
            }
            let kind = isReadOnly && kind != .read ? .deferred : kind
            switch kind {
            case _ where engine != nil:
                try engine?.begin(kind == .read || isReadOnly ? .read : isBatch ? .batch : .write)
            case .immediate: try run("BEGIN IMMEDIATE")
            case .deferred: try run("BEGIN")
            case .read: try beginSnapshot()
            case .exclusive: try run("BEGIN EXCLUSIVE")
            }
        } else {
            try checkAlive()
            try runSavepoint("SAVEPOINT corm_\(savepoints)")
        }
        savepoints += 1
    }

    /// Begins a transaction on a server in which temporary tables can be made, though the connection only reads; it is rolled back.
    package func beginScratch() throws {
        guard savepoints == 0, !isInTransaction else { return try begin(.immediate) }
        try engine?.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
        savepoints += 1
    }

    /// SQLite chooses the snapshot at the first read, so that is done here.
    private func beginSnapshot() throws {
        try run("BEGIN")
        do {
            try run("SELECT 1 FROM sqlite_schema LIMIT 1")
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Commits the innermost transaction or releases the innermost savepoint. On failure it stays open.
    package func commit() throws {
        try checkAlive()
        if savepoints == 1 { try run("COMMIT") } else { try runSavepoint("RELEASE corm_\(savepoints - 1)") }
        savepoints -= 1
        if savepoints == 0 { undoings = [] }
        for index in undoings.indices where undoings[index].depth > savepoints { undoings[index].depth = savepoints }
    }

    /// Has `undo` called where the transaction or savepoint that is innermost now is rolled back, by itself or with one around it,
    /// the newest first.
    package func onRollback(_ undo: @escaping () -> Void) {
        if savepoints > 0 { undoings.append((savepoints, undo)) }
    }

    private func left() {
        savepoints -= 1
        while let last = undoings.last, last.depth > savepoints {
            undoings.removeLast()
            last.undo()
        }
    }

    /// Rolls back the innermost transaction or savepoint.
    package func rollback() throws {
        guard savepoints > 0 else { throw noTransaction() }
        schemaChanges &+= 1
        if isOpenOnServer {
            do {
                try rollbackInnermost()
            } catch let error as CormorantError where error.code == .interrupted && isInTransaction {
                // SQLite upholds an interrupt until no statement runs, and refuses even ROLLBACK.
                endReaders?()
                try rollbackInnermost()
            } catch {
                // Raw SQL has ended what was begun here, or there is no memory: nothing of it can be kept apart, so all of it goes.
                if isOpenOnServer { try run("ROLLBACK") }
                // What goes on around it is told why.
                if let error = error as? CormorantError, error.code != .sql { loss = error }
            }
        }
        left()
    }

    private func rollbackInnermost() throws {
        if savepoints == 1 {
            try run("ROLLBACK")
        } else {
            try run("ROLLBACK TO corm_\(savepoints - 1)")
            try runSavepoint("RELEASE corm_\(savepoints - 1)")
        }
    }

    private func runSavepoint(_ sql: String) throws { try engine?.savepoint(sql) ?? run(sql) }

    /// Rolls back all that is open because one was left that is not the innermost. The others are still to be left; until
    /// then nothing works on.
    package func breakUp(_ reason: CormorantError) throws {
        loss = reason
        if isOpenOnServer { try rollBackAll() }
        left()
    }

    func rollBackAll() throws {
        schemaChanges &+= 1
        do {
            try run("ROLLBACK")
        } catch let error as CormorantError where error.code == .interrupted && isInTransaction {
            endReaders?()
            try run("ROLLBACK")
        }
    }

    private func checkAlive() throws {
        guard savepoints > 0 else { throw noTransaction() }
        try checkTransaction()
    }

    /// Refuses to work on as if a transaction were open that the engine has rolled back.
    @inline(__always)
    package func checkTransaction() throws {
        if savepoints > 0, !isInTransaction { throw loss ?? rolledBack() }
    }

    private func rolledBack() -> CormorantError {
        if engine != nil { return failedTransaction() }
        return CormorantError(
            .transaction, "SQLite has rolled this transaction back after an earlier error",
            hint: "roll back and begin again")
    }

    func updateCommitHook() {
        guard changeLog != nil || hasHostCollations else {
            sqlite3_commit_hook(handle, nil, nil)
            return
        }
        sqlite3_commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                if connection.hostCalls?.collationFailure != nil { return 1 }
                connection.changeLog?.commitBegins()
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func run(_ sql: String) throws {
        if let engine { return try engine.script(sql) }
        let statement = try ownStatement(sql)
        defer { recycle(statement) }
        _ = try statement.step()
    }
}

/// What was begun by calls is theirs to end: SQL would end it behind their backs, with what is not certain yet.
func notForSQL(_ word: String, _ sql: String) -> CormorantError {
    CormorantError(
        .transaction, "\(word) stands inside a transaction that is not begun by SQL",
        hint: "begin, commit and roll back by the calls for transactions, nested ones for savepoints, not by SQL",
        sql: sql)
}

extension Statement {
    /// Refuses to run what was prepared before the transaction began that it would end.
    package func refuseTransactionWord(_ connection: Connection) throws {
        if connection.transactionDepth > 0, let transactionWord { throw notForSQL(transactionWord, sql) }
    }
}

package func noTransaction() -> CormorantError {
    CormorantError(
        .transaction, "no transaction is open on this thread",
        hint: "begin one first; a transaction is ended by the thread that began it")
}
