import CormorantBase
import CormorantQuery
import CormorantSQLite

// What goes, or would no longer work, when a column of a server's table goes.
extension Planner {
    /// Views that name a column, or any of a table, which the server would refuse to change.
    func refuseViews(on table: TableDefinition, _ column: String, _ judgement: inout Judgement) throws {
        guard let file else { return }
        let name = origins.column(column, of: table.name)
        let sql = """
            SELECT DISTINCT CAST(CAST(v.oid AS regclass) AS text), CAST(v.relname AS text)
            FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
                JOIN pg_catalog.pg_class v ON v.oid = r.ev_class JOIN pg_catalog.pg_attribute a
                ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
            WHERE d.classid = CAST('pg_catalog.pg_rewrite' AS regclass) AND v.oid <> d.refobjid
                AND d.refobjid = to_regclass(\(textLiteral(quoteIdentifier(origins.table(table.name)))))
                AND a.attname = \(textLiteral(name))
            """
        var views: [(shown: String, name: String)] = []
        try ServerCatalog(connection: file).forEach(sql) { views.append(($0.string(0), $0.string(1))) }
        for view in views {
            if target.view(view.name) == nil, current.view(view.name) != nil { continue }
            judgement.problems.append(
                MigrationProblem(
                    message: "view \"\(view.name)\" would no longer work: it names \"\(table.name).\(column)\"",
                    annotation: "drop it in the same migration: allow_drop \"view:\(view.name)\"",
                    drop: "view:\(view.name)"))
        }
    }

    /// What the server drops along with a column.
    func companions(of column: String, _ table: TableDefinition, _ judgement: inout Judgement) throws {
        for index in current.indexes where sameIdentifier(index.table, table.name) {
            guard
                index.terms.contains(where: { $0.column.map { sameIdentifier($0, column) } ?? false })
                    || names(index.sql, column), target.index(index.name) != nil,
                !notes.allows("index", index.name) || notes.isOfModels
            else { continue }
            judgement.problems.append(
                MigrationProblem(
                    message: "index \"\(index.name)\" would go with the column",
                    annotation: "allow_drop \"index:\(index.name)\"", drop: "index:\(index.name)"))
        }
        for what in server?.companions[nameKey(origins.table(table.name))] ?? []
        where what.hasPrefix("exclusion") || what.hasPrefix("statistics") {
            judgement.notes.append("\(what) goes where it names the column")
        }
    }

    private func names(_ sql: String, _ column: String) -> Bool {
        serverWords(sql, .max).contains { sameIdentifier($0, column) }
    }
}
