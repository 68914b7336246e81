import CormorantBase
import CormorantQuery
import CormorantSQLite

// What a server is told: ALTER TABLE for each change. Where a table has many rows, what would keep others from it for long is done
// apart from the rest: constraints are added for what is written from now on and validated then, indexes are made concurrently.
extension Planner {
    /// A table of more rows is changed as one that others use meanwhile.
    static let manyRows: Int64 = 10_000

    private func isLarge(_ table: String) throws -> Bool {
        guard server != nil, !isNew(table), let file else { return false }
        if let known = large[foldIdentifier(table)] { return known }
        let some = "SELECT 1 FROM \(quoteIdentifier(origins.table(table))) LIMIT \(Self.manyRows + 1)"
        let found = try rows("SELECT count(*) FROM (\(some)) AS few", file) ?? 0 > Self.manyRows
        large[foldIdentifier(table)] = found
        return found
    }

    /// One step for each change.
    func changeOnServer(_ present: TableDefinition, to wanted: TableDefinition) throws {
        let difference = TableDifference(from: present, to: wanted, in: current, and: target)
        let retyped = Set(difference.changes.filter { $0.kind == .changeType }.compactMap(\.name))
        for change in difference.changes.sorted(by: { $0.kind.order < $1.kind.order }) {
            // What a type's change takes along.
            if [.changeDefault, .changeCollation].contains(change.kind), let name = change.name, retyped.contains(name)
            {
                continue
            }
            if change.kind == .addForeignKey {
                lateReferences.append((change, present, difference))
                continue
            }
            try make(change, of: present, difference)
        }
    }

    /// Foreign keys, when all tables are there, and all that they refer to is unique.
    func addReferences() throws {
        for (change, table, difference) in lateReferences { try make(change, of: table, difference) }
        for name in created {
            guard let table = target.table(name) else { continue }
            let early = Set(earlyReferences(of: name))
            let sql = references(of: table).map(\.sql).filter { !early.contains($0) }
            guard !sql.isEmpty else { continue }
            try add("foreign keys of \"\(name)\"", [], sql)
        }
    }

    private func references(of table: TableDefinition) -> [(key: ForeignKeyDefinition, sql: String)] {
        TableShape(table).foreignKeys.map {
            ($0.key, "ALTER TABLE \(quoteIdentifier(table.name)) ADD \($0.definition.sql)")
        }
    }

    /// Foreign keys of a table that is made that lead to primary keys that are there by then.
    func earlyReferences(of name: String) -> [String] {
        guard let table = target.table(name) else { return [] }
        let before = created.prefix { !sameIdentifier($0, name) }
        return references(of: table).filter { key, _ in
            guard let parent = target.table(key.table) else { return false }
            let isThere =
                sameIdentifier(key.table, name) || before.contains { sameIdentifier($0, key.table) }
                || base.table(key.table) != nil && !isChanged(key.table)
            let primary = TableShape(parent).primaryKey.compactMap(\.column).map(foldIdentifier)
            return isThere && (key.tableColumns.isEmpty || key.tableColumns.map(foldIdentifier) == primary)
        }.map(\.sql)
    }

    /// First rows are rows.
    func refuseSchemaChanges(_ sql: String, _ table: String) throws {
        for statement in serverStatements(sql) {
            guard let word = serverWords(statement.sql, 1).first,
                ["create", "alter", "drop", "truncate"].contains(word)
            else { continue }
            throw CormorantError(
                .migration, "the SQL for the first rows of \"\(table)\" changes the schema: \(oneLine(statement.sql))",
                hint: "let it only write rows, and describe tables by models", table: table)
        }
    }

