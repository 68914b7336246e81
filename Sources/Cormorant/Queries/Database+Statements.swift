/// Queries and statements built of expressions. `parameters` are the values of `parameter(_:)`, each by its name.
extension Database {
    /// All rows: records, values or tuples, as the query selects.
    // Inlinable, so that the array grows in code of the row's type; see `fetchAll(_:_:)` of records.
    @inlinable
    public func fetchAll<Request: FetchRequest>(
        _ request: Request, _ parameters: [String: ParameterValue] = [:]
    ) throws -> [Request.Row] {
        var rows: [Request.Row] = []
        try forEachRow(of: request.sql, parameters) { reader in
            if rows.count == rows.capacity, rows.count < 1 << 20 {
                rows.reserveCapacity(Swift.max(16, rows.count * 4))
            }
            rows.append(try request.row(from: reader))
        }
        return rows
    }

    @usableFromInline
    func forEachRow(
        of sql: SQLText, _ parameters: [String: ParameterValue], _ read: (RecordReader) throws -> Void
    ) throws {
        let cursor = try cursor(sql.statement, parameters)
        defer { cursor.close() }
        try cursor.forEach(read)
    }

    /// The first row; nil of none.
    public func fetchOne<Query: RowQuery>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Query.Row? {
        let cursor = try cursor(query.query.first(), parameters)
        defer { cursor.close() }
        return try cursor.next { try query.row(from: $0) }
    }

    /// The first row of a query that selects one value; nil: there is no row, or the value is NULL.
    public func fetchOne<Query: RowQuery, Value>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Value? where Query.Row == Value? {
        let cursor = try cursor(query.query.first(), parameters)
        defer { cursor.close() }
        return try cursor.next { try query.row(from: $0) } ?? nil
    }

    /// The only row of a query or of what a statement wrote: `noRows` is thrown where there is none, `severalRows` where there are
    /// more, and what the statement wrote is then taken back.
    public func one<Request: FetchRequest>(
        _ request: Request, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Request.Row {
        let compiled = try request.sql.statement
        return try onlyRow({ try cursor(compiled, parameters) }) { try $0.next { try request.row(from: $0) } }
    }

    /// The first row that a statement wrote; nil of none.
    public func fetchOne<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Row? {
        // SQLite writes all rows before it gives the first, but ends the statement after the last.
        try fetchAll(statement, parameters).first
    }

    /// How many rows a query has.
    public func fetchCount<Query: RowQuery>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Int64 {
        try number(query.query.counting(), parameters)
    }

    /// How many pages of `pageSize` the rows of a query fill. Page p, from 0, is the query with `limit(pageSize)` and
    /// `offset(p * pageSize)`.
    public func fetchPageCount<Query: RowQuery>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:], pageSize: Int64
    ) throws -> Int64 {
        try pages(fetchCount(query, parameters), pageSize)
    }

    /// Whether a query has any row.
    public func exists<Query: RowQuery>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:]
    ) throws -> Bool {
        try exists(query.query.probing(), parameters)
    }

    /// The rows of a query one by one, in constant memory.
    public func cursor<Query: RowQuery>(
        _ query: Query, _ parameters: [String: ParameterValue] = [:]
    ) throws -> RecordCursor<Query.Row> {
        RecordCursor(try cursor(query.sql.statement, parameters)) { try query.row(from: $0) }
    }

    /// The rows as SQLite holds them, with the names of their columns: as dictionaries or JSON.
    public func fetchRows(
        _ request: some FetchRequest, _ parameters: [String: ParameterValue] = [:]
    ) throws -> [ResultRow] {
        try rows(of: cursor(request.sql.statement, parameters))
    }

    private func rows(of cursor: StatementCursor) throws -> [ResultRow] {
        let cursor = RowCursor(cursor)
        defer { cursor.close() }
        var rows: [ResultRow] = []
        while let row = try cursor.next() { rows.append(row) }
        return rows
    }

    /// Runs an INSERT, UPDATE or DELETE.
    ///
    /// - Returns: how many rows it wrote.
    @discardableResult
    public func execute(_ statement: some WritingStatement, _ parameters: [String: ParameterValue] = [:]) throws
        -> Int64
    {
        try execute(statement.sql.statement, parameters)
    }

    /// SQLite's plan for a statement as rows of id, parent, notused and detail: https://www.sqlite.org/eqp.html
    public func plan(of statement: some SQLStatement) throws -> [ResultRow] {
        try rows(of: plan(of: statement.sql.statement))
    }

    /// The same as an indented tree, a line per step.
    public func explain(_ statement: some SQLStatement) throws -> String { try explain(statement.sql.statement) }
}
