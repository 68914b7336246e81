/// A type whose values are rows of a table. `@Model` writes the conformance for a struct; by hand it looks like this:
///
/// ```swift
/// struct Person {
///     var id: Int64?
///     var name: String
/// }
///
/// extension Person: Record {
///     static let model = ModelDescriptor(
///         name: "Person",
///         columns: [
///             ColumnDescriptor("id", Int64?.self, primaryKey: true),
///             ColumnDescriptor("name", String.self),
///         ])
///
///     init(from reader: RecordReader) throws {
///         id = try Int64?(from: reader, at: 0)
///         name = try String(from: reader, at: 1)
///     }
///
///     func write(to writer: inout RecordWriter) throws {
///         try id.write(to: &writer, at: 0)
///         try name.write(to: &writer, at: 1)
///     }
///
///     mutating func setGeneratedKey(_ key: Int64) { id = key }
///     mutating func clearGeneratedKey() { id = nil }
/// }
/// ```
///
/// The numbers are positions in `columns`. Every column is read; every column that is not computed is written. A record with
/// computed columns or a version has `readBack(only:from:)`, too, if some of its properties are to be updated alone.
///
/// To name the properties in queries, as in `Person.where { $0.name == "Ada" }`, declare the record's `Columns`; see
/// `RecordColumns`.
public protocol Record: RecordAccess, SendableMetatype {
    /// The columns as expressions.
    associatedtype Columns: RecordColumns = NamedColumns<Self> where Columns.Fetched == Self

    /// How the record lies in its table.
    static var model: ModelDescriptor { get }

    /// Makes a record of a row.
    init(from reader: RecordReader) throws

    /// The value of a column as SQLite holds it. Paging after a record and relations need it.
    func columnValue(at column: Int) throws -> Value

    /// Shows each property that holds related records to a visitor.
    mutating func visitRelations(_ visitor: inout some RelationVisitor) throws

    /// What of the record's own is called around its writes: of one that is `RecordHooks` all.
    static var hookKind: RecordHookKind { get }

    /// Whether properties have validators.
    static var validatesProperties: Bool { get }

    /// Shows each property that has a validator to who calls it.
    func validateProperties(_ validator: PropertyValidator) throws
}

extension Record {
    /// Replaces the whole record. `@Model` assigns the columns instead and leaves ignored properties alone.
    public mutating func read(from reader: RecordReader) throws { self = try Self(from: reader) }

    public mutating func visitRelations(_ visitor: inout some RelationVisitor) throws {}

    public static var validatesProperties: Bool { false }

    public func validateProperties(_ validator: PropertyValidator) throws {}

    public static var hookKind: RecordHookKind { validatesProperties || model.hasToOne ? .validators : .none }

    /// That of the type.
    public var hookKind: RecordHookKind { Self.hookKind }

    /// Takes the foreign keys of relations that were set, and calls the validators of properties.
    public mutating func willWrite(_ write: inout RecordWrite, in database: Database) throws {
        try takeForeignKeys(write, in: database)
        if Self.validatesProperties { try validateProperties(PropertyValidator(write)) }
    }

    public func columnValue(at column: Int) throws -> Value {
        throw CormorantError(
            .misuse, "\(Self.model.name) does not tell the values of its columns",
            hint: "give it columnValue(at:), or let @Model write it")
    }
}

/// The record's own verbs, for `try person.insert(in: database)`.
extension Record {
    /// Inserts the record; see `Database.insert(_:onConflict:)`.
    @available(*, noasync)
    @discardableResult
    public mutating func insert(in database: Database, onConflict policy: ConflictPolicy = .abort) throws -> Bool {
        try database.insert(&self, onConflict: policy)
    }

    /// Inserts the record or updates the row with its key; see `Database.save(_:)`.
    @available(*, noasync)
    public mutating func save(in database: Database) throws { try database.save(&self) }

    /// Writes all properties, or those named, to the row with the record's key; see `Database.update(_:properties:)`.
    @available(*, noasync)
    public mutating func update(in database: Database, properties: [String]? = nil) throws {
        try database.update(&self, properties: properties)
    }

    /// Deletes the row with the record's key; false when there was none.
    @available(*, noasync)
    @discardableResult
    public func delete(in database: Database) throws -> Bool { try database.delete(self) }

    /// Reads the record anew by its key.
    @available(*, noasync)
    public mutating func refresh(in reader: Reader) throws { try reader.refresh(&self) }
}
