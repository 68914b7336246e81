import CormorantBase
import CormorantQuery
import CormorantSQLite

// Tables of many rows, which others use while they are changed: what would keep them out for long is done apart, or only with leave.
extension Planner {
    /// A table of more rows is changed as one that others use meanwhile.
    static let manyRows: Int64 = 10_000

    func isLarge(_ table: String) throws -> Bool {
        guard server != nil, !isNew(table), let file else { return false }
        if let known = large[foldIdentifier(table)] { return known }
        let some = "SELECT 1 FROM \(quoteIdentifier(origins.table(table))) LIMIT \(Self.manyRows + 1)"
        let found = try number("SELECT count(*) FROM (\(some)) AS few", file) ?? 0 > Self.manyRows
        large[foldIdentifier(table)] = found
        return found
    }

    /// - Returns: what stands in the place of the last statement, and what follows apart; nil: it takes no time.
    func online(
        _ change: SchemaChange, _ sql: String, _ table: TableDefinition, _ difference: TableDifference
    ) -> (String, [String])? {
        let alter = "ALTER TABLE \(quoteIdentifier(table.name))"
        switch change.kind {
        case .addCheck, .addForeignKey:
            guard let name = constraint(change.after, in: difference.after) else { return nil }
            if server?.unvalidated.contains([foldIdentifier(table.name), name]) ?? false { return nil }
            let isMarked = sql.hasSuffix(" NOT VALID")
            return (
                isMarked ? sql : sql + " NOT VALID", ["\(alter) VALIDATE CONSTRAINT \(quoteIdentifier(name))"]
            )
        case .changeNotNull:
            guard let name = change.name, difference.after.column(name)?.notNull != nil else { return nil }
            let check = quoteIdentifier(ServerSchema.notNullCheck(name))
            let isThere = server?.notNullChecks.contains([foldIdentifier(table.name), foldIdentifier(name)]) ?? false
            let column = quoteIdentifier(name)
            return (
                isThere
                    ? "\(alter) ALTER COLUMN \(column) SET STATISTICS -1"
                    : "\(alter) ADD CONSTRAINT \(check) CHECK (\(column) IS NOT NULL) NOT VALID",
                [
                    "\(alter) VALIDATE CONSTRAINT \(check)",
                    "\(alter) ALTER COLUMN \(column) SET NOT NULL, DROP CONSTRAINT \(check)",
                ]
            )
        default: return nil
        }
    }

    /// A table of many rows is written anew only where that was said.
    func rewrites(_ table: TableDefinition, _ judgement: inout Judgement) throws {
        guard try isLarge(table.name), let file else { return }
        let count = try number("SELECT count(*) FROM \(origins.source(table))", file) ?? 0
        let word = "rewrite:\(table.name)"
        guard !notes.allowsAll, !notes.allowedDrops.contains(foldIdentifier(word)) else {
            judgement.rows = count
            return judgement.notes.append("\(counted(count, "row")) of \"\(table.name)\" are written anew")
        }
        judgement.problems.append(
            MigrationProblem(
                message:
                    "\(counted(count, "row")) of \"\(table.name)\" would be written anew, and nobody can use the table "
                    + "meanwhile", annotation: "allow_drop \"\(word)\"", drop: word))
    }

    /// How an index is made: by itself, while others write, where the table has many rows.
    func indexOnServer(_ index: IndexDefinition) throws -> (sql: [String], isApart: Bool) {
        let isCutOff = server?.invalidIndexes.contains(foldIdentifier(index.name)) ?? false
        let name = quoteIdentifier(index.name)
        let isApart =
            try isLarge(index.table) && !(server?.partitioned.contains(foldIdentifier(index.table)) ?? false)
        guard isApart else { return ((isCutOff ? ["DROP INDEX \(name)"] : []) + [index.sql], false) }
        let words = index.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
        guard index.sql.hasPrefix(words) else { return ([index.sql], false) }
        return (
            (isCutOff ? ["DROP INDEX CONCURRENTLY IF EXISTS \(name)"] : [])
                + [words + "CONCURRENTLY " + index.sql.dropFirst(words.count)], true
        )
    }

    /// What a migration that was cut off has left: constraints that models declare and that are not validated.
    func validateRest() throws {
        guard let server else { return }
        for table in target.tables {
            let alter = "ALTER TABLE \(quoteIdentifier(table.name))"
            let present = foldIdentifier(origins.table(table.name))
            for constraint in table.constraints {
                guard let name = constraint.name, server.unvalidated.contains([present, name]),
                    declared.contains([foldIdentifier(table.name), name])
                else { continue }
                try add(
                    "validate \"\(name)\" of \"\(table.name)\"", [],
                    ["\(alter) VALIDATE CONSTRAINT \(quoteIdentifier(name))"], isApart: true)
            }
            for column in table.columns where server.notNullChecks.contains([present, foldIdentifier(column.name)]) {
                let isGoing = steps.contains {
                    $0.changes.contains { change in
                        change.kind == .changeNotNull && sameIdentifier(change.table, table.name)
                            && change.name.map { sameIdentifier($0, column.name) } ?? false
                    }
                }
                if isGoing { continue }
                let check = ServerSchema.notNullCheck(column.name)
                try add(
                    "drop the check \"\(check)\" of \"\(table.name)\"", [],
                    ["\(alter) DROP CONSTRAINT \(quoteIdentifier(check))"])
            }
        }
    }
}
