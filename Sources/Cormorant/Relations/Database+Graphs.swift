import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Records with their related records.
extension Database {
    /// Saves a record with all related records that are loaded in it, and in these, in one transaction: what foreign keys
    /// need first goes first, keys are filled in on both sides, rows that are there are updated. A relation that was not
    /// loaded is left alone; of one that was, rows that are no longer in it stay related unless it was declared
    /// `@Relation(removed: .delete)`; those that the record leads to elsewhere stay. A foreign key that is neither the one that the row has nor that of the related record
    /// is an error.
    ///
    /// After an error nothing is saved, and the record is as it was.
    @available(*, noasync)
    public func save<R: Record>(graph record: inout R) throws {
        var saved = record
        try inTransaction {
            let graph = SavedGraph(self)
            try visitGraph(&saved) { try graph.copies.look(at: $0, in: $1) }
            graph.copies.endLook()
            do {
                try self.saveGraph(&saved, graph)
            } catch {
                throw graph.relations.explained(error)
            }
            if graph.copies.hasAny {
                try visitGraph(&saved) { record, _ in try graph.copies.saveMoved(record) }
                try graph.copies.endUp(&saved)
                var copies = GraphEnd(copies: graph.copies)
                try saved.visitRelations(&copies)
            }
            try visitGraph(&saved) { record, _ in
                let model = type(of: record).model
                let columns = graph.relations.columns(of: model)
                if !columns.isEmpty {
                    graph.relations.note(model, columns, try columns.map { try record.columnValue(at: $0) })
                }
            }
            try graph.relations.write(to: self)
        }
        record = saved
    }

    fileprivate func saveGraph<R: Record>(
        _ record: inout R, _ graph: SavedGraph, asChildOf parent: Parent? = nil
    ) throws {
        try saveReferred(by: &record, graph, asChildOf: parent)
        if try !graph.copies.isSaved(record), try !graph.copies.isMoved(record) {
            try save(&record)
            try graph.copies.note(record)
        }
        try saveReferring(to: &record, graph)
    }

    /// The same of many: to a server they go as one batch, where no hook is to see one with all that belongs to it.
    fileprivate func saveGraphs<R: Record>(
        _ records: inout [R], _ graph: SavedGraph, asChildrenOf parent: Parent?
    ) throws {
        let isBatch = dialect != .sqlite && R.hookKind != .all && records.count > 1 && !graph.copies.hasAny
        func forEach(_ body: (inout R) throws -> Void) throws {
            for index in records.indices {
                do {
                    try body(&records[index])
                } catch let error as CormorantError {
                    throw error.at(record: index)
                }
            }
        }
        guard isBatch else { return try forEach { try saveGraph(&$0, graph, asChildOf: parent) } }
        try forEach { try saveReferred(by: &$0, graph, asChildOf: parent) }
        try save(contentsOf: &records)
        try forEach { try saveReferring(to: &$0, graph) }
    }

    private func saveReferred<R: Record>(
        by record: inout R, _ graph: SavedGraph, asChildOf parent: Parent?
    ) throws {
        try graph.copies.bringUpToDate(&record)
        var before = GraphSaver(self, R.model, .toOne, graph, parent: parent)
        try record.visitRelations(&before)
        // A relation that leads where the foreign key does says nothing: so is one set whose record was changed.
        let others = try before.foreignKeys.filter { key in
            try !key.isRead && RowKey([key.value]) != RowKey([record.columnValue(at: key.column)])
        }
        let names = Set(others.map(\.relation.name))
        let said = (parent?.keys ?? []) + before.foreignKeys.filter { names.contains($0.relation.name) }
        try record.set(try graph.copies.takeSaved(&record, said) ? said : before.foreignKeys, in: self)
    }

    private func saveReferring<R: Record>(to record: inout R, _ graph: SavedGraph) throws {
        var after = GraphSaver(self, R.model, .toMany, graph)
        after.owner = try record.columnValues()
        try record.visitRelations(&after)
    }
}

/// A graph that is being saved.
private final class SavedGraph {
    let copies: GraphCopies
    let relations = SavedRelations()

    init(_ database: Database) { copies = GraphCopies(database) }
}

/// Saves the related records of a record: those that it refers to before it is saved, the others after.
private struct GraphSaver: RelationVisitor {
    enum Phase {
        case toOne
        case toMany
    }

    private let database: Database
    private let model: ModelDescriptor
    private let phase: Phase
    private let graph: SavedGraph
    /// The foreign key by which the record belongs to the one that it is saved with: that one is not saved again.
    private let parent: Parent?
    /// What the record is to refer to.
    private(set) var foreignKeys: [ForeignKey] = []
    /// The values of the record, once it is saved.
    var owner: [Value] = []

    init(
        _ database: Database, _ model: ModelDescriptor, _ phase: Phase, _ graph: SavedGraph,
        parent: Parent? = nil
    ) {
        self.graph = graph
        self.database = database
        self.model = model
        self.phase = phase
        self.parent = parent
    }

