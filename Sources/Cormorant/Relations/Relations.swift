/// The record at the end of a to-one relation, as a property of a `@Model` holds it. What is not loaded is not nil.
public enum ToOne<Target> {
    /// Nobody has asked for the record yet.
    case notLoaded
    /// Made by `loaded`, read by `record`.
    case object(Loaded<Target?>)

    /// The record is this; nil: there is none. The foreign key of the record that has the relation becomes the key of this one
    /// when it is written next.
    public static func loaded(_ record: Target?) -> ToOne { .object(Loaded(record, isAssigned: true)) }

    /// Whether the record, or that there is none, is known.
    public var isLoaded: Bool { if case .notLoaded = self { false } else { true } }

    /// The record; nil: there is none. Throws when it is not loaded.
    public var record: Target? {
        get throws {
            guard case .object(let loaded) = self else { throw notLoadedError(Target.self) }
            return loaded.value
        }
    }
}

/// The records at the end of a to-many relation, as a property of a `@Model` holds them. What is not loaded is not empty.
public enum ToMany<Target> {
    /// Nobody has asked for the records yet.
    case notLoaded
    /// Made by `loaded`, read by `records`.
    case object(Loaded<[Target]>)

    /// The records are these.
    public static func loaded(_ records: [Target]) -> ToMany { .object(Loaded(records)) }

    /// Whether the records are known.
    public var isLoaded: Bool { if case .notLoaded = self { false } else { true } }

    /// The records. Throws when they are not loaded.
    public var records: [Target] {
        get throws {
            guard case .object(let loaded) = self else { throw notLoadedError(Target.self) }
            return loaded.value
        }
    }
}

/// What is loaded: an object, so that the compiler lays a record out without those that it is related to, and so on. For
/// the same reason `notLoaded` is a case and no function.
public final class Loaded<Value> {
    let value: Value
    /// Of a relation to one: the program says so, and the foreign key is to follow.
    let isAssigned: Bool
    /// Of a relation to many: there may be more, because it was loaded by a condition or with a limit.
    let isPart: Bool

    init(_ value: Value, isAssigned: Bool = false, isPart: Bool = false) {
        self.value = value
        self.isAssigned = isAssigned
        self.isPart = isPart
    }
}

extension Loaded: Sendable where Value: Sendable {}

extension Loaded: Equatable where Value: Equatable {
    public static func == (left: Loaded, right: Loaded) -> Bool { left.value == right.value }
}

extension Loaded: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// What a graph save does with related rows that are not among the loaded records.
public enum RemovedRecords: Sendable {
    /// They stay related.
    case keep
    /// They are deleted; at the end of a junction, the junction's rows are. Refused of a relation that was loaded by a condition or
    /// with a limit, whose other rows are not among the records either.
    case delete
}

/// Goes over the relations of a record; `@Model` writes `visitRelations`, which calls `visit` with each.
public protocol RelationVisitor {
    /// Visits a to-one relation, by its property's name.
    mutating func visitOne<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) throws

    /// Visits a to-many relation, by its property's name; `removed`: what becomes of records that are taken out of it.
    mutating func visitMany<Target: Record>(
        _ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords
    ) throws
}

extension RelationVisitor {
    /// Visits a relation of either kind.
    public mutating func visit(
        _ name: String, _ property: inout some RelationProperty, removed: RemovedRecords = .keep
    ) throws {
        try property.accept(&self, name, removed)
    }
}

/// `ToOne` and `ToMany`. What `@Model` writes names these, not their targets: the compiler lays out the types that code
/// names, and with a target all that it holds.
public protocol RelationProperty: SendableMetatype {
    /// The model of the records at its end.
    static var targetModel: ModelDescriptor { get }

    /// Calls what the visitor has for this kind of relation.
    mutating func accept(_ visitor: inout some RelationVisitor, _ name: String, _ removed: RemovedRecords) throws
}

extension ToOne: RelationProperty where Target: Record {
    /// The model of the record at its end.
    public static var targetModel: ModelDescriptor { Target.notedModel }

    public mutating func accept(
        _ visitor: inout some RelationVisitor, _ name: String, _ removed: RemovedRecords
    ) throws {
        try visitor.visitOne(name, &self)
    }
}

extension ToMany: RelationProperty where Target: Record {
    /// The model of the records at its end.
    public static var targetModel: ModelDescriptor { Target.notedModel }

    public mutating func accept(
        _ visitor: inout some RelationVisitor, _ name: String, _ removed: RemovedRecords
    ) throws {
        try visitor.visitMany(name, &self, removed: removed)
    }
}

private func notLoadedError(_ type: Any.Type) -> CormorantError {
    CormorantError(
        .misuse, "the related records of type \(type) are not loaded",
        hint: "load the relation first, as by load(\\.books, of: &authors)")
}

extension ToOne: Sendable where Target: Sendable {}
extension ToOne: Equatable where Target: Equatable {}
extension ToOne: Hashable where Target: Hashable {}
extension ToMany: Sendable where Target: Sendable {}
extension ToMany: Equatable where Target: Equatable {}
extension ToMany: Hashable where Target: Hashable {}

/// Relations by the types of their records; `@Relation` writes them.
extension RelationDescriptor {
    /// The foreign key is in this record.
    public static func toOne(_ name: String, _ property: any RelationProperty.Type, columns: [String] = [])
        -> RelationDescriptor
    {
        RelationDescriptor(name, .toOne, target: { property.targetModel }, columns: columns)
    }

    /// The foreign key is in the target.
    public static func toMany(_ name: String, _ property: any RelationProperty.Type, columns: [String] = [])
        -> RelationDescriptor
    {
        RelationDescriptor(name, .toMany, target: { property.targetModel }, columns: columns)
    }

    /// A junction table has foreign keys to both.
    public static func manyToMany(
        _ name: String, _ property: any RelationProperty.Type, through junction: any RelationProperty.Type,
        columns: [String] = [],
        targetColumns: [String] = []
    ) -> RelationDescriptor {
        RelationDescriptor(
            name, .manyToMany, target: { property.targetModel }, junction: { junction.targetModel }, columns: columns,
            targetColumns: targetColumns)
    }
}
