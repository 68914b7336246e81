import CormorantBase
import CormorantQuery
import CormorantSQLite

// What the rows that are there have against the changes of a table. Without a file nothing is known of rows: only what drops
// is asked about, and the step is not called safe.
extension Planner {
    /// - Parameters:
    ///   - changes: those of the difference that one step makes.
    ///   - isCopied: whether the rows are written anew; ALTER TABLE changes no value.
    func judge(
        _ changes: [SchemaChange], of table: TableDefinition, _ difference: TableDifference, _ future: FutureRows,
        isCopied: Bool
    ) throws -> Judgement {
        var judgement = Judgement()
        // To count the rows of a server for each change takes long.
        let isAsked = server == nil || changes.contains { $0.kind == .addColumn }
        judgement.rows = isAsked ? try rowCount(of: table.name) : file.map { _ in 0 }
        if isCopied { try ask(valueQuestions(future), of: future, &judgement) }
        for change in changes where change.kind == .addColumn { added(change, table, difference, &judgement) }
        try dropped(changes, table, &judgement)
        lost(changes, table, difference, &judgement)
        try ask(checks(changes, difference, future, isCopied), of: future, &judgement)
        try uniques(changes, difference, future, &judgement)
        try references(changes, of: table, difference, future, isCopied, &judgement)
        return judgement
    }

    /// The rows of a table of the file, as the whole plan makes them.
    func future(_ table: String) -> FutureRows? {
        guard let present = base.table(table), let wanted = target.table(table) else { return nil }
        return future(present, TableDifference(from: present, to: wanted, in: base, and: target))
    }

    func future(_ present: TableDefinition, _ difference: TableDifference) -> FutureRows {
        FutureRows(
            present, difference, rows: origins.source(present),
            conversion: { name in
                let sql = notes.conversion(of: name, in: present.name)
                guard server != nil, let type = difference.after.column(name)?.definition.type else { return sql }
                return sql.map { SQLCompiler.onServer($0, as: type, of: present.columnTypes) }
            }, onServer: server == nil ? nil : { self.converted($0, from: $1, to: $2) })
    }

    private func dropped(_ changes: [SchemaChange], _ table: TableDefinition, _ judgement: inout Judgement) throws {
        let names = changes.filter { $0.kind == .dropColumn }.compactMap(\.name)
        let shape = TableShape(table)
        for name in names {
            // What is computed can be computed again.
            let isStored = shape.column(name)?.computed == nil
            let count = try file.flatMap {
                isStored
                    ? try number("SELECT count(\(quoteIdentifier(name))) FROM \(origins.source(table))", $0) : 0
            }
            let column = "\"\(table.name).\(name)\""
            guard notes.allows(dropOf: table.name, column: name) else {
                let values = count.map { $0 == 0 ? ", which holds no value" : " with its \(counted($0, "value"))" }
                judgement.problems.append(
                    MigrationProblem(
                        message: "column \(column) would go\(values ?? " with its values")",
                        annotation: notes.leave(toDrop: name, of: table.name)
                            + (notes.isOfModels ? ", or renamed_from \"\(name)\" where it has a new name" : ""),
                        drop: "\(table.name).\(name)"))
                continue
            }
            if count != 0 {
                judgement.losses.append((count.map { counted($0, "value") } ?? "the values") + " of \(column)")
            }
        }
    }

    private func added(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference, _ judgement: inout Judgement
    ) {
        guard let name = change.name, let column = difference.after.column(name), column.notNull != nil,
            column.defaultValue.map({ $0.canonical == "null" }) ?? true, column.computed == nil,
            !difference.after.isRowID(column.name), notes.conversion(of: name, in: table.name) == nil
        else { return }
        guard let rows = judgement.rows, rows > 0 else {
            guards.append("SELECT count(*) FROM \(origins.source(table))")
            if file == nil { judgement.isOpen = true }
            return
        }
        judgement.problems.append(
            MigrationProblem(
                message: "\(counted(rows, "row")) would have no value in \"\(table.name).\(name)\"",
                annotation: "\(notes.remedyOfNull), or let it be NULL"))
    }

