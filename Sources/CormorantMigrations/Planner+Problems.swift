import CormorantBase
import CormorantQuery
import CormorantSQLite

// What the rows that are there have against a change. Without a file nothing is known of rows, and only what drops is
// asked about.
extension Planner {
    func problems(
        of change: SchemaChange, in table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        switch change.kind {
        case .dropColumn: return droppedColumn(change, table)
        case .addColumn: return try addedColumn(change, table, difference)
        case .changeType: return try retyped(change, table, difference)
        case .changeNotNull: return try tightened(change, table, difference)
        case .addCheck: return try checked(change, table, difference)
        case .addUnique: return try uniqueConstraint(change, table, difference)
        case .addForeignKey: return try orphans(change, table, difference)
        case .changePrimaryKey: return try keyed(table, difference)
        default: return []
        }
    }

    private func droppedColumn(_ change: SchemaChange, _ table: TableDefinition) -> [MigrationProblem] {
        guard let name = change.name, !notes.allows(dropOf: table.name, column: name) else { return [] }
        return [
            MigrationProblem(
                message: "column \"\(table.name).\(name)\" would go with its values",
                annotation: "allow_drop \"\(name)\", or renamed_from \"\(name)\" where it has a new name")
        ]
    }

    private func addedColumn(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        guard let name = change.name, let column = difference.after.column(name), column.notNull != nil,
            column.defaultValue.map({ $0.canonical == "null" }) ?? true, column.computed == nil,
            difference.after.rowIDColumn?.name != column.name, notes.conversion(of: name, in: table.name) == nil,
            let rows = try count("SELECT count(*) FROM \(origins.source(table))"), rows > 0
        else { return [] }
        return [
            MigrationProblem(
                message: "\(rows) \(rows == 1 ? "row" : "rows") would have no value in \"\(table.name).\(name)\"",
                annotation: "give it a default or convert_sql, or let it be NULL")
        ]
    }

    private func retyped(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        guard let name = change.name, let column = difference.after.column(name),
            let old = difference.before.column(name), notes.conversion(of: name, in: table.name) == nil
        else { return [] }
        if old.affinity == column.affinity, !difference.after.strict { return [] }
        let quoted = quoteIdentifier(name)
        let there = "CAST(\(quoted) AS \(column.affinity.rawValue))"
        let survives = """
            CASE typeof(\(quoted)) WHEN 'integer' THEN CAST(\(there) AS INTEGER) WHEN 'real' THEN CAST(\(there) AS REAL) \
            WHEN 'text' THEN CAST(\(there) AS TEXT) ELSE CAST(\(there) AS BLOB) END
            """
        let lost = try count("SELECT count(*) FROM \(origins.source(table)) WHERE \(survives) IS NOT \(quoted)")
        let way = "would change by going from \(change.before ?? "") to \(change.after ?? "")"
        let message: String
        if let lost {
            guard lost > 0 else { return [] }
            message = "\(lost) \(lost == 1 ? "value" : "values") of \"\(table.name).\(name)\" \(way)"
        } else {
            // Without the rows, only an integer is known to survive as a text.
            if old.affinity == .integer, column.affinity == .text { return [] }
            message = "values of \"\(table.name).\(name)\" may be such that they \(way)"
        }
        return [MigrationProblem(message: message, annotation: "give it convert_sql, or mend the rows")]
    }

    private func tightened(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        guard let name = change.name, let column = difference.after.column(name), column.notNull != nil,
            column.defaultValue.map({ $0.canonical == "null" }) ?? true,
            notes.conversion(of: name, in: table.name) == nil,
            let nulls = try count(
                "SELECT count(*) FROM \(origins.source(table)) WHERE \(quoteIdentifier(name)) IS NULL"), nulls > 0
        else { return [] }
        return [
            MigrationProblem(
                message: "\(nulls) \(nulls == 1 ? "row holds" : "rows hold") NULL in \"\(table.name).\(name)\"",
                annotation: "give it a default or convert_sql, or mend the rows")
        ]
    }

    private func checked(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        // Values that a conversion makes are checked when the rows are copied.
        guard notes.conversions[foldIdentifier(table.name)] == nil,
            let (condition, _) = difference.after.checks.first(where: { $0.definition.sql == change.after }),
            let refused = try count(
                "SELECT count(*) FROM \(origins.source(table)) WHERE NOT (\(condition.text))"), refused > 0
        else { return [] }
        return [
            MigrationProblem(
                message: "\(refused) \(refused == 1 ? "row" : "rows") of \"\(table.name)\" "
                    + "\(refused == 1 ? "does" : "do") not meet \(oneLine(change.after ?? ""))",
                annotation: "mend the rows, or give the column convert_sql")
        ]
    }

