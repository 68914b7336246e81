import CormorantBase
import CormorantSQLite

/// The connections that read beside a database's writer, each on a snapshot of its own. They are opened when threads need
/// them, and never more than `count`.
final class Readers: @unchecked Sendable {  // `state` guards what is below it; a lane is used under its own lock
    /// Under `state`, but for `current`'s copies.
    private var lanes: [Lane]
    private let count: Int
    private let permits: Permits
    private let path: String
    private let taken: TakenTransactions
    private var options: OpenOptions
    private let state = RecursiveLock()
    private var free: [Lane] = []
    private var connections: [Connection] = []
    private var trace: TraceCallback?
    /// The writer has something that readers would not see, such as a temporary table.
    private var isRetired = false
    private var isClosed = false
    private var bypassed = false
    /// How many were given back.
    private var releases = 0

    /// nil where the file lets nobody read beside its writer.
    init?(_ writer: Connection, _ options: OpenOptions, _ taken: TakenTransactions) throws {
        guard options.readerCount > 0, let path = writer.filePath,
            try Statement(writer, "PRAGMA journal_mode").firstText() == "wal"
        else { return nil }
        self.path = path
        self.taken = taken
        var options = options
        options.mode = .readOnly
        options.template = nil
        options.keepsJournalMode = true
        options.codecs = writer.codecs
        self.options = options
        count = min(options.readerCount, 64)
        permits = Permits(count)
        var lanes: [Lane] = []
        for _ in 0..<count { lanes.append(Lane(nil, timeout: options.busyTimeout, taken)) }
        self.lanes = lanes
        free = lanes
        for lane in lanes { lane.belong(to: self, isReader: true) }
    }

    // Taking and giving back -----------------------------------------------------------------------------------------

    /// A reader for the calling thread, locked: the one that it is using, or one that is free.
    /// - Returns: nil where it must read through the writer.
    @inline(never)
    func take(_ writer: Lane) throws -> Lane? {
        if let lane = held() {
            try lane.enter()
            return lane
        }
        if writer.lock.isMine { return nil }
        return try takeFree(writer)
    }

    /// The reader that the calling thread is using.
    func held() -> Lane? {
        var next = currentThread().pointee.held
        while let pointer = next {
            let lane = Unmanaged<Lane>.fromOpaque(pointer).takeUnretainedValue()
            if lane.readers === self { return lane }
            next = lane.outer
        }
        return nil
    }

    /// A reader that nobody uses, locked and in use.
    func takeFree(_ writer: Lane) throws -> Lane? {
        if writer.lock.isForked { throw usedAfterFork() }
        try taken.refuse()
        let thread = currentThread().pointee.id
        if !permits.tryTake() {
            guard try waitForPermit(thread) else { return nil }
        }
        state.lock()
        guard !isRetired, !bypassed, !isClosed, let lane = free.popLast() else {
            let isClosed = isClosed
            state.unlock()
            permits.giveBack()
            if isClosed { throw databaseClosed() }
            return nil
        }
        lane.taker = thread
        lane.takerIsPatient = Threads.isPatient
        state.unlock()
        // Nobody else has it, but for those who set a trace.
        guard lane.lock.lock(max(1000, options.busyTimeout)) == .taken else {
            release(lane)
            throw isFull()
        }
        guard !Threads.isCancelled else {
            lane.lock.unlock()
            release(lane)
            throw isFull()
        }
        guard lane.connection != nil || open(lane) else {
            lane.lock.unlock()
            release(lane)
            return nil
        }
        entered(lane)
        return lane
    }

    /// - Returns: false for a thread whose own cursors are running: it might wait for itself.
    private func waitForPermit(_ thread: Int64) throws -> Bool {
        for lane in current { freeIfAbandoned(lane) }
        state.lock()
        let hasOne = lanes.contains { $0.taker == thread }
        var before = releases
        state.unlock()
        if hasOne { return permits.tryTake() }
        while !permits.take(max(options.busyTimeout, 1), givingUpWhen: { Threads.isCancelled }) {
            guard Threads.isPatient, !Threads.isCancelled, mayGoOn(&before) else { throw isFull() }
        }
        return true
    }

