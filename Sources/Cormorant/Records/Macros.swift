/// Makes a struct the record of a table: every stored property becomes a column, named in snake_case.
///
/// ```swift
/// @Model(keys: [.unique("name", "city")])
/// struct Person {
///     @Key var id: Int64!
///     var name: String
///     @Column(default: "'London'") var city: String?
///     @References("department", onDelete: .cascade) var departmentID: Int64?
///     @Ignored var isSelected = false
/// }
/// ```
///
/// It conforms the struct to `Record`, leaves its memberwise initialiser alone, and declares its `Columns`, the properties
/// as expressions for queries: `Person.where { $0.age > 35 }`. A column is as visible as its property; one that is private
/// is found by queries of its file. The struct may be nested in another type, where it is not private, but not be local
/// to a function. Properties are `var`, of a
/// type that conforms to `ColumnValue`; an optional is a column that may be NULL. Without `@Key` the table gets a
/// hidden key, and its records can be inserted and fetched, but not saved, updated or deleted as records.
///
/// - Parameters:
///   - table: the table's name; nil: the struct's name in snake_case.
///   - keys: keys over several columns, and indexes, by property names.
///   - references: foreign keys over several columns.
///   - checks: SQL conditions over the whole row.
///   - columnOrder: property names in the order of the table's columns; those left out follow.
///   - module: makes it a virtual table: `ModuleSchema("fts5")` for full-text search.
///   - view: the table is a view, which is made by SQL: `createTables` and migrations leave it alone, and its records are
///     written where it has INSTEAD OF triggers, by insert, update and delete.
///   - scope: the SQL of a condition, `deleted_at IS NULL`, or `tenant = current_tenant()` with a function of the program's: all
///     that reads, counts, updates and deletes by the type, relations to it among it, is about rows that meet it. SQL of one's
///     own, observers and migrations are not; `unscoped` lifts it.
///   - distributedBy: the property by which a server of many machines (Citus) spreads the rows; all keys must have it. Other
///     engines take no notice.
///   - renamedFrom: the table's former name: a migration renames it instead of making a new one.
///   - allowDrop: columns, by their names in the table, that the struct no longer has and that a migration may drop with
///     their values.
///   - seed: SQL statements that a migration runs once, when it makes the table: its first rows.
@attached(
    member, names: named(model), named(setGeneratedKey), named(clearGeneratedKey), named(Columns),
    named(validatesProperties), named(validateProperties))
@attached(
    extension, conformances: Record, names: named(init), named(read), named(readBack), named(write), named(columnValue),
    named(visitRelations))
public macro Model(
    table: String? = nil, keys: [KeyDescriptor] = [], references: [ReferenceDescriptor] = [], checks: [String] = [],
    columnOrder: [String] = [], withoutRowID: Bool = false, strict: Bool = false, module: ModuleSchema? = nil,
    view: Bool = false, scope: String? = nil, distributedBy: String? = nil, renamedFrom: String? = nil,
    allowDrop: [String] = [], seed: String? = nil
) = #externalMacro(module: "CormorantMacros", type: "ModelMacro")

/// Makes a property of a `@Model` its primary key, or part of it when there are several. A single integer key is made
/// by SQLite when it is nil; one that cannot be nil is the program's to give, and 0 is a key like any other. As `Int64!` it is read
/// as present: a trap where the record was not stored.
///
/// - Parameter autoIncrement: keys of deleted rows are never used again (AUTOINCREMENT).
@attached(peer)
public macro Key(autoIncrement: Bool = false) = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")