    mutating func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard phase == .toOne, property.isLoaded else { return }
        let relation = try model.relation(named: name)
        let related = try property.record
        if relation.ownerColumns == parent?.columns {
            let key = try related.map { try relation.key(of: $0) }
            try parent?.refuseAnother(property.isAssigned ? key : nil, name, model)
            // Where another list has taken the record over, it was loaded with the one before.
            property = key.map { parent?.isMeant(by: $0) == true } == true ? .read(related) : .notLoaded
            return
        }
        guard var target = related else {
            if property.isAssigned { foreignKeys += try relation.foreignKeysToNone(of: model) }
            property = .read(nil)
            return
        }
        let isRead = try !property.isAssigned && !relation.key(of: target).contains(.null)
        try database.saveGraph(&target, graph)
        foreignKeys += relation.foreignKeys(try relation.key(of: target), isRead: isRead)
        property = .read(target)
    }

    mutating func visitMany<Target: Record>(
        _ name: String, _ property: inout ToMany<Target>, removed: RemovedRecords
    ) throws {
        guard phase == .toMany, property.isLoaded else { return }
        if removed == .delete, property.isPart {
            throw CormorantError(
                .misuse, "\(model.name).\(name) was loaded in part, so what is missing there is not removed",
                hint: "load it without where and limit, or save the records by themselves", table: model.table)
        }
        var related = try property.records
        let relation = try model.relation(named: name)
        if removed == .delete { graph.relations.willRemove(from: relation) }
        let key = relation.ownerColumns.map { owner[$0] }
        if relation.kind == .toMany {
            let parent = Parent(relation, key)
            for index in related.indices {
                do {
                    try graph.copies.bringUpToDate(&related[index])
                    try related[index].set(parent.keys, in: database)
                } catch let error as CormorantError {
                    throw error.at(record: index)
                }
            }
            try database.saveGraphs(&related, graph, asChildrenOf: parent)
        } else {
            try database.saveGraphs(&related, graph, asChildrenOf: nil)
        }
        let columns = relation.kind == .toMany ? relation.target.keyColumns : relation.referredColumns
        let keys = try related.map { record in try columns.map { try record.columnValue(at: $0) } }
        try graph.relations.note(relation, of: key, keys, deletesRemoved: removed == .delete)
        property = .loaded(related)
    }
}

/// Tells of the records of a graph that are saved, and in whose list each is.
/// - Parameter depth: how many records lead to it. Each level takes from the thread's stack.
private func visitGraph<R: Record>(
    _ record: inout R, in list: Parent? = nil, depth: Int = 0, _ tell: @escaping (any Record, Parent?) throws -> Void
) throws {
    guard depth < 500 else {
        throw CormorantError(
            .misuse, "records that are saved together are related more than 500 deep",
            hint: "save them in parts, those that others refer to first")
    }
    try tell(record, list)
    var related = GraphRecords(owner: record, list: list, depth: depth, tell: tell)
    try record.visitRelations(&related)
}

private struct GraphRecords<Owner: Record>: RelationVisitor {
    let owner: Owner
    /// The one that the owner is saved with is not saved again.
    let list: Parent?
    let depth: Int
    let tell: (any Record, Parent?) throws -> Void

    mutating func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard property.isLoaded, var related = try property.record,
            try Owner.model.relation(named: name).ownerColumns != list?.columns
        else { return }
        try visitGraph(&related, depth: depth + 1, tell)
    }

    mutating func visitMany<Target: Record>(
        _ name: String, _ property: inout ToMany<Target>, removed: RemovedRecords
    ) throws {
        guard property.isLoaded else { return }
        let relation = try Owner.model.relation(named: name)
        let parent =
            relation.kind == .toMany
            ? Parent(relation, try relation.ownerColumns.map { try owner.columnValue(at: $0) }) : nil
        for var related in try property.records { try visitGraph(&related, in: parent, depth: depth + 1, tell) }
    }
}

/// Makes all copies of a row what it was saved as.
private struct GraphEnd: RelationVisitor {
    let copies: GraphCopies

    mutating func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard property.isLoaded, var related = try property.record else { return }
        try end(&related)
        property = .read(related)
    }

    mutating func visitMany<Target: Record>(
        _ name: String, _ property: inout ToMany<Target>, removed: RemovedRecords
    ) throws {
        guard property.isLoaded else { return }
        var related = try property.records
        for index in related.indices { try end(&related[index]) }
        property = .object(Loaded(related, isPart: property.isPart))
    }

    private mutating func end<R: Record>(_ record: inout R) throws {
        try copies.endUp(&record)
        try record.visitRelations(&self)
    }
}

/// The record in whose list a record lies, by the foreign key of that.
struct Parent {
    let columns: [Int]
    let key: [Value]
    let keys: [ForeignKey]

    init(_ relation: Relation, _ key: [Value]) {
        columns = relation.referredColumns
        self.key = key
        keys = zip(columns, key).map { ForeignKey(column: $0, value: $1, relation: relation) }
    }

    /// Whether a copy with that key is of this one. One that has none may be, from before it was saved.
    func isMeant(by other: [Value]) -> Bool { other.contains(.null) || RowKey(other) == RowKey(key) }

    /// Refuses a relation that was set to another record.
    func refuseAnother(_ other: [Value]?, _ relation: String, _ model: ModelDescriptor) throws {
        guard let other, !isMeant(by: other) else { return }
        let names = columns.map { model.columns[$0].name }.joined(separator: ", ")
        throw CormorantError(
            .misuse,
            "\(model.name).\(names) would refer to two records, by \(relation) and by the list that the record is in",
            hint: "put the record into the list of the one that its own relation leads to", table: model.table,
            columns: columns.map { model.columns[$0].column })
    }
}