    /// Whether waiting may help: one was given back meanwhile, or is in use by a thread whose work ends by itself.
    private func mayGoOn(_ before: inout Int) -> Bool {
        state.lock()
        defer { state.unlock() }
        defer { before = releases }
        return releases != before || lanes.contains { $0.taker != 0 && $0.takerIsPatient }
    }

    private func freeIfAbandoned(_ lane: Lane) {
        guard lane.lock.isAbandoned, lane.lock.lock(0) == .abandoned else { return }
        lane.rollBack()
        left(lane)
    }

    private func isFull() -> CormorantError {
        if Threads.isCancelled { return CormorantError(.interrupted, "the thread's calls are cancelled") }
        return CormorantError(
            .busy, "all \(count) readers of the database are in use for longer than the busy timeout",
            hint: "close results and cursors and end read transactions, or open with more readers")
    }

    /// False where the file cannot be opened once more; the writer can do all that a reader can.
    private func open(_ lane: Lane) -> Bool {
        guard let connection = try? Connection(path: path, options: options) else { return false }
        connection.endReaders = { [unowned lane] in lane.endCursors() }
        state.lock()
        defer { state.unlock() }
        connection.setTrace(trace)
        connections.append(connection)
        lane.shown = ObjectIdentifier(connection)
        lane.connection = connection
        return true
    }

    /// The calling thread has just locked the lane for a call.
    func entered(_ lane: Lane) {
        lane.uses += 1
        guard lane.lock.holds == 1 else { return }
        let thread = currentThread()
        lane.outer = thread.pointee.held
        thread.pointee.held = UnsafeRawPointer(Unmanaged.passUnretained(lane).toOpaque())
    }

    /// The call is over: unlocks the lane, which is free when nothing else uses it.
    func left(_ lane: Lane) {
        lane.uses -= 1
        if lane.lock.holds == 1 { forget(lane) }
        let isIdle = lane.uses == 0
        lane.lock.unlock()
        if isIdle { release(lane) }
    }

    /// Takes the lane out of what the calling thread holds.
    private func forget(_ lane: Lane) {
        let thread = currentThread()
        let pointer = UnsafeRawPointer(Unmanaged.passUnretained(lane).toOpaque())
        if thread.pointee.held == pointer {
            thread.pointee.held = lane.outer
        } else {
            var next = thread.pointee.held
            while let inner = next.map({ Unmanaged<Lane>.fromOpaque($0).takeUnretainedValue() }) {
                if inner.outer == pointer { inner.outer = lane.outer }
                next = inner.outer
            }
        }
        lane.outer = nil
    }

    private func release(_ lane: Lane) {
        state.lock()
        if isRetired { close(connectionOf: lane) }
        lane.taker = 0
        releases &+= 1
        free.append(lane)
        state.unlock()
        permits.giveBack()
    }

    /// The lanes as they are now.
    private var current: [Lane] {
        state.lock()
        defer { state.unlock() }
        return lanes
    }

    /// Puts another in the place of one that was taken away from a thread. In the list of what that thread holds it stays, so
    /// it is kept for ever.
    func replace(_ lane: Lane) {
        let new = Lane(nil, timeout: lane.timeout, taken)
        new.belong(to: self, isReader: true)
        state.lock()
        lanes = lanes.map { $0 === lane ? new : $0 }
        close(connectionOf: lane, leftOnOtherThread())
        lane.disown()
        releases &+= 1
        free.append(new)
        state.unlock()
        _ = Unmanaged.passRetained(lane)
        permits.giveBack()
    }

    /// The one on which this transaction is open.
    func lane(of number: Int64) -> Lane? { current.first { $0.transactions.place(of: number) != .nowhere } }

    /// The innermost transaction of a task that reads.
    func newest(of task: Int64) -> Int64? { current.lazy.compactMap { $0.transactions.newest(of: task) }.first }

    // All of them ----------------------------------------------------------------------------------------------------

    /// Runs `body` while nobody reads: new readers wait, those there are have so many milliseconds to end.
    /// - Returns: false when they did not.
    func whileIdle(_ milliseconds: Int, _ body: () -> Bool) -> Bool {
        let end = monotonicTime() &+ Int64(milliseconds) &* 1_000_000
        var taken = 0
        defer { for _ in 0..<taken { permits.giveBack() } }
        while taken < count {
            let left = Int(max(0, end &- monotonicTime()) / 1_000_000)
            guard permits.take(left, givingUpWhen: { false }) else { return false }
            taken += 1
        }
        return body()
    }

