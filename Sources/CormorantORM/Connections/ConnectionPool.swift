import CormorantBase
import CormorantEngine
import CormorantSQLite
import CormorantThreads

/// Connections of a database of which each thread that needs one has one to itself: those that read beside the writer, each on a
/// snapshot of its own, and of a server those that write. They are opened when threads need them, and never more than `count`.
final class ConnectionPool: @unchecked Sendable {
    // Sendable: `state` guards what is below it; a connection is used under its own lock
    let members: [PooledConnection]
    /// Who has them, to be looked through without counting references.
    private let owners: [AtomicNumber]
    /// Of those that write; nil where they read.
    let writing: Writing?
    private var count: Int { members.count }
    private let fork = ForkMark()
    /// As many as there are members that are free.
    private let semaphore: Semaphore
    private let path: String
    /// What the path led to; nil on a server.
    private let file: FileIdentity?
    /// Opens others like itself, where it is a server's. It is the database's, which outlives this.
    private unowned(unsafe) let writer: Connection
    private let isOnServer: Bool
    private let taken: TakenTransactions
    private var options: OpenOptions
    let state: RecursiveLock
    /// The one that was given back last is the last; those that are not open are first.
    private var free: [Unmanaged<PooledConnection>] = []
    var freeCount: Int { free.count }
    private var connections: [Connection] = []
    private var trace: TraceCallback?
    private var definitions = HostDefinitions()
    /// The writer has something that readers would not see, such as a temporary table.
    private var isRetired = false
    private var isClosed = false
    private var bypassed = false
    /// When connections that nobody needs were looked for.
    private var looked: Int64 = 0
    /// How many were given back.
    private var releases = 0

    /// Those that read; nil where the file lets nobody read beside its writer.
    init?(_ writer: Connection, _ options: OpenOptions, _ taken: TakenTransactions) throws {
        guard options.readerCount > 0, let path = writer.engine == nil ? writer.filePath : writer.path,
            try writer.engine != nil || Statement(writer, "PRAGMA journal_mode").firstText() == "wal"
        else { return nil }
        self.path = path
        file = writer.engine == nil ? FileIdentity(path) : nil
        self.writer = writer
        isOnServer = writer.engine != nil
        self.taken = taken
        writing = nil
        state = RecursiveLock(.readerPool)
        var options = options
        options.mode = .readOnly
        options.template = nil
        options.keepsJournalMode = true
        options.isReader = true
        options.codecs = writer.codecs
        self.options = options
        members = (0..<min(options.readerCount, 64)).map { _ in
            PooledConnection(nil, timeout: options.busyTimeout, taken)
        }
        owners = members.map(\.lock.owner)
        semaphore = Semaphore(members.count)
        free = members.map { .passUnretained($0) }
        for pooled in members { pooled.belong(to: self, isReader: true) }
    }

    /// Those that write to a server, the first of which is open; nil where one is enough.
    init?(writers first: Connection, _ options: OpenOptions, _ taken: TakenTransactions) {
        guard first.engine != nil, options.writerCount > 1, options.mode != .readOnly else { return nil }
        path = first.path
        file = nil
        writer = first
        isOnServer = true
        self.taken = taken
        let writing = Writing()
        self.writing = writing
        state = RecursiveLock(.writerPool)
        self.options = options
        members = (0..<min(options.writerCount, 64)).map { number in
            PooledConnection(number == 0 ? first : nil, timeout: options.busyTimeout, taken)
        }
        owners = members.map(\.lock.owner)
        semaphore = Semaphore(members.count)
        free = members.reversed().map { .passUnretained($0) }
        connections = [first]
        members[0].shown = ObjectIdentifier(first)
        for pooled in members { pooled.belong(to: self, isReader: false) }
        prepare(first, of: members[0])
    }

    // Acquiring and releasing -----------------------------------------------------------------------------------------

