/// Everything that introspection knows about a file: its tables with their columns, keys, indexes, checks and triggers,
/// and the relations that follow from them. Plain values that templates and programs read; they know no connection.
public struct Metadata: Sendable {
    /// Tables, virtual tables and views, each kind in the order that the file has it.
    public var tables: [TableMetadata] = []
    /// What could not be understood, none of it left out.
    public var problems: [MetadataProblem] = []

    package init(tables: [TableMetadata], problems: [MetadataProblem]) {
        self.tables = tables
        self.problems = problems
    }
}

/// An object of the file that is known in part only.
public struct MetadataProblem: Sendable {
    /// `table`, `index`, `view` or `trigger`.
    public var type: String
    public var name: String
    /// The table it belongs to.
    public var table: String
    public var sql: String
    /// What is wrong, in one line.
    public var message: String

    package init(type: String, name: String, table: String, sql: String, message: String) {
        self.type = type
        self.name = name
        self.table = table
        self.sql = sql
        self.message = message
    }
}

/// A table, a virtual table or a view.
public struct TableMetadata: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case table
        case virtual
        case view
    }

    public var name: String
    public var kind: Kind
    /// The statement that made it, without comments.
    public var sql: String
    /// Of a virtual table.
    public var module: ModuleSchema?
    public var isStrict = false
    public var isWithoutRowID = false
    public var isAutoIncrement = false
    /// Empty where they cannot be had: `problems` says why.
    public var columns: [ColumnMetadata] = []
    /// Names of the primary key's columns, in the key's order; empty where there is none.
    public var primaryKey: [String] = []
    /// The column that is SQLite's row number (https://www.sqlite.org/lang_createtable.html#rowid).
    public var rowIDColumn: String?
    public var foreignKeys: [ForeignKeyMetadata] = []
    /// Those of CREATE INDEX, and before them those that a PRIMARY KEY or UNIQUE makes.
    public var indexes: [IndexMetadata] = []
    public var checks: [CheckMetadata] = []
    public var triggers: [TriggerMetadata] = []
    /// Where foreign keys lead from here, and whose lead here.
    public var relations: [RelationMetadata] = []

    package init(name: String, kind: Kind, sql: String) {
        self.name = name
        self.kind = kind
        self.sql = sql
    }
}

public struct ColumnMetadata: Sendable {
    public var name: String
    /// As declared, with one space between words and none elsewhere, such as `DECIMAL(10,2)`; empty for none.
    public var declaredType: String
    public var affinity: Affinity
    /// The type of a model's column that such a column holds; nil where nothing tells.
    public var type: ColumnType?
    /// Of a column declared as times whose values were looked at: the first that has not the form of a datetime column, as
    /// messages show it.
    package var otherTime: String?
    /// Whether NULL can be in it: a row number and what is NOT NULL cannot.
    public var isNullable = true
    public var defaultSQL: String?
    public var collation: String?
    /// The place in the primary key, from 1; 0 for none.
    public var keyPosition = 0
    /// Whether no two rows have one value of it: it alone is the primary key or unique.
    public var isUnique = false
    /// Whether it is part of a foreign key.
    public var isForeignKey = false
    /// Whether `SELECT *` leaves it out, as virtual tables can have it.
    public var isHidden = false
    /// What computes it, of a generated column.
    public var generatedSQL: String?
    /// Whether the file holds what is computed.
    public var isStored = false

    package init(name: String, declaredType: String, affinity: Affinity, type: ColumnType?) {
        self.name = name
        self.declaredType = declaredType
        self.affinity = affinity
        self.type = type
    }
}

public struct ForeignKeyMetadata: Sendable {
    /// What CONSTRAINT calls it.
    public var name: String?
    public var columns: [String]
    public var table: String
    /// Those of the other table's primary key where the statement names none; empty where that does not fit.
    public var tableColumns: [String]
    public var onDelete: ForeignKeyAction
    public var onUpdate: ForeignKeyAction
    /// Whether it is checked at the end of the transaction only.
    public var isDeferred: Bool

