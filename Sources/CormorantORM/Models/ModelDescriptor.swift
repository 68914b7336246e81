import CormorantBase
import CormorantQuery
import CormorantThreads

/// How a record lies in a table. It is checked when it is made; a descriptor that cannot work keeps its `problem`, and
/// every use of it throws that.
public final class ModelDescriptor: Sendable {
    /// The model's name, as errors use it.
    public let name: String
    /// The table's name.
    public let table: String
    /// The columns, in the order of the record's properties.
    public let columns: [ColumnDescriptor]
    /// Indices of the primary key's columns; empty when the key is hidden.
    public let keyColumns: [Int]
    /// Whether insert makes a key: one integer key, or a hidden one.
    public let generatesKey: Bool
    /// Whether it reads a view, which is made by SQL: tables are not made of the model, and migrations leave it alone.
    public let isView: Bool
    /// Whether its rows are some of those of another model's table, told by a discriminator: tables are made of that one.
    public let isPart: Bool
    /// The SQL of a condition that all its rows meet, `deleted_at IS NULL`: others are not read, changed or deleted.
    public let scope: String?
    /// What a migration may do to the table beyond adding to it.
    public let migration: MigrationNotes
    /// What is wrong with the descriptor.
    public let problem: CormorantError?

    /// The `CREATE TABLE` and `CREATE INDEX` statements.
    public let createSQL: String
    package let schema: TableSchema
    /// The table as statements name it.
    package let tableReference: TableReference
    private let wasFreed = AtomicFlag()
    /// Whether C has freed the model: nobody uses it any more, but through a relation of another.
    package var isFreed: Bool {
        get { wasFreed.isSet }
        set { wasFreed.isSet = newValue }
    }
    private let isHooked = AtomicFlag()
    /// Whether its records have hooks or validators, as who makes or uses the model says: what writes rows without records cannot
    /// call these.
    package var hasHooks: Bool {
        get { isHooked.isSet }
        set { isHooked.isSet = newValue }
    }
    /// How its records belong to those of other models.
    package let relations: RelationList
    /// Of a model of some rows of a table the model of all of them, of which the table is made, where a binding has said it.
    package var whole: ModelDescriptor? {
        get { relations.whole }
        set { relations.whole = newValue }
    }
    /// Whether relations lead to one record, by foreign keys in its own.
    package var hasToOne: Bool { relations.hasToOne }
    /// The column that insert fills in when it is NULL; -1 for none.
    package let generatedColumn: Int
    /// Whether 0 stands for NULL there.
    package let zeroIsNoKey: Bool
    /// Whether the key is the table's hidden one, or one column that takes every integer.
    let hasPlainKey: Bool
    /// Whether a write can change the record beyond its key: computed columns, or a default for an optional property.
    package let insertFillsIn: Bool
    /// What each update fills in: computed columns, the version and the time.
    package let filledByUpdate: [Int]
    /// Whether an update of all properties fills in these, or the time of creation that the record lacks.
    let updateFillsIn: Bool
    /// Whether each write changes a record, so that a rollback takes that back: by a version or times.
    package var isCounted: Bool { versionColumn != nil || columns.contains { $0.stamp != nil } }
    /// The columns that hold the time of the last write.
    let updatedColumns: [Int]
    /// The column that counts a row's writes; nil for none.
    package let versionColumn: Int?
    /// Of the keys that SQLite makes, those that the column can hold.
    let madeKeys: ClosedRange<Int64>
    /// Whether the property may not hold a key that SQLite makes, other than one below 1, which takes a row with a negative one.
    let keyMayNotFit: Bool
    private let byName: [String: Int]
    let draft: ModelDraft
    /// Whether it was made of another model, for another table of the same shape.
    let isVariant: Bool
    /// The name under which its file is attached; nil: it is of the file that was opened.
    package let attachment: String?
    let variants = ModelVariants()

    /// - Parameters:
    ///   - table: the table's name; nil: `name` in snake_case.
    ///   - checks: SQL conditions over the whole row.
    ///   - columnOrder: property names in the order of the table's columns; those left out follow.
    ///   - module: makes a virtual table of it, such as `ModuleSchema("fts5")`; its hidden key is then its rowid.
    ///   - view: it reads a view, which is made by SQL.
    ///   - scope: the SQL of a condition, `deleted_at IS NULL`: rows that do not meet it are not read, changed or deleted but by
    ///     `unscoped`.
    ///   - distributedBy: the property by which a server of many machines (Citus) spreads the rows; all keys must have it. Other
    ///     engines take no notice.
    ///   - relations: to other models; checked when first used, because those may refer to this one.
    ///   - migration: its former name, what may be dropped, its first rows.
    public convenience init(
        name: String, table: String? = nil, columns: [ColumnDescriptor], keys: [KeyDescriptor] = [],
        references: [ReferenceDescriptor] = [], checks: [String] = [], columnOrder: [String] = [],
        withoutRowID: Bool = false, strict: Bool = false, module: ModuleSchema? = nil,
        view: Bool = false, scope: String? = nil, distributedBy: String? = nil, relations: [RelationDescriptor] = [],
        migration: MigrationNotes = MigrationNotes()
    ) {
        let draft = ModelDraft(
            name: name, table: table ?? snakeCase(name), columns: columns, keys: keys, references: references,
            checks: checks, columnOrder: columnOrder, withoutRowID: withoutRowID, strict: strict, module: module,
            isView: view, distributedBy: distributedBy, scope: scope, migration: migration)
        self.init(draft, RelationList(relations))
    }

