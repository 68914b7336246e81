import CSQLite
import CormorantPlatform
import CormorantThreads

/// Who writes next to a file in WAL mode, among the connections of all processes that have it open through this library: where
/// several wait, they write in the order in which they came. SQLite's own lock goes to whoever asks at the right moment, which
/// is nearly always the one who has just written, and hardly ever one who sleeps.
///
/// The order is advice, and SQLite's lock alone decides who writes: who takes no part in this asks for that as ever, and who
/// has died or stands still is passed over after a moment.
///
/// It stands in the index of the log that the processes share, in the eight bytes over which SQLite's locks lie, and which it
/// neither reads nor writes for that reason (https://www.sqlite.org/walformat.html#the_wal_index_file_format, bytes 120 to 127).
final class WriteTurns {
    /// The default VFS's.
    private let file: UnsafeMutablePointer<sqlite3_file>
    let methods: UnsafePointer<sqlite3_io_methods>
    /// Whether it waits for its turn. Who does not wait does not come between those who do for long, either.
    var waits = true
    /// Whose file it is; nil: nobody has said so, as of those that are attached.
    var connection: OpaquePointer?
    /// The write-ahead log of a plain file while it is open, with the default VFS's methods.
    var log: (file: UnsafeMutablePointer<sqlite3_file>, methods: UnsafePointer<sqlite3_io_methods>)?
    var missing = MissingChecksums()
    private var hasCheckpointLock = false
    private var sharesCheckpointLock = false
    private var places: SharedNumber?
    /// Lowest bit: whether a connection that takes turns has the lock. The others change with every commit.
    private var commits: SharedNumber?
    /// Counts the commits of all connections: `iChange` of the index's header.
    private var changes: SharedNumber?
    /// What `changes` was when the lock was taken.
    private var changesBefore: UInt32 = 0
    /// The lock was taken by who begins to write: not by who copies the log, or recovers it.
    private var isToWrite = false
    /// The place in the queue.
    private var place: UInt8?
    /// What `commits` was when the lock was asked for.
    private var seen: UInt32 = 0
    /// When the turn began, in which it may write again and again; 0: it is over.
    private var turnBegan: Int64 = 0
    private var refusedAt: Int64 = 0
    /// Who was the first of the queue while this one waits, also between two of its tries, and since when.
    private var first: (place: UInt8, since: Int64)?

    /// Of SQLite's locks on the log the one for writing, that of who copies it to the file, and those of who reads what is not copied:
    /// WAL_WRITE_LOCK, WAL_CKPT_LOCK, WAL_READ_LOCK(1) and on.
    static var writeLock: Int32 { 0 }
    private static var checkpointLock: Int32 { 1 }
    private static var readLocks: Int32 { 4 }
    private static var readLockCount: Int32 { 4 }

    /// How long a turn lasts, in nanoseconds: handing over takes longer than a small transaction.
    private static let turn: Int64 = 250_000
    /// After so long without a commit those who wait see whether the first of them is there.
    private static let patience: Int64 = 50_000_000

    init(_ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>) {
        self.file = file
        self.methods = methods
    }

    /// The index of the log is in memory.
    func didMap(_ memory: UnsafeMutableRawPointer?) {
        places = memory.map { SharedNumber($0 + 120) }
        commits = memory.map { SharedNumber($0 + 124) }
        changes = memory.map { SharedNumber($0 + 8) }
    }

    func willUnmap() {
        if let places, let commits, let place { pass(place, places, commits) }
        (places, commits, changes, place) = (nil, nil, nil, nil)
    }

    /// Takes or gives back locks of SQLite's on the log, by `call`; those for writing in turns. Nobody gets that for a file which
    /// its path leads to no more: what is written to it, nobody would find.
    @inline(__always)
    func lock(_ offset: Int32, _ count: Int32, _ flags: Int32, _ call: () -> Int32) -> Int32 {
        guard flags & SQLITE_SHM_EXCLUSIVE != 0 else { return call() }
        return offset == WriteTurns.writeLock ? lockToWrite(flags, call) : lockLog(offset, count, flags, call)
    }

    private func lockToWrite(_ flags: Int32, _ call: () -> Int32) -> Int32 {
        guard let places, let commits else { return call() }
        guard flags & SQLITE_SHM_LOCK != 0 else { return giveBack(places, commits, call) }
        let status = take(places, commits, call)
        guard status == SQLITE_OK, hasMoved(file) else { return status }
        _ = giveBack(places, commits) {
            methods.pointee.xShmLock?(
                file, WriteTurns.writeLock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) ?? SQLITE_IOERR
        }
        return movedFile
    }

