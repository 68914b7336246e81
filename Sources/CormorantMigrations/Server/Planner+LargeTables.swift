import CormorantBase
import CormorantQuery
import CormorantSQLite

// Tables of many rows, which others use while they are changed: what would keep them out for long is done apart, or only with leave.
// Constraints are added for what is written from now on and validated then, indexes are made concurrently, NULLs are filled some blocks
// at a time.
extension Planner {
    /// A table of more rows is changed as one that others use meanwhile.
    static let manyRows: Int64 = 10_000
    /// Of a table, which are filled in one transaction.
    private static let blocks = 64
    /// The line of such a loop that ends a transaction.
    static let commit = "COMMIT;"

    func isLarge(_ table: String) throws -> Bool {
        guard server != nil, !isNew(table) else { return false }
        guard let file else { return isForMany }
        if let known = large[nameKey(table)] { return known }
        let found = try isMany("SELECT 1 FROM \(quoteIdentifier(origins.table(table)))", file)
        large[nameKey(table)] = found
        return found
    }

    private func isPartitioned(_ table: String) -> Bool {
        server?.partitioned.contains(nameKey(origins.table(table))) ?? false
    }

    private func isMany(_ select: String, _ file: Connection) throws -> Bool {
        try number("SELECT count(*) FROM (\(select) LIMIT \(Self.manyRows + 1)) AS few", file) ?? 0 > Self.manyRows
    }

    /// - Parameter sql: what makes the change; what is left is done with the rest.
    /// - Returns: what follows apart, each of its parts by itself.
    func online(
        _ change: SchemaChange, _ sql: inout [String], _ table: TableDefinition, _ difference: TableDifference
    ) throws -> [[String]] {
        let alter = "ALTER TABLE \(quoteIdentifier(table.name))"
        let isLate =
            change.kind == .addForeignKey
            && difference.after.foreignKeys.contains { $0.definition.sql == change.after && self.isLate($0.key) }
        guard try isLate || isLarge(table.name), let last = sql.last else { return [] }
        switch change.kind {
        // Of a table with partitions the server adds it with what validates it.
        case .addForeignKey where isPartitioned(table.name):
            if isLate { sql = [] }
            return isLate ? [[last]] : []
        case .addCheck, .addForeignKey:
            guard let name = constraint(change.after, in: difference.after) else { return [] }
            if server?.unvalidated.contains([nameKey(table.name), ExactText(name)]) ?? false { return [] }
            let added = last.hasSuffix(" NOT VALID") ? last : last + " NOT VALID"
            let apart = ["\(alter) VALIDATE CONSTRAINT \(quoteIdentifier(name))"]
            sql = isLate ? [] : [added]
            return isLate ? [[added], apart] : [apart]
        case .changeNotNull:
            guard let name = change.name, difference.after.column(name)?.notNull != nil else { return [] }
            return try forbidNulls(name, &sql, table)
        default: return []
        }
    }

    private func forbidNulls(_ name: String, _ sql: inout [String], _ table: TableDefinition) throws -> [[String]] {
        let (quoted, column) = (quoteIdentifier(table.name), quoteIdentifier(name))
        let alter = "ALTER TABLE \(quoted)"
        let check = quoteIdentifier(ServerSchema.notNullCheck(name))
        let isThere = server?.notNullChecks.contains([nameKey(table.name), nameKey(name)]) ?? false
        let fill = sql.dropLast()
        let add = fill + (isThere ? [] : ["\(alter) ADD CONSTRAINT \(check) CHECK (\(column) IS NOT NULL) NOT VALID"])
        let apart = [
            ["\(alter) VALIDATE CONSTRAINT \(check)"],
            ["\(alter) ALTER COLUMN \(column) SET NOT NULL, DROP CONSTRAINT \(check)"],
        ]
        let nulls = "SELECT 1 FROM \(origins.source(table)) WHERE \(column) IS NULL"
        guard let update = fill.first, try file.map({ try isMany(nulls, $0) }) ?? true else {
            sql = Array(add)
            return apart
        }
        // The rows of a transaction are kept from others until its end; what they write meanwhile is filled with the check.
        sql = []
        func place(_ block: String) -> String { "CAST(format('(%s,0)', \(block)) AS tid)" }
        let range = "ctid >= \(place("block")) AND ctid < \(place("block + \(Self.blocks)"))"
        // The rows of partitions and heirs are in their own blocks.
        let body = """
            DECLARE
              block bigint := 0;
              size bigint := (WITH RECURSIVE below(id) AS (
                  SELECT CAST(CAST(\(textLiteral(quoted)) AS regclass) AS oid)
                  UNION SELECT inhrelid FROM pg_inherits JOIN below ON inhparent = id)
                SELECT max(pg_relation_size(id)) FROM below);
            BEGIN
              WHILE block * CAST(current_setting('block_size') AS bigint) < size LOOP
                \(ServerReplay.within(update)) AND \(range);
                \(Self.commit)
                block := block + \(Self.blocks);
              END LOOP;
            END
            """
        return [["DO \(textLiteral(body))"], Array(add)] + apart
    }