    /// Constraints that were there and are not wanted any more. One that takes the place of another is no loss.
    private func lost(
        _ changes: [SchemaChange], _ table: TableDefinition, _ difference: TableDifference, _ judgement: inout Judgement
    ) {
        let columns = changes.filter { $0.kind == .dropColumn }.compactMap(\.name)
        for (drop, add, word) in [
            (SchemaChange.Kind.dropCheck, SchemaChange.Kind.addCheck, "check"), (.dropUnique, .addUnique, "unique"),
            (.dropForeignKey, .addForeignKey, "foreign_key"),
        ] {
            // One over a column that goes was named with it.
            func isGone(_ change: SchemaChange) -> Bool {
                change.kind == drop && !columns.contains { mentions(change.before ?? "", $0) }
            }
            let all = difference.changes
            guard all.count(where: isGone) > all.count(where: { $0.kind == add }) else { continue }
            for change in changes.filter(isGone) {
                let text = oneLine(change.before ?? "")
                if drop == .dropUnique, isUniqueByIndex(change, table.name, difference.before) { continue }
                guard notes.allows(word, table.name) else {
                    judgement.problems.append(
                        MigrationProblem(
                            message: "\"\(table.name)\" would lose its \(text)",
                            annotation: "allow_drop \"\(word):\(table.name)\"", drop: "\(word):\(table.name)"))
                    continue
                }
                judgement.notes.append("\"\(table.name)\" loses its \(text)")
            }
        }
    }

    /// Whether an index of the target does what a UNIQUE did.
    private func isUniqueByIndex(_ change: SchemaChange, _ table: String, _ before: TableShape) -> Bool {
        guard case .unique(let terms, _)? = before.uniques.first(where: { $0.described == change.before })?.kind else {
            return false
        }
        return target.indexes.contains { index in
            sameIdentifier(index.table, table) && index.isUnique && index.condition == nil && index.terms == terms
        }
    }

    private func checks(
        _ changes: [SchemaChange], _ difference: TableDifference, _ future: FutureRows, _ isCopied: Bool
    ) -> [RowQuestion] {
        let columns = changes.filter { $0.kind == .addColumn }.compactMap { $0.name.flatMap(difference.after.column) }
        let ofColumns = columns.filter { $0.defaultValue != nil }.flatMap { $0.definition.constraints.map(\.sql) }
        let added = Set(changes.filter { $0.kind == .addCheck }.compactMap(\.after) + ofColumns)
        let asked = difference.after.checks.filter { added.contains($0.definition.sql) || isCopied && future.isChanged }
        // A model keeps its convert_sql: it is heard where the type changes, once.
        let isRetyped = notes.isOfModels && changes.contains { $0.kind == .changeType }
        let remedy = isRetyped ? "mend the rows, or give the column convert_sql" : "mend the rows"
        return asked.map { check in
            RowQuestion(condition: "NOT (\(check.check.text))", matters: added.contains(check.definition.sql)) {
                count in
                .problem(
                    MigrationProblem(
                        message: "\(counted(count, "row")) of \"\(future.name)\" "
                            + "\(count == 1 ? "does" : "do") not meet \(oneLine(check.definition.sql))",
                        annotation: remedy))
            }
        }
    }

