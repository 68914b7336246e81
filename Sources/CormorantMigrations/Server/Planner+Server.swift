import CormorantBase
import CormorantQuery
import CormorantSQLite

// What a server is told: ALTER TABLE for each change.
extension Planner {
    /// One step for each change.
    func changeOnServer(_ present: TableDefinition, to wanted: TableDefinition) throws {
        let difference = TableDifference(from: present, to: wanted, in: current, and: target)
        let retyped = difference.changes.filter { $0.kind == .changeType }.compactMap(\.name)
        func order(_ change: SchemaChange) -> Int {
            // An identity is never NULL.
            let isFreed =
                change.kind == .changeDefault && change.name.flatMap(difference.before.column)?.isIdentity ?? false
            return isFreed ? 2 : change.kind.order
        }
        for change in difference.changes.sorted(by: { order($0) < order($1) }) {
            // What a type's change takes along.
            if [.changeDefault, .changeCollation].contains(change.kind), let name = change.name, retyped.has(name) {
                continue
            }
            if change.kind == .addForeignKey {
                lateReferences.append((change, present, difference))
                continue
            }
            try make(change, of: present, difference)
        }
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

    func make(_ change: SchemaChange, of table: TableDefinition, _ difference: TableDifference) throws {
        let future = future(table, difference)
        var judgement = try judge([change], of: table, difference, future, isCopied: false)
        judgement.rows = file == nil ? nil : 0
        var sql = try statements(change, table, difference, &judgement)
        if change.kind == .dropColumn, let name = change.name { try companions(of: name, table, &judgement) }
        if [.dropColumn, .changeType, .changeComputed, .changeCollation].contains(change.kind), let name = change.name {
            try refuseViews(on: table, name, &judgement)
        }
        let isDecided = risk([change], judgement, isAnnotated: conversion(change, table) != nil)
        let apart = try online(change, &sql, table, difference)
        guard !sql.isEmpty || apart.isEmpty else {
            for (place, sql) in apart.enumerated() {
                guard place > 0 else {
                    try add(change.description, [change], sql, risk: isDecided, judgement, isApart: true)
                    continue
                }
                try add("\(change.description), part \(place + 1) of \(apart.count)", [], sql, isApart: true)
            }
            return
        }
        try add(change.description, [change], sql, risk: isDecided, judgement)
        for (place, sql) in apart.enumerated() {
            try add("validate \(change.description)\(place > 0 ? ", and make it so" : "")", [], sql, isApart: true)
        }
    }

    private func conversion(_ change: SchemaChange, _ table: TableDefinition) -> String? {
        change.name.flatMap { notes.conversion(of: $0, in: table.name) }
    }

    func constraint(_ sql: String?, in table: TableShape) -> String? {
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
            return try retype(old, new, change, table, "\(alter) ", column, &judgement)
        case .changeNotNull:
            guard let new, new.notNull != nil else { return ["\(alter) \(column) DROP NOT NULL"] }
            let fill = try fillNulls(new, table, difference, &judgement)
            return fill + ["\(alter) \(column) SET NOT NULL"]
        case .changeDefault:
            if let old, let new, old.isMade || new.isMade { return remake(old, new, table) }
            return ["\(alter) \(column) " + (new?.defaultValue.map { "SET DEFAULT \($0.text)" } ?? "DROP DEFAULT")]
        case .changeComputed: return try recompute(old, new, change, table, alter, column, &judgement)
        case .changePrimaryKey: return try rekey(table, difference, alter, &judgement)
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

    private func rekey(
        _ table: TableDefinition, _ difference: TableDifference, _ alter: String, _ judgement: inout Judgement
    ) throws -> [String] {
        let after = difference.after
        func name(_ table: TableDefinition?) -> String? {
            table?.constraints.first { if case .primaryKey = $0.kind { true } else { false } }?.name
        }
        var sql: [String] = []
        if let name = name(table) { sql.append("\(alter) DROP CONSTRAINT \(quoteIdentifier(name))") }
        if !after.primaryKey.isEmpty {
            try rewrites(table, &judgement)
            sql.append("\(alter) ADD \(after.primaryKeySQL)")
        }
        return sql
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
