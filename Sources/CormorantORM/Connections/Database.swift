import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What the child of a fork has of its parent's files: it is kept, because closing it would be closing the parent's.
private enum Forgotten {
    private static let lock = RecursiveLock(.childOfFork, outlivesForks: true)
    nonisolated(unsafe) private static var objects: [AnyObject?] = []

    static func keep(_ more: [AnyObject?]) {
        lock.locked { objects += more }
    }
}

/// What a layer above keeps with a database or a registry for as long as that lives: those who conform are the kinds.
package protocol Companion: AnyObject, Sendable {}

/// An open database. Safe to share between threads: writes run one at a time, in their order; reads run beside them, each on a
/// snapshot, where the file has a write-ahead log. On a server writes run at once, too. A transaction belongs to the thread that
/// began it.
public final class Database: Reader, @unchecked Sendable {  // `writer` and `readers` have locks of their own
    /// The path, or the URL without its password, that it was opened with.
    public let path: String
    /// How the SQL of its engine looks.
    package let dialect: Dialect
    var isReadOnly: Bool { connection.isReadOnly }
    /// What writes. Where there are `writers`, one that nobody ever takes, without a connection.
    let writer: PooledConnection
    /// The writer's, or the first of them.
    private let connection: Connection
    /// Those that write at once, to a server.
    let writers: ConnectionPool?
    let readers: ConnectionPool?
    /// The same, not counted as references.
    let pools: (writers: Unmanaged<ConnectionPool>?, readers: Unmanaged<ConnectionPool>?)
    let taken = TakenTransactions()
    private var isOpen = true
    /// While steps of a migration run, which may be functions of the host. Where several write, those of this thread.
    package var isMigrating: Bool {
        get { writers == nil ? migrates.isSet : ownWriter.isMigrating }
        set {
            if writers == nil { migrates.isSet = newValue } else { ownWriter.isMigrating = newValue }
            if keepsSchema, !newValue, !connection.isInTransaction { connection.keepSchema() }
        }
    }
    private let migrates = AtomicFlag()
    /// The functions and collations of the program's; under the writer's lock.
    package internal(set) var definitions = HostDefinitions()
    /// The models that migrations brought to the file.
    package let tableOwners = TableOwners()
    /// Whether raw SQL, or an attached file, left the writer otherwise than a newly opened one is.
    let hasOwnSettings = AtomicFlag()
    let preparedModels: PreparedModels?
    /// The caches of a server's rows, once there was one. Made before `writer.hasCaches` is set, and not taken away.
    package internal(set) var serverCaches: ServerRowCaches?
    private let damage: DamageReports?
    private let keepsSchema: Bool
    /// What it was opened with, without keys, which are the connection's.
    private let options: OpenOptions
    private let companionLock = RecursiveLock(.database)
    private var companions: [ObjectIdentifier: any Companion] = [:]
    private var closeHandlers: [() -> Void] = []
    private var queues: [WeakQueue] = []

    private struct WeakQueue {
        weak var queue: WriteQueue?
    }

    /// Opens a database file, or memory with the path ":memory:"; a path that begins with "file:" is a URI of SQLite's, one that
    /// begins with "postgresql://" or "postgres://" the URL of a PostgreSQL database, as libpq reads it. There `mode`, `busyTimeout`
    /// (also lock_timeout), `synchronous` (`off` is synchronous_commit = off), `statementCacheSize`, `readerCount`, `writerCount`
    /// and `setUp` count; other options, and calls for what only files have, throw `unsupported`. What
    /// is deleted is overwritten where that costs no I/O (secure_delete = FAST, whatever the build of SQLite has); PRAGMA
    /// secure_delete = ON overwrites freed pages, too.
    public convenience init(path: String, options: OpenOptions = OpenOptions()) throws {
        try self.init(options) { try Connection.open(path, $0) }
    }

    private init(_ options: OpenOptions, _ open: (OpenOptions) throws -> Connection) throws {
        var options = options
        damage = options.damaged.map(DamageReports.init)
        options.damageReports = damage
        keepsSchema = options.keepsSchema && options.mode != .readOnly
        do {
            connection = try open(options)
        } catch let failure as SetUpFailure {
            throw failure.error
        }
        path = connection.path
        dialect = connection.dialect
        writers = ConnectionPool(writers: connection, options, taken)
        writer = PooledConnection(writers == nil ? connection : nil, timeout: options.busyTimeout, taken)
        readers = try ConnectionPool(connection, options, taken)
        pools = (writers.map { .passUnretained($0) }, readers.map { .passUnretained($0) })
        var kept = options
        kept.codecs = nil
        self.options = kept
        preparedModels = (options.preparation as? ModelPreparation).map(PreparedModels.init)
        super.init()
        writer.database = self
        damage?.begin()
        if keepsSchema { connection.keepSchema() }
        if let writers {
            for pooled in writers.members { pooled.database = self }
            // No call takes it for the only one that there is.
            writer.lock.share()
        } else {
            if let readers {
                writer.belong(to: readers, isReader: false)
                connection.watchLog()
            }
            connection.endReaders = { [unowned writer] in writer.endCursors() }
            connection.setsUp = { [unowned writer] in writer.isSettingUp = $0 }
            connection.scriptsRun = { [unowned self] sql in
                if StatementRouting.changesConnection(sql) { retireReaders() }
            }
        }
    }

