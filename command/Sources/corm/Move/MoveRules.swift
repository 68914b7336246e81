import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

// Rows that break what the target's tables say: checks and foreign keys that were off when they were written, and texts that are one
// number there.
extension Mover {
    /// Each in a line: the first row of each rule, and how many there are.
    func breaches() throws -> Findings {
        var findings: Findings = []
        for table in tables {
            for check in table.schema.checks {
                let place = check.column.map { "\(table.name).\($0)" } ?? table.named(in: check.condition)
                try tell(place, table, "NOT (\(check.condition))", "its CHECK is \(check.condition)", &findings)
            }
            for key in table.schema.foreignKeys { try tell(key, table, &findings) }
            guard source.dialect == .sqlite else { continue }
            for columns in table.uniqueDecimals { try tell(decimals: columns, table, &findings) }
        }
        return findings
    }

    /// Values of a server that no text of ours stands for, which cannot even be read as what they are.
    func unreadable() throws -> Findings {
        var findings: Findings = []
        guard source.dialect == .postgres else { return findings }
        for table in tables {
            for column in table.columns {
                let name = quoteIdentifier(column.name)
                let text = "CAST(\(name) AS text)"
                let condition: String
                switch column.type {
                case .decimal: condition = "\(text) IN ('NaN', 'Infinity', '-Infinity')"
                case .date: condition = "\(name) NOT BETWEEN '0001-01-01' AND '9999-12-31'"
                case .datetime:
                    condition = "\(name) < '0001-01-01 00:00:00+00' OR \(name) >= '9999-12-31 24:00:00+00'"
                case .time: condition = "\(text) = '24:00:00'"
                default: continue
                }
                let place = "\(table.name).\(column.name)"
                try tell(place, table, condition, "no \(column.type.name) of a file", &findings, shows: text)
            }
        }
        return findings
    }

    private func tell(_ key: ForeignKeySchema, _ table: MovedTable, _ findings: inout Findings) throws {
        let place = "\(table.name).\(key.columns.joined(separator: ", "))"
        guard let parent = tables.first(where: { sameIdentifier($0.name, key.table) }) else {
            findings.append("\(place): refers to \(key.table), which is not there")
            return
        }
        let columns = key.tableColumns.isEmpty ? parent.schema.primaryKey : key.tableColumns
        let own = quoteIdentifier(table.name)
        let pairs = zip(columns, key.columns).map { there, here in
            "there.\(quoteIdentifier(there))\(binary) = \(own).\(quoteIdentifier(here))"
        }
        let isGiven = key.columns.map { "\(own).\(quoteIdentifier($0)) IS NOT NULL" }
        let isThere =
            "EXISTS (SELECT 1 FROM \(quoteIdentifier(parent.name)) AS there WHERE \(pairs.joined(separator: " AND ")))"
        let condition = (isGiven + ["NOT \(isThere)"]).joined(separator: " AND ")
        try tell(place, table, condition, "refers to no row of \(parent.name)", &findings)
    }

    /// SQLite's columns may mind no case; a server's foreign keys do.
    private var binary: String { source.dialect == .sqlite ? " COLLATE BINARY" : "" }

    private func tell(decimals columns: [String], _ table: MovedTable, _ findings: inout Findings) throws {
        func terms(_ suffix: String) -> [String] {
            columns.map { column in
                let isDecimal = table.schema.columns.contains { isSame($0.name, column) && $0.type == .decimal }
                return quoteIdentifier(column) + (isDecimal ? suffix : "")
            }
        }
        let isGiven = columns.map { "\(quoteIdentifier($0)) IS NOT NULL" }.joined(separator: " AND ")
        // The greatest of those that are one.
        let names = columns.map(quoteIdentifier).joined(separator: ", ")
        let condition = """
            (\(names)) IN (SELECT \(terms(" COLLATE BINARY").map { "max(\($0))" }.joined(separator: ", "))
            FROM \(quoteIdentifier(table.name)) WHERE \(isGiven)
            GROUP BY \(terms(" COLLATE \(source.dialect.decimalCollation)").joined(separator: ", ")) HAVING count(*) > 1)
            """
        let place = "\(table.name).\(columns.joined(separator: ", "))"
        try tell(
            place, table, condition, "another row has the same number, written otherwise, and it is UNIQUE", &findings)
    }

    /// - Parameter shows: what of the row is told before the fault, as SQL.
    private func tell(
        _ place: String, _ table: MovedTable, _ condition: String, _ fault: String, _ findings: inout Findings,
        shows value: String? = nil
    ) throws {
        let keys = table.isKeyed ? table.order : []
        let selected = ["count(*) OVER ()", value ?? "NULL"] + keys.map(quoteIdentifier)
        let order = table.order.map { table.term($0, source.dialect) }.joined(separator: ", ")
        let statement = try source.statement(
            "SELECT \(selected.joined(separator: ", ")) FROM \(quoteIdentifier(table.name)) WHERE \(condition) "
                + "ORDER BY \(order) LIMIT 1")
        defer { source.recycle(statement) }
        guard try statement.step() else { return }
        let row = Row(statement)
        let key = keys.indices.map { "\(keys[$0]) \(shown(row.cell(Int32($0 + 2))))" }.joined(separator: ", ")
        let others = row.cell(0).int64 - 1
        findings.append(
            "\(place), \(keys.isEmpty ? "in a row without a key" : key): \(value == nil ? "" : shown(row.cell(1)) + ", ")"
                + "\(fault)\(others > 0 ? ", and \(others) more" : "")")
    }
}

extension MovedTable {
    /// Sets of columns that are unique, with decimals among them.
    fileprivate var uniqueDecimals: [[String]] {
        let indexes = schema.indexes.filter { $0.isUnique && $0.whereSQL == nil }.map { $0.columns.map(\.name) }
        return ([isKeyed ? schema.primaryKey : []] + indexes).filter { columns in
            schema.columns.contains { $0.type == .decimal && columns.has($0.name) }
        }
    }

    /// Where a check stands that names one column; else the table.
    fileprivate func named(in condition: String) -> String {
        let words = SQLScript.words(condition, .max)
        let found = schema.columns.filter { words.has($0.name) }
        return found.count == 1 ? "\(name).\(found[0].name)" : name
    }
}
