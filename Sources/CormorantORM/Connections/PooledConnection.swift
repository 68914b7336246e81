import CormorantBase
import CormorantSQLite
import CormorantThreads

/// One connection of a database with what hangs on it, and the lock that all of it is used under.
package final class PooledConnection {
    let lock = FairLock()
    /// nil before a reader's first use, and once the database is closed.
    package internal(set) var connection: Connection? {
        didSet { isOpen = connection != nil }
    }
    private(set) var isOpen = false { didSet { setPlain() } }
    /// The task that the transaction belongs to that is open, where it belongs to one.
    private(set) var owner: TransactionOwner? { didSet { setPlain() } }
    /// How many transactions were open before the owner's.
    private var beforeOwner = 0
    /// Open, and used by whom the lock lets.
    private var isPlain = false
    /// While a function of the program's runs in one of its statements.
    private(set) var isInFunction = false { didSet { setPlain() } }
    /// While the program's set-up has it.
    var isSettingUp = false { didSet { setPlain() } }
    /// Those that such a function closed, whose statements may be the one that it runs in.
    private var closedInFunction: [StatementCursor] = [] { didSet { setPlain() } }
    let transactions = OpenTransactions()
    /// The database's.
    let taken: TakenTransactions
    /// While a transaction of the program's is open.
    var hasTransaction = false
    /// While steps of a migration run on it.
    var isMigrating = false
    /// How many of the open transactions and savepoints only the library may end, which runs a queue's write or a record's hooks
    /// inside them.
    var keptDepth = 0
    /// How many writes of records are waiting for their hooks.
    var hookDepth = 0
    /// Of the writer: the database, which outlives it.
    unowned(unsafe) var database: Database?
    /// The pool it is one of, or the one beside it. Both are the database's, which outlives them.
    var readers: ConnectionPool? { pool?.takeUnretainedValue() }
    private var pool: Unmanaged<ConnectionPool>?
    private(set) var isReader = false
    /// Whether `readers` is a pool that it is one of, which gives it to one thread at a time.
    private(set) var isPooled = false
    private var plans: [ObjectIdentifier: ModelPlan] = [:]
    /// From how many plans on those of freed models are forgotten.
    private var greatestPlans = PooledConnection.manyPlans
    private static let manyPlans = 64
    private var lastPlan: ModelPlan?
    /// Those of the plans whose models were made of others, the oldest first.
    private var variants: [ObjectIdentifier] = []
    private static let greatestVariants = 128
    private var cursors: [ObjectIdentifier: WeakCursor] = [:]
    let closedCursors = ClosedCursors()
    private var runningCursors = 0
    /// The thread whose cursors run on it; 0: none do, -1: those of several, or of a task. Any thread reads it.
    private let cursorThread = AtomicNumber()
    /// Milliseconds that a thread waits for it.
    let timeout: Int

    /// Of a transaction that only reads: how often it was begun and not ended.
    var readDepth = 0
    /// Of one of a pool: calls, running cursors and a transaction that use it. With none it is anyone's.
    var uses = 0
    /// Of one of a pool: the thread that took it when it was free; 0 while it is, -1: a task keeps it.
    var taker: Int64 = 0
    /// Of one of a pool: how that thread waits, which tells whether its use of it ends by itself.
    var takerPatience = Patience.none
    /// Of one of a pool: its connection, as long as it is among those of the pool; under the pool's lock.
    var shown: ObjectIdentifier?
    /// Of one of a pool of a server: when it was given back last.
    var restsSince: Int64 = 0
    /// Of one of those that write: how many of the changes of its connection the pool has counted, and what it has noted as its
    /// thread's newest outcome.
    var counted: Int64 = 0
    var outcome: ConnectionPool.Outcome?
    /// Of the writer: whether models have caches on it; any thread reads it.
    let hasCaches = AtomicFlag()
    /// Of the writer: pages of the log from which on it is emptied.
    var logLimit = PooledConnection.smallLog

    static let smallLog = 4000

    init(_ connection: Connection?, timeout: Int, _ taken: TakenTransactions) {
        self.connection = connection
        self.taken = taken
        isOpen = connection != nil
        self.timeout = timeout
    }

    deinit { cursorThread.deallocate() }

    func belong(to readers: ConnectionPool, isReader: Bool) {
        pool = .passUnretained(readers)
        self.isReader = isReader
        isPooled = isReader || readers.writing != nil
    }

    /// How many transactions and savepoints the thread that has it keeps it for.
    var openDepth: Int { isReader ? readDepth : connection?.transactionDepth ?? 0 }

    private struct WeakCursor {
        weak var cursor: StatementCursor?
        /// That has opened it; 0: it is a task's.
        let thread: Int64
    }

    // Acquiring and releasing ---------------------------------------------------------------------------------------

    /// Waits for the connection and locks it. Each call needs a `release`.
    func acquire() throws {
        let outcome = lock.lock(timeout)
        if outcome != .taken { try explain(outcome) }
        try check()
        if lock.ownerIsNew { ownerChanged() }
        if isPooled { uses += 1 }
        if closedCursors.areWaiting { closedCursors.end(on: self) }
    }

    /// The same for a cursor that is on it; false where its statement has ended, so that a reader is none of its thread's.
    @inline(__always)
    func acquire(for cursor: StatementCursor) throws -> Bool {
        try acquire()
        return !isPooled || isStill(of: cursor)
    }

    func tryAcquire(for cursor: StatementCursor) -> Attempt {
        guard tryAcquire(0) else { return lock.isForked ? .ended : .busy }
        return !isPooled || isStill(of: cursor) ? .acquired : .ended
    }

    enum Attempt { case acquired, busy, ended }

    /// A running cursor is a use of its own: without it the pool may have given the connection to another thread.
    private func isStill(of cursor: StatementCursor) -> Bool {
        if cursor.isRunning { return true }
        uses -= 1
        unlock()
        return false
    }

    /// Locks it, unchecked, if no thread but this one has ever come.
    @inline(__always)
    func acquireIfAlone() -> Bool { withoutRetaining(lock) { $0.lockIfAlone() } }

    /// Locks it, for what cannot fail; what a thread that has ended left open is rolled back.
    /// - Parameter timeout: milliseconds to wait for it.
    /// - Returns: false where another thread has it for longer, and in the child of a fork, which cannot have it.
    func tryAcquire(_ timeout: Int) -> Bool {
        switch lock.lock(timeout) {
        case .taken: break
        case .abandoned: rollBackAbandoned()
        case .timedOut, .forked: return false
        }
        if lock.ownerIsNew { ownerChanged() }
        if isPooled { uses += 1 }
        if closedCursors.areWaiting { closedCursors.end(on: self) }
        return true
    }

    /// What another thread does beside a running cursor is cancelled without interrupting that.
    @inline(never)
    private func ownerChanged() {
        lock.ownerIsNew = false
        if runningCursors > 0 { connection?.watchCancellation() }
    }

    /// Unlocks it again where nothing can be done on it.
    @inline(__always)
    func check() throws {
        if isPlain, !lock.anyIsRefused, !transactionIsLost { return }
        try refuse()
    }

    @inline(never)
    private func refuse() throws {
        do {
            if isInFunction { throw inFunction() }
            if isSettingUp { throw inSetUp() }
            finishClosed()
            try refuseIfCancelled()
            try taken.refuse()
            try refuseOtherTask()
            try connected().checkTransaction()
        } catch {
            unlock()
            throw error
        }
    }

    /// Whether SQLite has rolled back the transaction that is open.
    @inline(__always)
    private var transactionIsLost: Bool { hasTransaction && connection?.isInTransaction == false }

    @inline(__always)
    func release() {
        if isPooled, let pool { withoutRetaining(pool) { $0.release(self) } } else { unlock() }
    }

    /// Then ends cursors that were closed meanwhile.
    @inline(__always)
    func unlock() {
        lock.unlock()
        if closedCursors.areWaiting { endClosedCursors() }
    }

    /// Where no other thread has it by now, who ends them in its turn.
    @inline(never)
    func endClosedCursors() {
        switch lock.lock(0) {
        case .timedOut, .forked: return
        case .abandoned: releaseAbandoned()
        case .taken:
            // What runs in a statement's step waits for its end.
            if isInFunction { return lock.unlock() }
            // Once they are ended, one of a pool may be nobody's.
            guard closedCursors.areWaiting else { return unlock() }
            if isPooled { uses += 1 }
            closedCursors.end(on: self)
            release()
        }
    }

    /// The same after what may have written.
    @inline(__always)
    func releaseAfterWriting() {
        if let connection, connection.logPages >= logLimit { keepLogSmall(connection) }
        release()
    }

    /// SQLite begins the log anew when nobody reads what is in it, which readers that follow on one another never let
    /// happen: so they are held back for a moment. Where a long one is in the way, the log may grow to the double meanwhile.
    @inline(never)
    private func keepLogSmall(_ connection: Connection) {
        guard lock.holds == 1, let readers, readers.areOpen, !connection.isInTransaction else { return }
        let isEmpty = readers.whileIdle(50) { (try? connection.emptyLog()) ?? false }
        logLimit = isEmpty ? PooledConnection.smallLog : connection.logPages * 2
    }

    @inline(never)
    private func explain(_ outcome: FairLock.Outcome) throws {
        switch outcome {
        case .taken: return
        case .forked: throw usedAfterFork()
        case .timedOut:
            try refuseIfCancelled()
            throw CormorantError(
                .busy, "another thread uses the database for longer than the busy timeout",
                hint: "keep transactions short, or give a longer busy timeout when opening")
        case .abandoned:
            releaseAbandoned()
            throw endedWithItsThread()
        }
    }

    func endedWithItsThread() -> CormorantError {
        CormorantError(
            .transaction, "a thread ended with its transaction open, which has been rolled back",
            hint: "try again, and end each transaction on the thread that began it")
    }

    @inline(never)
    private func refuseIfCancelled() throws {
        if Threads.isCancelled { throw CormorantError(.interrupted, "the thread's calls are cancelled") }
    }

    /// Throws where the open transaction belongs to another task than the one that runs now.
    func refuseOtherTask() throws {
        if let owner, !owner.isCalling { throw otherTask() }
    }

    // Transactions ----------------------------------------------------------------------------------------------------

    /// A transaction or savepoint has begun, for which the calling thread keeps the connection.
    func began(_ owner: TransactionOwner?) -> Int64 {
        let number = newTransactionNumber()
        if self.owner == nil, let owner {
            beforeOwner = transactions.count
            self.owner = owner
        }
        transactions.append(number, task: owner?.task ?? 0)
        lock.keep()
        return number
    }

    /// The innermost one has ended, or the one with this number.
    func ended(_ number: Int64? = nil) {
        if let number { transactions.remove(number) } else { transactions.removeLast() }
        if owner != nil, transactions.count <= beforeOwner { owner = nil }
        lock.dropKept()
    }

    /// Gives it back after its lock was taken over from a thread that has ended.
    func releaseAbandoned() {
        rollBackAbandoned()
        if isPooled { uses += 1 }
        release()
    }

    /// Ends the transactions of a thread that has ended. They were one use of a reader.
    private func rollBackAbandoned() {
        rollBack()
        if isPooled { uses -= 1 }
    }

    /// Ends all transactions.
    func rollBack() {
        _ = transactions.removeAll()
        owner = nil
        readDepth = 0
        keptDepth = 0
        hasTransaction = false
        guard let connection else { return }
        while connection.transactionDepth > 0 {
            do { try connection.rollback() } catch { break }
        }
    }

    // Functions of the program's --------------------------------------------------------------------------------------

    /// Opens its connection, which is not there yet.
    func settingUp(_ open: () throws -> Connection) rethrows -> Connection {
        isSettingUp = true
        defer { isSettingUp = false }
        return try open()
    }

    private func setPlain() {
        isPlain = isOpen && owner == nil && !isInFunction && !isSettingUp && closedInFunction.isEmpty
    }

    /// Brings those that the connection does not have yet.
    func bring(_ definitions: HostDefinitions) throws {
        try connected().bring(definitions) { [unowned self] in isInFunction = $0 }
    }

    func closeAfterFunction(_ cursor: StatementCursor) { closedInFunction.append(cursor) }

    private func finishClosed() {
        guard !closedInFunction.isEmpty else { return }
        let closed = closedInFunction
        closedInFunction = []
        for cursor in closed { cursor.finishClosing() }
    }

    // What hangs on the connection ------------------------------------------------------------------------------------

    @inline(__always)
    func connected() throws -> Connection {
        guard let connection else { throw databaseClosed() }
        return connection
    }

    @inline(__always)
    func plan(for model: ModelDescriptor) throws -> ModelPlan {
        if let lastPlan, lastPlan.model === model { return lastPlan }
        return try findPlan(for: model)
    }

    private func findPlan(for model: ModelDescriptor) throws -> ModelPlan {
        let key = ObjectIdentifier(model)
        let plan: ModelPlan
        if let ready = plans[key] {
            plan = ready
        } else {
            plan = try ModelPlan(model, self)
            if plans.count >= greatestPlans { forgetFreed() }
            try plan.connection.checkForms(of: model.tableReference)
        }
        if model.isVariant, plans[key] == nil { keepFew(key) }
        plans[key] = plan
        lastPlan = plan
        return plan
    }

    private func forgetFreed() {
        // Only the keys: a copy of the plans would be one more reference to each.
        for key in plans.compactMap({ $1.model.isFreed ? $0 : nil }) { _ = forget(key) }
        greatestPlans = max(PooledConnection.manyPlans, plans.count * 2)
    }

    /// There may be a table for each of many targets, whose statements need not all be kept.
    private func keepFew(_ new: ObjectIdentifier) {
        variants.append(new)
        guard variants.count > PooledConnection.greatestVariants else { return }
        let oldest = variants.removeFirst()
        if !forget(oldest) { variants.append(oldest) }
    }

    /// Forgets a plan; false where a cursor, or a call further out, still uses it, so that it goes another time.
    private func forget(_ key: ObjectIdentifier) -> Bool {
        guard var plan = plans.removeValue(forKey: key) else { return true }
        if plan !== lastPlan, isKnownUniquelyReferenced(&plan) { return true }
        plans[key] = plan
        return false
    }

    func add(_ cursor: StatementCursor) {
        cursors[ObjectIdentifier(cursor)] = WeakCursor(cursor: cursor, thread: currentThread().pointee.id)
        uses += 1
        let (thread, known) = (currentThread().pointee.id, cursorThread.load())
        cursorThread.storeReleasing(known == 0 || known == thread ? thread : -1)
        runningCursors &+= 1
    }

    /// The cursor has come to its end.
    func ended(_ cursor: StatementCursor) { endedOne() }

    private func endedOne() {
        uses -= 1
        runningCursors &-= 1
        if runningCursors == 0 { cursorThread.storeReleasing(0) }
    }

    /// A cursor is a task's, whose calls any thread makes.
    func leaveThread(_ cursor: StatementCursor) {
        cursors[ObjectIdentifier(cursor)] = WeakCursor(cursor: cursor, thread: 0)
        cursorThread.storeReleasing(-1)
        if isPooled { readers?.leaveThread(self) }
        connection?.watchCancellation()
    }

    /// Interrupts what a thread that is cancelled does on it. SQLite interrupts all statements that run: where cursors of others
    /// do, the thread's statement ends by looking for itself whether it is cancelled.
    func interrupt(_ connection: Connection, _ thread: Int64) {
        lock.ifHeld(by: thread) {
            let owner = cursorThread.load()
            if owner == 0 || owner == thread || connection.dialect != .sqlite { connection.interrupt() }
        }
    }

    func remove(_ cursor: StatementCursor) { cursors.removeValue(forKey: ObjectIdentifier(cursor)) }

    /// Ends the statement of a cursor that is gone, at whose address there may be another by now.
    func end(_ statement: Statement, of cursor: ObjectIdentifier, on former: Connection) {
        guard connection === former else { return }
        former.recycle(statement)
        endedOne()
        if cursors[cursor]?.cursor == nil { cursors.removeValue(forKey: cursor) }
    }

    /// Whether some run on it that others may have: of a pool, where each has its own, the question does not arise.
    @inline(__always)
    var isBesideCursors: Bool { runningCursors > 0 && !isPooled }

    var hasRunningCursors: Bool { cursors.values.contains { $0.cursor?.isRunning ?? false } }

    /// Whether one runs that the calling thread has opened.
    var hasOwnRunningCursors: Bool {
        let thread = currentThread().pointee.id
        return cursors.values.contains { $0.thread == thread && $0.cursor?.isRunning ?? false }
    }

    /// Ends all that uses the connection and closes it.
    /// - Parameter reason: what running cursors throw from here on, where the database stays open.
    func close(_ reason: CormorantError? = nil) {
        guard let connection else { return }
        closedCursors.end(on: self)
        for cursor in cursors.values { cursor.cursor?.invalidate(reason) }
        cursors = [:]
        plans = [:]
        variants = []
        lastPlan = nil
        _ = transactions.removeAll()
        owner = nil
        readDepth = 0
        hasTransaction = false
        self.connection = nil
        connection.close()
    }

    /// SQLite upholds an interrupt until no statement runs.
    func endCursors() {
        for cursor in cursors.values { cursor.cursor?.interrupted() }
    }
}

func inSetUp() -> CormorantError {
    CormorantError(
        .misuse, "the set-up of a connection uses the database that it is set up for",
        hint: "run SQL on the connection that it is given")
}

func inFunction() -> CormorantError {
    CormorantError(
        .misuse, "a function that SQL calls uses the database that it runs in",
        hint: "have it work with its arguments alone, and read what else it needs before")
}