    /// What is to be unique from now on, and what is so and gets other values or another collation.
    private func uniques(
        _ changes: [SchemaChange], _ difference: TableDifference, _ future: FutureRows, _ judgement: inout Judgement
    ) throws {
        func isTouched(_ terms: [IndexTerm]) -> Bool {
            terms.contains { $0.column.map(future.isChanged) ?? future.isChanged }
        }
        let added = Set(changes.filter { $0.kind == .addUnique }.compactMap(\.after))
        for unique in difference.after.uniques {
            guard case .unique(let terms, _) = unique.kind, added.contains(unique.described) || isTouched(terms) else {
                continue
            }
            try checkUnique(terms, where: nil, of: future, &judgement)
        }
        let key = difference.after.primaryKey
        if !key.isEmpty, key.allSatisfy({ $0.column.map { difference.before.column($0) != nil } ?? false }),
            changes.contains(where: { $0.kind == .changePrimaryKey }) || isTouched(key)
        {
            try checkUnique(key, where: nil, of: future, &judgement)
        }
        for index in target.indexes where index.isUnique && sameIdentifier(index.table, future.name) {
            // One that is new or changed has a step of its own.
            guard base.index(index.name).map(index.isEqual) ?? false, isTouched(index.terms) else { continue }
            try checkUnique(index.terms, where: index.condition, of: future, &judgement)
        }
    }

    /// Rows that a UNIQUE over the terms would refuse.
    func checkUnique(
        _ terms: [IndexTerm], where condition: SQLFragment?, of table: FutureRows, _ judgement: inout Judgement
    ) throws {
        let list = terms.map { term in
            term.expression.text + (term.collation.map { " COLLATE \(quoteIdentifier($0))" } ?? "")
        }
        let present = list.map { "(\($0)) IS NOT NULL" } + (condition.map { ["(\($0.text))"] } ?? [])
        let grouped = """
            SELECT count(*) AS n FROM \(table.source(for: list + present)) WHERE \(present.joined(separator: " AND ")) \
            GROUP BY \(list.joined(separator: ", ")) HAVING count(*) > 1
            """
        guard let rows = try count("SELECT CAST(coalesce(sum(n), 0) AS bigint) FROM (\(grouped)) AS alike", &judgement),
            rows > 0
        else { return }
        judgement.problems.append(
            MigrationProblem(
                message: "\(counted(rows, "row")) of \"\(table.name)\" are alike in \(list.joined(separator: ", ")), "
                    + "which is to be unique", annotation: "mend the rows"))
    }

    /// Rows whose parents are missing: of foreign keys that are new, and of those whose values or whose parents' values
    /// become others.
    private func references(
        _ changes: [SchemaChange], of table: TableDefinition, _ difference: TableDifference, _ future: FutureRows,
        _ isCopied: Bool, _ judgement: inout Judgement
    ) throws {
        let added = Set(difference.changes.filter { $0.kind == .addForeignKey }.compactMap(\.after))
        for (key, definition) in difference.after.foreignKeys {
            let isNew = added.contains(definition.sql)
            // On a server each change is a step: the one that adds a key tells of its rows.
            if server != nil, isNew, !changes.contains(where: { $0.after == definition.sql }) { continue }
            let parent = sameIdentifier(key.table, table.name) ? future : self.future(key.table)
            // A parent whose keys become others asks for its children.
            let isParentChanged = isChanged(key.table) && parent.map { isKeyChanged(key, in: $0) } ?? false
            let isAsked = isNew || key.columns.contains(where: future.isChanged)
            guard isParentChanged ? sameIdentifier(key.table, table.name) : isAsked else { continue }
            try orphans(key, future, parent, &judgement)
        }
        guard isCopied else { return }
        for (child, key) in children[nameKey(table.name)] ?? [] where !sameIdentifier(child, table.name) {
            guard isKeyChanged(key, in: future), let rows = self.future(child) else { continue }
            try orphans(key, rows, future, &judgement)
        }
    }

    private func isKeyChanged(_ key: ForeignKeyDefinition, in parent: FutureRows) -> Bool {
        resolved(key, in: target).tableColumns.contains(where: parent.isChanged)
    }

