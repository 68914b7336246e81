import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// The watches on one database, and the order in which they are told of commits.
package final class ObservationHub: Companion, @unchecked Sendable {  // `lock` guards what stands below it
    weak var database: Database?
    private let lock = RecursiveLock(.observationHub)
    private var observers: [Observer] = []
    /// How many are about to be among them.
    var starting = 0
    /// Those that were cancelled, whose tables are still logged.
    private var cancelled: [Observer] = []
    /// Commits that have not been told.
    private var inbox: [CommittedChanges] = []
    /// The threads that have them come while they hold a connection that is about to be released.
    private var tellers: Set<Int64> = []
    /// The thread that tells; 0: none does.
    private var deliverer: Int64 = 0
    /// Watches that are not told of changes any more, and why, until that is told.
    private var failures: [(observer: Observer, error: CormorantError)] = []
    /// Who has the connection is to tell when he is done with it.
    private var wantsDelivery = false
    /// How often something came into the inbox.
    private var generation = 0
    /// The file may have changed, and nobody could look.
    private var wantsCheck = false
    /// Belongs to the database's lock.
    private var version: Int64 = 0
    private var schemaVersion: Int64 = 0
    private var subscription: FileSubscription?
    /// Of a server, of which several connections come here at once: held while watches begin and end, and notes are read.
    let serverLock = RecursiveLock(.outbox)
    private var keptOutbox: Outbox?
    var outbox: Outbox? { locked { keptOutbox } }
    private let mark = Int64.random(in: 1...1 << 31)
    private var clock: ServerSubscription?
    var keptCaches: ServerRowCaches?
    var caches: ServerRowCaches? { locked { keptCaches } }
    private var isStarted = false
    private var hasStarted = false
    private var isClosed = false

    init(_ database: Database) { self.database = database }

    /// Begins a watch.
    /// - Parameters:
    ///   - live: a query that is run now and after each change; its tables are what it reads, and `region` is nil.
    ///   - query: opens a SELECT whose tables are watched.
    ///   - reads: the same for reads of the program's.
    func observe(
        _ region: ObservedRegion?, query: (() throws -> StatementCursor)? = nil, live: LiveQuery? = nil,
        reads: LiveReads? = nil,
        keepsValues: Bool, isLatestOnly: Bool, callback: ((Result<ObservationEvent, CormorantError>) -> Void)?
    ) throws -> Observer {
        guard let database else { throw databaseClosed() }
        let observer = Observer(
            self, model: region?.model,
            sql: database.dialect == .sqlite ? try live?.sql() ?? query.map(sqlOf) : nil, live: live, reads: reads,
            keepsValues: keepsValues, isLatestOnly: isLatestOnly, callback: callback)
        // Before which commit the first reads were made, and whether they have something to tell.
        var first: (generation: Int, isTold: Bool)?
        try database.withConnection { connection in
            if observer.isLive, connection.isInTransaction {
                throw CormorantError(
                    .transaction,
                    "\(live != nil ? "a live query" : "a watch on reads") cannot begin inside a transaction",
                    hint: "end the transaction first")
            }
            guard !database.isMigrating else {
                throw CormorantError(
                    .misuse, "a migration is running on the database", hint: "observe it after the migration")
            }
            // Nobody stops what is begun for it.
            locked { starting += 1 }
            do {
                // Before anything is read, so that no commit falls between.
                try start(connection)
                if let region {
                    observer.watched =
                        try outbox?.watch(region, connection, database, values: keepsValues)
                        ?? connection.watch(region, values: keepsValues)
                }
                if let outbox, query != nil || live != nil {
                    let wasReading = connection.isInTransaction
                    let read = try database.tablesRead {
                        do {
                            if let live { _ = try live.run() } else if let cursor = try query?() { try lookAt(cursor) }
                        } catch let error as CormorantError where error.code == .transaction && !wasReading {
                            // What writes is refused here.
                            throw CormorantError(
                                .misuse, "only a query can be watched", hint: "give a SELECT", sql: error.sql)
                        }
                    }
                    observer.watched += try outbox.watch(read, connection, isNeeded: true)
                }
                if let sql = observer.sql { observer.watched += try connection.watch(query: sql) }
                if let reads {
                    let isTold = try database.preparingModels {
                        try runAlone(reads, of: observer, connection, database)
                    }
                    guard !observer.watched.isEmpty else { throw readsNothing() }
                    first = (locked { generation }, isTold)
                }
            } catch {
                for watched in observer.watched { untrack(watched, connection, values: keepsValues) }
                locked { starting -= 1 }
                stopIfIdle()
                throw error
            }
            if !observer.isLive { _ = add(observer, unlessBeyond: nil) }
        }
        guard observer.isLive else { return observer }
        do {
            // Alone until its newest result is told, so that it comes in order.
            var turn = 1
            while true {
                let begun = first?.generation ?? locked { generation }
                if live != nil { try observer.tellFirst() }
                if let reads, try first?.isTold ?? run(reads, of: observer) { observer.tellOfReads(isForeign: false) }
                first = nil
                if add(observer, unlessBeyond: begun) { return observer }
                // Others commit faster than it runs: what it does not know yet it is told as one of many.
                if turn == 3 {
                    observer.isBehind.isSet = true
                    _ = add(observer, unlessBeyond: nil)
                    catchUp()
                    return observer
                }
                turn += 1
            }
        } catch {
            locked {
                starting -= 1
                cancelled.append(observer)
            }
            _ = database.withFreeConnection { _ in }
            throw error
        }
    }

    /// False when something was committed since then.
    private func add(_ observer: Observer, unlessBeyond begun: Int?) -> Bool {
        locked {
            if let begun, begun != generation { return false }
            starting -= 1
            if isClosed { observer.end() } else { observers.append(observer) }
            return true
        }
    }

    func remove(_ observer: Observer) {
        let isKnown = locked {
            guard let index = observers.firstIndex(where: { $0 === observer }) else { return false }
            observers.remove(at: index)
            cancelled.append(observer)
            return true
        }
        guard isKnown else { return }
        // Where another thread has the connection, it sees to it when it is done.
        _ = database?.withFreeConnection { _ in }
    }

    deinit { for observer in observers { observer.end() } }

    /// Nobody will be told anything any more.
    private func close() {
        let ended = locked {
            defer {
                observers = []
                cancelled = []
                inbox = []
                failures = []
                subscription = nil
                clock = nil
                isClosed = true
            }
            return observers
        }
        for observer in ended { observer.end() }
    }

    func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}