    /// Who begins the log anew as it writes has all locks of readers of it, but not that of who copies it to the file, and who is about
    /// to may go on by what the log was before: committed pages are lost (https://www.sqlite.org/wal.html#walresetbug, mended in 3.51.3).
    /// So it takes that one, too; where it cannot, SQLite appends to the log.
    private func lockLog(_ offset: Int32, _ count: Int32, _ flags: Int32, _ call: () -> Int32) -> Int32 {
        isToWrite = false
        let takes = flags & SQLITE_SHM_LOCK != 0
        if offset == WriteTurns.readLocks, count == WriteTurns.readLockCount, !hasCheckpointLock, takes {
            let status = shareCheckpointLock(SQLITE_SHM_LOCK)
            guard status == SQLITE_OK else { return status }
            sharesCheckpointLock = true
        }
        let status = call()
        if offset <= WriteTurns.checkpointLock, offset &+ count > WriteTurns.checkpointLock {
            hasCheckpointLock = takes && status == SQLITE_OK
        }
        if sharesCheckpointLock, !takes || status != SQLITE_OK {
            sharesCheckpointLock = false
            _ = shareCheckpointLock(SQLITE_SHM_UNLOCK)
        }
        return status
    }

    private func shareCheckpointLock(_ flags: Int32) -> Int32 {
        methods.pointee.xShmLock?(file, WriteTurns.checkpointLock, 1, flags | SQLITE_SHM_SHARED) ?? SQLITE_IOERR
    }

    private func take(_ places: SharedNumber, _ commits: SharedNumber, _ call: () -> Int32) -> Int32 {
        seen = commits.load()
        let queue = Queue(places.load())
        let hadTurn = turnBegan > 0
        guard queue.isEmpty || isMyTurn(queue, places) || isReading else {
            // It was over behind the last commit, which woke nobody.
            if hadTurn, turnBegan == 0 { commits.wake(queue.head.bit) }
            return refuse()
        }
        let status = call()
        guard status == SQLITE_OK else { return status == SQLITE_BUSY ? refuse() : status }
        commits.store(commits.load() | 1)
        changesBefore = changes?.load() ?? 0
        isToWrite = !hasCheckpointLock
        if queue.isEmpty {
            (place, turnBegan) = (nil, 0)
        } else if let place, place == queue.head {
            turnBegan = monotonicTime()
            pass(place, places, commits)
            self.place = nil
        }
        return SQLITE_OK
    }

    private func giveBack(_ places: SharedNumber, _ commits: SharedNumber, _ call: () -> Int32) -> Int32 {
        // Others had committed after this one began to read: SQLite gives the lock back, sleeps, and begins anew.
        let isRefused = waits && isToWrite && changes?.load() == changesBefore && !isReading
        if isRefused {
            turnBegan = 0
            precede(places)
            _ = refuse()
        }
        // Before another one can have the lock.
        commits.store((commits.load() &+ 2) & ~1)
        let status = call()
        let queue = Queue(places.load())
        if !queue.isEmpty, !isRefused, !isInTurn() { commits.wake(queue.head.bit) }
        return status
    }

    private func isMyTurn(_ queue: Queue, _ places: SharedNumber) -> Bool {
        if let place, !queue.contains(place) { self.place = nil }
        if queue.head == place || !waits || isInTurn() { return true }
        guard !queue.isAlive(wallTime()) else { return false }
        _ = places.exchange(queue.bits, for: queue.emptied.bits)
        return true
    }

    /// Whether a statement that runs, or one before in the transaction, reads the file: then SQLite waits for no lock, and a write that
    /// is refused for others' turns would fail though the lock is free. Of an attached file nobody knows.
    private var isReading: Bool { connection.map { sqlite3_txn_state($0, nil) != SQLITE_TXN_NONE } ?? true }

    private func isInTurn() -> Bool {
        guard turnBegan > 0 else { return false }
        if monotonicTime() &- turnBegan < WriteTurns.turn { return true }
        turnBegan = 0
        return false
    }

    private func refuse() -> Int32 {
        refusedAt = monotonicTime()
        Refused.note(self)
        return SQLITE_BUSY
    }

    /// The first of those who wait leaves its place to the next.
    private func pass(_ head: UInt8, _ places: SharedNumber, _ commits: SharedNumber) {
        while true {
            let queue = Queue(places.load())
            guard !queue.isEmpty, queue.head == head else { return }
            let next = queue.withoutHead
            guard places.exchange(queue.bits, for: next.bits) else { continue }
            if !next.isEmpty { commits.wake(next.head.bit) }
            return
        }
    }

    // Waiting -------------------------------------------------------------------------------------------------------

    /// What SQLite sleeps by between two tries for a lock: shorter, when the thread's turn to write comes.
    static func sleep(_ microseconds: UInt32) {
        let now = monotonicTime()
        guard let turns = Refused.take(), now &- turns.refusedAt < 5_000_000 else { return nap(microseconds) }
        turns.wait(until: now &+ Int64(microseconds) &* 1000)
    }

    private static func nap(_ microseconds: UInt32) { usleep(microseconds) }

