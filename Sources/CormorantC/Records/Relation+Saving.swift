public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

@_cdecl("corm_relation_save") @implementation
public func corm_relation_save(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ record: UnsafeMutableRawPointer?, _ related: UnsafeMutableRawPointer?, _ count: Int, _ removed: Int32,
    _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let box = try requireModel(model)
        let relation = try box.descriptor.relation(named: string(name, "relation"))
        let arena = try memory(arena)
        guard let record else { throw missingRecord() }
        try refuseRecords(related, count, size: targetLayout(of: relation).size)
        let deletesRemoved = try requireRemoved(removed)
        var graph = SavedGraph(
            database: database, relation: relation, model: box.descriptor,
            record: StructRecord(base: record, layout: try box.records(), arena: arena, database: handle),
            related: StructRecord(
                base: related ?? UnsafeMutableRawPointer(mutating: emptyText), layout: try targetLayout(of: relation),
                arena: arena, database: handle), count: count, deletesRemoved: deletesRemoved)
        let versions = [SavedVersions(graph.record, count: 1), SavedVersions(graph.related, count: count)]
        do {
            try database.transaction { try graph.save() }
        } catch {
            for one in versions { one.restore() }
            graph.takeBackKeys()
            throw error
        }
        return CORM_OK
    }
}

/// Whether related rows that are not given are deleted.
package func requireRemoved(_ number: Int32) throws -> Bool {
    guard [CORM_REMOVED_KEEP, CORM_REMOVED_DELETE].contains(number) else {
        throw CormorantError(.misuse, "removed is \(number)", hint: "use one of the CORM_REMOVED_ constants")
    }
    return number == CORM_REMOVED_DELETE
}

/// One record and the records related to it, on their way into the file.
private struct SavedGraph {
    let database: Database
    let relation: Relation
    let model: ModelDescriptor
    var record: StructRecord
    /// Stands on the first of the related records.
    let related: StructRecord
    let count: Int
    let deletesRemoved: Bool
    private var recordHasMadeKey = false
    private var madeKeys: [Int] = []

    init(
        database: Database, relation: Relation, model: ModelDescriptor, record: StructRecord, related: StructRecord,
        count: Int, deletesRemoved: Bool
    ) {
        self.database = database
        self.relation = relation
        self.model = model
        self.record = record
        self.related = related
        self.count = count
        self.deletesRemoved = deletesRemoved
    }

    mutating func save() throws {
        switch relation.kind {
        case .toOne: try saveToOne()
        case .toMany: try saveToMany()
        case .manyToMany: try saveManyToMany()
        }
    }

    /// The one it refers to goes first.
    private mutating func saveToOne() throws {
        guard count <= 1, !deletesRemoved else {
            throw CormorantError(
                .misuse, "relation \(relation.name) leads to one record", hint: "give one, and CORM_REMOVED_KEEP")
        }
        if count == 1 {
            try saveRelated(0)
            let key = try values(of: related(0), relation.target, relation.referredColumns)
            try refer(&record, model, relation.ownerColumns, to: key)
        }
        try saveRecord()
    }

    private mutating func saveToMany() throws {
        try saveRecord()
        let key = try values(of: record, model, relation.ownerColumns)
        for index in 0..<count {
            var child = related(index)
            try refer(&child, relation.target, relation.referredColumns, to: key)
            try saveRelated(index)
        }
        try deleteRemoved(key, relation.target.keyColumns)
    }

    private mutating func saveManyToMany() throws {
        try saveRecord()
        let key = try values(of: record, model, relation.ownerColumns)
        for index in 0..<count {
            try saveRelated(index)
            let other = try values(of: related(index), relation.target, relation.referredColumns)
            _ = try database.execute(relation.junctionRow(key, other))
        }
        try deleteRemoved(key, relation.referredColumns)
    }

    private func deleteRemoved(_ key: [Value], _ columns: [Int]) throws {
        guard deletesRemoved else { return }
        let kept = try database.values(of: relation.target, columns, count: count) { related($0) }
        _ = try database.execute(relation.deletion(of: key, except: kept))
    }

    private mutating func saveRecord() throws {
        recordHasMadeKey = try database.withPlan(model) { plan in
            plan.madeKey = false
            try plan.save(&record)
            return plan.madeKey
        }
    }

    private mutating func saveRelated(_ index: Int) throws {
        var record = related(index)
        do {
            let hasMadeKey = try database.withPlan(relation.target) { plan in
                plan.madeKey = false
                try plan.save(&record)
                return plan.madeKey
            }
            if hasMadeKey { madeKeys.append(index) }
        } catch let error as CormorantError {
            throw error.at(record: index)
        }
    }

    /// The rows are rolled back: their keys will be other records'.
    mutating func takeBackKeys() {
        if recordHasMadeKey { record.clearGeneratedKey() }
        for index in madeKeys {
            var record = related(index)
            record.clearGeneratedKey()
        }
    }

    private func related(_ index: Int) -> StructRecord {
        var one = related
        one.base += index &* related.layout.size
        return one
    }

    private func values(of record: StructRecord, _ model: ModelDescriptor, _ columns: [Int]) throws -> [Value] {
        try database.values(of: model, columns, count: 1) { _ in record }
    }

    /// Writes a foreign key into a record.
    private func refer(
        _ record: inout StructRecord, _ model: ModelDescriptor, _ columns: [Int], to key: [Value]
    ) throws {
        try database.assign(key, to: model, columns) { try record.read(only: columns, from: $0) }
    }
}
