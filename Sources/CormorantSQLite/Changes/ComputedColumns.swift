import CormorantBase
import CormorantEngine

/// What the rows of a table do not have on the disk, and SQLite adds when it reads them: virtual columns, and in rows that are
/// older than a column, its default. It adds it here in a table of one row like the tracked one, in memory of its own, for a
/// row that is about to change cannot be read by SQL. Nil where it cannot be had, such as what calls a function of the program's.
final class ComputedColumns: @unchecked Sendable {  // guarded by the lock of the tracked table's connection
    private let sql: String
    private let name: String
    private let columns: [ColumnInfo]
    private let options: OpenOptions
    private lazy var copy = try? TableCopy(sql, name, columns, options)
    private lazy var defaults = columns.map { column in column.defaultSQL.flatMap { value($0, of: column) } }

    /// - Parameters:
    ///   - sql: what made the table.
    ///   - untrusted: the file's schema is not trusted.
    init(_ sql: String, _ name: String, _ columns: [ColumnInfo], untrusted: Bool) {
        options = OpenOptions(untrusted: untrusted)
        self.sql = sql
        self.name = name
        self.columns = columns
    }

    var hasVirtual: Bool { columns.contains(where: \.isVirtual) }

    /// What a row that is older than a column has in it.
    func defaultCell(_ column: Int) -> RowCell? { defaults[column]?.cells[0] }

    /// The row with its virtual columns, which it has as NULL.
    func completed(_ row: StoredRow) -> StoredRow? { try? copy?.completed(row) }

    private func value(_ defaultSQL: String, of column: ColumnInfo) -> StoredRow? {
        let behind = sql.suffix(from: sql.lastIndex(of: ")") ?? sql.endIndex)
        let isStrict = contains(foldIdentifier(String(behind)), "strict")
        // Of an expression in brackets SQLite tells what is in them.
        for form in [defaultSQL, "(\(defaultSQL))"] {
            let value = try? inMemory(options) { connection in
                try connection.script(
                    "CREATE TABLE t (c \(column.type) DEFAULT \(form))\(isStrict ? " STRICT" : "");"
                        + "INSERT INTO t DEFAULT VALUES")
                let statement = try Statement(connection, "SELECT c FROM t")
                return try statement.step() ? try StoredRow(Row(statement)) : nil
            }
            if let value { return value }
        }
        return nil
    }
}

private func inMemory<Result>(_ options: OpenOptions, _ body: (Connection) throws -> Result) throws -> Result {
    let connection = try openMemory(options)
    defer { connection.close() }
    return try body(connection)
}

private func openMemory(_ options: OpenOptions) throws -> Connection {
    let connection = try Connection(path: ":memory:", options: options)
    // As in the schema of a file.
    connection.setDoubleQuotedStrings(true)
    try connection.script("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    return connection
}

private final class TableCopy {
    private let connection: Connection
    private let stored: [Int]
    private let virtual: [Int: Int32]
    private var insertion: Statement?
    private var selection: Statement?
    private var deletion: Statement?

    init(_ sql: String, _ name: String, _ columns: [ColumnInfo], _ options: OpenOptions) throws {
        stored = columns.indices.filter { !columns[$0].isVirtual && !columns[$0].isGenerated }
        let computed = columns.indices.filter { columns[$0].isVirtual }
        virtual = Dictionary(
            uniqueKeysWithValues: computed.enumerated().map { ($1, Int32(truncatingIfNeeded: $0)) })
        connection = try openMemory(options)
        let table = quoteIdentifier(name)
        func list(_ places: [Int]) -> String {
            places.map { quoteIdentifier(columns[$0].name) }.joined(separator: ", ")
        }
        do {
            _ = try Statement(connection, sql).step()
            let values = stored.map { _ in "?" }.joined(separator: ", ")
            insertion = try Statement(connection, "INSERT INTO \(table) (\(list(stored))) VALUES (\(values))")
            selection = try Statement(connection, "SELECT \(list(computed)) FROM \(table)")
            deletion = try Statement(connection, "DELETE FROM \(table)")
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private func close() {
        (insertion, selection, deletion) = (nil, nil, nil)
        connection.close()
    }

    func completed(_ row: StoredRow) throws -> StoredRow? {
        guard let insertion, let selection, let deletion else { return nil }
        defer {
            for statement in [insertion, selection] { statement.reset() }
            _ = try? deletion.step()
            deletion.reset()
        }
        for (index, place) in stored.enumerated() {
            try insertion.bind(borrowing: Cell(UnsafePointer(row.cells + place)), Int32(truncatingIfNeeded: index + 1))
        }
        _ = try insertion.step()
        guard try selection.step() else { return nil }
        let computed = Row(selection)
        return try StoredRow(count: row.count) { column in
            virtual[Int(column)].map { computed.cell($0).plain } ?? row.cells[Int(column)]
        }
    }
}