    /// A reader for the calling thread, locked: the one that it is using, or one that is free.
    /// - Parameters:
    ///   - isWriting: whether the thread has a writer.
    ///   - waits: whether to wait for one.
    /// - Returns: nil where it must read through the writer.
    @inline(never)
    func acquire(
        _ thread: ThreadRecord, isWriting: @autoclosure () -> Bool, waits: Bool
    ) throws -> Unmanaged<PooledConnection>? {
        if let pooled = held(by: thread.pointee.id) {
            try pooled.acquire()
            return .passUnretained(pooled)
        }
        if isWriting() { return nil }
        return try acquireFree(thread, waits: waits)
    }

    /// The one that the calling thread has locked.
    func held() -> PooledConnection? { held(by: currentThread().pointee.id) }

    func held(by thread: Int64) -> PooledConnection? {
        owners.firstIndex { abs($0.load()) == thread }.map { members[$0] }
    }

    /// Whether that thread has locked one.
    func isHeld(by thread: Int64) -> Bool { owners.contains { abs($0.load()) == thread } }

    /// Whether this process is a child of the one whose connections they are.
    var isForked: Bool { fork.isForked }

    /// One that nobody uses, locked and in use. Not counted as a reference, of which a lookup would notice each: it is the pool's.
    func acquireFree(_ thread: ThreadRecord, waits: Bool) throws -> Unmanaged<PooledConnection>? {
        if fork.isForked { throw usedAfterFork() }
        try taken.refuse()
        if !semaphore.tryTake() {
            guard waits, try waitForFree(thread) else { return nil }
        }
        do {
            return try takeFree(thread)
        } catch let error as CormorantError where waits && writing != nil && error.plainHint == fullServerHint {
            return try waitForOpen(thread, error)
        }
    }

    /// The server takes no more connections: waits until one of those that are open is given back.
    private func waitForOpen(_ thread: ThreadRecord, _ error: CormorantError) throws -> Unmanaged<PooledConnection>? {
        let end = time(after: options.busyTimeout)
        while monotonicTime() < end, !Threads.isCancelled, areOpen {
            sleepMilliseconds(10)
            guard state.locked({ free.last?.takeUnretainedValue().isOpen ?? false }), semaphore.tryTake() else {
                continue
            }
            do { return try takeFree(thread) } catch let error as CormorantError where error.plainHint == fullServerHint
            {}
        }
        throw error
    }

    /// One that is free, after the semaphore was taken for it.
    private func takeFree(_ thread: ThreadRecord) throws -> Unmanaged<PooledConnection>? {
        state.lock()
        guard !isRetired, !bypassed, !isClosed, let pooled = free.popLast() else {
            let isClosed = isClosed
            state.unlock()
            semaphore.giveBack()
            if isClosed { throw databaseClosed() }
            return nil
        }
        return try withoutRetaining(pooled) { try take($0, thread) } ? pooled : nil
    }

    /// Under `state`, which it unlocks.
    /// - Returns: false where it cannot be opened.
    @inline(__always)
    private func take(_ pooled: PooledConnection, _ thread: ThreadRecord) throws -> Bool {
        pooled.taker = thread.pointee.id
        pooled.takerPatience = thread.patience
        let definitions = definitions.version > 0 ? definitions : nil
        let outcome = writing?.outcomes[thread.pointee.id]?.outcome
        state.unlock()
        // Nobody else has it, but for those who set a trace.
        guard pooled.lock.lock(max(1000, options.busyTimeout)) == .taken else {
            putBack(pooled)
            throw isFull()
        }
        pooled.uses = 1
        guard !Threads.isCancelled else {
            release(pooled)
            throw isFull()
        }
        do {
            // Before a cache of rows answers for a server that is gone.
            if isOnServer { pooled.connection?.engine?.wake() }
            guard try pooled.isOpen || open(pooled) else {
                release(pooled)
                return false
            }
            if let definitions { try pooled.bring(definitions) }
            if writing != nil { takeOver(pooled, outcome ?? Outcome(thread: thread.pointee.id)) }
        } catch {
            release(pooled)
            throw error
        }
        return true
    }