    private func wait(until end: Int64) {
        guard let places, let commits, let isNew = join(places) else {
            return WriteTurns.nap(UInt32(clamping: (end &- monotonicTime()) / 1000))
        }
        if isNew { first = nil }
        while true {
            let now = monotonicTime()
            let (queue, state) = (Queue(places.load()), commits.load())
            guard now < end, let place, queue.contains(place) else { return }
            stayAlive(queue, places, for: min(end &- now, 100_000_000))
            if first?.place != queue.head { first = (queue.head, now) }
            let since = first?.since ?? now
            var pause = min(end &- now, WriteTurns.patience)
            if queue.head == place {
                let isFree = state & 1 == 0 && (state != seen || isNew)
                if isFree { return }
                // Who writes in its turn wakes nobody before that is over.
                if now &- since < 2 &* WriteTurns.turn { pause = min(pause, 2 &* WriteTurns.turn) }
            } else if now &- since > WriteTurns.patience {
                // One who asked for it to recover the log, and found that done, left without a word.
                passAbsent(queue.head, places, commits)
                first = nil
            }
            commits.wait(state, place.bit, nanoseconds: pause)
        }
    }

    /// - Returns: whether it had no place before; nil where there is none.
    private func join(_ places: SharedNumber) -> Bool? {
        while true {
            let queue = Queue(places.load())
            if let place, queue.contains(place) { return false }
            guard !queue.isFull else { return nil }
            place = queue.end
            if places.exchange(queue.bits, for: queue.withOneMore.bits) { return true }
        }
    }

    /// Takes the place before all others.
    private func precede(_ places: SharedNumber) {
        while true {
            let queue = Queue(places.load())
            guard !queue.isFull else { return }
            place = queue.head &- 1
            if places.exchange(queue.bits, for: queue.withOneBefore.bits) { return }
        }
    }

    private func stayAlive(_ queue: Queue, _ places: SharedNumber, for time: Int64) {
        let now = wallTime()
        let until = queue.alive(until: now &+ time, now)
        // Who comes in between has said so itself.
        if until.bits != queue.bits { _ = places.exchange(queue.bits, for: until.bits) }
    }

    /// Takes the first one's place away if it does not ask for the lock although that is free.
    private func passAbsent(_ head: UInt8, _ places: SharedNumber, _ commits: SharedNumber) {
        guard let lock = methods.pointee.xShmLock,
            lock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK
        else { return }
        _ = lock(file, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
        pass(head, places, commits)
    }
}

/// The places of those who wait: the first one's number, that of the next to come, and until when one of them said that it
/// waits, in units of 2^24 nanoseconds, by the clock that is the same in all time namespaces. Where that is set meanwhile,
/// those who wait may lose their places once.
private struct Queue {
    let head: UInt8
    let end: UInt8
    private let alive: UInt16

    init(_ bits: UInt32) {
        head = UInt8(truncatingIfNeeded: bits)
        end = UInt8(truncatingIfNeeded: bits >> 8)
        alive = UInt16(truncatingIfNeeded: bits >> 16)
    }

    private init(_ head: UInt8, _ end: UInt8, _ alive: UInt16) {
        (self.head, self.end, self.alive) = (head, end, alive)
    }

    var bits: UInt32 { UInt32(head) | UInt32(end) << 8 | UInt32(alive) << 16 }
    var isEmpty: Bool { head == end }
    var isFull: Bool { end &+ 1 == head }
    var withoutHead: Queue { Queue(head &+ 1, end, alive) }
    var withOneMore: Queue { Queue(head, end &+ 1, alive) }
    var withOneBefore: Queue { Queue(head &- 1, end, alive) }
    var emptied: Queue { Queue(end, end, 0) }

    func contains(_ place: UInt8) -> Bool { place &- head < end &- head }

    private static func units(_ time: Int64) -> UInt16 { UInt16(truncatingIfNeeded: time >> 24) }

    /// Whether one who waits has said so lately. None says so for longer than a tenth of a second.
    func isAlive(_ now: Int64) -> Bool { alive &- Queue.units(now) < 10 }

    func alive(until end: Int64, _ now: Int64) -> Queue {
        let until = Queue.units(end) &+ 2
        guard !isAlive(now) || alive &- Queue.units(now) < until &- Queue.units(now) else { return self }
        return Queue(head, self.end, until)
    }
}

extension UInt8 {
    /// Whom to wake, among up to 32.
    fileprivate var bit: UInt32 { 1 << UInt32(self & 31) }
}

/// Whose write lock the calling thread was refused last.
private enum Refused {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key) { if let turns = $0 as UnsafeMutableRawPointer? { release(turns) } } == 0
            ? key : nil
    }()

    private static func release(_ turns: UnsafeMutableRawPointer) { Unmanaged<WriteTurns>.fromOpaque(turns).release() }

    static func note(_ turns: WriteTurns) {
        guard let key, pthread_getspecific(key) != Unmanaged.passUnretained(turns).toOpaque() else { return }
        _ = take()
        // Kept: the file may be closed before this thread sleeps again.
        pthread_setspecific(key, Unmanaged.passRetained(turns).toOpaque())
    }

    static func take() -> WriteTurns? {
        guard let key, let turns = pthread_getspecific(key) else { return nil }
        pthread_setspecific(key, nil)
        return Unmanaged<WriteTurns>.fromOpaque(turns).takeRetainedValue()
    }
}
