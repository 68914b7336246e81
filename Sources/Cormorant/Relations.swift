/// The record at the end of a to-one relation, as a property of a `@Model` holds it. What is not loaded is not nil.
public enum ToOne<Target> {
    case notLoaded
    /// nil: there is none.
    indirect case loaded(Target?)

    /// The record, if it is loaded and there is one.
    public var record: Target? {
        get throws {
            guard case .loaded(let record) = self else { throw notLoadedError(Target.self) }
            return record
        }
    }
}

/// The records at the end of a to-many relation, as a property of a `@Model` holds them. What is not loaded is not empty.
public enum ToMany<Target> {
    case notLoaded
    case loaded([Target])

    /// The records, if they are loaded.
    public var records: [Target] {
        get throws {
            guard case .loaded(let records) = self else { throw notLoadedError(Target.self) }
            return records
        }
    }
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
