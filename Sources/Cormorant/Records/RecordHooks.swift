import CormorantBase
import CormorantORM

/// A record that has something called around its writes. Each method does nothing unless the record has its own.
///
/// ```swift
/// extension Album: RecordHooks {
///     mutating func willSave(in database: Database) throws { title = title.trimmed }
///     func validate() throws { if title.isEmpty { throw AlbumError.noTitle } }
///     func didDelete(in database: Database) throws { try database.insert(&deletion) }
/// }
/// ```
///
/// The order: `willSave`; `willInsert` or `willUpdate`; validators of properties (`@Column(validate:)`), then `validate`; the write;
/// `didInsert` or `didUpdate`; `didSave`. What the first ones set is written, by an update of some properties, too.
///
/// `willSave` and `didSave` are called by whatever writes a record's properties: insert, update, save, upsert, alone, in batches, in
/// graphs and in batches of a queue; `willInsert` and `didInsert` by an insert alone, and by `fetchOrInsert` where it inserts;
/// `willUpdate` and `didUpdate` by an update alone, since a save and an upsert do not know which of both they will be. What
/// comes after the write is called where a row was written or deleted.
///
/// All run in the transaction of the write, on its thread: what they write themselves by the database is part of it, and what
/// they throw undoes all of it and is what the caller gets. They can end no transaction but those that they begin; hooks
/// within hooks 64 deep are `misuse`. Statements, SQL, deleting by key, cascades, and rows that `.replace` deletes have no record, and
/// call nothing; `importJSON` refuses records that have hooks or validators.
public protocol RecordHooks: Record {
    /// Before the record is inserted.
    mutating func willInsert(in database: Database) throws
    /// After the record was inserted.
    mutating func didInsert(in database: Database) throws
    /// Before the record, or some of its properties, are written to the row with its key.
    mutating func willUpdate(in database: Database) throws
    /// After the record was written to the row with its key.
    mutating func didUpdate(in database: Database) throws
    /// Before each write of the record's properties.
    mutating func willSave(in database: Database) throws
    /// After each write of the record's properties.
    mutating func didSave(in database: Database) throws
    /// Before the record's row is deleted.
    func willDelete(in database: Database) throws
    /// After the record's row was deleted.
    func didDelete(in database: Database) throws
    /// Throws where the record is not as it should be, before its properties are written. The caller gets a `validation` error
    /// with the message of what it throws, and that as its `cause`; other errors of the library's stay as they are.
    func validate() throws
}

extension RecordHooks {
    public mutating func willInsert(in database: Database) throws {}
    public mutating func didInsert(in database: Database) throws {}
    public mutating func willUpdate(in database: Database) throws {}
    public mutating func didUpdate(in database: Database) throws {}
    public mutating func willSave(in database: Database) throws {}
    public mutating func didSave(in database: Database) throws {}
    public func willDelete(in database: Database) throws {}
    public func didDelete(in database: Database) throws {}
    public func validate() throws {}

    public static var hookKind: RecordHookKind { .all }

    /// Calls what comes before the write.
    public mutating func willWrite(_ write: inout RecordWrite, in database: Database) throws {
        if write.kind == .delete { return try willDelete(in: database) }
        let related = try assignedRelations()
        let before = write.columns == nil ? nil : try values(write.model)
        try willSave(in: database)
        if write.kind == .insert { try willInsert(in: database) }
        if write.kind == .update { try willUpdate(in: database) }
        if let before {
            try takeForeignKeys(write, in: database, newSince: related)
            write.addChanges(from: before, to: try values(write.model))
        }
        try takeForeignKeys(write, in: database)
        try validateProperties(PropertyValidator(write))
        do {
            try validate()
        } catch {
            throw write.refusal(of: nil, error)
        }
    }

    /// Calls what comes after the write.
    public mutating func didWrite(_ write: RecordWrite, in database: Database) throws {
        if write.kind == .delete { return try didDelete(in: database) }
        if write.kind == .insert { try didInsert(in: database) }
        if write.kind == .update { try didUpdate(in: database) }
        try didSave(in: database)
    }

    private func values(_ model: ModelDescriptor) throws -> [Value] {
        try model.columns.indices.map { try columnValue(at: $0) }
    }
}

extension Record {
    /// The model, which knows then whether the records have hooks.
    static var notedModel: ModelDescriptor { noted(model) }

    /// The same of a model of another table.
    static func noted(_ model: ModelDescriptor) -> ModelDescriptor {
        if hookKind == .all || validatesProperties { model.hasHooks = true }
        return model
    }
}

extension ModelPlan {
    /// Deletes the row of a record that has hooks; false when there was none.
    func delete<R: Record>(copyOf record: R) throws -> Bool {
        var copy = record
        return try delete(&copy)
    }
}

/// Calls the validators of a record's properties before they are written; `@Model` writes what shows them to it.
public struct PropertyValidator {
    private let write: RecordWrite

    init(_ write: RecordWrite) { self.write = write }

    /// Has a validator look at the value of a property, if that is written.
    /// - Parameters:
    ///   - value: what the record has.
    ///   - column: the property's position.
    ///   - validate: throws where the value is not as it should be.
    public func check<Content>(_ value: Content, at column: Int, _ validate: (Content) throws -> Void) throws {
        guard write.writes(column) else { return }
        do {
            try validate(value)
        } catch {
            throw write.refusal(of: column, error)
        }
    }

    /// The same of a property that may be nil, of which there is nothing to look at then.
    public func check<Content>(_ value: Content?, at column: Int, _ validate: (Content) throws -> Void) throws {
        if let value { try check(value, at: column, validate) }
    }
}