// Under the database's lock --------------------------------------------------------------------------------------------

extension ObservationHub {
    func start(_ connection: Connection) throws {
        guard locked({ !isStarted }) else { return }
        if let engine = connection.engine {
            try serverLock.locked { try start(engine, connection) }
        } else if let path = connection.filePath {
            let made = try FileSubscription(path) { [weak self] in self?.fileChanged() }
            locked { subscription = made }
        }
        if connection.engine == nil {
            version = try connection.dataVersion()
            schemaVersion = try connection.pragma("schema_version")
        }
        try database?.beforeRelease { [weak self] connection in self?.beforeRelease(connection) }
        if locked({ !hasStarted }) { try database?.whenClosed { [weak self] in self?.close() } }
        locked {
            isStarted = true
            hasStarted = true
        }
    }

    private func start(_ engine: any EngineConnection, _ connection: Connection) throws {
        guard outbox == nil else { return }
        let made = try Outbox(connection, mark: mark, serverLock)
        let listen: @Sendable () throws -> any EngineListener = { [weak self] in
            guard let database = self?.database else { throw databaseClosed() }
            return try database.listener(OutboxSchema.channel)
        }
        let subscription = try ServerSubscription(
            engine.watching.interval, engine.watching.notifies ? listen : nil,
            listens: { [weak self] in self?.caches?.listens($0) }
        ) { [weak self] in self?.fileChanged() }
        made.caches = caches
        locked { (keptOutbox, clock) = (made, subscription) }
    }

