/// Queries and statements built of expressions. `parameters` are the values of `parameter(_:)`, each by its name.
extension Reader {
    /// All rows: records, values or tuples, as the query selects.
    // Inlinable, so that the array grows in code of the row's type; see `fetchAll(_:_:)` of records.
    @available(*, noasync)
    @inlinable
    public func fetchAll<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> [Query.Row] {
        var rows: [Query.Row] = []
        try forEachRow(of: text(of: query), parameters) { reader in
            if rows.count == rows.capacity, rows.count < 1 << 20 {
                rows.reserveCapacity(Swift.max(16, rows.count * 4))
            }
            rows.append(try query.row(from: reader))
        }
        return rows
    }

    /// As the database's engine takes it.
    @usableFromInline
    func text(of query: some RowQuery) throws -> SQLText { SQLText(try query.query.compiled(database.dialect)) }

    @usableFromInline
    func forEachRow(
        of sql: SQLText, _ parameters: QueryParameters, _ read: (RecordReader) throws -> Void
    ) throws {
        let cursor = try database.cursor(sql.statement, parameters.values())
        defer { cursor.close() }
        try cursor.readAll(read)
    }

    /// The first row; nil of none.
    @available(*, noasync)
    public func fetchOne<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> Query.Row? {
        let cursor = try database.cursor(query.query.first(database.dialect), parameters.values())
        defer { cursor.close() }
        return try cursor.next { try query.row(from: $0) }
    }

    /// The first row of a query that selects one value; nil: there is no row, or the value is NULL.
    @available(*, noasync)
    public func fetchOne<Query: RowQuery, Value>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> Value? where Query.Row == Value? {
        let cursor = try database.cursor(query.query.first(database.dialect), parameters.values())
        defer { cursor.close() }
        return try cursor.next { try query.row(from: $0) } ?? nil
    }

    /// The only row of a query: `noRows` is thrown where there is none, `severalRows` where there are more.
    @available(*, noasync)
    public func one<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> Query.Row {
        let compiled = try query.query.compiled(database.dialect)
        return try database.onlyRow({ try database.cursor(compiled, parameters.values()) }) {
            try $0.next { try query.row(from: $0) }
        }
    }

    /// How many rows a query has.
    @available(*, noasync)
    public func fetchCount<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> Int {
        try Int(database.number(query.query.counting(database.dialect), parameters.values()))
    }

    /// How many pages of `pageSize` the rows of a query fill. Page p, from 0, is the query with `limit(pageSize)` and
    /// `offset(p * pageSize)`.
    @available(*, noasync)
    public func fetchPageCount<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none, pageSize: Int
    ) throws -> Int {
        try pages(fetchCount(query, parameters), pageSize)
    }

    /// Whether a query has any row.
    @available(*, noasync)
    public func exists<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> Bool {
        try database.exists(query.query.probing(database.dialect), parameters.values())
    }

    /// The rows of a query one by one, in constant memory.
    @available(*, noasync)
    public func cursor<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) throws -> RecordCursor<Query.Row> {
        RecordCursor(try database.cursor(query.query.compiled(database.dialect), parameters.values())) {
            try query.row(from: $0)
        }
    }

    /// The rows as SQLite holds them, with the names of their columns: as dictionaries or JSON.
    @available(*, noasync)
    public func fetchRows(
        _ query: some RowQuery, _ parameters: QueryParameters = .none
    ) throws -> [ResultRow] {
        try rows(of: database.cursor(query.query.compiled(database.dialect), parameters.values()))
    }

    fileprivate func rows(of cursor: StatementCursor) throws -> [ResultRow] {
        let cursor = RowCursor(cursor)
        defer { cursor.close() }
        var rows: [ResultRow] = []
        while let row = try cursor.next() { rows.append(row) }
        return rows
    }

    /// The engine's plan for a statement as rows of id, parent and detail: what SQLite tells by EXPLAIN QUERY PLAN
    /// (https://www.sqlite.org/eqp.html), or PostgreSQL by EXPLAIN. The parent is the step that takes a step's rows; 0: none.
    @available(*, noasync)
    public func plan(of statement: some SQLStatement) throws -> [ResultRow] {
        let columns = ResultColumns(["id", "parent", "detail"])
        return try database.plan(of: statement.compiled(database.dialect)).map {
            ResultRow(columns, [.integer($0.id), .integer($0.parent), .text($0.detail)])
        }
    }

    /// The same as an indented tree, a line per step.
    @available(*, noasync)
    public func explain(_ statement: some SQLStatement) throws -> String {
        try database.explain(statement.compiled(database.dialect))
    }
}

/// Statements that write, and what they return.
extension Database {
    /// Runs an INSERT, UPDATE or DELETE.
    ///
    /// - Returns: how many rows it wrote.
    @available(*, noasync)
    @discardableResult
    public func execute(_ statement: some WritingStatement, _ parameters: QueryParameters = .none) throws -> Int {
        try Int(execute(statement.writing.compiled(dialect), parameters.values()))
    }

    /// All rows that a statement wrote.
    @available(*, noasync)
    public func fetchAll<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachRow(of: SQLText(statement.compiled(dialect)), parameters) {
            rows.append(try statement.row(from: $0))
        }
        return rows
    }

    /// The first row that a statement wrote; nil of none.
    @available(*, noasync)
    public func fetchOne<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> Row? {
        // SQLite writes all rows before it gives the first, but ends the statement after the last.
        try fetchAll(statement, parameters).first
    }

    /// The only row that a statement wrote: `noRows` is thrown where there is none, `severalRows` where there are more, and what
    /// it wrote is then taken back.
    @available(*, noasync)
    public func one<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> Row {
        let compiled = try statement.compiled(dialect)
        return try onlyRow({ try cursor(compiled, parameters.values()) }) {
            try $0.next { try statement.row(from: $0) }
        }
    }

    /// The rows that a statement wrote, by the names of their columns.
    @available(*, noasync)
    public func fetchRows<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> [ResultRow] {
        try rows(of: cursor(statement.compiled(dialect), parameters.values()))
    }

    /// The columns of what a statement wrote.
    @available(*, noasync)
    public func fetchColumns<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> ColumnTable {
        try ColumnTable(cursor(statement.compiled(dialect), parameters.values()))
    }

    /// What a statement wrote as one JSON array of objects.
    @available(*, noasync)
    public func fetchJSON<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) throws -> String {
        String(decoding: try cursor(statement.compiled(dialect), parameters.values()).json(), as: UTF8.self)
    }
}
