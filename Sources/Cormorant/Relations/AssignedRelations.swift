import CormorantBase
import CormorantEngine
import CormorantORM

extension ToOne {
    /// What was read for it, and what was set and is written: the record's foreign key says which it is.
    static func read(_ record: Target?) -> ToOne { .object(Loaded(record)) }

    /// Whether the program says which record it is, and no write of the record that has it has taken that in.
    var isAssigned: Bool { if case .object(let loaded) = self { loaded.isAssigned } else { false } }
}

extension ToMany {
    /// Whether there may be more, because it was loaded by a condition or with a limit.
    var isPart: Bool { if case .object(let loaded) = self { loaded.isPart } else { false } }
}

extension Record {
    /// The names of the relations to one that were set.
    func assignedRelations() throws -> Set<String> { Set(try assigned().map(\.relation.name)) }

    /// The relations to one that were set, each with the key of the record at its end; nil: there is none.
    func assigned() throws -> [(relation: Relation, key: [Value]?)] {
        guard Self.model.hasToOne else { return [] }
        var copy = self
        var found = AssignedRelations(Self.model)
        try copy.visitRelations(&found)
        return found.items
    }

    /// Takes the keys of the records that relations to one were set to, before the record is written. A related record
    /// without a key is an error, where its foreign key is written.
    /// - Parameter old: the relations that were set before hooks: what these have set is taken, whatever is written.
    mutating func takeForeignKeys(
        _ write: RecordWrite, in database: Database, newSince old: Set<String>? = nil
    ) throws {
        let model = Self.model
        guard model.hasToOne else { return }
        var found = AssignedRelations(model)
        try visitRelations(&found)
        var keys: [ForeignKey] = []
        var taken: Set<String> = []
        for (relation, key) in found.items {
            let isTaken = old.map { !$0.contains(relation.name) } ?? relation.ownerColumns.contains(where: write.writes)
            guard isTaken else { continue }
            if key?.contains(.null) == true { throw relation.hasNoKey(model) }
            let foreignKeys = try key.map { relation.foreignKeys($0) } ?? relation.foreignKeysToNone(of: model)
            if old == nil { try refuseHalf(foreignKeys, write) }
            keys += foreignKeys
            taken.insert(relation.name)
        }
        guard !taken.isEmpty else { return }
        try set(keys, in: database)
        var written = WrittenRelations(names: taken)
        try visitRelations(&written)
    }

    /// Throws where an update writes one column of a foreign key and leaves out another that changes, too: half of it refers to another
    /// record, or to none.
    private func refuseHalf(_ keys: [ForeignKey], _ write: RecordWrite) throws {
        guard write.kind == .update else { return }
        let left = keys.filter { !write.writes($0.column) && !Self.model.keyColumns.contains($0.column) }
        guard let first = try left.first(where: { try !$0.isSame(as: columnValue(at: $0.column)) }) else { return }
        throw first.relation.isLeft(first.column, Self.model)
    }

    /// Forgets the related records that are others than those which a row just read refers to.
    /// - Parameter keepsAssigned: whether relations that were set stay so.
    mutating func forgetOtherRecords(keepsAssigned: Bool = false) throws {
        guard Self.model.hasToOne else { return }
        var stale = StaleRelations(model: Self.model, keepsAssigned: keepsAssigned)
        stale.values = try Self.model.columns.indices.map { try columnValue(at: $0) }
        try visitRelations(&stale)
    }
}

extension Relation {
    func foreignKeys(_ key: [Value], isRead: Bool = false) -> [ForeignKey] {
        zip(ownerColumns, key).map { ForeignKey(column: $0, value: $1, relation: self, isRead: isRead) }
    }

    fileprivate func isLeft(_ column: Int, _ model: ModelDescriptor) -> CormorantError {
        let all = ownerColumns.filter { !model.keyColumns.contains($0) }.map { model.columns[$0].name }
        return CormorantError(
            .misuse,
            "\(model.name).\(name) is set, and the update leaves out \(model.columns[column].name) of its foreign key",
            hint: "update all of it: \(all.joined(separator: ", "))", table: model.table,
            columns: [model.columns[column].column])
    }

    fileprivate func hasNoKey(_ model: ModelDescriptor) -> CormorantError {
        CormorantError(
            .misuse, "\(model.name).\(name) is set to a record of \(target.name) that has no key yet",
            hint: "save both with save(graph:), or insert that one first", table: model.table,
            columns: ownerColumns.map { model.columns[$0].column })
    }
}

/// Finds the relations to one that were set.
private struct AssignedRelations: RelationVisitor {
    let model: ModelDescriptor
    /// Each with the key of the record at its end; nil: there is none.
    var items: [(relation: Relation, key: [Value]?)] = []

    init(_ model: ModelDescriptor) { self.model = model }

    mutating func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard property.isAssigned else { return }
        let relation = try model.relation(named: name)
        items.append((relation, try property.record.map { try relation.key(of: $0) }))
    }

    func visitMany<Target: Record>(_: String, _: inout ToMany<Target>, removed: RemovedRecords) {}
}

extension Relation {
    /// What a record at its end is known by.
    func key<Target: Record>(of record: Target) throws -> [Value] {
        try referredColumns.map { try record.columnValue(at: $0) }
    }
}

/// Says of relations that a write has taken them in.
private struct WrittenRelations: RelationVisitor {
    let names: Set<String>

    func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        if names.contains(name) { property = .read(try property.record) }
    }

    func visitMany<Target: Record>(_: String, _: inout ToMany<Target>, removed: RemovedRecords) {}
}

/// Takes out the records that the foreign keys do not refer to.
private struct StaleRelations: RelationVisitor {
    let model: ModelDescriptor
    let keepsAssigned: Bool
    var values: [Value] = []

    func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard property.isLoaded, !keepsAssigned || !property.isAssigned else { return }
        let relation = try model.relation(named: name)
        let here = relation.ownerColumns.map { values[$0] }
        let record = try property.record
        let there = try record.map { try relation.key(of: $0) } ?? here.map { _ in .null }
        property = RowKey(here) == RowKey(there) ? .read(record) : .notLoaded
    }

    func visitMany<Target: Record>(_: String, _: inout ToMany<Target>, removed: RemovedRecords) {}
}