    /// Views that name a column, or any of a table, which the server would refuse to change.
    private func refuseViews(on table: TableDefinition, _ column: String, _ judgement: inout Judgement) throws {
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

    private func make(_ change: SchemaChange, of table: TableDefinition, _ difference: TableDifference) throws {
        let future = future(table, difference)
        var judgement = try judge([change], of: table, difference, future, isCopied: false)
        judgement.rows = file == nil ? nil : 0
        var sql = try statements(change, table, difference, &judgement)
        if change.kind == .dropColumn, let name = change.name { try companions(of: name, table, &judgement) }
        if [.dropColumn, .changeType, .changeComputed, .changeCollation].contains(change.kind), let name = change.name {
            try refuseViews(on: table, name, &judgement)
        }
        let isDecided = risk([change], judgement, isAnnotated: conversion(change, table) != nil)
        var after: [String] = []
        if try isLarge(table.name), let split = sql.first, let (now, later) = online(change, split, table, difference) {
            (sql, after) = (sql.dropLast() + [now], later)
        }
        try add(change.description, [change], sql, risk: isDecided, judgement)
        for (place, sql) in after.enumerated() {
            try add("validate \(change.description)\(place > 0 ? ", and make it so" : "")", [], [sql], isApart: true)
        }
    }

    private func conversion(_ change: SchemaChange, _ table: TableDefinition) -> String? {
        change.name.flatMap { notes.conversion(of: $0, in: table.name) }
    }

    /// - Returns: what stands in the place of the last statement, and what follows apart; nil: it takes no time.
    private func online(
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

    private func constraint(_ sql: String?, in table: TableShape) -> String? {
        (table.checks.map(\.definition) + table.foreignKeys.map(\.definition) + table.uniques).first {
            $0.sql == sql || $0.described == sql
        }?.name
    }

    private func statements(
        _ change: SchemaChange, _ table: TableDefinition, _ difference: TableDifference, _ judgement: inout Judgement
    ) throws -> [String] {
        let alter = "ALTER TABLE \(quoteIdentifier(table.name))"
        let column = change.name.map { "ALTER COLUMN \(quoteIdentifier($0))" } ?? ""
        let (old, new) = (change.name.flatMap(difference.before.column), change.name.flatMap(difference.after.column))
        switch change.kind {
        case .addColumn: return try addColumn(new, table, alter, &judgement)
        case .dropColumn: return ["\(alter) DROP COLUMN \(quoteIdentifier(change.name ?? ""))"]
        case .changeType, .changeCollation:
            guard let old, let new else { return [] }
            return [try retype(old, new, change, table, "\(alter) ", column, &judgement)]
        case .changeNotNull:
            guard let new, new.notNull != nil else { return ["\(alter) \(column) DROP NOT NULL"] }
            let fill = try fillNulls(new, table, &judgement)
            return fill + ["\(alter) \(column) SET NOT NULL"]
        case .changeDefault:
            return ["\(alter) \(column) " + (new?.defaultValue.map { "SET DEFAULT \($0.text)" } ?? "DROP DEFAULT")]
        case .changeComputed: return try recompute(old, new, change, table, alter, column, &judgement)
        case .changePrimaryKey: return try rekey(table, difference, alter)
        case .addUnique, .addCheck, .addForeignKey:
            let all =
                difference.after.uniques + difference.after.checks.map(\.definition)
                + difference.after.foreignKeys.map(\.definition)
            guard let added = all.first(where: { $0.sql == change.after || $0.described == change.after }) else {
                return []
            }
            return ["\(alter) ADD \(added.sql)"]
        case .dropUnique, .dropCheck, .dropForeignKey:
            guard let name = constraint(change.before, in: difference.before) else { return [] }
            return ["\(alter) DROP CONSTRAINT \(quoteIdentifier(name))"]
        default: return []
        }
    }

    private func addColumn(
        _ column: TableShape.Column?, _ table: TableDefinition, _ alter: String, _ judgement: inout Judgement
    ) throws -> [String] {
        guard let column else { return [] }
        if column.computed != nil { try rewrites(table, &judgement) }
        guard let conversion = notes.conversion(of: column.name, in: table.name) else {
            return ["\(alter) ADD COLUMN \(column.definition.sql)"]
        }
        let value = SQLCompiler.onServer(conversion, as: column.definition.type, of: table.columnTypes)
        let name = quoteIdentifier(column.name)
        var line = "\(name) \(column.definition.type)"
        for constraint in column.definition.constraints {
            if case .notNull = constraint.kind { continue }
            line += " " + constraint.sql
        }
        try rewrites(table, &judgement)
        var sql = ["\(alter) ADD COLUMN \(line)", "UPDATE \(quoteIdentifier(table.name)) SET \(name) = \(value)"]
        if column.notNull != nil { sql.append("\(alter) ALTER COLUMN \(name) SET NOT NULL") }
        return sql
    }

    /// A type by which the values are others, or none, asks for how they are converted.
    private func retype(
        _ old: TableShape.Column, _ new: TableShape.Column, _ change: SchemaChange, _ table: TableDefinition,
        _ alter: String, _ column: String, _ judgement: inout Judgement
    ) throws -> String {
        let (from, to) = (old.definition.type, new.definition.type)
        let name = quoteIdentifier(old.name)
        let given = notes.conversion(of: new.name, in: table.name)
        let value =
            given.map { SQLCompiler.onServer($0, as: to, of: table.columnTypes) } ?? converted(name, from: from, to: to)
        if given == nil, change.kind == .changeType, let file {
            let source = origins.source(table)
            let back = converted("(\(value))", from: to, to: from)
            let count = try rows(
                "SELECT count(*) FROM \(source) WHERE CAST(\(back) AS text) IS DISTINCT FROM CAST(\(name) AS text)",
                file)
            let where_ = "\"\(table.name).\(new.name)\""
            if count == nil {
                let all = try rows("SELECT count(*) FROM \(source) WHERE \(name) IS NOT NULL", file) ?? 0
                if all > 0 {
                    judgement.problems.append(
                        MigrationProblem(
                            message: "of \(counted(all, "value")) of \(where_) some are no \(to)",
                            annotation: notes.remedy))
                }
            } else if let count, count > 0 {
                judgement.problems.append(
                    MigrationProblem(
                        message: "\(counted(count, "value")) of \(where_) would change", annotation: notes.remedy))
            }
        }
        let isSame = (from.hasPrefix("character varying") || from == "text") && to == "text"
        if !isSame { try rewrites(table, &judgement) }
        let collation = new.collation.map { " COLLATE \(quoteIdentifier($0))" } ?? ""
        var parts = old.defaultValue != nil && from != to ? ["\(column) DROP DEFAULT"] : []
        parts.append("\(column) TYPE \(to)\(collation) USING \(value)")
        if from != to || old.defaultValue != new.defaultValue, let value = new.defaultValue {
            parts.append("\(column) SET DEFAULT \(value.text)")
        }
        return alter + parts.joined(separator: ", ")
    }

    func converted(_ value: String, from: String, to: String) -> String {
        let integers: Set = ["smallint", "integer", "bigint"]
        switch (from, to) {
        case _ where from == to: return value
        case ("boolean", _) where integers.contains(to) || to.hasPrefix("numeric") || to == "double precision":
            return "CAST(CAST(\(value) AS integer) AS \(to))"
        case (_, "boolean") where integers.contains(from): return "CAST(CAST(\(value) AS integer) AS boolean)"
        case ("bytea", "text"): return "convert_from(\(value), 'UTF8')"
        case ("text", "bytea"): return "convert_to(\(value), 'UTF8')"
        default: return "CAST(\(value) AS \(to))"
        }
    }

    /// What takes the place of NULLs, before there may be none.
    private func fillNulls(
        _ column: TableShape.Column, _ table: TableDefinition, _ judgement: inout Judgement
    ) throws -> [String] {
        let name = quoteIdentifier(column.name)
        let question = "SELECT count(*) FROM \(origins.source(table)) WHERE \(name) IS NULL"
        guard let file else {
            judgement.isOpen = true
            guards.append(question)
            return []
        }
        guard let count = try rows(question, file), count > 0 else {
            guards.append(question)
            return []
        }
        let place = "\"\(table.name).\(column.name)\""
        let value: String
        if let conversion = notes.conversion(of: column.name, in: table.name) {
            value = SQLCompiler.onServer(conversion, as: column.definition.type, of: table.columnTypes)
        } else if let given = column.defaultValue {
            value = given.text
        } else {
            judgement.problems.append(
                MigrationProblem(
                    message: "\(counted(count, "row")) \(count == 1 ? "holds" : "hold") NULL in \(place)",
                    annotation: "give it a default\(notes.isOfModels ? " or convert_sql" : ""), or let it be NULL"))
            return []
        }
        judgement.notes.append("\(counted(count, "NULL")) of \(place) become \(oneLine(value))")
        return ["UPDATE \(quoteIdentifier(table.name)) SET \(name) = \(value) WHERE \(name) IS NULL"]
    }

    private func recompute(
        _ old: TableShape.Column?, _ new: TableShape.Column?, _ change: SchemaChange, _ table: TableDefinition,
        _ alter: String, _ column: String, _ judgement: inout Judgement
    ) throws -> [String] {
        guard let old, let new else { return [] }
        guard new.computed != nil else { return ["\(alter) \(column) DROP EXPRESSION"] }
        try rewrites(table, &judgement)
        if old.computed == nil {
            let name = quoteIdentifier(old.name)
            let count = try file.flatMap {
                try rows("SELECT count(\(name)) FROM \(origins.source(table))", $0)
            }
            let values = (count.map { counted($0, "value") } ?? "the values") + " of \"\(table.name).\(old.name)\""
            if notes.allows(dropOf: table.name, column: old.name) {
                if count != 0 { judgement.losses.append("\(values), which is computed from now on") }
            } else if count != 0 {
                judgement.problems.append(
                    MigrationProblem(
                        message: "\(values) would be replaced by \(oneLine(new.computed?.text ?? ""))",
                        annotation: notes.leave(toDrop: old.name, of: table.name),
                        drop: "\(table.name).\(old.name)"))
            }
        }
        try companions(of: old.name, table, &judgement)
        return [
            "\(alter) DROP COLUMN \(quoteIdentifier(old.name))", "\(alter) ADD COLUMN \(new.definition.sql)",
        ]
    }

    private func rekey(_ table: TableDefinition, _ difference: TableDifference, _ alter: String) throws -> [String] {
        let (before, after) = (difference.before, difference.after)
        if before.primaryKey == after.primaryKey, let name = after.primaryKey.first?.column {
            let column = "\(alter) ALTER COLUMN \(quoteIdentifier(name))"
            guard after.autoIncrement else { return ["\(column) DROP IDENTITY IF EXISTS"] }
            let (text, key) = (textLiteral(quoteIdentifier(table.name)), quoteIdentifier(name))
            return [
                "\(column) ADD GENERATED BY DEFAULT AS IDENTITY",
                "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(\(text), \(textLiteral(name))), "
                    + "greatest(max(\(key)), 1), max(\(key)) IS NOT NULL) FROM \(quoteIdentifier(table.name))",
            ]
        }
        func name(_ table: TableDefinition?) -> String? {
            table?.constraints.first { if case .primaryKey = $0.kind { true } else { false } }?.name
        }
        var sql: [String] = []
        if let name = name(table) { sql.append("\(alter) DROP CONSTRAINT \(quoteIdentifier(name))") }
        if !after.primaryKey.isEmpty {
            sql.append("\(alter) ADD PRIMARY KEY (\(after.primaryKey.map(\.expression.text).joined(separator: ", ")))")
        }
        return sql
    }

    /// A table of many rows is written anew only where that was said.
    private func rewrites(_ table: TableDefinition, _ judgement: inout Judgement) throws {
        guard try isLarge(table.name), let file else { return }
        let count = try rows("SELECT count(*) FROM \(origins.source(table))", file) ?? 0
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

    /// What the server drops along with a column.
    private func companions(of column: String, _ table: TableDefinition, _ judgement: inout Judgement) throws {
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
        for what in server?.companions[foldIdentifier(origins.table(table.name))] ?? []
        where what.hasPrefix("exclusion") || what.hasPrefix("statistics") {
            judgement.notes.append("\(what) goes where it names the column")
        }
    }

    private func names(_ sql: String, _ column: String) -> Bool {
        serverWords(sql, .max).contains { sameIdentifier($0, column) }
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

extension SchemaChange.Kind {
    /// What makes room stands first.
    fileprivate var order: Int {
        switch self {
        case .dropForeignKey, .dropCheck, .dropUnique: 0
        case .dropColumn: 1
        case .addColumn: 2
        case .addUnique: 5
        case .addCheck: 6
        case .addForeignKey: 7
        case .changePrimaryKey: 4
        default: 3
        }
    }
}

extension TableDefinition {
    /// Its columns as SQL of models knows them.
    var columnTypes: [(name: String, type: String)] { columns.map { ($0.name, $0.type) } }
}