/// Says more about the column of a property of a `@Model`.
///
/// - Parameters:
///   - name: the column's name; nil: the property's in snake_case.
///   - unique: no two rows have the same value.
///   - indexed: an index of this column alone.
///   - default: SQL expression used when the property is nil at insert.
///   - check: SQL condition that must hold.
///   - checksCases: of an enum that is `CaseIterable`: a check that the column holds the raw value of one of its cases.
///   - collate: BINARY, NOCASE, RTRIM, corm_nocase, corm_decimal or corm_offset_datetime.
///   - length: for text, the greatest number of characters.
///   - scale: for a decimal, how many digits stand after the point of each value in the table; one with more is refused, not
///     rounded.
///   - notNull: whether the column is NOT NULL; nil: where the property is not optional.
///   - computed: SQL expression that computes the column; it is never written and comes back into the record.
///   - json: the key in JSON; nil: by the names that are asked for. "": the column is not in JSON.
///   - renamedFrom: the column's former name: a migration renames it instead of adding a new one.
///   - convert: SQL expression over the table's columns before a migration, renamed ones by their new names, that gives the
///     column its values when it is added, changes its type or becomes NOT NULL.
///   - version: the row's version, for optimistic locking: an integer that is 1 in a new row and counts each write of a
///     record, `@Column(version: true) var version = 0`. To update, save or delete a record whose row has another version throws
///     `staleRecord`; else the new version comes back into the record.
///   - stamp: which time of the row it holds, which the database puts there, in UTC and milliseconds:
///     `@Column(stamp: .created) var created: Date?` that of its insert, where the record has none, and `.updated` that of each
///     write. Every write of a record sets it, a batch and an update of some properties, too, and so do statements that the library
///     makes; SQL does not. It comes back into the record. The table is the same without it.
///   - discriminator: where rows of several models lie in one table, the text, or the digits of the integer, that this column has in
///     all rows of this model: `@Column(discriminator: "dog") var kind = Kind.dog`. The type is then about these rows alone, as
///     by a scope, and writes it, whatever its records hold. The table is made of the model that has none: that has all columns, is
///     about all rows, and tells by the column which is which.
@attached(peer)
public macro Column(
    _ name: String? = nil, unique: Bool = false, indexed: Bool = false, default: String? = nil, check: String? = nil,
    checksCases: Bool = false,
    collate: String? = nil, length: Int? = nil, scale: Int? = nil, notNull: Bool? = nil, computed: String? = nil,
    json: String? = nil, renamedFrom: String? = nil, convert: String? = nil, version: Bool = false,
    stamp: Stamp? = nil, discriminator: String? = nil
) = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")

/// The same of a property that has a validator: `@Column(validate: isNotNegative) var price: Double`.
///
/// - Parameter validate: throws where the value is not as it should be, before it is written; it is not called for nil. The caller
///   gets a `validation` error that names the property, with the message of what was thrown, and that as its `cause`. A
///   function, `Self.isGood` among them, or a closure that says its parameter's type; `nonisolated` where the module's functions are the
///   main actor's. The other parameters are those of `@Column` without a validator.
@attached(peer)
public macro Column<Content>(
    _ name: String? = nil, unique: Bool = false, indexed: Bool = false, default: String? = nil, check: String? = nil,
    checksCases: Bool = false,
    collate: String? = nil, length: Int? = nil, scale: Int? = nil, notNull: Bool? = nil,
    json: String? = nil, renamedFrom: String? = nil, convert: String? = nil,
    validate: (Content) throws -> Void
) = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")

/// Makes a property of a `@Model` refer to a row of another table.
///
/// - Parameters:
///   - table: the other table.
///   - column: its column; nil: its primary key.
@attached(peer)
public macro References(
    _ table: String, column: String? = nil, onDelete: ForeignKeyAction = .none, onUpdate: ForeignKeyAction = .none
) = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")

/// Makes a property of a `@Model` hold related records. It is of type `ToOne` or `ToMany`, and not loaded until it is asked
/// to be.
///
/// ```swift
/// @Relation var artist = ToOne<Artist>.notLoaded
/// @Relation(through: PlaylistTrack.self) var tracks: ToMany<Track> = .notLoaded
/// ```
///
/// - Parameters:
///   - columns: properties with the foreign key: of this record for `ToOne`, of the target for `ToMany`, of the junction to
///     this record with `through`. None: the only foreign key that fits.
///   - junction: the record of a junction table with foreign keys to both.
///   - targetColumns: properties of the junction with the foreign key to the target. None: the only one that fits.
///   - removed: what saving the graph does with related rows that are not among the loaded records.
@attached(peer)
public macro Relation(
    _ columns: String..., through junction: (any Record.Type)? = nil, to targetColumns: [String] = [],
    removed: RemovedRecords = .keep
) = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")

/// Keeps a property of a `@Model` out of the table. It needs a default value.
@attached(peer)
public macro Ignored() = #externalMacro(module: "CormorantMacros", type: "PropertyMacro")
