import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Columns of times and UUIDs in files that other programs wrote. They compare as texts, so a value of another form would be
/// missed by a comparison rather than met: a table is looked at before its columns are used.
extension Connection {
    /// How many rows are looked at from either end of a table that the library made.
    private static let rowsLookedAt = 100
    /// What a trace shows of these statements: no program wrote them. Python's trace.py knows it.
    fileprivate static let mark = "/* cormorant looks at the table once */"

    /// Throws where a row of a table holds a value in such a column that is not in its form. Each table is looked at once:
    /// all of one that another program made; of the library's own, which it fills itself, the first and last rows. What
    /// another program writes later is met when it is read.
    /// - Parameter wholly: all of it, whoever made it.
    package func checkForms(of table: TableReference, wholly: Bool = false) throws {
        // Other engines have types for them.
        guard table.hasForms, engine == nil, wholly || !lookedAt.hasForms(table) else { return }
        guard let owner = table.modelTable, owner.schema.module == nil, !owner.schema.columns.isEmpty else {
            return
        }
        let checked = table.columns.filter(\.hasForm)
        let columns = checked.map(\.quoted)
        let statement: Statement
        do {
            let isOwn = try !wholly && isOwn(owner)
            statement = try Statement(
                self,
                isOwn
                    ? owner.rowsFromEitherEnd(of: table, columns, Connection.rowsLookedAt)
                    : "SELECT \(Connection.mark) \(columns.joined(separator: ", ")) FROM \(table.source)")
        } catch let error as CormorantError where error.code == .sql {
            // A table that is not there yet or has other columns.
            return
        }
        defer { statement.finalize() }
        while try statement.step() {
            for (index, column) in checked.enumerated() {
                let cell = Row(statement).cell(Int32(truncatingIfNeeded: index))
                if column.type == .uuid {
                    try checkUUID(cell, of: table, column)
                } else {
                    try checkTime(cell, of: table, column)
                }
            }
        }
        lookedAt.keepForms(of: table)
    }

    /// Whether the library made the table, or a sync looked at all of it.
    private func isOwn(_ table: ModelTable) throws -> Bool {
        let schema = table.attachment.map { quoteIdentifier($0) + "." } ?? ""
        let made = try Statement(
            self,
            """
            SELECT substr(sql, length('CREATE TABLE ') + 1), name = 'corm_models' FROM \(schema)sqlite_schema
            WHERE type = 'table' AND (name = ?1 COLLATE NOCASE OR name = 'corm_models')
            """
        )
        defer { made.finalize() }
        try made.bind(.text(table.name), 1)
        var maySync = false
        while try made.step() {
            let row = Row(made)
            if row.cell(1).int64 == 1 {
                maySync = true
            } else if let sql = row.cell(0).string, contains(table.createSQL, sql) {
                return true
            }
        }
        return try maySync && isSynced(table.name, schema)
    }

    /// Whether the table is in corm_models.
    private func isSynced(_ table: String, _ schema: String) throws -> Bool {
        let statement: Statement
        do {
            statement = try Statement(
                self, "SELECT \(Connection.mark) 1 FROM \(schema)corm_models WHERE name = lower(?1)")
        } catch let error as CormorantError where error.code == .sql {
            return false
        }
        defer { statement.finalize() }
        try statement.bind(.text(table), 1)
        return try statement.step()
    }
}

private func checkUUID(_ cell: Cell, of table: TableReference, _ column: TableReference.Column) throws {
    if cell.type == StorageType.null || cell.type == StorageType.text && UUIDBytes(stored: cell.text) != nil { return }
    throw CormorantError(
        .type, "\(table.name).\(column.name) \(UUIDBytes.otherForm)", hint: UUIDBytes.hint(table.name, column.name),
        table: table.name, columns: [column.name])
}

/// What is wrong with the value of a column of times.
@inline(__always)
private func timeFault(_ cell: Cell, _ form: TimeForm) -> TimeFormError? {
    switch cell.type {
    case StorageType.null: nil
    case StorageType.text:
        form.value(stored: cell.text) == nil ? TimeFormError(cell.text, storage: "", of: form) : nil
    default: TimeFormError(nil, storage: StorageType.name(cell.type), of: form)
    }
}

/// Throws where the value of a column of times has not its form.
@inline(__always)
func checkTime(_ cell: Cell, of table: TableReference, _ column: TableReference.Column) throws {
    guard let form = column.type.timeForm, let fault = timeFault(cell, form) else { return }
    throw CormorantError(
        fault.code, "\(table.name).\(column.name) \(fault.what)", hint: fault.hint(table.name, column.name),
        table: table.name, columns: [column.name])
}

extension ModelTable {
    /// SQL for columns of the first and last rows, in the order that the table has.
    fileprivate func rowsFromEitherEnd(of table: TableReference, _ columns: [String], _ count: Int) -> String {
        let names = Set(table.columns.map { nameKey($0.name) })
        let rowID = ["rowid", "_rowid_", "oid"].first { !names.contains(nameKey($0)) } ?? "rowid"
        let order = schema.withoutRowID ? schema.primaryKey.map(quoteIdentifier) : [rowID]
        func rows(_ mark: String, _ direction: String = "") -> String {
            "SELECT \(mark)* FROM (SELECT \(columns.joined(separator: ", ")) FROM \(table.source) ORDER BY "
                + order.map { $0 + direction }.joined(separator: ", ") + " LIMIT \(count))"
        }
        return rows("\(Connection.mark) ") + " UNION ALL " + rows("", " DESC")
    }
}

extension CompiledStatement {
    /// The result columns that hold values of columns of times, and those.
    var timeColumns: [(place: Int32, table: TableReference, column: TableReference.Column)] {
        let known = records.map { table in table.columns.indices.map { ColumnReference(table, $0) } } ?? columns
        return known.enumerated().compactMap { place, reference in
            guard let reference, reference.column.type.timeForm != nil else { return nil }
            return (
                Int32(truncatingIfNeeded: place), reference.path.last?.target ?? reference.table, reference.column
            )
        }
    }
}

extension Database {
    /// How many rows hold another value in a column than one of such times does, and what is told of the first of them.
    /// - Parameter limit: how many of them to look for.
    package func otherTimes(
        than form: TimeForm, in column: String, of table: String, limit: Int64 = .max
    ) throws -> (count: Int64, first: TimeFormError?) {
        let cursor = try cursor("SELECT \(quoteIdentifier(column)) FROM \(quoteIdentifier(table))") { _ in }
        defer { cursor.close() }
        var count: Int64 = 0
        var first: TimeFormError?
        try cursor.readRows { row in
            let cell = row.cell(0)
            guard let fault = timeFault(cell, form) else { return true }
            if count == 0 { first = fault }
            count += 1
            return count < limit
        }
        return (count, first)
    }
}
