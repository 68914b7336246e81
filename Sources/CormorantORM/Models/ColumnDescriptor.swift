import CormorantBase
import CormorantQuery

/// One column of a model: a property of the record and the column that holds it.
public struct ColumnDescriptor: Sendable {
    /// The property's name, as records, attributes and errors use it.
    public var name: String
    /// The column's name in the table.
    public var column: String
    /// What the column's values are.
    public var type: ColumnType
    /// Whether the record's property can hold NULL.
    public var isOptional: Bool
    /// Whether the table's column is NOT NULL. An optional property may be NOT NULL when a default fills it in.
    public var notNull: Bool
    /// Whether the property is an unsigned integer: 0 to 2^32-1 for int32, to 2^63-1 for int64.
    public var isUnsigned: Bool
    /// How wide an integer property is, where it is narrower than the type; else 0.
    package var bits = 0
    /// How many bytes the property has for a text and a NUL behind it, where it has no more; else 0.
    package var textSize = 0
    /// Of a decimal: how many digits stand after the point of each value in the table. One with more is refused, unless they are
    /// zeros. nil: as many as each value has.
    public var scale: Int?
    /// Whether it is the primary key, alone or with others.
    public var primaryKey: Bool
    /// AUTOINCREMENT: keys are never used again.
    public var autoIncrement: Bool
    /// Whether no two rows have one value of it.
    public var unique: Bool
    /// An index of this column alone.
    public var indexed: Bool
    /// SQL expression used when the property is NULL at insert.
    public var defaultSQL: String?
    /// SQL condition that must hold.
    public var checkSQL: String?
    /// SQL expression that computes the column (STORED).
    public var computedSQL: String?
    /// Whether it counts the writes of the row, by which a record that another write has overtaken is refused.
    public var isVersion: Bool
    /// Which time it holds, which the database puts there: that of the row's creation, or of its last write; nil: neither.
    public var stamp: Stamp?
    /// The value that it has in all rows of the model, where rows of several models lie in one table: those with another are not read,
    /// changed or deleted, and a record is written with it, whatever it holds. Of a column of integers the digits. The table is made
    /// of the model that has none.
    public var discriminator: String?
    /// The collation that compares its texts; nil: BINARY.
    public var collation: String?
    /// By which expressions compare it, in lower case; nil: by bytes.
    package var comparedBy: String? {
        if type == .decimal { return "corm_decimal" }
        return collation.map(foldIdentifier).flatMap { $0 == "binary" ? nil : $0 }
    }
    /// By which keys of it compare in the file, in lower case; nil: by bytes. Decimals and offset datetimes, which expressions
    /// compare by number and moment, always have one.
    package var keyedBy: String? {
        type.hasOwnCollation ? foldIdentifier(collation ?? "binary") : comparedBy
    }
    /// What a foreign key of this column refers to; nil: it has none.
    public var references: ReferenceTarget?
    /// The key in JSON; nil: by the names that reading and writing are asked for. "": the column is not in JSON.
    public var jsonKey: String?
    /// Whether JSON may lack the key though the column has no default and cannot be NULL: the binding fills it in.
    package var isJSONOptional = false
    /// Whether 0 in the record is no key yet, where the key is SQLite's to make, and no time of creation: a plain integer of
    /// a C struct, which begins as zeros and has no NULL.
    package var zeroIsNoKey = false
    /// Whether the property's own type may refuse an integer that the column holds.
    package var refusesIntegers = false
    /// The column's former name: a migration renames it instead of adding a new one.
    public var renamedFrom: String?
    /// SQL expression over the table's columns before the migration, renamed ones by their new names, that gives the column
    /// its values when the migration adds it, changes its type or makes it NOT NULL.
    public var convertSQL: String?

    /// The integers that the property holds, where it holds some.
    package var integers: ClosedRange<Int64> { type.integers(isUnsigned: isUnsigned, bits: bits) }

