import CormorantBase
import CormorantQuery

/// In what two definitions of one table differ.
struct TableDifference {
    let before: TableShape
    let after: TableShape
    private let schemas: (before: Schema, after: Schema)
    private(set) var changes: [SchemaChange] = []

    init(from before: TableDefinition, to after: TableDefinition, in schema: Schema, and target: Schema) {
        self.before = TableShape(before)
        self.after = TableShape(after)
        schemas = (schema, target)
        compareColumns()
        compareKey()
        compareUniques()
        compareChecks()
        compareForeignKeys()
        compareOptions()
    }

    private mutating func change(
        _ kind: SchemaChange.Kind, _ name: String? = nil, before old: String?, after new: String?
    ) {
        changes.append(SchemaChange(kind, before.name, name, before: old, after: new))
    }

    private mutating func compareColumns() {
        for column in after.columns {
            guard let old = before.column(column.name) else {
                change(.addColumn, column.name, before: nil, after: column.definition.sql)
                continue
            }
            compare(old, column)
        }
        for column in before.columns where after.column(column.name) == nil {
            change(.dropColumn, column.name, before: column.definition.sql, after: nil)
        }
    }

    private mutating func compare(_ old: TableShape.Column, _ new: TableShape.Column) {
        if !sameIdentifier(old.definition.type, new.definition.type) {
            change(
                .changeType, new.name, before: old.definition.type.isEmpty ? "(none)" : old.definition.type,
                after: new.definition.type.isEmpty ? "(none)" : new.definition.type)
        }
        // A rowid is never NULL, whatever its column says.
        let isRowID = after.isRowID(new.name) && before.isRowID(old.name)
        if old.notNull?.kind != new.notNull?.kind, !isRowID {
            change(
                .changeNotNull, new.name, before: old.notNull == nil ? "NULL" : "NOT NULL",
                after: new.notNull == nil ? "NULL" : "NOT NULL")
        }
        if old.defaultValue != new.defaultValue {
            change(
                .changeDefault, new.name, before: old.defaultValue?.text ?? "(none)",
                after: new.defaultValue?.text ?? "(none)")
        }
        if old.collation.map(nameKey) ?? "binary" != new.collation.map(nameKey) ?? "binary" {
            change(.changeCollation, new.name, before: old.collation ?? "BINARY", after: new.collation ?? "BINARY")
        }
        if old.computed != new.computed || old.computed != nil && old.isStored != new.isStored {
            change(
                .changeComputed, new.name, before: old.computed?.text ?? "(none)", after: new.computed?.text ?? "(none)"
            )
        }
    }

    private mutating func compareKey() {
        if before.primaryKey != after.primaryKey || before.keyConflict != after.keyConflict
            || (before.rowIDColumn == nil) != (after.rowIDColumn == nil)
        {
            change(
                .changePrimaryKey, before: before.primaryKey.isEmpty ? "(none)" : list(before.primaryKey),
                after: after.primaryKey.isEmpty ? "(none)" : list(after.primaryKey))
        } else if before.autoIncrement != after.autoIncrement {
            change(
                .changePrimaryKey, before: before.autoIncrement ? "AUTOINCREMENT" : "no AUTOINCREMENT",
                after: after.autoIncrement ? "AUTOINCREMENT" : "no AUTOINCREMENT")
        }
    }

    private func list(_ terms: [IndexTerm]) -> String {
        terms.ofServer
            ?? "(\(terms.map { $0.expression.text + ($0.descending ? " DESC" : "") }.joined(separator: ", ")))"
    }

    /// A constraint written at a column that only one side has comes and goes with the column.
    private func goes(_ constraint: ConstraintDefinition, with side: TableShape, absentFrom other: TableShape) -> Bool {
        side.columns.contains { column in
            other.column(column.name) == nil
                && column.definition.constraints.contains { $0.sql == constraint.sql && $0.kind == constraint.kind }
        }
    }

    private mutating func compareUniques() {
        for unique in after.uniques where !before.uniques.contains(where: { $0.kind == unique.kind }) {
            if goes(unique, with: after, absentFrom: before) { continue }
            change(.addUnique, before: nil, after: unique.described)
        }
        for unique in before.uniques where !after.uniques.contains(where: { $0.kind == unique.kind }) {
            if goes(unique, with: before, absentFrom: after) { continue }
            change(.dropUnique, before: unique.described, after: nil)
        }
    }

    private mutating func compareChecks() {
        for (check, definition) in after.checks where !before.checks.contains(where: { $0.check == check }) {
            if goes(definition, with: after, absentFrom: before) { continue }
            change(.addCheck, before: nil, after: definition.sql)
        }
        for (check, definition) in before.checks where !after.checks.contains(where: { $0.check == check }) {
            if goes(definition, with: before, absentFrom: after) { continue }
            change(.dropCheck, before: definition.sql, after: nil)
        }
    }

    private mutating func compareForeignKeys() {
        let old = before.foreignKeys.map { resolved($0.key, in: schemas.before) }
        let new = after.foreignKeys.map { resolved($0.key, in: schemas.after) }
        for (key, (_, definition)) in zip(new, after.foreignKeys) where !old.contains(key) {
            if goes(definition, with: after, absentFrom: before) { continue }
            change(.addForeignKey, key.columns.joined(separator: ", "), before: nil, after: definition.sql)
        }
        for (key, (_, definition)) in zip(old, before.foreignKeys) where !new.contains(key) {
            if goes(definition, with: before, absentFrom: after) { continue }
            change(.dropForeignKey, key.columns.joined(separator: ", "), before: definition.sql, after: nil)
        }
    }

    private mutating func compareOptions() {
        guard before.withoutRowID != after.withoutRowID || before.strict != after.strict else { return }
        func options(_ shape: TableShape) -> String {
            let words = [shape.strict ? "STRICT" : nil, shape.withoutRowID ? "WITHOUT ROWID" : nil].compactMap { $0 }
            return words.isEmpty ? "(none)" : words.joined(separator: ", ")
        }
        change(.changeOptions, before: options(before), after: options(after))
    }
}

/// A foreign key that names no columns of its parent means the primary key there.
func resolved(_ key: ForeignKeyDefinition, in schema: Schema) -> ForeignKeyDefinition {
    key.tableColumns.isEmpty ? resolved(key, parent: schema.table(key.table)) : key
}

func resolved(_ key: ForeignKeyDefinition, parent: TableDefinition?) -> ForeignKeyDefinition {
    guard key.tableColumns.isEmpty, let parent else { return key }
    var key = key
    key.tableColumns = TableShape(parent).primaryKey.compactMap(\.column)
    return key
}

extension ConstraintDefinition {
    /// A UNIQUE by its columns, wherever it was written.
    var described: String {
        guard case .unique(let terms, _) = kind else { return sql }
        return terms.ofServer ?? "UNIQUE (\(terms.map { $0.expression.text }.joined(separator: ", ")))"
    }
}

extension [IndexTerm] {
    /// What a server's constraint over them says, if it says more than that.
    fileprivate var ofServer: String? {
        last.flatMap {
            ["UNIQUE ", "PRIMARY KEY "].contains(where: $0.expression.canonical.hasPrefix)
                ? $0.expression.canonical : nil
        }
    }
}
