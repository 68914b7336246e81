import CormorantBase

/// What the CREATE statements of a file say, each object with the text it was made by. A file, a snapshot and a set of
/// models all become one of these; whatever compares or changes schemas works on it.
public struct Schema: Sendable {
    package var tables: [TableDefinition] = []
    package var virtualTables: [VirtualTableDefinition] = []
    package var indexes: [IndexDefinition] = []
    package var views: [ViewDefinition] = []
    package var triggers: [TriggerDefinition] = []
    /// In whose words it is.
    package var dialect = Dialect.sqlite

    /// Of an empty file.
    public init() {}
}

/// One CREATE statement.
package enum SchemaObject: Sendable {
    case table(TableDefinition)
    case virtualTable(VirtualTableDefinition)
    case index(IndexDefinition)
    case view(ViewDefinition)
    case trigger(TriggerDefinition)
}

/// https://www.sqlite.org/lang_createtable.html
package struct TableDefinition: Sendable {
    package var name: String
    package var columns: [ColumnDefinition]
    /// Those that stand behind the columns.
    package var constraints: [ConstraintDefinition]
    package var withoutRowID: Bool
    package var strict: Bool
    /// The statement as the file has it.
    package var sql: String

    package init(
        name: String, columns: [ColumnDefinition], constraints: [ConstraintDefinition], withoutRowID: Bool,
        strict: Bool, sql: String
    ) {
        self.name = name
        self.columns = columns
        self.constraints = constraints
        self.withoutRowID = withoutRowID
        self.strict = strict
        self.sql = sql
    }
}

package struct ColumnDefinition: Sendable {
    package var name: String
    /// As declared, with one space between words and none elsewhere, such as `DECIMAL(10,2)`; empty for none.
    package var type: String
    package var constraints: [ConstraintDefinition]
    /// The column as written, from its name to the end of its last constraint.
    package var sql: String

    package init(name: String, type: String, constraints: [ConstraintDefinition], sql: String) {
        self.name = name
        self.type = type
        self.constraints = constraints
        self.sql = sql
    }
}

/// A constraint of a column or a table. One behind its column names that column, so that both ways to write it are equal
/// in `kind`.
package struct ConstraintDefinition: Sendable {
    package enum Kind: Sendable, Hashable {
        case primaryKey([IndexTerm], autoIncrement: Bool, onConflict: ConflictPolicy?)
        case unique([IndexTerm], onConflict: ConflictPolicy?)
        case notNull(onConflict: ConflictPolicy?)
        /// A bare NULL, which SQLite takes and which means nothing.
        case null
        case check(SQLFragment)
        /// Without the parentheses around it, if there are any; a text in double quotes becomes one in single quotes.
        case defaultValue(SQLFragment)
        case collate(String)
        case foreignKey(ForeignKeyDefinition)
        case generated(SQLFragment, stored: Bool)
    }

    /// What `CONSTRAINT name` calls it.
    package var name: String?
    package var kind: Kind
    /// As written, with its `CONSTRAINT name`.
    package var sql: String

    package init(name: String?, kind: Kind, sql: String) {
        self.name = name
        self.kind = kind
        self.sql = sql
    }
}

/// https://www.sqlite.org/foreignkeys.html
package struct ForeignKeyDefinition: Sendable, Hashable {
    package var columns: [String]
    package var table: String
    /// Empty: the table's primary key.
    package var tableColumns: [String]
    package var onDelete: ForeignKeyAction
    package var onUpdate: ForeignKeyAction
    /// What MATCH says, which SQLite reads and ignores.
    package var match: String?
    /// DEFERRABLE INITIALLY DEFERRED, the only form that defers anything.
    package var isDeferred: Bool
    /// MATCH FULL of a server: some columns may not be NULL where others are not.
    package var isFull = false
    /// DEFERRABLE of a server, where a transaction may then defer it.
    package var isDeferrable = false
    /// The columns that ON DELETE of a server sets; empty: all.
    package var setColumns: [String] = []

    package init(
        columns: [String], table: String, tableColumns: [String], onDelete: ForeignKeyAction,
        onUpdate: ForeignKeyAction,
        match: String?, isDeferred: Bool
    ) {
        self.columns = columns
        self.table = table
        self.tableColumns = tableColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.match = match
        self.isDeferred = isDeferred
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.columns.map(nameKey) == right.columns.map(nameKey)
            && sameIdentifier(left.table, right.table)
            && left.tableColumns.map(nameKey) == right.tableColumns.map(nameKey)
            && left.onDelete == right.onDelete && left.onUpdate == right.onUpdate && left.isDeferred == right.isDeferred
            && left.isFull == right.isFull && left.isDeferrable == right.isDeferrable
            && left.setColumns.map(nameKey) == right.setColumns.map(nameKey)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(columns.map(nameKey))
        hasher.combine(nameKey(table))
    }
}

/// What an index, a PRIMARY KEY or a UNIQUE is over: a column or an expression.
package struct IndexTerm: Sendable, Hashable {
    /// Without COLLATE and direction.
    package var expression: SQLFragment
    /// The column's name where the expression is one.
    package var column: String?
    package var collation: String?
    package var descending: Bool

    package init(expression: SQLFragment, column: String?, collation: String?, descending: Bool) {
        self.expression = expression
        self.column = column
        self.collation = collation
        self.descending = descending
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.expression == right.expression && left.descending == right.descending
            && left.collation.map(nameKey) == right.collation.map(nameKey)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}

/// https://www.sqlite.org/vtab.html
package struct VirtualTableDefinition: Sendable {
    package var name: String
    package var module: String
    /// As written between the commas.
    package var arguments: [SQLFragment]
    package var sql: String

    package init(name: String, module: String, arguments: [SQLFragment], sql: String) {
        self.name = name
        self.module = module
        self.arguments = arguments
        self.sql = sql
    }
}

/// https://www.sqlite.org/lang_createindex.html
package struct IndexDefinition: Sendable {
    package var name: String
    package var table: String
    package var terms: [IndexTerm]
    package var isUnique: Bool
    /// Of a partial index.
    package var condition: SQLFragment?
    package var sql: String

    package init(
        name: String, table: String, terms: [IndexTerm], isUnique: Bool, condition: SQLFragment?, sql: String
    ) {
        self.name = name
        self.table = table
        self.terms = terms
        self.isUnique = isUnique
        self.condition = condition
        self.sql = sql
    }
}

/// https://www.sqlite.org/lang_createview.html
package struct ViewDefinition: Sendable {
    package var name: String
    /// What follows the name: the list of columns, if any, and the SELECT.
    package var body: SQLFragment
    package var sql: String

    package init(name: String, body: SQLFragment, sql: String) {
        self.name = name
        self.body = body
        self.sql = sql
    }
}

/// https://www.sqlite.org/lang_createtrigger.html
package struct TriggerDefinition: Sendable {
    package var name: String
    package var timing: TriggerTiming
    package var event: TriggerEvent
    /// Of UPDATE OF.
    package var columns: [String]
    /// The table or view it watches.
    package var table: String
    /// What follows the name.
    package var body: SQLFragment
    package var sql: String

    package init(
        name: String, timing: TriggerTiming, event: TriggerEvent, columns: [String], table: String, body: SQLFragment,
        sql: String
    ) {
        self.name = name
        self.timing = timing
        self.event = event
        self.columns = columns
        self.table = table
        self.body = body
        self.sql = sql
    }
}
