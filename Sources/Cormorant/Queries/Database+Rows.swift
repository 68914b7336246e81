/// SQL of one's own, for what no model describes; interpolated values are bound (see `SQL`). To get records from a SELECT of
/// your own, fetch them with `Query(sql:)`.
extension Database {
    /// Runs one SQL statement to its end. One that is there for its rows, such as a SELECT, throws `misuse`; those of a PRAGMA
    /// and of RETURNING are dropped.
    /// - Returns: rows inserted, updated or deleted by it.
    @available(*, noasync)
    @discardableResult
    public func execute(_ sql: SQL, _ bindings: Bindings = .none) throws -> Int {
        try Int(execute(sql.text) { try sql.bind(bindings, to: $0) })
    }

    /// Runs SQL text with any number of statements and no values, stopping at the first error.
    @available(*, noasync)
    public func executeScript(_ sql: SQL) throws { try execute(script: sql.script()) }
}

/// Rows of SQL of one's own. What writes, such as an INSERT with RETURNING, is refused in `read`.
extension Reader {
    /// The values of the one column that a statement has, as a type.
    ///
    /// ```swift
    /// let ages = try db.fetchAll("SELECT age FROM person WHERE city = \(city)", as: Int.self)
    /// ```
    ///
    /// A value that is not of its type is an error that names the column, and so is NULL for a type that is not optional.
    @available(*, noasync)
    public func fetchAll<Column: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) throws -> [Column] {
        var values: [Column] = []
        try read(sql, bindings, 1) { reader in
            values.append(try Column(from: reader, at: 0))
            return true
        }
        return values
    }

    /// All rows, with the values of two columns or more, each as a type.
    ///
    /// ```swift
    /// for (name, age) in try db.fetchAll("SELECT name, age FROM person", as: String.self, Int?.self) { ... }
    /// ```
    @available(*, noasync)
    public func fetchAll<First: ColumnValue, Second: ColumnValue, each Other: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) throws -> [(First, Second, repeat each Other)] {
        var rows: [(First, Second, repeat each Other)] = []
        try read(sql, bindings, columnCount(repeat (each Other).self)) { reader in
            rows.append(try row(reader, first, second, repeat (each Other).self))
            return true
        }
        return rows
    }

    /// The value of the first row's one column, as a type; nil: there is no row.
    @available(*, noasync)
    public func fetchOne<Column: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) throws -> Column? {
        var first: Column?
        try read(sql, bindings, 1) { reader in
            first = try Column(from: reader, at: 0)
            return false
        }
        return first
    }

    /// The value of the first row's one column, as a type; nil: there is no row, or the value is NULL.
    @available(*, noasync)
    public func fetchOne<Column: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column?.Type
    ) throws -> Column? {
        var first: Column?
        try read(sql, bindings, 1) { reader in
            first = try Column?(from: reader, at: 0)
            return false
        }
        return first
    }

    /// The first row, with the values of two columns or more, each as a type; nil: there is none.
    @available(*, noasync)
    public func fetchOne<First: ColumnValue, Second: ColumnValue, each Other: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) throws -> (First, Second, repeat each Other)? {
        var rows: [(First, Second, repeat each Other)] = []
        try read(sql, bindings, columnCount(repeat (each Other).self)) { reader in
            rows.append(try row(reader, first, second, repeat (each Other).self))
            return false
        }
        return rows.first
    }

    /// The value of the one column of the only row, as a type: `noRows` is thrown where there is none, `severalRows` where there
    /// are more, and what the statement wrote is then taken back.
    @available(*, noasync)
    public func one<Column: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) throws -> Column {
        try database.onlyRow({ try cursor(sql, bindings) }) { cursor in
            var row: Column?
            try read(cursor, 1) { reader in
                row = try Column(from: reader, at: 0)
                return false
            }
            return row
        }
    }

    /// The only row, with the values of two columns or more, each as a type.
    @available(*, noasync)
    public func one<First: ColumnValue, Second: ColumnValue, each Other: ColumnValue>(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) throws -> (First, Second, repeat each Other) {
        let count = columnCount(repeat (each Other).self)
        return try database.onlyRow({ try cursor(sql, bindings) }) { cursor in
            var rows: [(First, Second, repeat each Other)] = []
            try read(cursor, count) { reader in
                rows.append(try row(reader, first, second, repeat (each Other).self))
                return false
            }
            return rows.first
        }
    }

    private func columnCount<each Other>(_ others: repeat (each Other).Type) -> Int {
        var count = 2
        for _ in repeat each others { count += 1 }
        return count
    }

    private func row<First: ColumnValue, Second: ColumnValue, each Other: ColumnValue>(
        _ reader: RecordReader, _ first: First.Type, _ second: Second.Type, _ others: repeat (each Other).Type
    ) throws -> (First, Second, repeat each Other) {
        var column = 1
        func next<Value: ColumnValue>(_ type: Value.Type) throws -> Value {
            column += 1
            return try Value(from: reader, at: column)
        }
        return (try First(from: reader, at: 0), try Second(from: reader, at: 1), repeat try next(each others))
    }

    /// - Parameter take: whether it wants more.
    private func read(
        _ sql: SQL, _ bindings: Bindings, _ count: Int, take: (RecordReader) throws -> Bool
    ) throws {
        let cursor = try cursor(sql, bindings)
        defer { cursor.close() }
        try read(cursor, count, take: take)
    }

    private func read(_ cursor: StatementCursor, _ count: Int, take: (RecordReader) throws -> Bool) throws {
        try (0..<count).map { Int32(truncatingIfNeeded: $0) }.withUnsafeBufferPointer { columns in
            guard let columns = columns.baseAddress else { return }
            try cursor.readRows { row in
                // Known for certain from the first row on, for a `SELECT *`.
                guard cursor.columnNames.count == count else { throw otherColumns(cursor, count) }
                return try take(RecordReader(row, columns: columns, model: nil))
            }
        }
    }

    private func otherColumns(_ cursor: StatementCursor, _ count: Int) -> CormorantError {
        CormorantError(
            .misuse, "the row has \(cursor.columnNames.count) columns, \(count) types were given",
            hint: "give a type for each of \(cursor.columnNames.joined(separator: ", "))", sql: cursor.sql)
    }

    /// All rows of a statement.
    @available(*, noasync)
    public func query(_ sql: SQL, _ bindings: Bindings = .none) throws -> [ResultRow] {
        let cursor = try rowCursor(sql, bindings)
        defer { cursor.close() }
        var rows: [ResultRow] = []
        while let row = try cursor.next() { rows.append(row) }
        return rows
    }

    /// The first column of all rows.
    @available(*, noasync)
    public func fetchValues(_ sql: SQL, _ bindings: Bindings = .none) throws -> [Value] {
        let cursor = try rowCursor(sql, bindings)
        defer { cursor.close() }
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try row[0]) }
        return values
    }

    /// How many rows a SELECT has.
    @available(*, noasync)
    public func fetchCount(_ sql: SQL, _ bindings: Bindings = .none) throws -> Int {
        try Int(database.count(sql.text) { try sql.bind(bindings, to: $0) })
    }

    /// How many pages of `pageSize` the rows of a SELECT fill.
    @available(*, noasync)
    public func fetchPageCount(_ sql: SQL, _ bindings: Bindings = .none, pageSize: Int) throws -> Int {
        try pages(fetchCount(sql, bindings), pageSize)
    }

    /// The rows of a statement one by one, in constant memory.
    @available(*, noasync)
    public func rowCursor(_ sql: SQL, _ bindings: Bindings = .none) throws -> RowCursor {
        RowCursor(try cursor(sql, bindings))
    }

    func cursor(_ sql: SQL, _ bindings: Bindings) throws -> StatementCursor {
        try database.cursor(sql.text) { try sql.bind(bindings, to: $0) }
    }
}

