import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Writes of any thread, run in the order in which they came by one thread of the queue's own. Those that come while one is
/// at work share a transaction, so that they share its commit; each has a savepoint and a result to itself.
package final class WriteQueue: @unchecked Sendable {  // `lock` guards what stands below it
    /// What shares a transaction at most: writes, and nanoseconds from the first to the last.
    private static let groupCount = 256
    private static let groupTime: Int64 = 100_000_000
    /// How often those who wait look whether they are cancelled: nanoseconds.
    private static let look: Int64 = 100_000_000

    package let database: Database
    private let room: Semaphore
    private let lock = RecursiveLock(.writeQueue)
    private let work = Condition()
    private let progress = Condition()
    private var waiting: [QueuedWrite] = []
    /// The newest number, and that up to which all have been told.
    private var newest: Int64 = 0
    private var told: Int64 = 0
    private var listeners: [QueueListener] = []
    private var thread: BackgroundThread?
    /// The thread's, as the library counts them; 0 before it has begun.
    private var threadID: Int64 = 0
    /// Read without the lock by who waits for room, under that room's own.
    private let isStopped = AtomicFlag()
    private var hasEnded = true

    /// - Parameter capacity: how many writes wait at most.
    package init(_ database: Database, capacity: Int = 1024) throws {
        self.database = database
        room = Semaphore(max(1, capacity))
        try database.add(self)
    }

    // Adding ---------------------------------------------------------------------------------------------------------

    /// Adds a write, waiting for room where the queue is full.
    /// - Parameters:
    ///   - timeout: milliseconds that it waits at most, and then throws `busy`; nil: the database's busy timeout.
    ///   - numbered: is given the write's number before anybody is told of it; where it throws, nothing is added.
    package func add(_ write: QueuedWrite, timeout: Int? = nil, numbered: ((Int64) throws -> Void)? = nil) throws {
        try refuseFork()
        try takeRoom(timeout ?? database.writer.timeout)
        lock.lock()
        defer { lock.unlock() }
        do {
            guard !isStopped.isSet else { throw closed() }
            try startThread()
            try numbered?(newest + 1)
        } catch {
            room.giveBack()
            throw error
        }
        newest += 1
        write.number = newest
        waiting.append(write)
        work.signal()
    }

    /// Adds a write and waits until it is told how it ended. Cancelled, the calling thread takes it back if it has not begun.
    package func perform(_ write: QueuedWrite) throws -> WriteCompletion {
        try refuseWaiting()
        try add(write)
        lock.lock()
        defer { lock.unlock() }
        while write.completion == nil {
            progress.wait(lock, nanoseconds: WriteQueue.look)
            if write.completion == nil, Threads.isCancelled, cancel(write) { throw cancelled() }
        }
        guard let completion = write.completion else { throw closed() }
        return completion
    }

    /// Takes a write back, which nobody will be told of.
    /// - Returns: false when it has begun or ended.
    package func cancel(_ write: QueuedWrite) -> Bool { cancel { $0 === write } }

    package func cancel(number: Int64) -> Bool { cancel { $0.number == number } }

    private func cancel(_ isMeant: (QueuedWrite) -> Bool) -> Bool {
        // It goes after the lock: what its parts hold is the program's.
        guard let write = take(isMeant) else { return false }
        write.takenBack?()
        return true
    }

    private func take(_ isMeant: (QueuedWrite) -> Bool) -> QueuedWrite? {
        guard !isForked else { return nil }
        lock.lock()
        defer { lock.unlock() }
        guard let index = waiting.firstIndex(where: isMeant) else { return nil }
        room.giveBack()
        let write = waiting.remove(at: index)
        write.outcome = .failure(
            CormorantError(
                .interrupted, "the write was cancelled before it began",
                hint: "add it again, where it is still to be done"))
        write.complete()
        // So that who waits for it, or for all before it, learns that it is gone.
        progress.broadcast()
        work.signal()
        return write
    }

    /// Waits until all that was added before has been told how it ended.
    package func flush() throws {
        try refuseWaiting()
        lock.lock()
        defer { lock.unlock() }
        let last = newest
        while told < last {
            progress.wait(lock, nanoseconds: WriteQueue.look)
            if Threads.isCancelled { throw cancelled() }
        }
    }

    /// Runs what waits, then ends the thread: nothing more can be added. A second call does nothing.
    package func close() throws {
        // The child of a fork has no thread, and its parent's lock may be locked for ever.
        if isForked { return }
        lock.lock()
        do {
            if told < newest || isMine { try refuseWaiting() }
        } catch {
            lock.unlock()
            throw error
        }
        isStopped.isSet = true
        work.signal()
        let ending = thread
        thread = nil
        while ending == nil, !hasEnded { progress.wait(lock) }
        lock.unlock()
        ending?.join()
        endListeners()
    }

    /// The same without waiting.
    package func stop() {
        if isForked { return }
        let isOver = lock.locked {
            isStopped.isSet = true
            work.signal()
            thread?.detach()
            thread = nil
            return hasEnded
        }
        if isOver { endListeners() }
    }

    /// Whether this is the child of a fork, in which its thread does not run.
    var isForked: Bool { database.writer.lock.isForked }

    /// How many writes wait; in the child of a fork, which has none of them, 0.
    package var count: Int {
        if isForked { return 0 }
        lock.lock()
        defer { lock.unlock() }
        return waiting.count
    }

    // Listeners ------------------------------------------------------------------------------------------------------

    package func add(_ listener: QueueListener) throws {
        try refuseFork()
        lock.lock()
        defer { lock.unlock() }
        guard !isStopped.isSet else { throw closed() }
        listeners.append(listener)
    }

    private func endListeners() {
        let ending = lock.locked {
            defer { listeners = [] }
            return listeners
        }
        for listener in ending { listener.completions.end(discarding: false) }
    }

    func remove(_ listener: QueueListener) {
        if isForked { return }
        lock.lock()
        defer { lock.unlock() }
        listeners.removeAll { $0 === listener }
    }
}

