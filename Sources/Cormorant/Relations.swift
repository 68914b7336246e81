/// The record at the end of a to-one relation, as a property of a `@Model` holds it. What is not loaded is not nil.
public struct ToOne<Target> {
    private let loaded: Loaded<Target?>?

    public static var notLoaded: ToOne { ToOne(loaded: nil) }

    /// The record is this; nil: there is none.
    public static func loaded(_ record: Target?) -> ToOne { ToOne(loaded: Loaded(record)) }

    public var isLoaded: Bool { loaded != nil }

    /// The record; nil: there is none. Throws when it is not loaded.
    public var record: Target? {
        get throws {
            guard let loaded else { throw notLoadedError(Target.self) }
            return loaded.value
        }
    }
}

/// The records at the end of a to-many relation, as a property of a `@Model` holds them. What is not loaded is not empty.
public struct ToMany<Target> {
    private let loaded: Loaded<[Target]>?

    public static var notLoaded: ToMany { ToMany(loaded: nil) }

    /// The records are these.
    public static func loaded(_ records: [Target]) -> ToMany { ToMany(loaded: Loaded(records)) }

    public var isLoaded: Bool { loaded != nil }

    /// The records. Throws when they are not loaded.
    public var records: [Target] {
        get throws {
            guard let loaded else { throw notLoadedError(Target.self) }
            return loaded.value
        }
    }
}

/// An object, so that the layout of a record is known without that of those that it is related to, and so on.
private final class Loaded<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Loaded: Sendable where Value: Sendable {}

extension Loaded: Equatable where Value: Equatable {
    static func == (left: Loaded, right: Loaded) -> Bool { left.value == right.value }
}

extension Loaded: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// What a graph save does with related rows that are not among the loaded records.
public enum RemovedRecords: Sendable {
    /// They stay related.
    case keep
    /// They are deleted; at the end of a junction, the junction's rows are.
    case delete
}

/// Goes over the relations of a record; `@Model` writes `visitRelations`, which calls it with each.
public protocol RelationVisitor {
    mutating func visit<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) throws

    mutating func visit<Target: Record>(
        _ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords
    ) throws
}

extension RelationVisitor {
    public mutating func visit<Target: Record>(_ name: String, _ relation: inout ToMany<Target>) throws {
        try visit(name, &relation, removed: .keep)
    }
}

private func notLoadedError(_ type: Any.Type) -> CormorantError {
    CormorantError(.misuse, "the related records of type \(type) are not loaded", hint: "load the relation first")
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
    public static func toOne<R: Record>(_ name: String, _ target: R.Type, columns: [String] = []) -> RelationDescriptor
    {
        RelationDescriptor(name, .toOne, target: { R.model }, columns: columns)
    }

    /// The foreign key is in the target.
    public static func toMany<R: Record>(_ name: String, _ target: R.Type, columns: [String] = []) -> RelationDescriptor
    {
        RelationDescriptor(name, .toMany, target: { R.model }, columns: columns)
    }

    /// A junction table has foreign keys to both.
    public static func manyToMany<R: Record, Junction: Record>(
        _ name: String, _ target: R.Type, through junction: Junction.Type, columns: [String] = [],
        targetColumns: [String] = []
    ) -> RelationDescriptor {
        RelationDescriptor(
            name, .manyToMany, target: { R.model }, junction: { Junction.model }, columns: columns,
            targetColumns: targetColumns)
    }
}
