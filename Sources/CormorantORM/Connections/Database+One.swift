import CormorantBase

extension Database {
    /// Reads the only row of a statement. Where there is none, or several, that is an error, and what the statement wrote is taken
    /// back.
    /// - Parameter read: goes to the next row and reads it; nil at the end.
    package func onlyRow<Row>(
        _ open: () throws -> StatementCursor, _ read: (StatementCursor) throws -> Row?
    ) throws -> Row {
        let cursor = try open()
        if cursor.onlyReads { return try cursor.one(read) }
        cursor.close()
        return try inTransaction { try open().one(read) }
    }
}

extension StatementCursor {
    fileprivate func one<Row>(_ read: (StatementCursor) throws -> Row?) throws -> Row {
        defer { close() }
        let sql = sql
        guard let row = try read(self) else {
            throw CormorantError(
                .noRows, "the query has no row, where exactly one is expected",
                hint: "ask for the first row where there may be none", sql: sql)
        }
        guard try !nextRow() else {
            throw CormorantError(
                .severalRows, "the query has several rows, where exactly one is expected",
                hint: "narrow its conditions, or ask for the first row", sql: sql)
        }
        return row
    }
}
