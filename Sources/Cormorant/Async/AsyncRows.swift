import CormorantThreads

/// Rows of a running statement, read some at a time as a `for try await` loop asks for them, in constant memory. Its loop ends the
/// statement, by its end or by being left. It is for one loop.
public final class AsyncRows<Row: Sendable>: AsyncSequence, @unchecked Sendable {  // `lock` guards what stands below it
    public typealias Element = Row

    private let reader: Reader
    private let read: () throws -> [Row]
    private let end: () -> Void
    private let lock = RecursiveLock(.binding)
    private var waiting: ArraySlice<Row> = []

    /// How many are read at once.
    fileprivate static var blockSize: Int { 128 }

    fileprivate init(_ reader: Reader, read: @escaping () throws -> [Row], end: @escaping () -> Void) {
        self.reader = reader
        self.read = read
        self.end = end
    }

    convenience init(_ reader: Reader, _ open: (Reader) throws -> RecordCursor<Row>) throws {
        let cursor = try keeping { try open(reader) }
        try cursor.cursor.leaveThread()
        self.init(reader, read: { try cursor.next(upTo: AsyncRows.blockSize) }, end: { cursor.close() })
    }

    deinit { end() }

    /// Ends the statement. A second close does nothing.
    public func close() {
        lock.locked { waiting = [] }
        end()
    }

    private func next() async throws -> Row? {
        if let row = lock.locked({ waiting.popFirst() }) { return row }
        let rows = try await reader.run({ [self] _ in try read() }, .fetching)
        return lock.locked {
            waiting = rows[...]
            return waiting.popFirst()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rows: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let rows: AsyncRows

        /// The next row; nil at the end. Throws `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> Row? { try await rows.next() }
    }
}

extension AsyncRows where Row == ResultRow {
    convenience init(_ reader: Reader, _ open: (Reader) throws -> RowCursor) throws {
        let cursor = try keeping { try open(reader) }
        try cursor.cursor.leaveThread()
        self.init(reader, read: { try cursor.next(upTo: AsyncRows.blockSize) }, end: { cursor.close() })
    }
}

/// What `body` takes is kept while the program does something else.
private func keeping<Result>(_ body: () throws -> Result) rethrows -> Result {
    let patience = Threads.patience
    defer { Threads.patience = patience }
    Threads.patience = .keeping
    return try body()
}
