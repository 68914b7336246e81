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
    /// What writes. Where there are `writers`, one that nobody ever takes, without a connection.
    let writer: PooledConnection
    /// The writer's, or the first of them.
    private let connection: Connection
    /// Those that write at once, to a server.
    let writers: ConnectionPool?
    let readers: ConnectionPool?
    let taken = TakenTransactions()
    private var isOpen = true
    /// While steps of a migration run, which may be functions of the host.
    package var isMigrating: Bool {
        get { migrates.isSet }
        set {
            migrates.isSet = newValue
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
    private let preparedModels: PreparedModels?
    private let damage: DamageReports?
    private let keepsSchema: Bool
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
    public init(path: String, options: OpenOptions = OpenOptions()) throws {
        var options = options
        damage = options.damaged.map(DamageReports.init)
        options.damageReports = damage
        keepsSchema = options.keepsSchema && options.mode != .readOnly
        do {
            connection = try Connection.open(path, options)
        } catch let failure as SetUpFailure {
            throw failure.error
        }
        self.path = connection.path
        dialect = connection.dialect
        writers = ConnectionPool(writers: connection, options, taken)
        writer = PooledConnection(writers == nil ? connection : nil, timeout: options.busyTimeout, taken)
        readers = try ConnectionPool(connection, options, taken)
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
        for queue in openQueues() { try queue.close() }
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

    // Acquiring and releasing connections ---------------------------------------------------------------------------

    /// How many may write at once.
    package var writerCount: Int { writers?.members.count ?? 1 }

    /// The connection that the calling thread writes by, where it does so now.
    var ownWriter: PooledConnection { writers?.held() ?? writer }

    /// Waits for the writer, or for one that is free. Each call needs a `release`.
    func acquireWriter() throws -> PooledConnection {
        if let writers { return try acquireWriter(of: writers) }
        try writer.acquire()
        if let readers { try refuseIfReading(readers) } else if writer.readDepth > 0 { try refuseToWrite() }
        return writer
    }

    @inline(__always)
    private func refuseIfReading(_ readers: ConnectionPool) throws {
        guard writer.lock.isShared else { return }
        let held = readers.held()
        if let held, held.isInFunction || held.isSettingUp {
            writer.release()
            throw held.isSettingUp ? inSetUp() : inFunction()
        }
        if writer.readDepth > 0 || held?.readDepth ?? 0 > 0 { try refuseToWrite() }
    }

    @inline(never)
    private func acquireWriter(of writers: ConnectionPool) throws -> PooledConnection {
        if let reader = readers?.held() {
            if reader.isSettingUp { throw inSetUp() }
            if reader.readDepth > 0 { throw onlyReading() }
        }
        let pooled = try writers.acquireWriting()
        guard pooled.readDepth == 0 else {
            pooled.release()
            throw onlyReading()
        }
        return pooled
    }

    /// What writes, for what only reads.
    func acquireWriterToRead() throws -> PooledConnection {
        if let writers { return try writers.acquireWriting() }
        try writer.acquire()
        return writer
    }

    @inline(never)
    private func refuseToWrite() throws {
        writer.release()
        throw onlyReading()
    }

    private func onlyReading() -> CormorantError {
        CormorantError(
            .transaction, "a transaction that only reads is open on this thread",
            hint: "end it before writing, or begin one that writes in its place")
    }

    /// A reader, or the writer where there is none to be had, or where the thread has a transaction open. Each call needs a
    /// `release`.
    /// - Parameter waits: whether to wait for a reader; else it may be the writer.
    func acquireReader(waits: Bool = true) throws -> PooledConnection {
        // As long as no other thread has come, there is nobody to read beside.
        if writer.acquireIfAlone() {
            try writer.check()
            return writer
        }
        return try acquireReaderBeside(waits)
    }

    @inline(never)
    private func acquireReaderBeside(_ waits: Bool) throws -> PooledConnection {
        // As long as no other thread has come, there is nobody to read beside.
        if let writers, writers.isAlone { return try writers.acquireWriting() }
        if let readers, let pooled = try readers.acquire(isWriting: ownWriter.lock.isMine, waits: waits) {
            return pooled
        }
        return try acquireWriterToRead()
    }

    /// Runs `body` on what the connection keeps for a model on which this SQL runs; nil: a query of the model's own.
    func withPlan<T>(
        _ model: ModelDescriptor, for sql: String?, _ body: (PooledConnection, ModelPlan) throws -> T
    ) throws -> T {
        let pooled = try sql.map(acquire(for:)) ?? acquireReader()
        defer { release(pooled) }
        return try body(pooled, pooled.plan(for: model))
    }

    /// Runs `body` on a reader, or alone on the writer.
    @inline(__always)
    package func withConnection<T>(reading isReading: Bool, _ body: (Connection) throws -> T) throws -> T {
        let pooled = isReading ? try acquireReader() : try acquireWriter()
        defer { if isReading { pooled.release() } else { pooled.releaseAfterWriting() } }
        return try body(pooled.connected())
    }

    /// Runs `body` alone on the writer.
    @inline(__always)
    package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        try withConnection(reading: false, body)
    }

    /// Runs `body`, which only reads, on a reader or on the writer.
    @inline(__always)
    package func withReader<T>(_ body: (Connection) throws -> T) throws -> T {
        try withConnection(reading: true, body)
    }

    /// Runs `body` alone on what the writer keeps for a model.
    @inline(__always)
    package func withPlan<T>(_ model: ModelDescriptor, _ body: (ModelPlan) throws -> T) throws -> T {
        try prepare(model)
        let pooled = try acquireWriter()
        defer { pooled.releaseAfterWriting() }
        return try body(pooled.plan(for: model))
    }

    /// Runs `body`, which only reads, on what a reader or the writer keeps for a model.
    @inline(__always)
    package func withReadingPlan<T>(_ model: ModelDescriptor, _ body: (ModelPlan) throws -> T) throws -> T {
        try prepare(model)
        let pooled = try acquireReader()
        defer { pooled.release() }
        return try body(pooled.plan(for: model))
    }

    /// Runs `body`, which finds by key, on what the writer keeps for a model where it has rows at hand and nobody uses it, else
    /// as all that reads.
    @inline(__always)
    package func withFindingPlan<T>(_ model: ModelDescriptor, _ body: (ModelPlan) throws -> T) throws -> T {
        try prepare(model)
        let pooled = try acquireFinder()
        defer { withoutRetaining(pooled) { $0.release() } }
        return try body(withoutRetaining(pooled) { try $0.plan(for: model) })
    }

    /// Not counted as a reference, of which a lookup would notice each: pooled connections are the database's.
    @inline(__always)
    private func acquireFinder() throws -> Unmanaged<PooledConnection> {
        if writer.hasCaches.isSet { return .passUnretained(try acquireCaches()) }
        if writer.acquireIfAlone() {
            try writer.check()
            return .passUnretained(writer)
        }
        return .passUnretained(try acquireReaderBeside(true))
    }

    private func acquireCaches() throws -> PooledConnection {
        // Nobody reads beside the writer as long as no other thread has come.
        let isReading = writer.lock.isShared && readers?.held() != nil
        guard !isReading, writer.tryAcquire(0) else { return try acquireReader() }
        try writer.check()
        return writer
    }

    /// Does to a model what is to be done before its table is first used.
    @inline(__always)
    func prepare(_ model: ModelDescriptor) throws {
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

    /// Throws while results or cursors are open on the writer that have not come to their end: they keep tables from being
    /// changed.
    package func refuseRunningCursors() throws {
        guard try withConnection({ _ in !ownWriter.hasRunningCursors }) else {
            throw CormorantError(
                .busy, "results or cursors are open on the database, which keep its tables from being changed",
                hint: "read them to their end or close them first")
        }
    }

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
        if writer.lock.isHeld(by: thread) { connection.interrupt() }
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

    /// Runs `body` alone on the writer where no other thread's call or transaction has it.
    /// - Returns: nil when one has, or the database is closed.
    package func withFreeConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result? {
        if let writers {
            guard let pooled = writers.acquireFreeNow() else { return nil }
            defer { pooled.release() }
            return try pooled.connection.map(body)
        }
        guard writer.tryAcquire(0) else { return nil }
        defer { writer.release() }
        return try writer.connection.map(body)
    }

    /// Has `handler` called each time that no call and no transaction uses the writer any more, and what it gives
    /// afterwards, when others may use it; nil stops. Where several write, each is told, by several threads at once.
    package func beforeRelease(_ handler: ((Connection) -> (() -> Void)?)?) throws {
        try withConnection { connection in
            if let writers { return writers.state.locked { writers.writing?.beforeRelease = handler } }
            writer.lock.beforeRelease = handler.map { handler in { [unowned connection] in handler(connection) } }
        }
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

    /// What the writer tells of itself; 0 when it is closed.
    private func count(_ body: (Connection) -> Int64) -> Int64 {
        guard writer.tryAcquire(.max) else { return 0 }
        defer { writer.release() }
        return writer.connection.map(body) ?? 0
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

    /// Calls back after every statement with its SQL, parameters unexpanded, and the nanoseconds from its first step to
    /// its end; nil stops. It runs inside the traced call, of any thread, and must not call the database.
    @available(*, noasync)
    public func setTrace(_ callback: (@Sendable (_ sql: String, _ nanoseconds: Int64) -> Void)?) throws {
        try setRawTrace(callback.map { callback in { callback(String(cString: $0), $1) } })
    }

    /// The same with the SQL as SQLite holds it.
    package func setRawTrace(_ callback: TraceCallback?) throws {
        if isOnlyReading {
            throw CormorantError(
                .transaction, "a trace cannot be set inside a transaction that only reads",
                hint: "set it before the transaction begins, or after it has ended")
        }
        try withConnection {
            $0.setTrace(callback)
            try writers?.setTrace(callback)
            try readers?.setTrace(callback)
        }
    }
}