    private func beforeRelease(_ connection: Connection) -> (() -> Void)? {
        tell(connection.changeLog?.takeCommitted() ?? [])
        let me = currentThread().pointee.id
        let isDue = outbox?.isDue(connection) ?? false
        if isDue || locked({ wantsCheck }) { check(connection, hasCommitted: isDue) }
        let gone = locked {
            defer { cancelled = [] }
            if wantsDelivery, deliverer != me {
                wantsDelivery = false
                inbox.append(CommittedChanges(changes: []))
                tellers.insert(me)
            }
            return cancelled
        }
        if !gone.isEmpty {
            serverLock.locked {
                for observer in gone {
                    for watched in observer.watched { untrack(watched, connection, values: observer.keepsValues) }
                }
            }
            stopIfIdle()
        }
        // Who has news tells them before its call returns, and not another who comes by.
        let hasNews = locked { tellers.remove(me) != nil }
        return hasNews ? { [weak self] in self?.deliver() } : nil
    }

    private func tell(_ news: [CommittedChanges]) {
        guard !news.isEmpty else { return }
        locked {
            inbox += news
            tellers.insert(currentThread().pointee.id)
            generation &+= 1
        }
    }

    /// Looks whether others have committed. Where that cannot be told now, whoever uses the connection next does it.
    /// - Parameter hasCommitted: whether a commit of the connection's is what has it look.
    func check(_ connection: Connection, hasCommitted: Bool = false) {
        // A snapshot that is being read hides what came after it.
        let isBlind = connection.isInTransaction || connection.isReading || connection.engine?.isStreaming ?? false
        locked { wantsCheck = isBlind }
        if isBlind {
            if hasCommitted { caches?.areBehind() }
            return
        }
        if let outbox { return check(outbox, connection, hasCommitted) }
        // Where somebody is writing, the file's watcher looks again.
        try? connection.withoutWaiting {
            guard let now = try connection.settledDataVersion() else { return locked { wantsCheck = true } }
            guard now != version else { return }
            var foreign = CommittedChanges.foreign
            let schema = try connection.pragma("schema_version")
            if schema != schemaVersion {
                foreign.changedSchema = true
                foreign.changes = connection.changeLog?.describeAgain() ?? []
            }
            version = now
            schemaVersion = schema
            tell([foreign])
        }
    }

    private func check(_ outbox: Outbox, _ connection: Connection, _ hasCommitted: Bool) {
        outbox.lock.lock()
        defer { outbox.lock.unlock() }
        // Where the server cannot be reached, what is missed now is found when it can.
        guard let read = try? outbox.read(connection) else {
            caches?.areBehind()
            return
        }
        let news = outbox.waiting + read
        // A thread that has just committed is to tell of it before its call returns: it comes here presently, if it is not gone.
        // Who has changed a table is not known.
        let othersMayWrite = database?.othersMayWrite ?? false
        if !hasCommitted, news.contains(where: { !$0.isForeign && (!$0.changedSchema || othersMayWrite) }) {
            let now = monotonicTime()
            if outbox.waiting.isEmpty { outbox.waitingSince = now }
            if now - outbox.waitingSince < Outbox.patience {
                outbox.waiting = news
                return
            }
        }
        outbox.waiting = []
        // What could not be asked is asked again; a changed schema has all live queries run.
        let isBehind = locked { observers.contains { $0.isBehind.isSet } }
        tell(isBehind ? news + [CommittedChanges(changes: [], changedSchema: true)] : news)
        // Another may have put this thread's commit into the inbox, and not have come to tell it.
        if hasCommitted { locked { if !inbox.isEmpty { tellers.insert(currentThread().pointee.id) } } }
        for (table, error) in outbox.failures {
            locked {
                for observer in observers where observer.watched.contains(where: { $0.table === table }) {
                    failures.append((observer, error))
                    tellers.insert(currentThread().pointee.id)
                }
            }
        }
        outbox.failures = []
        outbox.prune(connection)
    }

    private func untrack(_ watched: WatchedTable, _ connection: Connection, values: Bool) {
        if let outbox {
            outbox.untrack(watched.table, values: values)
        } else {
            connection.untrack(watched.table, values: values)
        }
    }