    /// - Returns: false for a thread whose own cursors are running, and for the work of a pool where all readers are kept: it
    ///   might wait for itself.
    private func waitForFree(_ thread: ThreadRecord) throws -> Bool {
        for pooled in members { freeIfAbandoned(pooled) }
        state.lock()
        let hasOne = members.contains { $0.taker == thread.pointee.id }
        var before = releases
        state.unlock()
        if hasOne || areKept { return semaphore.tryTake() }
        while !semaphore.take(max(options.busyTimeout, 1), givingUpWhen: { Threads.isCancelled }) {
            guard Threads.patience != .none, !Threads.isCancelled else { throw isFull() }
            if areKept { return semaphore.tryTake() }
            guard mayGoOn(&before) else { throw isFull() }
        }
        return true
    }

    /// Whether all are kept by a program whose work the calling thread may be doing.
    private var areKept: Bool {
        guard Threads.patience == .work else { return false }
        return state.locked { members.allSatisfy { $0.taker != 0 && $0.takerPatience == .keeping } }
    }

    /// Whether waiting may help: one was given back meanwhile, or is in use by a thread whose work ends by itself.
    private func mayGoOn(_ before: inout Int) -> Bool {
        state.lock()
        defer { state.unlock() }
        defer { before = releases }
        return releases != before || members.contains { $0.taker != 0 && $0.takerPatience == .work }
    }

    @discardableResult
    func freeIfAbandoned(_ pooled: PooledConnection) -> Bool {
        guard pooled.lock.isAbandoned, pooled.lock.lock(0) == .abandoned else { return false }
        pooled.releaseAbandoned()
        return true
    }

    func isFull() -> CormorantError {
        if Threads.isCancelled { return CormorantError(.interrupted, "the thread's calls are cancelled") }
        if writing != nil {
            return CormorantError(
                .busy, "all \(count) connections that write are in use for longer than the busy timeout",
                hint: "keep transactions short, and close results of statements that write, or open with more writers")
        }
        return CormorantError(
            .busy, "all \(count) readers of the database are in use for longer than the busy timeout",
            hint: "close results and cursors and end read transactions, or open with more readers")
    }

    /// False where the file cannot be opened once more; the writer can do all that a reader can. Throws what the program's set-up
    /// throws.
    private func open(_ pooled: PooledConnection) throws -> Bool {
        let connection: Connection
        do {
            connection = try pooled.settingUp { try writer.another(path: path, options: options) }
        } catch let failure as SetUpFailure {
            throw failure.error
        } catch {
            if writing != nil { throw error }
            return false
        }
        // Another file is there by now: what is read stays what the writer has.
        guard file == nil || FileIdentity(path) == file else {
            connection.close()
            return false
        }
        prepare(connection, of: pooled)
        state.lock()
        defer { state.unlock() }
        connection.setTrace(trace)
        connections.append(connection)
        pooled.shown = ObjectIdentifier(connection)
        pooled.connection = connection
        return true
    }

    private func prepare(_ connection: Connection, of pooled: PooledConnection) {
        connection.endReaders = { [unowned pooled] in pooled.endCursors() }
        connection.setsUp = { [unowned pooled] in pooled.isSettingUp = $0 }
        guard writing != nil else { return connection.refuseWritersFunctions() }
        connection.scriptsRun = { [unowned pooled] sql in
            if StatementRouting.changesConnection(sql) { pooled.database?.retireReaders() }
        }
        pooled.counted = connection.totalChanges
    }

    /// The call is over: unlocks the connection, which is free when nothing else uses it.
    func release(_ pooled: PooledConnection) {
        // While it is still the thread's, for what is called may use it.
        let afterwards = writing.flatMap { note(pooled, $0) }
        defer { afterwards?() }
        pooled.uses -= 1
        // With none there is no cursor on it, either.
        let isIdle = pooled.uses == 0
        pooled.lock.unlock()
        if isIdle { putBack(pooled) } else if pooled.closedCursors.areWaiting { pooled.endClosedCursors() }
    }