    private func orphans(
        _ key: ForeignKeyDefinition, _ child: FutureRows, _ parent: FutureRows?, _ judgement: inout Judgement
    ) throws {
        let present = key.columns.map { "child.\(quoteIdentifier($0)) IS NOT NULL" }
        var sql =
            "SELECT count(*) FROM (SELECT * FROM \(child.source(for: key.columns.map(quoteIdentifier)))) AS child "
            + "WHERE \(present.joined(separator: " AND "))"
        // A parent that the same plan makes has no rows, but for its first ones.
        if notes.seeds[nameKey(key.table)] != nil { return }
        if let parent {
            let parentColumns = resolved(key, in: target).tableColumns
            guard parentColumns.count == key.columns.count else { return }
            let matches = zip(key.columns, parentColumns).map { column, target in
                "child.\(quoteIdentifier(column)) = parent.\(quoteIdentifier(target))"
            }
            sql += """
                 AND NOT EXISTS (SELECT 1 FROM (SELECT * FROM \(parent.source(for: parentColumns.map(quoteIdentifier)))) \
                AS parent \
                WHERE \(matches.joined(separator: " AND ")))
                """
        } else if target.table(key.table) == nil {
            // It cannot work at all, which is said elsewhere.
            return
        }
        guard let rows = try count(sql, &judgement), rows > 0 else { return }
        judgement.problems.append(
            MigrationProblem(
                message: "\(counted(rows, "row")) of \"\(child.name)\" \(rows == 1 ? "refers" : "refer") to no row of "
                    + "\"\(key.table)\"", annotation: "mend the rows, or leave the reference out"))
    }

    /// nil without a file.
    func rowCount(of table: String) throws -> Int64? {
        guard let file else { return nil }
        return try number("SELECT count(*) FROM \(quoteIdentifier(origins.table(table)))", file)
    }

    /// How many rows are in a step's way; nil without a file, or where the rows cannot be asked, which then shows when they
    /// are copied. A query that gives none is asked again when the plan is carried out.
    private func count(_ sql: String, _ judgement: inout Judgement) throws -> Int64? {
        let found = try file.flatMap { try numberIfKnown(sql, $0) }
        if found == 0 || file == nil { guards.append(sql) }
        if found == nil { judgement.isOpen = true }
        return found
    }
}

/// Whether SQL names a column, quoted or not.
private func mentions(_ sql: String, _ name: String) -> Bool {
    var source = SQLTokenizer(sql)
    while let token = try? source.next() {
        let text = String(decoding: source.bytes[token.range], as: UTF8.self)
        if sameIdentifier(text, name) || sameIdentifier(text, quoteIdentifier(name)) { return true }
    }
    return false
}

/// The number that a query of ours gives; nil: NULL, or no row.
func number(_ sql: String, _ connection: Connection) throws -> Int64? {
    let statement = try Statement(connection, sql)
    defer { statement.finalize() }
    return try statement.step() ? Row(statement).cell(0).int64 : nil
}

/// The same of one that holds what models or a migration's SQL say, or names what may not be there; nil where it cannot be asked.
func numberIfKnown(_ sql: String, _ connection: Connection) throws -> Int64? {
    if connection.dialect == .postgres {
        return try onServer(sql, connection) { $0.cell(0).int64 }
    }
    guard let statement = try statement(sql, connection) else { return nil }
    return try statement.step() ? Row(statement).cell(0).int64 : nil
}

/// What becomes of a query's first row; nil where the server does not take it, which ends no transaction.
func onServer<Result>(_ sql: String, _ connection: Connection, _ body: (Row) -> Result) throws -> Result? {
    let isNested = connection.transactionDepth > 0
    if isNested { try connection.begin(.immediate) }
    do {
        let statement = try Statement(connection, sql)
        defer { statement.finalize() }
        let result = try statement.step() ? body(Row(statement)) : nil
        statement.reset()
        if isNested { try connection.commit() }
        return result
    } catch let error as CormorantError
        where ![.busy, .interrupted, .connection, .conflict, .readOnly].contains(error.code)
    {
        if isNested { try connection.rollback() }
        return nil
    }
}

/// nil for one that SQLite cannot compile.
func statement(_ sql: String, _ connection: Connection) throws -> Statement? {
    do {
        return try Statement(connection, sql)
    } catch let error as CormorantError where error.code == .sql || error.code == .sqlite {
        return nil
    }
}
