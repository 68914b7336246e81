import CormorantBase
import CormorantSQLite
import CormorantThreads

// Which connection a call gets, and how it gives it back.
extension Database {
    /// How many may write at once.
    package var writerCount: Int { writers?.members.count ?? 1 }

    /// The connection that the calling thread writes by, where it does so now.
    var ownWriter: PooledConnection { writers?.held() ?? writer }

    private func isWriting(_ thread: Int64) -> Bool {
        pools.writers.map { withoutRetaining($0) { $0.isHeld(by: thread) } } ?? writer.lock.isHeld(by: thread)
    }

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
        return try acquireReaderBeside(waits).takeUnretainedValue()
    }

    @inline(never)
    private func acquireReaderBeside(_ waits: Bool) throws -> Unmanaged<PooledConnection> {
        // As long as no other thread has come, there is nobody to read beside.
        let thread = currentThread()
        let id = thread.pointee.id
        if let writers = pools.writers, withoutRetaining(writers, { $0.isAlone(id) }) {
            return try withoutRetaining(writers) { .passUnretained(try $0.acquireWriting()) }
        }
        if let readers = pools.readers {
            let pooled = try withoutRetaining(readers) {
                try $0.acquire(thread, isWriting: isWriting(id), waits: waits)
            }
            if let pooled { return pooled }
        }
        return .passUnretained(try acquireWriterToRead())
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
        if pooled.isBesideCursors { return try writeBesideCursors(pooled) { try body(pooled.plan(for: model)) } }
        defer { pooled.releaseAfterWriting() }
        return try body(pooled.plan(for: model))
    }

    /// The same for what writes a record, which is as it was where the write is rolled back.
    @inline(__always)
    package func withPlan<Access: RecordAccess, T>(
        _ model: ModelDescriptor, writing record: inout Access, _ body: (ModelPlan, inout Access) throws -> T
    ) throws -> T {
        try prepare(model)
        let pooled = try acquireWriter()
        if pooled.isBesideCursors {
            return try record.undoing { record in
                try writeBesideCursors(pooled) { try body(pooled.plan(for: model), &record) }
            }
        }
        defer { pooled.releaseAfterWriting() }
        return try body(pooled.plan(for: model), &record)
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
        return try acquireReaderBeside(true)
    }

    private func acquireCaches() throws -> PooledConnection {
        if let writers {
            guard readers?.held() == nil, let pooled = writers.acquireUnused() else { return try acquireReader() }
            if let connection = pooled.connection { serverCaches?.prepare(connection) }
            return pooled
        }
        // Nobody reads beside the writer as long as no other thread has come.
        let isReading = writer.lock.isShared && readers?.held() != nil
        guard !isReading, writer.tryAcquire(0) else { return try acquireReader() }
        try writer.check()
        if let connection = writer.connection { serverCaches?.prepare(connection) }
        return writer
    }

    /// Throws while results or cursors are open on the writer that have not come to their end: they keep tables from being
    /// changed.
    package func refuseRunningCursors() throws {
        guard try withConnection({ _ in !ownWriter.hasRunningCursors }) else {
            throw CormorantError(
                .busy, "results or cursors are open on the database, which keep its tables from being changed",
                hint: "read them to their end or close them first")
        }
    }

    /// Runs `body` on the writer, which it is to have without cursors, once those of other threads have ended, for the busy timeout
    /// at most. A thread that read while it was alone has its cursors where others are to write.
    package func withConnectionAfterCursors<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        if ownWriter.lock.isMine { return try withConnection(body) }
        let end = time(after: writer.timeout)
        while true {
            let result: Result? = try withConnection { connection in
                let waits = ownWriter.hasRunningCursors && !ownWriter.hasOwnRunningCursors && monotonicTime() < end
                return waits ? nil : .some(try body(connection))
            }
            if let result { return result }
            sleepMilliseconds(1)
        }
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

    /// Whether a connection that writes is some thread's, beside the one that the calling thread has.
    package var othersMayWrite: Bool { (writers?.usedCount ?? 1) > 1 }

    /// Has `handler` called each time that no call and no transaction uses the writer any more, and what it gives
    /// afterwards, when others may use it; nil stops. Where several write, each is told, by several threads at once.
    package func beforeRelease(_ handler: ((Connection) -> (() -> Void)?)?) throws {
        try withConnection { connection in
            if let writers { return writers.state.locked { writers.writing?.beforeRelease = handler } }
            writer.lock.beforeRelease = handler.map { handler in { [unowned connection] in handler(connection) } }
        }
    }
}