    /// - Parameters:
    ///   - column: the column's name; nil: `name` in snake_case.
    ///   - notNull: nil: the column is NOT NULL where the property is not optional.
    public init(
        _ name: String, _ type: ColumnType, column: String? = nil, isOptional: Bool = false, notNull: Bool? = nil,
        isUnsigned: Bool = false, primaryKey: Bool = false, autoIncrement: Bool = false, unique: Bool = false,
        indexed: Bool = false,
        defaultSQL: String? = nil, checkSQL: String? = nil, computedSQL: String? = nil, collation: String? = nil,
        references: ReferenceTarget? = nil, jsonKey: String? = nil, renamedFrom: String? = nil,
        convertSQL: String? = nil, isVersion: Bool = false, stamp: Stamp? = nil, scale: Int? = nil,
        discriminator: String? = nil
    ) {
        self.discriminator = discriminator
        self.scale = scale
        self.name = name
        self.column = column ?? snakeCase(name)
        self.type = type
        self.isOptional = isOptional
        self.notNull = notNull ?? !isOptional
        self.isUnsigned = isUnsigned
        self.primaryKey = primaryKey
        self.autoIncrement = autoIncrement
        self.unique = unique
        self.indexed = indexed
        // For rows of other programs, and those that are there when the column is added.
        self.defaultSQL = defaultSQL ?? (isVersion ? "1" : nil)
        self.isVersion = isVersion
        self.stamp = stamp
        self.checkSQL = checkSQL
        self.computedSQL = computedSQL
        self.collation = collation
        self.references = references
        self.jsonKey = jsonKey
        self.renamedFrom = renamedFrom
        self.convertSQL = convertSQL
    }
}

extension ColumnDescriptor {
    /// The discriminator in SQL.
    var discriminatorSQL: String? {
        discriminator.map { type.isInteger ? Int64($0).map { String($0) } ?? "NULL" : quoteText($0) }
    }

    /// Adds to the check that the column holds one of the values.
    package mutating func check(choices: [Value]) {
        let list = choices.map { value in
            if case .text(let text) = value { quoteText(text) } else { value.int64Text }
        }
        let condition = "\(quoteIdentifier(column)) IN (\(list.joined(separator: ", ")))"
        checkSQL = checkSQL.map { "(\($0)) AND \(condition)" } ?? condition
    }
}

extension Value {
    fileprivate var int64Text: String {
        if case .integer(let integer) = self { String(integer) } else { "NULL" }
    }
}

/// What a column refers to.
public struct ReferenceTarget: Sendable {
    /// The other table's name.
    public var table: String
    /// nil: the table's primary key.
    public var column: String?
    /// What happens here when the other row is deleted.
    public var onDelete: ForeignKeyAction
    /// What happens here when the other row's key changes.
    public var onUpdate: ForeignKeyAction

    /// A column of another table, by their names in the file; without a column its primary key.
    public init(
        _ table: String, _ column: String? = nil, onDelete: ForeignKeyAction = .none,
        onUpdate: ForeignKeyAction = .none
    ) {
        self.table = table
        self.column = column
        self.onDelete = onDelete
        self.onUpdate = onUpdate
    }
}

/// A key over several columns.
public struct KeyDescriptor: Sendable {
    /// What a key over several columns is.
    public enum Kind: Int32, Sendable {
        /// The primary key.
        case primary = 1
        /// A UNIQUE constraint.
        case unique = 2
        /// An index.
        case index = 3
    }

    /// What it is.
    public var kind: Kind
    /// Property names; in an index a leading "-" means descending.
    public var columns: [String]
    /// Name of the index; nil: made from table and columns.
    public var name: String?
    /// SQL condition of a partial index.
    public var whereSQL: String?

    /// A key over these properties.
    public init(_ kind: Kind, _ columns: [String], name: String? = nil, where whereSQL: String? = nil) {
        self.kind = kind
        self.columns = columns
        self.name = name
        self.whereSQL = whereSQL
    }

    /// A primary key of these properties, in this order.
    public static func primary(_ columns: String...) -> KeyDescriptor { KeyDescriptor(.primary, columns) }

    /// A UNIQUE constraint over these properties; with a condition, of the rows that meet it.
    public static func unique(_ columns: String..., name: String? = nil, where whereSQL: String? = nil) -> KeyDescriptor
    {
        KeyDescriptor(.unique, columns, name: name, where: whereSQL)
    }

    /// An index over these properties, a leading "-" meaning descending; with a condition, of the rows that meet it.
    public static func index(_ columns: String..., name: String? = nil, where whereSQL: String? = nil) -> KeyDescriptor
    {
        KeyDescriptor(.index, columns, name: name, where: whereSQL)
    }
}

/// A foreign key over several columns.
public struct ReferenceDescriptor: Sendable {
    /// Property names.
    public var columns: [String]
    /// The other table's name.
    public var table: String
    /// Column names, as many as `columns`; empty: the table's primary key.
    public var tableColumns: [String]
    /// What happens here when the other row is deleted.
    public var onDelete: ForeignKeyAction
    /// What happens here when the other row's key changes.
    public var onUpdate: ForeignKeyAction

    /// A foreign key of these properties; without `tableColumns` to the other table's primary key.
    public init(
        _ columns: [String], table: String, tableColumns: [String] = [], onDelete: ForeignKeyAction = .none,
        onUpdate: ForeignKeyAction = .none
    ) {
        self.columns = columns
        self.table = table
        self.tableColumns = tableColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
    }
}
