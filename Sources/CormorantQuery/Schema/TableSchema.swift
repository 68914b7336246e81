/// A table as DDL describes it; plain values that know no connection.
package struct TableSchema: Sendable {
    package var name: String
    package var columns: [ColumnSchema]
    /// Names of the key's columns.
    package var primaryKey: [String]
    package var foreignKeys: [ForeignKeySchema]
    package var checks: [CheckSchema]
    package var indexes: [IndexSchema]
    package var withoutRowID: Bool
    package var strict: Bool
    /// Of a virtual table.
    package var module: ModuleSchema?
    /// The column by which a server of many machines spreads the rows.
    package var distributedBy: String?

    package init(
        name: String, columns: [ColumnSchema], primaryKey: [String], foreignKeys: [ForeignKeySchema] = [],
        checks: [CheckSchema] = [], indexes: [IndexSchema] = [], withoutRowID: Bool = false, strict: Bool = false,
        module: ModuleSchema? = nil, distributedBy: String? = nil
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.foreignKeys = foreignKeys
        self.checks = checks
        self.indexes = indexes
        self.withoutRowID = withoutRowID
        self.strict = strict
        self.module = module
        self.distributedBy = distributedBy
    }
}

/// What makes a table virtual: https://www.sqlite.org/vtab.html
public struct ModuleSchema: Sendable {
    /// Such as `fts5`.
    public var name: String
    /// What follows the columns, as SQL: `tokenize = 'porter'`.
    public var arguments: [String]

    /// A module by its name, and its arguments behind the columns.
    public init(_ name: String, _ arguments: [String] = []) {
        self.name = name
        self.arguments = arguments
    }
}

package struct ColumnSchema: Sendable {
    package var name: String
    package var type: ColumnType
    package var notNull: Bool
    package var autoIncrement: Bool
    package var defaultSQL: String?
    package var computedSQL: String?
    package var collation: String?
    /// Of a decimal.
    package var scale: Int?
    /// Of an integer: how wide it is, where it is narrower than its type, and whether it has no sign.
    package var bits: Int
    package var isUnsigned: Bool

    package init(
        name: String, type: ColumnType, notNull: Bool = false, autoIncrement: Bool = false, defaultSQL: String? = nil,
        computedSQL: String? = nil, collation: String? = nil, scale: Int? = nil, bits: Int = 0, isUnsigned: Bool = false
    ) {
        self.bits = bits
        self.isUnsigned = isUnsigned
        self.name = name
        self.scale = scale
        self.type = type
        self.notNull = notNull
        self.autoIncrement = autoIncrement
        self.defaultSQL = defaultSQL
        self.computedSQL = computedSQL
        self.collation = collation
    }
}

package struct CheckSchema: Sendable {
    package var name: String
    package var condition: String
    /// The column it was declared with, for error messages.
    package var column: String?

    package init(name: String, condition: String, column: String? = nil) {
        self.name = name
        self.condition = condition
        self.column = column
    }
}

/// What a foreign key does when the referenced row goes or its key changes.
public enum ForeignKeyAction: Int32, Sendable {
    /// NO ACTION: the statement fails at its end, or the transaction where the key is deferred.
    case none = 0
    /// RESTRICT: it fails at once.
    case restrict = 1
    /// SET NULL: the columns here become NULL.
    case setNull = 2
    /// SET DEFAULT: the columns here get their defaults.
    case setDefault = 3
    /// CASCADE: the row here is deleted, or changed, too.
    case cascade = 4
}

package struct ForeignKeySchema: Sendable {
    package var columns: [String]
    package var table: String
    /// Empty: the table's primary key.
    package var tableColumns: [String]
    package var onDelete: ForeignKeyAction
    package var onUpdate: ForeignKeyAction
    /// Whether it is checked at the end of the transaction only.
    package var isDeferred = false

    package init(
        columns: [String], table: String, tableColumns: [String], onDelete: ForeignKeyAction, onUpdate: ForeignKeyAction
    ) {
        self.columns = columns
        self.table = table
        self.tableColumns = tableColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
    }
}

package struct IndexSchema: Sendable {
    package var name: String
    package var columns: [OrderedColumn]
    package var isUnique: Bool
    /// Condition of a partial index.
    package var whereSQL: String?

    package init(name: String, columns: [OrderedColumn], isUnique: Bool, whereSQL: String? = nil) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.whereSQL = whereSQL
    }
}

package struct OrderedColumn: Sendable, Hashable {
    package var name: String
    package var descending: Bool
    /// The collation that compares it, where that is not the column's own business.
    package var collation: String?

    package init(_ name: String, descending: Bool = false, comparedBy collation: String? = nil) {
        self.name = name
        self.descending = descending
        self.collation = collation
    }
}

/// What an insert does when a constraint refuses it (https://www.sqlite.org/lang_conflict.html).
public enum ConflictPolicy: Int32, Sendable, CaseIterable {
    /// Error; the statement is undone.
    case abort = 0
    /// The row is skipped.
    case ignore = 1
    /// Rows in the way are deleted.
    case replace = 2
    /// Error; what the statement did before stays.
    case fail = 3
    /// Error; the whole transaction is rolled back.
    case rollback = 4
}
