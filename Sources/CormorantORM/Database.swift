import CormorantBase
import CormorantQuery
import CormorantSQLite

/// An open database. Safe to share between threads: calls run one at a time, and a transaction belongs to the thread
/// that began it while the calls of other threads wait.
public final class Database: @unchecked Sendable {  // `lock` guards everything below it
    public let path: String
    private let lock = RecursiveLock()
    private let connection: Connection
    private var plans: [ObjectIdentifier: ModelPlan] = [:]
    private var lastPlan: ModelPlan?
    private var cursors: [ObjectIdentifier: WeakCursor] = [:]
    private var isOpen = true
    /// While steps of a migration run, which may be functions of the host.
    package var isMigrating = false
    private let companionLock = RecursiveLock()
    private var companion: AnyObject?

    /// Opens a database file, or memory with the path ":memory:". What is deleted is overwritten where that costs no I/O
    /// (secure_delete = FAST, whatever the build of SQLite has); PRAGMA secure_delete = ON overwrites freed pages, too.
    public init(path: String, options: OpenOptions = OpenOptions()) throws {
        self.path = path
        connection = try Connection(path: path, options: options)
        connection.endReaders = { [unowned self] in
            for cursor in cursors.values { cursor.cursor?.interrupted() }
        }
    }

    /// Closes the database. Cursors still open on it are closed first; an open transaction is rolled back.
    public func close() throws {
        guard lock.tryLock() else {
            throw CormorantError(
                .misuse, "the database is in use by another thread", hint: "end its transaction before closing")
        }
        defer { lock.unlock() }
        guard isOpen else { throw databaseClosed() }
        guard !isMigrating else {
            throw CormorantError(
                .misuse, "a migration is running on the database", hint: "close it after the migration")
        }
        isOpen = false
        for cursor in cursors.values { cursor.cursor?.invalidate() }
        cursors = [:]
        plans = [:]
        lastPlan = nil
        let depth = connection.transactionDepth
        connection.close()
        // What `begin` holds, so that other threads are told rather than kept waiting.
        for _ in 0..<depth { lock.unlock() }
    }

    /// Runs `body` alone on the connection.
    @inline(__always)
    package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { throw databaseClosed() }
        try connection.checkTransaction()
        return try body(connection)
    }

    /// Runs `body` alone on what the connection keeps for a model.
    @inline(__always)
    package func withPlan<T>(_ model: ModelDescriptor, _ body: (ModelPlan) throws -> T) throws -> T {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { throw databaseClosed() }
        try connection.checkTransaction()
        if let lastPlan, lastPlan.model === model { return try body(lastPlan) }
        return try body(plan(for: model))
    }

    private func plan(for model: ModelDescriptor) throws -> ModelPlan {
        let key = ObjectIdentifier(model)
        if let plan = plans[key] {
            lastPlan = plan
            return plan
        }
        let plan = try ModelPlan(model, connection)
        plans[key] = plan
        lastPlan = plan
        return plan
    }

    /// Runs `body` where no other thread's call runs, whether the database is open or not.
    func withLock<T>(_ body: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    func add(_ cursor: StatementCursor) {
        cursors[ObjectIdentifier(cursor)] = WeakCursor(cursor: cursor)
    }

    /// Throws while results or cursors are open that have not come to their end: they keep tables from being changed.
    package func refuseRunningCursors() throws {
        guard withLock({ !cursors.values.contains { $0.cursor?.isRunning ?? false } }) else {
            throw CormorantError(
                .busy, "results or cursors are open on the database, which keep its tables from being changed",
                hint: "read them to their end or close them first")
        }
    }

    func remove(_ cursor: StatementCursor) {
        cursors.removeValue(forKey: ObjectIdentifier(cursor))
    }

    /// Stops what the database is doing now: that call throws `interrupted`. It does not wait.
    public func interrupt() {
        if isOpen { connection.interrupt() }
    }

    /// What a face keeps with the database, such as a queue; made when first asked for. Does not wait for transactions.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        companionLock.lock()
        defer { companionLock.unlock() }
        if let ready = companion as? Companion { return ready }
        let made = make()
        companion = made
        return made
    }

    /// False when another thread is inside a call or a transaction.
    private func ifMine<T>(_ body: () throws -> T) rethrows -> T? {
        guard lock.tryLock() else { return nil }
        defer { lock.unlock() }
        guard isOpen else { return nil }
        return try body()
    }

    private struct WeakCursor {
        weak var cursor: StatementCursor?
    }
}

extension Database {
    /// Begins a transaction or, inside one, a savepoint. It belongs to this thread.
    public func begin(_ kind: TransactionKind = .immediate) throws {
        try withConnection { connection in
            try connection.begin(kind)
            // Held until the transaction ends, so that other threads wait.
            lock.lock()
        }
    }

    /// Commits the innermost transaction or releases the innermost savepoint. On failure it stays open.
    public func commit() throws {
        let done: Void? = try ifMine {
            try connection.commit()
            lock.unlock()
        }
        if done == nil { try refuseToEnd() }
    }

    /// Rolls back the innermost transaction or savepoint.
    public func rollback() throws {
        let done: Void? = try ifMine {
            try connection.rollback()
            lock.unlock()
        }
        if done == nil { try refuseToEnd() }
    }

    private func refuseToEnd() throws { throw isOpen ? noTransaction() : databaseClosed() }

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
    public var transactionDepth: Int { ifMine { connection.transactionDepth } ?? 0 }

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

    public var lastInsertID: Int64 { withLock { isOpen ? connection.lastInsertID : 0 } }
    /// Rows changed by the newest INSERT, UPDATE or DELETE.
    public var changes: Int64 { withLock { isOpen ? connection.changes : 0 } }
    /// Rows changed since the database was opened.
    public var totalChanges: Int64 { withLock { isOpen ? connection.totalChanges : 0 } }

    /// Calls back after every statement with its SQL, parameters unexpanded, and the nanoseconds from its first step to
    /// its end; nil stops. It runs inside the traced call and must not call the database.
    public func setTrace(_ callback: (@Sendable (_ sql: String, _ nanoseconds: Int64) -> Void)?) throws {
        try withConnection { connection in
            connection.setTrace(callback.map { callback in { callback(String(cString: $0), $1) } })
        }
    }

    /// The same with the SQL as SQLite holds it.
    package func setRawTrace(_ callback: TraceCallback?) throws {
        try withConnection { $0.setTrace(callback) }
    }
}
