import CormorantBase
import CormorantQuery

extension Planner {
    /// The cheapest way from one definition of a table to another: ALTER TABLE where SQLite can, else one rebuild for all
    /// changes.
    func change(_ present: TableDefinition, to wanted: TableDefinition, target: Schema) throws {
        let difference = TableDifference(from: present, to: wanted, in: current, and: target)
        guard !difference.changes.isEmpty else { return }
        if server != nil { return try changeOnServer(present, to: wanted) }
        if try !alter(present, difference) { try rebuild(present, to: wanted, difference) }
    }

    /// Steps that add and drop columns one by one; false and no step when that is not enough.
    private func alter(_ present: TableDefinition, _ difference: TableDifference) throws -> Bool {
        var alterations: [(change: SchemaChange, sql: String)] = []
        let table = quoteIdentifier(present.name)
        for change in difference.changes {
            guard let name = change.name else { return false }
            switch change.kind {
            case .addColumn:
                guard let column = difference.after.column(name), canAdd(column, to: difference.after) else {
                    return false
                }
                alterations.append((change, "ALTER TABLE \(table) ADD COLUMN \(column.definition.sql)"))
            case .dropColumn:
                alterations.insert((change, "ALTER TABLE \(table) DROP COLUMN \(quoteIdentifier(name))"), at: 0)
            default: return false
            }
        }
        let drops = alterations.filter { $0.change.kind == .dropColumn }.map { $0.sql + ";" }
        // Each writes all rows again, as a rebuild does once.
        guard drops.isEmpty || drops.count <= 2 && (replica?.accepts(drops.joined()) ?? true) else { return false }
        let future = future(present, difference)
        for (change, sql) in alterations {
            let isDrop = change.kind == .dropColumn
            var judgement = try judge([change], of: present, difference, future, isCopied: false)
            if !isDrop, judgement.rows != nil { judgement.rows = 0 }
            try add(change.description, [change], [sql], risk: risk([change], judgement), judgement)
        }
        return true
    }

    /// https://www.sqlite.org/lang_altertable.html#alter_table_add_column
    private func canAdd(_ column: TableShape.Column, to table: TableShape) -> Bool {
        if table.isKey(column) || column.isStored || notes.conversion(of: column.name, in: table.name) != nil {
            return false
        }
        for constraint in column.definition.constraints {
            if case .unique = constraint.kind { return false }
        }
        let hasValue = column.defaultValue.map { $0.canonical != "null" } ?? false
        if column.notNull != nil, !hasValue, column.computed == nil { return false }
        if hasValue, table.foreignKeys.contains(where: { $0.key.columns.contains { sameIdentifier($0, column.name) } })
        {
            return false
        }
        return column.defaultValue.map { isLiteral($0.canonical) } ?? true
    }

    /// A number with or without sign, a text, a blob, NULL, TRUE or FALSE: the same in every row.
    private func isLiteral(_ sql: String) -> Bool {
        if ["null", "true", "false"].contains(sql) { return true }
        var source = SQLTokenizer(sql)
        guard let tokens = try? source.all(), let value = tokens.last, [.number, .text, .blob].contains(value.kind)
        else {
            return false
        }
        return tokens.dropLast().allSatisfy {
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(source.bytes[$0.range.lowerBound])
        }
    }
}