    deinit {
        if writer.lock.isForked { return Forgotten.keep([connection, writer, writers, readers]) }
        // The writer last, for it alone can take the log with it.
        _ = readers?.close()
        _ = writers?.close()
        writer.close()
        damage?.end()
    }

    /// The database for the child of a fork: opened anew, with the options, the key, the functions and the collations of this one,
    /// which stays its parent's. Results, queues, observers, caches, the trace and attached files are the child's to make again.
    /// Throws `misuse` in the process that opened it, and for memory, which is the parent's.
    @available(*, noasync, message: "the child of a fork has one thread: call it before there are tasks")
    public func reopened() throws -> Database {
        guard writer.lock.isForked else {
            throw CormorantError(
                .misuse, "this process has opened the database itself", hint: "call this in the child of a fork alone")
        }
        guard isOpen else { throw databaseClosed() }
        guard let path = connection.engine != nil || isURI(connection.path) ? connection.path : connection.filePath
        else {
            throw CormorantError(
                .misuse, "a database in memory is not shared with the child of a fork",
                hint: "open a new one, or a file")
        }
        var options = options
        options.codecs = connection.codecs
        let database = try Database(options) { try connection.another(path: path, options: $0) }
        // It is never closed: that would be closing the parent's.
        Forgotten.keep([self])
        if definitions.version > 0 { try database.register(definitions) }
        return database
    }

    /// Closes the database. Its queues are closed first, which runs what waits in them, and cursors that are open; an open
    /// transaction is rolled back. Waits up to a second for other threads' calls to end, the library's own among them. In the
    /// child of a fork it only forgets the file, which is the parent's.
    public func close() throws {
        for _ in 0..<200 {
            if try closeIfFree() {
                // Under no lock: what it waits for may use the database, and is told that it is closed.
                damage?.end()
                return
            }
            sleepMilliseconds(5)
        }
        throw CormorantError(
            .misuse, "the database is in use by another thread", hint: "end its calls and transactions before closing")
    }

    /// - Returns: false when another thread uses it.
    func closeIfFree() throws -> Bool {
        guard try closeQueuesIfFree() else { return false }
        if let writers { return try closeIfFree(writers) }
        switch writer.lock.lock(0) {
        case .taken, .abandoned: break
        case .forked: return true
        case .timedOut: return false
        }
        var handlers: [() -> Void] = []
        defer {
            writer.lock.unlock()
            for handler in handlers { handler() }
        }
        guard isOpen else { throw databaseClosed() }
        try refuseToClose(depth: connection.transactionDepth, holds: writer.lock.holds - 1)
        guard readers?.close() ?? true else { return false }
        handlers = markClosed()
        writer.lock.beforeRelease = nil
        taken.removeAll()
        // What `begin` holds, so that other threads are told rather than kept waiting.
        let depth = min(connection.transactionDepth, writer.lock.holds - 1)
        if keepsSchema, depth == 0, connection.schemaChanges > 0 { connection.keepSchema() }
        writer.close()
        if depth > 0 { currentThread().endTransaction() }
        writer.lock.dropKept(depth)
        return true
    }

    /// Queues stay open where a call or a transaction of another thread, or the caller's own, is in the way.
    private func closeQueuesIfFree() throws -> Bool {
        let queues = openQueues()
        if queues.isEmpty { return true }
        guard !isClosed else { throw databaseClosed() }
        let own = ownWriter
        let isOwn = own.lock.isMine
        try refuseToClose(depth: isOwn ? own.openDepth : 0, holds: isOwn ? own.lock.holds : 0)
        let threads = Set(queues.map(\.threadOfItsOwn) + [currentThread().pointee.id])
        let locks = [writer.lock] + [writers, readers].flatMap { $0?.members.map(\.lock) ?? [] }
        guard locks.allSatisfy({ $0.holder == 0 || threads.contains($0.holder) || $0.isAbandoned }) else {
            return false
        }
        for queue in queues { try queue.close() }
        return true
    }

    /// The same where several write.
    private func closeIfFree(_ writers: ConnectionPool) throws -> Bool {
        if writer.lock.isForked { return true }
        guard !isClosed else { throw databaseClosed() }
        if let own = writers.held() { try refuseToClose(depth: own.openDepth, holds: own.lock.holds) }
        guard writers.close({ readers?.close() ?? true }) else { return false }
        taken.removeAll()
        for handler in markClosed() { handler() }
        return true
    }

