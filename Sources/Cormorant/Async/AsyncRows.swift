import CormorantBase
import CormorantThreads

/// Rows of a running statement, read some at a time as a `for try await` loop asks for them, in constant memory. Its loop ends the
/// statement, by its end or by being left. It is for one loop.
public final class AsyncRows<Row: Sendable>: AsyncSequence, @unchecked Sendable {  // `lock` guards what stands below it
    public typealias Element = Row

    private let reader: Reader
    private let read: (_ take: (Row) -> Void) throws -> Void
    private let end: () -> Void
    private let lock = RecursiveLock(.binding)
    private var waiting: ArraySlice<Row> = []
    /// What the row behind these gave in place of itself.
    private var failure: (any Error)?
    private var isClosed = false

    /// How many are read at once.
    fileprivate static var blockSize: Int { 128 }

    fileprivate init(
        _ reader: Reader, read: @escaping (_ take: (Row) -> Void) throws -> Void, end: @escaping () -> Void
    ) {
        self.reader = reader
        self.read = read
        self.end = end
    }

    convenience init(_ reader: Reader, _ open: (Reader) throws -> RecordCursor<Row>) throws {
        let cursor = try keeping { try open(reader) }
        try cursor.cursor.leaveThread()
        self.init(reader, read: { try cursor.read(upTo: AsyncRows.blockSize, $0) }, end: { cursor.close() })
    }

    deinit { end() }

    /// Ends the statement. A second close does nothing.
    public func close() {
        lock.locked {
            waiting = []
            failure = nil
            isClosed = true
        }
        end()
    }

    private func next() async throws -> Row? {
        if let row = try lock.locked(popFirst) { return row }
        let (rows, failure) = try await reader.run({ [self] _ in try readBlock() }, .fetching)
        return try lock.locked {
            if !isClosed { (waiting, self.failure) = (rows[...], failure) }
            return try popFirst()
        }
    }

    private func popFirst() throws -> Row? {
        if let row = waiting.popFirst() { return row }
        guard let failed = failure else { return nil }
        failure = nil
        throw failed
    }

    /// The next rows, and what the one behind them failed with.
    private func readBlock() throws -> ([Row], (any Error)?) {
        var rows: [Row] = []
        do {
            try read { rows.append($0) }
        } catch let error as CormorantError where !rows.isEmpty && error.code != .interrupted {
            return (rows, error)
        }
        return (rows, nil)
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
        self.init(reader, read: { try cursor.read(upTo: AsyncRows.blockSize, $0) }, end: { cursor.close() })
    }
}

/// What `body` takes is kept while the program does something else.
private func keeping<Result>(_ body: () throws -> Result) rethrows -> Result {
    let patience = Threads.patience
    defer { Threads.patience = patience }
    Threads.patience = .keeping
    return try body()
}
