/// All rows of a query or of raw SQL at once, as columns or as JSON.
extension Reader {
    /// The columns that a query selects, or of what a statement wrote and returns. Those of models have their types.
    @available(*, noasync)
    public func fetchColumns(
        _ request: some RowQuery, _ parameters: QueryParameters = .none
    ) throws -> ColumnTable {
        try ColumnTable(database.cursor(request.query.compiled(database.dialect), parameters.values()))
    }

    /// The columns of a statement's rows. A table's column has its declared type, any other that of its first values; a
    /// value that does not fit is an error that names column and row.
    @available(*, noasync)
    public func fetchColumns(_ sql: SQL, _ bindings: Bindings = .none) throws -> ColumnTable {
        try ColumnTable(cursor(sql, bindings))
    }

    /// The rows that a query selects as one JSON array of objects, keys in column order. Values are as SQLite holds them; a
    /// blob is its base64, an infinity 9e999 or -9e999, a server's NaN null.
    @available(*, noasync)
    public func fetchJSON(
        _ request: some RowQuery, _ parameters: QueryParameters = .none
    ) throws -> String {
        String(
            decoding: try database.cursor(request.query.compiled(database.dialect), parameters.values()).json(),
            as: UTF8.self)
    }

    /// The records that a query selects, as `writeJSON` writes them.
    @available(*, noasync)
    public func fetchJSON<Query: RowQuery>(
        _ request: Query, _ parameters: QueryParameters = .none
    ) throws -> String where Query.Row: Record {
        try fetchAll(request, parameters).writeJSON()
    }

    /// The rows of a statement, with the values that SQLite holds.
    @available(*, noasync)
    public func fetchJSON(_ sql: SQL, _ bindings: Bindings = .none) throws -> String {
        String(decoding: try cursor(sql, bindings).json(), as: UTF8.self)
    }
}
