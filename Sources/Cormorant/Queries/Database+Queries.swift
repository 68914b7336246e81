/// Records in numbers. Without a query it is every record, in no promised order.
extension Reader {
    /// The records of a query as an array.
    // Inlinable, so that the array grows in code of the record's type: otherwise every row looks its metadata up, as
    // perf shows (benchmarks: fetch).
    @available(*, noasync)
    @inlinable
    public func fetchAll<R: Record>(_ type: R.Type, _ query: Query = Query()) throws -> [R] {
        var records: [R] = []
        try forEachRow(of: R.model, query) { reader in
            // By 4: copying on growth is a seventh of a large fetch when it goes by 2. Pages that stay empty cost
            // nothing, but only up to a size that the system is sure to promise.
            if records.count == records.capacity, records.count < 1 << 20 {
                records.reserveCapacity(max(16, records.count * 4))
            }
            records.append(try R(from: reader))
        }
        return records
    }

    /// The first record of a query; nil when it has none.
    @available(*, noasync)
    public func fetchOne<R: Record>(_ type: R.Type, _ query: Query = Query()) throws -> R? {
        var query = query
        if query.sql == nil { query.limit = min(query.limit ?? 1, 1) }
        let cursor = try cursor(type, query)
        defer { cursor.close() }
        return try cursor.next()
    }

    /// The only record of a query: `noRows` is thrown where there is none, `severalRows` where there are more.
    @available(*, noasync)
    public func one<R: Record>(_ type: R.Type, _ query: Query = Query()) throws -> R {
        try database.onlyRow({ try database.cursor(R.model, query.resolved(for: R.model)) }) {
            try $0.next { try R(from: $0) }
        }
    }

    /// How many records a query has.
    @available(*, noasync)
    public func fetchCount<R: Record>(_ type: R.Type, _ query: Query = Query()) throws -> Int {
        try Int(database.count(R.model, query.resolved(for: R.model)))
    }

    /// How many pages of `pageSize` the records of a query fill. Page p, from 0, is the query with `limit: pageSize,
    /// offset: p * pageSize`.
    @available(*, noasync)
    public func fetchPageCount<R: Record>(_ type: R.Type, _ query: Query = Query(), pageSize: Int) throws -> Int {
        try pages(fetchCount(type, query), pageSize)
    }

    func pages(_ count: Int, _ pageSize: Int) throws -> Int {
        try Int(database.pages(Int64(count), Int64(pageSize)))
    }

    /// The records of a query one by one, in constant memory.
    @available(*, noasync)
    public func cursor<R: Record>(_ type: R.Type, _ query: Query = Query()) throws -> RecordCursor<R> {
        RecordCursor(try database.cursor(R.model, query.resolved(for: R.model))) { try R(from: $0) }
    }

    @usableFromInline
    func forEachRow(of model: ModelDescriptor, _ query: Query, _ read: (RecordReader) throws -> Void) throws {
        let cursor = try database.cursor(model, query.resolved(for: model))
        defer { cursor.close() }
        try cursor.readAll(read)
    }
}

/// Records, or what else a query selects, streamed from a running statement. Ended by `close`, by its last reference
/// going, or by its database closing. One thread at a time.
public final class RecordCursor<Row> {
    let cursor: StatementCursor
    private let read: (RecordReader) throws -> Row

    init(_ cursor: StatementCursor, _ read: @escaping (RecordReader) throws -> Row) {
        self.cursor = cursor
        self.read = read
    }

    /// The next row; nil at the end.
    @available(*, noasync)
    public func next() throws -> Row? { try cursor.next(read) }

    /// The next rows, as many as there are up to a number.
    func read(upTo count: Int, _ take: (Row) -> Void) throws {
        try cursor.forEach(limit: count) { take(try read($0)) }
    }

    /// Calls `body` with each row that is left.
    @available(*, noasync)
    public func forEach(_ body: (Row) throws -> Void) throws { try cursor.forEach { try body(read($0)) } }

    /// Ends the statement. A second close does nothing.
    public func close() { cursor.close() }
}
