/// Rows of raw SQL, for what no record describes. Data goes in as bindings, never as SQL text. To get typed records
/// from a SELECT of your own, fetch them with `Query(sql:)`.
extension Database {
    /// All rows of a statement.
    public func query(_ sql: String, _ bindings: Bindings = .none) throws -> [ResultRow] {
        let cursor = try rowCursor(sql, bindings)
        defer { cursor.close() }
        var rows: [ResultRow] = []
        while let row = try cursor.next() { rows.append(row) }
        return rows
    }

    /// The first column of all rows.
    public func fetchValues(_ sql: String, _ bindings: Bindings = .none) throws -> [Value] {
        let cursor = try rowCursor(sql, bindings)
        defer { cursor.close() }
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try row[0]) }
        return values
    }

    /// How many rows a SELECT has.
    public func fetchCount(_ sql: String, _ bindings: Bindings = .none) throws -> Int64 {
        try count(sql) { try $0.bind(bindings) }
    }

    /// How many pages of `pageSize` the rows of a SELECT fill.
    public func fetchPageCount(_ sql: String, _ bindings: Bindings = .none, pageSize: Int64) throws -> Int64 {
        try pages(fetchCount(sql, bindings), pageSize)
    }

    /// The rows of a statement one by one, in constant memory.
    public func rowCursor(_ sql: String, _ bindings: Bindings = .none) throws -> RowCursor {
        RowCursor(try cursor(sql) { try $0.bind(bindings) })
    }
}

/// Rows streamed from a running statement. Ended by `close`, by its last reference going, or by its database closing.
/// One thread at a time.
public final class RowCursor {
    private let cursor: StatementCursor
    private var columns: ResultColumns

    init(_ cursor: StatementCursor) {
        self.cursor = cursor
        columns = ResultColumns(cursor.columnNames)
    }

    /// The columns' names. A statement that only reads goes to its first row for them, which `next` then gives: another
    /// program may have altered the table.
    public var columnNames: [String] { cursor.namesOfRows }

    /// The next row; nil at the end.
    public func next() throws -> ResultRow? {
        guard try cursor.nextRow() else { return nil }
        // A `SELECT *` that was prepared before its table changed has other columns from its first row on.
        if columns.names != cursor.columnNames { columns = ResultColumns(cursor.columnNames) }
        return try cursor.row { row in
            ResultRow(columns, try columns.names.indices.map { try row.value(Int32(truncatingIfNeeded: $0)) })
        }
    }

    /// Ends the statement. A second close does nothing.
    public func close() { cursor.close() }
}