    func putBack(_ pooled: PooledConnection) {
        state.lock()
        if let writing, writing.pinned === pooled {
            // It is everybody's.
            state.unlock()
            return
        }
        if isRetired || writing?.isPinnedForGood == true { close(connectionOf: pooled) }
        if isOnServer { rest(pooled) }
        pooled.taker = 0
        releases &+= 1
        // One that is open is taken before one that is not.
        if pooled.isOpen { free.append(.passUnretained(pooled)) } else { free.insert(.passUnretained(pooled), at: 0) }
        state.unlock()
        semaphore.giveBack()
    }

    /// A cursor of one goes on with a task, whose calls any thread makes, and which keeps it as long as it likes.
    func leaveThread(_ pooled: PooledConnection) {
        state.locked {
            pooled.taker = -1
            pooled.takerPatience = .keeping
        }
    }

    /// Closes one that was taken away from a thread between two of its calls, and whose cursors throw from here on.
    func reclaim(_ pooled: PooledConnection) {
        state.locked { close(connectionOf: pooled, leftOnOtherThread()) }
        pooled.uses = 0
        pooled.lock.unlock()
        putBack(pooled)
    }

    /// The one on which this transaction is open.
    func pooled(of number: Int64) -> PooledConnection? {
        members.first { $0.transactions.place(of: number) != .nowhere }
    }

    /// The innermost transaction of a task that reads.
    func newest(of task: Int64) -> Int64? { members.lazy.compactMap { $0.transactions.newest(of: task) }.first }

    /// Notes when the connection was given back, and closes those that nobody has needed for long.
    private func rest(_ pooled: PooledConnection) {
        let now = coarseTime()
        pooled.restsSince = now
        guard now &- looked > ConnectionPool.shortRest else { return }
        looked = now
        for other in free.map({ $0.takeUnretainedValue() })
        where other.isOpen && now &- other.restsSince > ConnectionPool.greatestRest {
            close(connectionOf: other)
        }
    }

    /// How long a connection of a server stays open that nobody needs, and how often that is looked at: nanoseconds.
    private static let greatestRest: Int64 = 600_000_000_000
    private static let shortRest: Int64 = 1_000_000_000

    // All of them ----------------------------------------------------------------------------------------------------

    /// Runs `body` while nobody reads: new readers wait, those there are have so many milliseconds to end.
    /// - Returns: false when they did not.
    func whileIdle(_ milliseconds: Int, _ body: () -> Bool) -> Bool {
        let end = time(after: milliseconds)
        var taken = 0
        defer { for _ in 0..<taken { semaphore.giveBack() } }
        while taken < count {
            let left = Int(max(0, end &- monotonicTime()) / 1_000_000)
            guard semaphore.take(left, givingUpWhen: { false }) else { return false }
            taken += 1
        }
        return body()
    }

    /// Whether any was ever needed.
    var areOpen: Bool {
        state.locked { !connections.isEmpty }
    }

    /// Whether all goes through the writer for now.
    var areBypassed: Bool {
        get { state.locked { bypassed } }
        set { state.locked { bypassed = newValue } }
    }

    /// From here on all goes through the writer. Those in use are closed when they are given back.
    func retire() {
        state.lock()
        defer { state.unlock() }
        isRetired = true
        for pooled in free { close(connectionOf: pooled.takeUnretainedValue()) }
    }

    /// From here on whoever takes one gets this one, which the caller has.
    /// - Parameter forGood: it has what the others lack; else until `unpin`.
    func pin(_ pooled: PooledConnection, forGood: Bool) {
        guard let writing else { return }
        state.lock()
        defer { state.unlock() }
        guard !writing.isPinnedForGood else { return }
        writing.pinned = pooled
        guard forGood else { return }
        writing.isPinnedForGood = true
        for pooled in free { close(connectionOf: pooled.takeUnretainedValue()) }
    }