    /// Whether any was ever needed.
    var areOpen: Bool {
        state.lock()
        defer { state.unlock() }
        return !connections.isEmpty
    }

    /// Whether all goes through the writer for now.
    var areBypassed: Bool {
        get {
            state.lock()
            defer { state.unlock() }
            return bypassed
        }
        set {
            state.lock()
            bypassed = newValue
            state.unlock()
        }
    }

    /// From here on all goes through the writer. Those in use are closed when they are given back.
    func retire() {
        state.lock()
        defer { state.unlock() }
        isRetired = true
        for lane in free { close(connectionOf: lane) }
    }

    private func close(connectionOf lane: Lane, _ reason: CormorantError? = nil) {
        guard let connection = lane.connection else { return }
        connections.removeAll { $0 === connection }
        lane.close(reason)
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
        for lane in lanes where lane.lock.isHeld(by: thread) {
            // Opened under the lane's lock, which the thread holds; the list tells whether it still is.
            for connection in connections where lane.shown == ObjectIdentifier(connection) { connection.interrupt() }
        }
    }

    /// Returns when no reader calls the callback before any more.
    func setTrace(_ callback: TraceCallback?) throws {
        state.lock()
        trace = callback
        state.unlock()
        for lane in current {
            guard lane.lock.lock(options.busyTimeout) == .taken else { throw isFull() }
            lane.connection?.setTrace(callback)
            lane.lock.unlock()
        }
    }

    /// Closes all.
    /// - Returns: false, and nothing is done, when a call or a transaction of another thread uses one.
    func close() -> Bool {
        state.lock()
        defer { state.unlock() }
        var locked: [Lane] = []
        for lane in lanes where !free.contains(where: { $0 === lane }) {
            let outcome = lane.lock.lock(0)
            if outcome == .taken || outcome == .abandoned { locked.append(lane) }
            // Nobody is inside a call: what holds it is a transaction or a cursor.
            guard let last = locked.last, last === lane, lane.uses > 0,
                outcome == .abandoned || lane.lock.holds == lane.readDepth + 1
            else {
                for lane in locked { lane.lock.unlock() }
                return false
            }
        }
        isClosed = true
        connections = []
        for lane in locked {
            let held = lane.readDepth
            if held > 0, held == lane.lock.holds - 1 {
                forget(lane)
                currentThread().endTransaction()
                lane.lock.dropKept(held)
            }
            lane.close()
            lane.uses = 0
            lane.taker = 0
            free.append(lane)
            lane.lock.unlock()
            permits.giveBack()
        }
        for lane in lanes { lane.close() }
        // The keys go with the last connection.
        options.codecs = nil
        return true
    }
}

extension Readers {
    /// Begins a transaction that reads, or one inside it.
    /// - Returns: its number; nil where it must be one of the writer.
    func begin(_ writer: Lane, _ owner: TransactionOwner?) throws -> Int64? {
        if let lane = held(), lane.readDepth > 0 {
            try lane.refuseOtherTask()
            guard lane.lock.lock(0) == .taken else { throw leftOnOtherThread() }
            lane.readDepth += 1
            return lane.began(owner)
        }
        if writer.lock.isMine { return nil }
        guard let lane = try takeFree(writer) else { return nil }
        do {
            try lane.connected().begin(.read)
        } catch {
            left(lane)
            throw error
        }
        lane.readDepth = 1
        currentThread().beginTransaction()
        return lane.began(owner)
    }

    /// Ends the innermost transaction that reads, or the one with this number.
    /// - Returns: false where the thread has none.
    func end(_ number: Int64? = nil) throws -> Bool {
        guard let lane = held(), lane.readDepth > 0 else { return false }
        guard lane.lock.lock(0) == .taken else { throw leftOnOtherThread() }
        lane.readDepth -= 1
        lane.ended(number)
        guard lane.readDepth == 0 else {
            lane.lock.unlock()
            return true
        }
        currentThread().endTransaction()
        defer { left(lane) }
        try lane.connected().rollback()
        return true
    }
}