    /// - Parameter holds: how often the calling thread has locked the connection.
    private func refuseToClose(depth: Int, holds: Int) throws {
        guard !isMigrating else {
            throw CormorantError(
                .misuse, "a migration is running on the database", hint: "close it after the migration")
        }
        guard holds <= depth else {
            throw CormorantError(
                .misuse, "the database is in use by the call that runs this callback", hint: "close it after the call")
        }
    }

    /// - Returns: what is to be called then.
    private func markClosed() -> [() -> Void] {
        companionLock.locked {
            defer { closeHandlers = [] }
            isOpen = false
            return closeHandlers
        }
    }

    /// Does to a model what is to be done before its table is first used.
    @inline(__always)
    package func prepare(_ model: ModelDescriptor) throws {
        if let preparedModels { try preparedModels.prepare(model, self) }
    }

    /// The same for a statement.
    @inline(__always)
    func prepare(_ compiled: CompiledStatement) throws {
        if let preparedModels, let table = compiled.table { try preparedModels.prepare(table, self) }
    }

    /// Throws where the database is a server's.
    /// - Parameter what: what only SQLite has, as a noun: "backups".
    package func requireSQLite(_ what: @autoclosure () -> String) throws { try connection.requireSQLite(what()) }

    /// Has models prepared anew that were in a transaction, which is rolled back.
    func forgetPreparation() { preparedModels?.forgetTransaction() }

    /// Whether the database was closed. Does not wait.
    var isClosed: Bool {
        companionLock.locked { !isOpen }
    }

    func add(_ queue: WriteQueue) throws {
        companionLock.lock()
        defer { companionLock.unlock() }
        guard isOpen else { throw databaseClosed() }
        queues.removeAll { $0.queue == nil }
        queues.append(WeakQueue(queue: queue))
    }

    private func openQueues() -> [WriteQueue] {
        if writer.lock.isForked { return [] }
        companionLock.lock()
        defer { companionLock.unlock() }
        return queues.compactMap(\.queue)
    }

    /// Stops what the database is doing now, in all threads: those calls throw `interrupted`. It does not wait.
    public func interrupt() {
        companionLock.lock()
        defer { companionLock.unlock() }
        guard isOpen else { return }
        if let writers { writers.interrupt() } else { connection.interrupt() }
        readers?.interrupt()
    }

    /// Ends the call that this thread is inside of, and all that it makes until it resumes: they throw `interrupted`.
    package func cancel(_ thread: Int64) {
        Threads.cancel(thread)
        companionLock.lock()
        defer { companionLock.unlock() }
        guard isOpen else { return }
        writer.interrupt(connection, thread)
        writers?.interrupt(thread)
        readers?.interrupt(thread)
    }

    /// The database's companion of this class; made when first asked for. Does not wait for transactions.
    package func companion<Kind: Companion>(_ make: () -> Kind) -> Kind {
        companionLock.lock()
        defer { companionLock.unlock() }
        if let ready = companions[ObjectIdentifier(Kind.self)] as? Kind { return ready }
        let made = make()
        companions[ObjectIdentifier(Kind.self)] = made
        return made
    }

    /// Opens a connection to its server that is only notified on a channel.
    package func listener(_ channel: String) throws -> any EngineListener {
        guard let engine = connection.engine else { throw CormorantError(.internal, "a file notifies nobody") }
        return try engine.listener(channel)
    }

    /// Has `handler` called once the database is closed.
    package func whenClosed(_ handler: @escaping () -> Void) throws {
        try withConnection { _ in
            companionLock.lock()
            closeHandlers.append(handler)
            companionLock.unlock()
        }
    }

    /// What the writer tells of itself, whoever uses it; 0 when it is closed, and in a child of a fork.
    private func count(_ body: (Connection) -> Int64) -> Int64 {
        if writer.lock.isForked { return 0 }
        companionLock.lock()
        defer { companionLock.unlock() }
        return isOpen ? body(connection) : 0
    }

    /// The rowid of the newest insert; on a server the key that was made for the calling thread's newest record.
    @available(*, noasync, message: "ask in the body of perform or write")
    public var lastInsertID: Int64 { writers?.outcome.lastInsertID ?? count { $0.lastInsertID } }
    /// Rows changed by the newest INSERT, UPDATE or DELETE; on a server by the calling thread's.
    @available(*, noasync, message: "ask in the body of perform or write")
    public var changes: Int64 { writers?.outcome.changes ?? count { $0.changes } }
    /// Rows changed since the database was opened.
    @available(*, noasync, message: "ask in the body of perform or write")
    public var totalChanges: Int64 { writers?.totalChanges ?? count { $0.totalChanges } }

}