    /// - Parameter tableReference: that of the model which is made again.
    init(
        _ draft: ModelDraft, _ relations: RelationList, isVariant: Bool = false, in attachment: String? = nil,
        table tableReference: TableReference? = nil
    ) {
        self.draft = draft
        self.relations = relations
        self.isVariant = isVariant
        self.attachment = attachment
        name = draft.name
        migration = draft.migration
        isView = draft.isView
        isPart = draft.discriminator != nil
        scope = draft.wholeScope
        let (table, columns) = (draft.table, draft.columns)
        self.table = table
        self.columns = columns
        byName = Dictionary(
            columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        problem = draft.problem()
        keyColumns = problem == nil ? draft.keyColumns : []
        schema = problem == nil ? draft.schema() : TableSchema(name: table, columns: [], primaryKey: [])
        let compiler = SQLCompiler()
        let statements =
            problem == nil && !draft.isView && draft.discriminator == nil
            ? [compiler.createTable(schema)]
                + schema.indexes.map { compiler.createIndex($0, on: table) }
            : []
        createSQL = statements.map { $0 + ";\n" }.joined()
        let single = keyColumns.count == 1 ? keyColumns[0] : nil
        let rowID = single.flatMap { columns[$0].type.isInteger && !draft.withoutRowID && !draft.isView ? $0 : nil }
        self.tableReference =
            tableReference
            ?? TableReference(
                model: name, name: table, in: attachment,
                columns: columns.map { column in
                    .init(
                        property: column.name, name: column.column, type: column.type, isOptional: column.isOptional,
                        isNotNull: column.notNull, isUnsigned: column.isUnsigned, bits: column.bits,
                        textSize: column.textSize, scale: column.scale, isComputed: column.computedSQL != nil,
                        stamp: column.stamp,
                        constant: column.discriminatorSQL, collation: column.collation)
                }, key: keyColumns,
                uniques: schema.indexes.compactMap { index in
                    let positions = index.columns.compactMap { part in
                        columns.firstIndex { isSame($0.column, part.name) }
                    }
                    let tellsApart = index.isUnique && index.whereSQL == nil && positions.count == index.columns.count
                    return tellsApart && positions.allSatisfy { columns[$0].notNull } ? positions : nil
                }, hiddenKey: keyColumns.isEmpty ? schema.primaryKey.first : nil, generated: rowID,
                isView: draft.isView,
                scope: problem == nil ? draft.wholeScope : nil,
                owner: ModelTable(
                    draft, relations, schema, createSQL: createSQL, isVariant: isVariant, in: attachment))
        generatedColumn = rowID ?? -1
        hasPlainKey =
            keyColumns.isEmpty || single.map { columns[$0].type == .int64 && !columns[$0].isUnsigned } ?? false
        zeroIsNoKey = rowID.map { columns[$0].zeroIsNoKey } ?? false
        madeKeys = rowID.map { columns[$0].integers } ?? .min ... .max
        keyMayNotFit = madeKeys.upperBound < .max || rowID.map { columns[$0].refusesIntegers } ?? false
        generatesKey = problem == nil && !draft.isView && (rowID != nil || keyColumns.isEmpty)
        versionColumn = problem == nil ? columns.firstIndex { $0.isVersion } : nil
        filledByUpdate = columns.indices.filter { place in
            columns[place].computedSQL != nil || columns[place].isVersion || columns[place].stamp == .updated
        }
        insertFillsIn =
            !filledByUpdate.isEmpty
            || columns.contains { $0.isOptional && $0.defaultSQL != nil || $0.stamp != nil || $0.discriminator != nil }
        updatedColumns = problem == nil ? columns.indices.filter { columns[$0].stamp == .updated } : []
        updateFillsIn =
            !filledByUpdate.isEmpty || columns.contains { $0.stamp != nil || $0.discriminator != nil }
    }

    /// Throws what is wrong with the descriptor.
    public func validate() throws {
        if let problem { throw problem }
    }

    /// The index of a property.
    public func column(named property: String) -> Int? { byName[property] }

    package func require(_ property: String) throws -> Int {
        if let index = byName[property] { return index }
        return try tableReference.require(property)
    }

    package func requireKey() throws {
        if keyColumns.isEmpty {
            if isView { throw lacksKey }
            throw CormorantError(
                .misuse, "model \(name) has a hidden key, which its records do not hold",
                hint: "declare a primary key to save, update, delete or refresh records", table: table)
        }
    }

    /// Throws for a view of which no key is declared: others have one, which may be hidden.
    package func requireAnyKey() throws {
        if isView && keyColumns.isEmpty { throw lacksKey }
    }

    private var lacksKey: CormorantError {
        CormorantError(
            .misuse, "model \(name) reads a view and declares no key",
            hint: "declare the primary key by which its rows are found, or query it by conditions", table: table)
    }

    package var keyNames: [String] {
        keyColumns.isEmpty ? schema.primaryKey : keyColumns.map { columns[$0].column }
    }
}

/// The name of the key column that a model without one gets.
package let hiddenKeyName = "corm_id"

/// The table of all key-value stores, which models and migrations leave alone.
package let keyValueTable = "corm_key_value"

/// What a migration may do to a model's table beyond adding to it.
public struct MigrationNotes: Sendable {
    /// The table's former name: the table is renamed instead of made anew.
    public var renamedFrom: String?
    /// Columns, by their names in the table, that the model no longer has and that may go with their values.
    public var allowDrop: [String]
    /// SQL statements run once, when the table is made: its first rows.
    public var seedSQL: String?

    /// What is allowed beyond adding; nothing by default.
    public init(renamedFrom: String? = nil, allowDrop: [String] = [], seedSQL: String? = nil) {
        self.renamedFrom = renamedFrom
        self.allowDrop = allowDrop
        self.seedSQL = seedSQL
    }
}