    func stopIfIdle() {
        let hasCaches = !(caches?.all.isEmpty ?? true)
        let unused = locked { () -> (FileSubscription?, ServerSubscription?) in
            guard observers.isEmpty, cancelled.isEmpty, starting == 0, !hasCaches else { return (nil, nil) }
            isStarted = false
            keptOutbox = nil
            defer { (subscription, clock) = (nil, nil) }
            return (subscription, clock)
        }
        // Of a server, another thread may be beginning a watch.
        if database?.dialect == .sqlite, locked({ !isStarted }) { try? database?.beforeRelease(nil) }
        _ = unused
    }

    /// The file's watcher has seen a write, or looks again after one.
    private func fileChanged() {
        if database?.withFreeConnection({ check($0) }) == nil { locked { wantsCheck = !isClosed } }
    }
}

// Reads of the program's -----------------------------------------------------------------------------------------------

extension ObservationHub {
    /// Makes the reads, and sees to it that all is watched which they read.
    /// - Returns: whether there is something to tell.
    func run(_ reads: LiveReads, of observer: Observer) throws -> Bool {
        guard let database else { throw databaseClosed() }
        return try database.preparingModels {
            let (outcome, unwatched) = try reads.run(database)
            if unwatched.isEmpty { return try outcome.get() }
            // They went on to other tables, which may have changed since: once more, while nobody writes.
            return try database.withConnection { try runAlone(reads, of: observer, $0, database) }
        }
    }

    /// Under the database's lock, so that nothing is committed between the reads and the watch on their tables.
    private func runAlone(
        _ reads: LiveReads, of observer: Observer, _ connection: Connection, _ database: Database
    ) throws -> Bool {
        let begun = outbox?.lock.locked { outbox?.readings }
        let (outcome, unwatched) = try reads.run(database)
        try serverLock.locked {
            // One that was cancelled meanwhile may have given back what it watched.
            guard !observer.isCancelled || locked({ cancelled.contains { $0 === observer } }) else { return }
            observer.watched += try outbox?.watch(unwatched, connection) ?? connection.watch(unwatched)
            reads.cover(unwatched)
        }
        // Another connection has read the outbox meanwhile, and passed by what was of tables that nobody watched.
        if !unwatched.isEmpty, begun != outbox?.lock.locked({ outbox?.readings }) {
            return try runAlone(reads, of: observer, connection, database)
        }
        return try outcome.get()
    }

    /// After the schema has changed: watches what the observers' queries read now. Where another thread has the connection, once that
    /// is done with it.
    private func watchAnew(_ observers: [Observer]) {
        let observers = observers.filter { $0.sql != nil }
        guard !observers.isEmpty, let database else { return }
        for observer in observers { observer.isUnsure = true }
        func watch() -> Bool {
            _ = database.withFreeConnection { connection in
                for observer in observers { watchAnew(observer, connection) }
            }
            return !observers.contains { $0.isUnsure }
        }
        if watch() { return }
        // Who has had it may have been done before he could know.
        locked { wantsDelivery = true }
        _ = watch()
    }

    private func watchAnew(_ observer: Observer, _ connection: Connection) {
        // One that was cancelled meanwhile may have given back what it watched.
        guard let sql = observer.sql, observer.isUnsure, !observer.isCancelled else { return observer.isUnsure = false }
        do {
            let watched = try connection.watch(query: sql)
            for former in observer.watched { untrack(former, connection, values: observer.keepsValues) }
            observer.watched = watched
            observer.isUnsure = false
        } catch {
            // One that is wrong now keeps what it has, until the schema changes again.
            observer.isUnsure = ![.sql, .schema].contains((error as? CormorantError)?.code)
        }
    }

    /// Has what could not be run be run again, by who has the connection when he is done with it.
    func deliverLater() {
        locked { wantsDelivery = true }
    }

    private func sqlOf(_ open: () throws -> StatementCursor) throws -> String {
        let cursor = try open()
        defer { cursor.close() }
        return cursor.sql
    }

    /// Has the server look at what a query reads.
    private func lookAt(_ cursor: StatementCursor) throws {
        defer { cursor.close() }
        _ = try cursor.nextRow()
    }

