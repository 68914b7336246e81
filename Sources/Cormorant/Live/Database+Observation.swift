import CormorantObservation

/// Being told of what is committed. A callback is called on the thread that has just committed, when no lock is held, or on
/// a thread of the library for what other connections commit. It may use the database and cancel its observer; while it
/// runs nobody else is told of anything, so it hands long work to another thread.
extension Database {
    /// Watches the records of a model: each transaction that changes them gives one event, once it is committed.
    /// - Parameters:
    ///   - type: the records that are watched.
    ///   - key: the one record that is watched; none: all.
    ///   - values: changes come with the record before and after.
    ///   - latestOnly: one event of all that have not been taken, each row with what became of it.
    ///   - callback: called with each event; nil: events are taken from the observer.
    @available(*, noasync)
    public func observe<R: Record & Sendable>(
        _ type: R.Type, key: any ColumnValue..., values: Bool = false, latestOnly: Bool = false,
        callback: Observer<R>.Callback? = nil
    ) throws -> Observer<R> {
        try observe(
            type, key.map { try $0.columnValue }, values: values, latestOnly: latestOnly, callback: callback)
    }

    func observe<R: Record & Sendable>(
        _ type: R.Type, _ key: [Value], values: Bool, latestOnly: Bool, callback: Observer<R>.Callback?
    ) throws -> Observer<R> {
        let key = key.enumerated().map { position, value in
            R.model.keyColumns.isEmpty || position >= R.model.keyColumns.count
                ? value : R.model.attribute(value, for: R.model.keyColumns[position])
        }
        let read: Observer<R>.Read = { row, layout in
            // A table that lacks a column of the model has no records.
            layout.model == nil ? nil : try layout.read(row) { try R(from: $0) }
        }
        return Observer(
            try observe(
                key.isEmpty ? .model(R.model) : .record(R.model, key: key), keepsValues: values,
                isLatestOnly: latestOnly, callback: Observer.engine(callback, read)), read)
    }

    /// Watches tables, or columns of them.
    @available(*, noasync)
    public func observe(
        _ regions: [Region], values: Bool = false, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) throws -> Observer<[Value]> {
        Observer(
            try observe(
                .tables(regions.map { ($0.table, $0.columns) }), keepsValues: values, isLatestOnly: latestOnly,
                callback: Observer.engine(callback, plainRow)), plainRow)
    }

    /// Watches what a query reads.
    @available(*, noasync)
    public func observe(
        _ query: some RowQuery, _ parameters: QueryParameters = .none, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) throws -> Observer<[Value]> {
        Observer(
            try observe(
                query: { try self.cursor(query.query.compiled(self.dialect), parameters.values()) as StatementCursor },
                isLatestOnly: latestOnly, callback: Observer.engine(callback, plainRow)), plainRow)
    }

    /// Watches what raw SQL reads.
    @available(*, noasync)
    public func observe(
        sql: SQL, _ bindings: Bindings = .none, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) throws -> Observer<[Value]> {
        Observer(
            try observe(
                query: { try self.cursor(sql, bindings) as StatementCursor }, isLatestOnly: latestOnly,
                callback: Observer.engine(callback, plainRow)), plainRow)
    }

    /// Runs a query now and after each change of what it reads, and tells its result where it is another than before.
    /// - Parameters:
    ///   - query: what is run.
    ///   - parameters: values of its parameters, by their names.
    ///   - key: columns of the result that tell its rows apart; none: the record's key, or else the whole row.
    ///   - callback: called with each event; nil: events are taken from the observer.
    @available(*, noasync)
    public func observeLive<Query: RowQuery & Sendable>(
        _ query: Query, _ parameters: QueryParameters = .none, key: [String] = [],
        callback: Observer<Query.Row>.Callback? = nil
    ) throws -> Observer<Query.Row> where Query.Row: Sendable {
        let recordKey = (Query.Row.self as? any Record.Type).map { $0.model }.map { model in
            model.keyColumns.map { model.columns[$0].column }
        }
        let statement = try query.query.compiled(dialect)
        let live = LiveQuery(key: key.isEmpty ? recordKey ?? [] : key) { [weak self] in
            guard let self else { throw databaseClosed() }
            return try self.cursor(statement, parameters.values())
        }
        let read: Observer<Query.Row>.Read = { row, layout in try layout.read(row) { try query.row(from: $0) } }
        return Observer(try observe(live: live, callback: Observer.engine(callback, read)), read)
    }

    /// Runs raw SQL now and after each change of what it reads, and tells its result where it is another than before.
    @available(*, noasync)
    public func observeLive(
        sql: SQL, _ bindings: Bindings = .none, key: [String] = [], callback: Observer<[Value]>.Callback? = nil
    ) throws -> Observer<[Value]> {
        let live = LiveQuery(key: key) { [weak self] in
            guard let self else { throw databaseClosed() }
            return try self.cursor(sql, bindings)
        }
        return Observer(try observe(live: live, callback: Observer.engine(callback, plainRow)), plainRow)
    }
}

private let plainRow: Observer<[Value]>.Read = { row, _ in (0..<row.count).map { row.value($0) } }

/// Rows that are found by key, kept in memory.
extension Database {
    /// Keeps rows of a model that are found by key, so that finding them again reads no file; 0 for both limits stops. A row
    /// is never older than what a read would give: what changes through this database goes at once, and all of it when
    /// another connection commits. Inside a transaction, while a cursor is open, and beside a
    /// thread that writes, finds read the file. On a server, which must have an outbox (`outbox=install` in the URL), what others
    /// commit is seen when the outbox is next read: every `poll` milliseconds, or at once with `notify=on`.
    @available(*, noasync)
    public func setCache<R: Record>(_ type: R.Type, maxCount: Int, maxBytes: Int) throws {
        try setCache(R.model, count: Int64(maxCount), bytes: Int64(maxBytes))
    }

    /// What the cache of a model did since it was set; all 0 without one.
    @available(*, noasync)
    public func cacheStatistics<R: Record>(_ type: R.Type) throws -> CacheStatistics { try cacheStatistics(R.model) }
}