// What cannot be done --------------------------------------------------------------------------------------------------

extension WriteQueue {
    private var isMine: Bool { threadOfItsOwn == currentThread().pointee.id }

    /// Its number; 0: it has none yet.
    var threadOfItsOwn: Int64 { lock.locked { threadID } }

    package func refuseFork() throws {
        if isForked { throw usedAfterFork() }
    }

    /// Throws where what waits for the queue's thread would wait for itself.
    private func refuseWaiting() throws {
        try refuseFork()
        if isMine {
            throw CormorantError(
                .misuse, "the queue's own thread cannot wait for the queue",
                hint: "add the write without waiting, or do it at once on the database")
        }
        if database.ownWriter.lock.isMine {
            throw CormorantError(
                .transaction, "the queue waits for the transaction that is open on this thread",
                hint: "end the transaction first")
        }
    }

    private func takeRoom(_ timeout: Int) throws {
        var isTaken = room.tryTake()
        // The queue's own thread makes the room.
        if timeout > 0, !isMine {
            if !isTaken {
                try refuseWaiting()
                isTaken = room.take(timeout, givingUpWhen: { Threads.isCancelled || isStopped.isSet })
            }
            // Room may have come after the cancellation.
            if Threads.isCancelled {
                if isTaken { room.giveBack() }
                throw cancelled()
            }
        }
        if isTaken { return }
        if isStopped.isSet { throw closed() }
        throw CormorantError(
            .busy, "the queue is full", hint: "add less at once, or open the queue with a greater capacity")
    }

    private func cancelled() -> CormorantError { CormorantError(.interrupted, "the thread's calls are cancelled") }

    private func closed() -> CormorantError {
        CormorantError(.misuse, "the queue is closed", hint: "add writes before closing it")
    }
}

// The thread -----------------------------------------------------------------------------------------------------------

extension WriteQueue {
    private func startThread() throws {
        guard hasEnded else { return }
        thread = try BackgroundThread { self.run() }
        hasEnded = false
    }

    private func run() {
        lock.lock()
        threadID = currentThread().pointee.id
        var last = (count: 0, time: Int64(0))
        while true {
            told = (waiting.first?.number ?? newest &+ 1) &- 1
            progress.broadcast()
            if waiting.isEmpty {
                if isStopped.isSet { break }
                work.wait(lock)
            } else {
                gather(min(last.count, WriteQueue.groupCount), within: min(last.time / 4, 1_000_000))
                lock.unlock()
                let begin = monotonicTime()
                let group = runGroup()
                // What came too late for this group is of the next, together with those who come back.
                last = (group.count + (database.excludesWriters ? 0 : count), monotonicTime() &- begin)
                tell(group)
                lock.lock()
            }
        }
        hasEnded = true
        progress.broadcast()
        lock.unlock()
        // Also where nobody closes it.
        endListeners()
    }

    /// Threads that were told of their writes come back with the next ones: a moment's patience, short beside a commit, has
    /// them share one again.
    private func gather(_ count: Int, within time: Int64) {
        let end = monotonicTime() &+ time
        while waiting.count < count, !isStopped.isSet {
            let left = end &- monotonicTime()
            if left <= 0 { return }
            work.wait(lock, nanoseconds: left)
        }
    }

    /// - Parameter last: the newest write that may be taken.
    private func takeNext(_ last: Int64) -> QueuedWrite? {
        lock.lock()
        defer { lock.unlock() }
        guard let first = waiting.first, first.number <= last else { return nil }
        room.giveBack()
        return waiting.removeFirst()
    }

    /// Runs what waits, what comes meanwhile included, in one transaction. Where others commit beside that, it may not see what
    /// was committed before a write came, so that it takes only those that were there when it began.
    private func runGroup() -> [QueuedWrite] {
        let last = database.excludesWriters ? Int64.max : lock.locked { newest }
        var end: Int64 = 0
        let group = database.runGroup { count in
            // The wait for the writer does not count.
            if count == 0 { end = monotonicTime() &+ WriteQueue.groupTime }
            return count < WriteQueue.groupCount && monotonicTime() < end ? takeNext(last) : nil
        }
        // Where one of them had SQLite roll back all, the others are run again, each by itself.
        for write in group where write.outcome == nil { runAlone(write) }
        for write in group where write.hasConflict {
            _ = try? database.again {
                runAlone(write)
                if case .failure(let error)? = write.outcome { throw error }
            }
        }
        return group
    }

    private func runAlone(_ write: QueuedWrite) {
        write.outcome = nil
        _ = database.runGroup { $0 == 0 ? write : nil }
    }

    private func tell(_ group: [QueuedWrite]) {
        lock.lock()
        for write in group { write.complete() }
        progress.broadcast()
        let everyone = listeners
        lock.unlock()
        for write in group {
            guard let completion = write.completion else { continue }
            write.told?(completion)
            for listener in everyone { listener.tell(completion) }
        }
    }
}