/// Rows streamed from a running statement. Ended by `close`, by its last reference going, or by its database closing.
/// One thread at a time.
public final class RowCursor {
    let cursor: StatementCursor
    private var columns: ResultColumns

    init(_ cursor: StatementCursor) {
        self.cursor = cursor
        columns = ResultColumns(cursor.columnNames)
    }

    /// The columns' names. A statement that only reads goes to its first row for them, which `next` then gives: another
    /// program may have altered the table.
    public var columnNames: [String] { cursor.namesOfRows }

    /// The next row; nil at the end.
    @available(*, noasync)
    public func next() throws -> ResultRow? {
        guard try cursor.nextRow() else { return nil }
        // A `SELECT *` that was prepared before its table changed has other columns from its first row on.
        if columns.names != cursor.columnNames { columns = ResultColumns(cursor.columnNames) }
        return try cursor.row { row in
            ResultRow(columns, try columns.names.indices.map { try row.value(Int32(truncatingIfNeeded: $0)) })
        }
    }

    /// The next rows, as many as there are up to a number.
    func read(upTo count: Int, _ take: (ResultRow) -> Void) throws {
        for _ in 0..<count {
            guard let row = try next() else { return }
            take(row)
        }
    }

    /// Ends the statement. A second close does nothing.
    public func close() { cursor.close() }
}