    /// Whether it refers to what is made unique apart, behind which it stands then.
    func isLate(_ key: ForeignKeyDefinition) -> Bool { lateUniques.contains(nameKey(key.table)) }

    /// Whether each row gets a value of its own when the column is added, which writes all of them.
    func differsByRow(_ column: TableShape.Column) throws -> Bool {
        if contains(column.definition.sql, " AS IDENTITY") { return true }
        guard let value = column.defaultValue, let file else { return false }
        let names = Set(serverWords(value.text, .max)).map(textLiteral).sorted().joined(separator: ", ")
        return try number(
            "SELECT count(*) FROM pg_catalog.pg_proc WHERE provolatile = 'v' AND proname IN (\(names))", file) ?? 0 > 0
    }

    /// Whether an index holds its values.
    func isIndexed(_ column: String, _ table: TableDefinition) -> Bool {
        let shape = TableShape(table)
        let own =
            shape.primaryKey
            + shape.uniques.flatMap { unique -> [IndexTerm] in
                if case .unique(let terms, _) = unique.kind { terms } else { [] }
            }
        let made = current.indexes.filter { sameIdentifier($0.table, table.name) }.flatMap(\.terms)
        return (own + made).contains { $0.column.map { sameIdentifier($0, column) } ?? true }
    }

    /// A table of many rows is written anew only where that was said.
    func rewrites(_ table: TableDefinition, _ judgement: inout Judgement) throws {
        guard try isLarge(table.name) else { return }
        guard let file else {
            return judgement.notes.append(
                "all rows of \"\(table.name)\" are written anew, and nobody can use it meanwhile")
        }
        let count = try number("SELECT count(*) FROM \(origins.source(table))", file) ?? 0
        let word = "rewrite:\(table.name)"
        guard !notes.allowsAll, !notes.allowedDrops.contains(nameKey(word)) else {
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
        let isCutOff = server?.invalidIndexes.contains(nameKey(index.name)) ?? false
        let name = quoteIdentifier(index.name)
        let isApart = try isLarge(index.table) && !isPartitioned(index.table)
        guard isApart else { return ((isCutOff ? ["DROP INDEX \(name)"] : []) + [index.sql], false) }
        let words = index.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
        guard index.sql.hasPrefix(words) else { return ([index.sql], false) }
        if index.isUnique { lateUniques.insert(nameKey(index.table)) }
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
            let present = nameKey(origins.table(table.name))
            for constraint in table.constraints {
                guard let name = constraint.name, server.unvalidated.contains([present, ExactText(name)]),
                    declared.contains([nameKey(table.name), ExactText(name)])
                else { continue }
                try add(
                    "validate \"\(name)\" of \"\(table.name)\"", [],
                    ["\(alter) VALIDATE CONSTRAINT \(quoteIdentifier(name))"], isApart: true)
            }
            for column in table.columns where server.notNullChecks.contains([present, nameKey(column.name)]) {
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
