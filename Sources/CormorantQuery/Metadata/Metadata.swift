public import CormorantBase

/// Everything that introspection knows about a file, or a database of a server: its tables with their columns, keys, indexes, checks and triggers,
/// and the relations that follow from them. Plain values that templates and programs read; they know no connection.
public struct Metadata: Sendable {
    /// Tables, virtual tables and views, each kind in the order that the file has it.
    public var tables: [TableMetadata] = []
    /// What could not be understood, none of it left out; of a server also what no file has, such as partitions, enums and policies.
    public var problems: [MetadataProblem] = []

    package init(tables: [TableMetadata], problems: [MetadataProblem]) {
        self.tables = tables
        self.problems = problems
    }
}

/// An object of the file that is known in part only. Of a server it may be in order, and say what no file and no model can.
public struct MetadataProblem: Sendable {
    /// `table`, `index`, `view` or `trigger`; of a server also `partitioned table`, `partition`, `inheritance`, `foreign table`,
    /// `materialized view`, `domain`, `enum`, `range`, `type`, `exclusion`, `foreign key`, `check`, `identity`, `collation`,
    /// `row security`, `policy`, `rule`, `statistics`, `sequence`.
    public var type: String
    /// The object's name.
    public var name: String
    /// The table it belongs to; empty for none.
    public var table: String
    /// The statement that made it, or of a server's constraint and column what it is.
    public var sql: String
    /// What is wrong, or not told elsewhere, in one line.
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
    /// What a `TableMetadata` is about.
    public enum Kind: String, Sendable, CaseIterable {
        /// A table with rows of its own.
        case table
        /// A virtual table, whose rows a module makes.
        case virtual
        /// A view.
        case view
    }

    /// Its name in the file.
    public var name: String
    /// Whether it is a table, a virtual table or a view.
    public var kind: Kind
    /// The statement that made it, without comments; of a server one that makes such a table.
    public var sql: String
    /// Of a virtual table.
    public var module: ModuleSchema?
    /// Whether SQLite refuses values of other types than declared.
    public var isStrict = false
    /// Whether the primary key is the row's place: there is no row number.
    public var isWithoutRowID = false
    /// Whether row numbers are never used again.
    public var isAutoIncrement = false
    /// Empty where they cannot be had: `problems` says why.
    public var columns: [ColumnMetadata] = []
    /// Names of the primary key's columns, in the key's order; empty where there is none.
    public var primaryKey: [String] = []
    /// The key that the table makes where none is given: SQLite's row number (https://www.sqlite.org/lang_createtable.html#rowid), or
    /// of a server's sequence.
    public var rowIDColumn: String?
    /// Those that lead from this table to others.
    public var foreignKeys: [ForeignKeyMetadata] = []
    /// Those of CREATE INDEX, and before them those that a PRIMARY KEY or UNIQUE makes.
    public var indexes: [IndexMetadata] = []
    /// Its CHECK constraints, those of its columns among them.
    public var checks: [CheckMetadata] = []
    /// The triggers on it.
    public var triggers: [TriggerMetadata] = []
    /// Where foreign keys lead from here, and whose lead here.
    public var relations: [RelationMetadata] = []

    package init(name: String, kind: Kind, sql: String) {
        self.name = name
        self.kind = kind
        self.sql = sql
    }
}

/// A column of a table or view.
public struct ColumnMetadata: Sendable {
    /// Its name in the file.
    public var name: String
    /// As declared, with one space between words and none elsewhere, such as `DECIMAL(10,2)`; empty for none. Of a server as it
    /// says it: `character varying(20)`.
    public var declaredType: String
    /// What SQLite makes of values that go in; of a server that of the column's type in a file.
    public var affinity: Affinity
    /// The type of a model's column that such a column holds; nil where nothing tells.
    public var type: ColumnType?
    /// Of a column declared as times whose values were looked at: the first that has not the form of a datetime column, as
    /// messages show it.
    package var otherTime: String?
    /// Whether a server makes its values of a sequence.
    package var isIdentity = false
    /// Of a decimal whose digits after the point a CHECK counts.
    package var checkedScale: Int?
    /// Whether its values were looked at, and not all of its numbers are integers.
    package var holdsFractions = false
    /// Whether NULL can be in it: a row number and what is NOT NULL cannot.
    public var isNullable = true
    /// The SQL of its default; nil: it has none.
    public var defaultSQL: String?
    /// The collation that COLLATE names; nil: none.
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

/// A foreign key.
public struct ForeignKeyMetadata: Sendable {
    /// What CONSTRAINT calls it.
    public var name: String?
    /// Names of its columns in this table.
    public var columns: [String]
    /// The table it leads to.
    public var table: String
    /// Those of the other table's primary key where the statement names none; empty where that does not fit.
    public var tableColumns: [String]
    /// What happens here when the other row is deleted.
    public var onDelete: ForeignKeyAction
    /// What happens here when the other row's key changes.
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

/// An index, made by a statement or by a constraint.
public struct IndexMetadata: Sendable {
    /// What made an index.
    public enum Origin: String, Sendable, CaseIterable {
        /// CREATE INDEX.
        case index
        /// A UNIQUE constraint.
        case unique
        /// The primary key.
        case primaryKey = "primary_key"
    }

    /// Nil for one that a constraint without name makes.
    public var name: String?
    /// What made it.
    public var origin: Origin
    /// Whether no two rows agree in all its terms.
    public var isUnique: Bool
    /// What it is ordered by, the first term first.
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

/// A column or an expression that an index is ordered by.
public struct IndexTermMetadata: Sendable {
    /// Nil for an expression.
    public var column: String?
    /// Without COLLATE and direction.
    public var sql: String
    /// The collation that compares it; nil: that of the column.
    public var collation: String?
    /// Whether great values come first.
    public var isDescending: Bool

    package init(column: String?, sql: String, collation: String?, isDescending: Bool) {
        self.column = column
        self.sql = sql
        self.collation = collation
        self.isDescending = isDescending
    }
}

/// A CHECK constraint.
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

/// A trigger.
public struct TriggerMetadata: Sendable {
    /// Its name in the file.
    public var name: String
    /// When it runs.
    public var timing: TriggerTiming
    /// What it runs for.
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

/// When a trigger runs.
public enum TriggerTiming: String, Sendable, CaseIterable {
    /// Before the row is changed.
    case before
    /// After the row was changed.
    case after
    /// Instead of changing a view.
    case insteadOf = "instead_of"
}

/// What a trigger runs for.
public enum TriggerEvent: String, Sendable, CaseIterable {
    /// INSERT.
    case insert
    /// UPDATE.
    case update
    /// DELETE.
    case delete
}

/// A way from a table's records to others, along a foreign key.
public struct RelationMetadata: Sendable {
    /// Where the foreign keys of a relation are.
    public enum Kind: String, Sendable, CaseIterable {
        /// Along a foreign key of this table.
        case toOne = "to_one"
        /// Against a foreign key of the other table.
        case toMany = "to_many"
        /// Over the rows of a table whose key is made of two foreign keys.
        case manyToMany = "many_to_many"
    }

    /// Where the foreign keys are.
    public var kind: Kind
    /// The table at the end.
    public var table: String
    /// Pairs with `tableColumns`, or with `throughColumns` of a many-to-many relation.
    public var columns: [String]
    /// Columns of the table at the end.
    public var tableColumns: [String]
    /// The table between, of a many-to-many relation.
    public var through: String?
    /// Columns of the table between that refer to `columns`, and to `tableColumns`.
    public var throughColumns: [String] = []
    /// Columns of the table between that refer to `tableColumns`.
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