    private func close(connectionOf pooled: PooledConnection, _ reason: CormorantError? = nil) {
        guard let connection = pooled.connection else { return }
        connections.removeAll { $0 === connection }
        pooled.close(reason)
    }

    func interrupt() {
        state.lock()
        defer { state.unlock() }
        for connection in connections { connection.interrupt() }
    }

    /// Interrupts what this thread does.
    func interrupt(_ thread: Int64) {
        state.lock()
        defer { state.unlock() }
        for pooled in members where pooled.lock.isHeld(by: thread) {
            // Opened under the pooled connection's lock, which the thread holds; the list tells whether it still is.
            for connection in connections where pooled.shown == ObjectIdentifier(connection) {
                pooled.interrupt(connection, thread)
            }
        }
    }

    /// Each reader gets them when it is next taken.
    func set(_ definitions: HostDefinitions) { state.locked { self.definitions = definitions } }

    /// Sets what `choose` gives once no statement runs on their connections, and none calls the callback before any more.
    /// - Returns: where nothing is set, the one that another thread keeps: whoever keeps it may be waiting for the others, so that none
    ///   of them is kept while it is waited for.
    static func setTrace(_ pools: [ConnectionPool], _ choose: () -> TraceCallback?) throws -> (
        ConnectionPool, PooledConnection
    )? {
        var locked: [(pooled: PooledConnection, wasAbandoned: Bool)] = []
        defer {
            for (pooled, wasAbandoned) in locked {
                if wasAbandoned { pooled.releaseAbandoned() } else { pooled.unlock() }
            }
        }
        for pool in pools {
            for pooled in pool.members {
                let outcome = pooled.lock.lock(20)
                guard outcome == .taken || outcome == .abandoned else { return (pool, pooled) }
                locked.append((pooled, outcome == .abandoned))
            }
        }
        let callback = choose()
        for pool in pools { pool.state.locked { pool.trace = callback } }
        for (pooled, _) in locked { pooled.connection?.setTrace(callback) }
        return nil
    }

    /// Waits until no other thread keeps that one of its connections, so many milliseconds at most.
    func wait(for pooled: PooledConnection, _ milliseconds: Int) throws {
        switch pooled.lock.lock(milliseconds) {
        case .taken: pooled.unlock()
        case .abandoned: pooled.releaseAbandoned()
        case .timedOut, .forked: throw isFull()
        }
    }

    /// Closes all.
    /// - Parameter others: closes what goes with them, once none of these is in use.
    /// - Returns: false, and nothing is done, when a call or a transaction of another thread uses one.
    func close(_ others: () -> Bool = { true }) -> Bool {
        state.lock()
        defer { state.unlock() }
        var locked: [PooledConnection] = []
        let pinned = writing?.pinned
        for pooled in members
        where !free.contains(where: { $0.toOpaque() == Unmanaged.passUnretained(pooled).toOpaque() }) {
            let outcome = pooled.lock.lock(0)
            if outcome == .taken || outcome == .abandoned { locked.append(pooled) }
            // Nobody is inside a call: what holds it is a transaction or a cursor.
            guard let last = locked.last, last === pooled, pooled.uses > 0 || pooled === pinned,
                outcome == .abandoned || pooled.lock.holds == pooled.openDepth + 1
            else {
                for pooled in locked { pooled.lock.unlock() }
                return false
            }
        }
        guard others() else {
            for pooled in locked { pooled.lock.unlock() }
            return false
        }
        isClosed = true
        connections = []
        for pooled in locked {
            let held = pooled.openDepth
            if held > 0, held == pooled.lock.holds - 1 {
                currentThread().endTransaction()
                pooled.lock.dropKept(held)
            }
            pooled.close()
            pooled.uses = 0
            pooled.taker = 0
            free.append(.passUnretained(pooled))
            pooled.lock.unlock()
            semaphore.giveBack()
        }
        for pooled in members { pooled.close() }
        // The keys go with the last connection.
        options.codecs = nil
        return true
    }
}