    private func uniqueConstraint(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        for unique in difference.after.uniques where unique.described == change.after {
            if case .unique(let terms, _) = unique.kind { return try checkUnique(terms, where: nil, table: table.name) }
        }
        return []
    }

    /// Rows that a UNIQUE over the terms would refuse.
    func checkUnique(_ terms: [IndexTerm], where condition: SQLFragment?, table: String) throws -> [MigrationProblem] {
        guard let table = current.table(table) else { return [] }
        let list = terms.map { term in
            term.expression.text + (term.collation.map { " COLLATE \(quoteIdentifier($0))" } ?? "")
        }
        let present = list.map { "(\($0)) IS NOT NULL" } + (condition.map { ["(\($0.text))"] } ?? [])
        let grouped = """
            SELECT count(*) AS n FROM \(origins.source(table)) WHERE \(present.joined(separator: " AND ")) \
            GROUP BY \(list.joined(separator: ", ")) HAVING count(*) > 1
            """
        guard let rows = try count("SELECT coalesce(sum(n), 0) FROM (\(grouped))"), rows > 0 else { return [] }
        return [
            MigrationProblem(
                message: "\(rows) rows of \"\(table.name)\" are alike in \(list.joined(separator: ", ")), "
                    + "which is to be unique", annotation: "mend the rows")
        ]
    }

    private func orphans(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [MigrationProblem] {
        guard let key = difference.after.foreignKeys.first(where: { $0.definition.sql == change.after })?.key else {
            return []
        }
        let present = key.columns.map { "child.\(quoteIdentifier($0)) IS NOT NULL" }
        var sql = """
            SELECT count(*) FROM (SELECT * FROM \(origins.source(table))) AS child \
            WHERE \(present.joined(separator: " AND "))
            """
        // A parent that the same plan makes has no rows, but for its first ones.
        if notes.seeds[foldIdentifier(key.table)] != nil { return [] }
        if !isNew(key.table), let parent = current.table(key.table) {
            let parentColumns = key.tableColumns.isEmpty ? resolved(key, in: current).tableColumns : key.tableColumns
            guard parentColumns.count == key.columns.count else { return [] }
            let matches = zip(key.columns, parentColumns).map { column, target in
                "child.\(quoteIdentifier(column)) = parent.\(quoteIdentifier(target))"
            }
            sql += """
                 AND NOT EXISTS (SELECT 1 FROM (SELECT * FROM \(origins.source(parent))) AS parent \
                WHERE \(matches.joined(separator: " AND ")))
                """
        }
        guard let rows = try count(sql), rows > 0 else { return [] }
        return [
            MigrationProblem(
                message:
                    "\(rows) \(rows == 1 ? "row" : "rows") of \"\(table.name)\" refer to no row of \"\(key.table)\"",
                annotation: "mend the rows, or leave the reference out")
        ]
    }

    private func keyed(_ table: TableDefinition, _ difference: TableDifference) throws -> [MigrationProblem] {
        let terms = difference.after.primaryKey
        guard terms.allSatisfy({ $0.column.map { difference.before.column($0) != nil } ?? false }), !terms.isEmpty
        else {
            return []
        }
        return try checkUnique(terms, where: nil, table: table.name)
    }

    /// nil without a file.
    func rowCount(of table: String) throws -> Int64? {
        guard let file else { return nil }
        return try rows("SELECT count(*) FROM \(quoteIdentifier(origins.table(table)))", file)
    }

    /// How many rows are in a step's way; nil without a file, or where the rows cannot be asked, which then shows when they
    /// are copied. A query that gives none is asked again when the plan is carried out.
    private func count(_ sql: String) throws -> Int64? {
        let found = try file.flatMap { try rows(sql, $0) }
        if found == 0 || file == nil { guards.append(sql) }
        return found
    }
}

/// The number that a query gives; nil where it cannot be asked.
func rows(_ sql: String, _ connection: Connection) throws -> Int64? {
    let statement: Statement
    do {
        statement = try Statement(connection, sql)
    } catch let error as CormorantError where error.code == .sql {
        return nil
    }
    return try statement.step() ? Row(statement).cell(0).int64 : nil
}