    private func readsNothing() -> CormorantError {
        CormorantError(
            .misuse, "the reads are of no table, so that there is nothing to watch",
            hint: "read with what the body is given")
    }
}

// Under no lock --------------------------------------------------------------------------------------------------------

extension ObservationHub {
    /// Tells everyone of what was committed, in order. What is committed meanwhile, by a callback among others, is told by
    /// the thread that is at it already.
    private func deliver() {
        let isFirst = locked {
            guard deliverer == 0 else { return false }
            deliverer = currentThread().pointee.id
            return true
        }
        guard isFirst else { return }
        while true {
            let (news, failed, everyone) = locked {
                defer { (inbox, failures) = ([], []) }
                if inbox.isEmpty, failures.isEmpty { deliverer = 0 }
                return (inbox, failures, observers)
            }
            if news.isEmpty, failed.isEmpty {
                if Threads.isCancelled, everyone.contains(where: { $0.isBehind.isSet || $0.isUnsure }) { catchUp() }
                return
            }
            for committed in news {
                for observer in everyone where !observer.isLive { observer.tell(committed) }
            }
            for (observer, error) in failed { observer.tell(error) }
            let late = everyone.filter(\.isUnsure)
            watchAnew(news.contains { $0.changedSchema } ? everyone : late)
            // What they went on to may have changed since.
            for observer in late where !observer.isUnsure {
                if observer.isLive { observer.isBehind.isSet = true } else { observer.tell(.foreign) }
            }
            for observer in everyone where observer.isLive {
                let relevant = news.filter { committed in
                    committed.isUnknown || committed.changedSchema
                        || committed.changes.contains { change in observer.watched.contains { $0.concerns(change) } }
                }
                if relevant.isEmpty, !observer.isBehind.isSet { continue }
                observer.runLive(
                    isForeign: relevant.contains { $0.isForeign }, changedSchema: relevant.contains { $0.changedSchema }
                )
            }
        }
    }
}

extension ObservationHub {
    /// Has a thread of its own run what this one, whose calls are cancelled, could not.
    private func catchUp() {
        let thread = try? BackgroundThread { [weak self] in
            guard let self, let database = self.database else { return }
            withExtendedLifetime(database) {
                self.locked { self.inbox.append(CommittedChanges(changes: [])) }
                self.deliver()
            }
        }
        thread?.detach()
    }
}

extension Database {
    /// Begins a watch on tables or rows.
    package func observe(
        _ region: ObservedRegion, keepsValues: Bool = false, isLatestOnly: Bool = false,
        callback: ((Result<ObservationEvent, CormorantError>) -> Void)? = nil
    ) throws -> Observer {
        if let model = region.model { try prepare(model) }
        return try observationHub.observe(
            region, keepsValues: keepsValues, isLatestOnly: isLatestOnly, callback: callback)
    }

    /// Begins a watch on the tables that a query reads.
    package func observe(
        query open: @escaping () throws -> StatementCursor, isLatestOnly: Bool = false,
        callback: ((Result<ObservationEvent, CormorantError>) -> Void)? = nil
    ) throws -> Observer {
        return try observationHub.observe(
            nil, query: open, keepsValues: false, isLatestOnly: isLatestOnly, callback: callback)
    }

    /// Begins a watch that runs a query now and after each change, and tells its result when that is another one.
    package func observe(
        live: LiveQuery, callback: ((Result<ObservationEvent, CormorantError>) -> Void)? = nil
    ) throws -> Observer {
        try observationHub.observe(nil, live: live, keepsValues: false, isLatestOnly: true, callback: callback)
    }

    /// Begins a watch that makes reads of the program's now and after each change of what they read; each event says that they
    /// have something new.
    package func observe(
        reads: LiveReads, callback: ((Result<ObservationEvent, CormorantError>) -> Void)? = nil
    ) throws -> Observer {
        try observationHub.observe(nil, reads: reads, keepsValues: false, isLatestOnly: true, callback: callback)
    }

    var observationHub: ObservationHub { companion { ObservationHub(self) } }
}