    package init(
        name: String?, columns: [String], table: String, tableColumns: [String], onDelete: ForeignKeyAction,
        onUpdate: ForeignKeyAction, isDeferred: Bool
    ) {
        self.name = name
        self.columns = columns
        self.table = table
        self.tableColumns = tableColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferred = isDeferred
    }
}

public struct IndexMetadata: Sendable {
    public enum Origin: String, Sendable, CaseIterable {
        case index
        case unique
        case primaryKey = "primary_key"
    }

    /// Nil for one that a constraint without name makes.
    public var name: String?
    public var origin: Origin
    public var isUnique: Bool
    public var terms: [IndexTermMetadata]
    /// Of a partial index.
    public var conditionSQL: String?

    package init(
        name: String?, origin: Origin, isUnique: Bool, terms: [IndexTermMetadata], conditionSQL: String?
    ) {
        self.name = name
        self.origin = origin
        self.isUnique = isUnique
        self.terms = terms
        self.conditionSQL = conditionSQL
    }

    /// Its columns' names; nil where one of its terms is an expression.
    public var columns: [String]? {
        let names = terms.compactMap(\.column)
        return names.count == terms.count ? names : nil
    }
}

public struct IndexTermMetadata: Sendable {
    /// Nil for an expression.
    public var column: String?
    /// Without COLLATE and direction.
    public var sql: String
    public var collation: String?
    public var isDescending: Bool

    package init(column: String?, sql: String, collation: String?, isDescending: Bool) {
        self.column = column
        self.sql = sql
        self.collation = collation
        self.isDescending = isDescending
    }
}

public struct CheckMetadata: Sendable {
    /// What CONSTRAINT calls it.
    public var name: String?
    /// The condition.
    public var sql: String
    /// The column it is written at.
    public var column: String?

    package init(name: String?, sql: String, column: String?) {
        self.name = name
        self.sql = sql
        self.column = column
    }
}

public struct TriggerMetadata: Sendable {
    public var name: String
    public var timing: TriggerTiming
    public var event: TriggerEvent
    /// Of UPDATE OF.
    public var columns: [String]
    /// The statement that made it, without comments.
    public var sql: String

    package init(name: String, timing: TriggerTiming, event: TriggerEvent, columns: [String], sql: String) {
        self.name = name
        self.timing = timing
        self.event = event
        self.columns = columns
        self.sql = sql
    }
}

public enum TriggerTiming: String, Sendable, CaseIterable {
    case before
    case after
    case insteadOf = "instead_of"
}

public enum TriggerEvent: String, Sendable, CaseIterable {
    case insert
    case update
    case delete
}

/// A way from a table's records to others, along a foreign key.
public struct RelationMetadata: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Along a foreign key of this table.
        case toOne = "to_one"
        /// Against a foreign key of the other table.
        case toMany = "to_many"
        /// Over the rows of a table whose key is made of two foreign keys.
        case manyToMany = "many_to_many"
    }

    public var kind: Kind
    /// The table at the end.
    public var table: String
    /// Pairs with `tableColumns`, or with `throughColumns` of a many-to-many relation.
    public var columns: [String]
    public var tableColumns: [String]
    /// The table between, of a many-to-many relation.
    public var through: String?
    /// Columns of the table between that refer to `columns`, and to `tableColumns`.
    public var throughColumns: [String] = []
    public var throughTableColumns: [String] = []
    /// Whether it leads to the table it comes from.
    public var isSelf: Bool
    /// Whether there is never more than one record at the end.
    public var isUnique: Bool
    /// Whether there may be none for what its columns hold: always so, except for a to-one whose columns are NOT NULL.
    public var isOptional: Bool

    package init(
        kind: Kind, table: String, columns: [String], tableColumns: [String], isSelf: Bool, isUnique: Bool,
        isOptional: Bool
    ) {
        self.kind = kind
        self.table = table
        self.columns = columns
        self.tableColumns = tableColumns
        self.isSelf = isSelf
        self.isUnique = isUnique
        self.isOptional = isOptional
    }
}
