import CormorantBase

/// What a table means, wherever its constraints were written: what two definitions are compared by.
package struct TableShape {
    package struct Column {
        package var definition: ColumnDefinition
        package var notNull: ConstraintDefinition?
        package var defaultValue: SQLFragment?
        package var collation: String?
        package var computed: SQLFragment?
        package var isStored = false

        package var name: String { definition.name }
        package var affinity: Affinity { Affinity(declaredType: definition.type) }
    }

    package var name: String
    package private(set) var columns: [Column] = []
    /// The place of each column, by its name in lower case.
    private var places: [ExactText: Int] = [:]
    package var primaryKey: [IndexTerm] = []
    package var primaryKeySQL = ""
    package var autoIncrement = false
    package var keyConflict: ConflictPolicy?
    package var uniques: [ConstraintDefinition] = []
    package var checks: [(check: SQLFragment, definition: ConstraintDefinition)] = []
    package var foreignKeys: [(key: ForeignKeyDefinition, definition: ConstraintDefinition)] = []
    package var withoutRowID: Bool
    package var strict: Bool

    package init(_ table: TableDefinition) {
        name = table.name
        withoutRowID = table.withoutRowID
        strict = table.strict
        for definition in table.columns {
            var column = Column(definition: definition)
            for constraint in definition.constraints { add(constraint, to: &column) }
            places[nameKey(column.name)] = columns.count
            columns.append(column)
        }
        for constraint in table.constraints { add(constraint) }
    }

    private mutating func add(_ constraint: ConstraintDefinition, to column: inout Column) {
        switch constraint.kind {
        case .notNull: column.notNull = constraint
        case .defaultValue(let value): column.defaultValue = value
        case .collate(let name): column.collation = name
        case .generated(let expression, let stored):
            column.computed = expression
            column.isStored = stored
        default: add(constraint)
        }
    }

    private mutating func add(_ constraint: ConstraintDefinition) {
        switch constraint.kind {
        case .primaryKey(let terms, let autoIncrement, let onConflict):
            primaryKey = terms
            primaryKeySQL = constraint.sql
            self.autoIncrement = autoIncrement
            keyConflict = onConflict
        case .unique: uniques.append(constraint)
        case .check(let condition): checks.append((condition, constraint))
        case .foreignKey(let key): foreignKeys.append((key, constraint))
        case .notNull, .null, .defaultValue, .collate, .generated: break
        }
    }

    package func column(_ name: String) -> Column? { places[nameKey(name)].map { columns[$0] } }

    package func isKey(_ column: Column) -> Bool {
        primaryKey.contains { $0.column.map { sameIdentifier($0, column.name) } ?? false }
    }

    package func isRowID(_ column: String) -> Bool {
        rowIDColumn.map { sameIdentifier($0.name, column) } ?? false
    }

    /// The one INTEGER PRIMARY KEY that is SQLite's rowid (https://www.sqlite.org/lang_createtable.html#rowid).
    package var rowIDColumn: Column? {
        guard !withoutRowID, primaryKey.count == 1, let name = primaryKey[0].column, let column = column(name),
            sameIdentifier(column.definition.type, "INTEGER")
        else { return nil }
        // `INTEGER PRIMARY KEY DESC` at the column is no rowid; behind the columns it is.
        let atColumn = column.definition.constraints.contains {
            if case .primaryKey = $0.kind { true } else { false }
        }
        return atColumn && primaryKey[0].descending ? nil : column
    }
}
