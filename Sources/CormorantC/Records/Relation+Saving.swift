public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

@_cdecl("corm_relation_save") @implementation
public func corm_relation_save(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ levels: UnsafePointer<corm_save_level>?, _ levelCount: Int, _ arena: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let box = try requireModel(model)
        let arena = try memory(arena)
        let memory = SavedMemory(arena: arena, database: handle)
        let root = try SavedLevel(box.descriptor, box.records(), records, count, memory)
        var all: [(path: String, level: SavedLevel)] = [("", root)]
        for raw in try readStructs(levels, levelCount, "corm_save_level", "levels") {
            let path = try string(raw.relation, "relation")
            let (owner, name) = try owner(of: path, among: all)
            all.append((path, try SavedLevel(name, of: owner, raw, memory)))
        }
        let before = all.map { SavedBytes($0.level) }
        do {
            try database.inTransaction { try GraphSaver(database: database).saveAll(root) }
        } catch {
            for bytes in before { bytes.restore() }
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

/// The level that a path starts from, and the relation at its end.
private func owner(
    of path: String, among levels: [(path: String, level: SavedLevel)]
) throws -> (SavedLevel, String) {
    if let root = levels.first, (try? root.level.model.relation(named: path)) != nil { return (root.level, path) }
    guard let dot = path.lastIndex(of: ".") else { return (levels[0].level, path) }
    let above = String(path[..<dot])
    guard let found = levels.last(where: { $0.path == above }) else {
        throw CormorantError(
            .misuse, "the level \"\(path)\" belongs to \"\(above)\", which is not given before it",
            hint: "give each level after the one above it")
    }
    return (found.level, String(path[path.index(after: dot)...]))
}

/// What the records of all levels have in common: where their texts go, and the database that their hooks are given.
private struct SavedMemory {
    let arena: ScratchMemory?
    let database: OpaquePointer?
}

/// Records of one level of a graph, side by side, and those that belong to them.
private final class SavedLevel {
    let model: ModelDescriptor
    let layout: StructLayout
    let count: Int
    private let start: UnsafeMutableRawPointer
    private let memory: SavedMemory
    /// How they belong to those above; nil: they are the first.
    private(set) var relation: Relation?
    private(set) var links: [(owner: Int, record: Int)] = []
    private(set) var deletesRemoved = false
    private(set) var below: [SavedLevel] = []

    init(
        _ model: ModelDescriptor, _ layout: StructLayout, _ records: UnsafeMutableRawPointer?, _ count: Int,
        _ memory: SavedMemory
    ) throws {
        try refuseRecords(records, count, size: layout.size)
        try refuseCount(count, "records")
        (self.model, self.layout, self.count, self.memory) = (model, layout, count, memory)
        start = records ?? UnsafeMutableRawPointer(mutating: emptyText)
        guard memory.arena == nil, layout.fillsTexts else { return }
        for index in 0..<count { try record(index).refuseFilledTexts(model, .save) }
    }

    convenience init(_ name: String, of owner: SavedLevel, _ raw: corm_save_level, _ memory: SavedMemory) throws {
        let relation = try owner.model.relation(named: name)
        try self.init(relation.target, targetLayout(of: relation), raw.records, raw.count, memory)
        self.relation = relation
        deletesRemoved = try requireRemoved(raw.removed)
        if deletesRemoved, relation.kind == .toOne {
            throw CormorantError(.misuse, "relation \(name) leads to one record", hint: "use CORM_REMOVED_KEEP")
        }
        links = try links(raw, owners: owner.count, relation)
        owner.below.append(self)
    }

    var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: start, count: count &* layout.size)
    }

    func record(_ index: Int) -> StructRecord {
        StructRecord(
            base: start + index &* layout.size, layout: layout, arena: memory.arena, database: memory.database)
    }

    /// The first column whose value of these nobody would own.
    func unowned(_ columns: [Int], _ values: [Value]) -> StructLayout.Field? {
        guard memory.arena == nil else { return nil }
        for (column, value) in zip(columns, values) {
            guard value.isTextOrBlob, let field = layout.fields.first(where: { $0.column == column }) else { continue }
            if [.cString, .text, .blob, .value].contains(field.kind) { return field }
        }
        return nil
    }

    private func links(
        _ raw: corm_save_level, owners: Int, _ relation: Relation
    ) throws -> [(owner: Int, record: Int)] {
        guard raw.links != nil else { return try shares(owners, relation) }
        let links = try array(raw.links, raw.link_count, "links").map { (owner: Int($0.owner), record: Int($0.record)) }
        var ownersOf = [Int](repeating: 0, count: count)
        var recordsOf = [Int](repeating: 0, count: owners)
        for link in links {
            guard recordsOf.indices.contains(link.owner), ownersOf.indices.contains(link.record) else {
                throw CormorantError(
                    .misuse,
                    "a link of relation \(relation.name) goes from owner \(link.owner) to record \(link.record)",
                    hint: "there are \(owners) owners and \(count) records, counted from 0")
            }
            ownersOf[link.record] += 1
            recordsOf[link.owner] += 1
        }
        if let lone = ownersOf.firstIndex(of: 0) {
            throw CormorantError(
                .misuse, "record \(lone) of relation \(relation.name) belongs to no owner", hint: "give it a link")
        }
        if relation.kind == .toMany, let shared = ownersOf.firstIndex(where: { $0 > 1 }) {
            throw CormorantError(
                .misuse, "record \(shared) of relation \(relation.name) belongs to several owners",
                hint: "give it one link: the foreign key is in it")
        }
        if relation.kind == .toOne, let full = recordsOf.firstIndex(where: { $0 > 1 }) {
            throw leadsToOne(relation, "owner \(full) has \(recordsOf[full])")
        }
        return links
    }

    /// Each owner has as many as the others.
    private func shares(_ owners: Int, _ relation: Relation) throws -> [(owner: Int, record: Int)] {
        guard count > 0 else { return [] }
        guard owners > 0, count % owners == 0 else {
            throw CormorantError(
                .misuse,
                "\(count) records of relation \(relation.name) are not the same number for each of \(owners) owners",
                hint: "say by links which belong to which")
        }
        let share = count / owners
        if relation.kind == .toOne, share > 1 { throw leadsToOne(relation, "each owner has \(share)") }
        return (0..<count).map { (owner: $0 / share, record: $0) }
    }

    private func leadsToOne(_ relation: Relation, _ what: String) -> CormorantError {
        CormorantError(
            .misuse, "relation \(relation.name) leads to one record, and \(what)", hint: "give each one at most")
    }
}

/// What records were before they are saved: of a failure nothing stays, neither keys nor versions.
private struct SavedBytes {
    private let place: UnsafeMutableRawBufferPointer
    private let bytes: [UInt8]

    init(_ level: SavedLevel) {
        place = level.bytes
        bytes = Array(level.bytes)
    }

    func restore() { place.copyBytes(from: bytes) }
}

/// Saves level by level: what is referred to first.
private struct GraphSaver {
    let database: Database

    let relations = SavedRelations()

    /// Saves the first level, and all below it.
    func saveAll(_ level: SavedLevel) throws {
        do {
            try save(level)
        } catch {
            throw relations.explained(error)
        }
        try note(level)
        try relations.write(to: database)
    }

    private func note(_ level: SavedLevel) throws {
        let columns = relations.columns(of: level.model)
        if !columns.isEmpty {
            for values in try keys(of: level, columns) { relations.note(level.model, columns, values) }
        }
        for below in level.below { try note(below) }
    }

    private func save(_ level: SavedLevel) throws {
        for below in level.below where below.relation?.kind == .toOne { try saveReferred(below, by: level) }
        try saveRecords(level)
        for below in level.below {
            guard let relation = below.relation, relation.kind != .toOne else { continue }
            if below.deletesRemoved { relations.willRemove(from: relation) }
            let owners = try keys(of: level, relation.ownerColumns)
            if relation.kind == .toMany {
                for link in below.links {
                    try refer(below, link.record, relation.referredColumns, to: owners[link.owner])
                }
            }
            try save(below)
            let columns = relation.kind == .toMany ? relation.target.keyColumns : relation.referredColumns
            let others = try keys(of: below, columns)
            var lists = owners.map { _ in [[Value]]() }
            for link in below.links { lists[link.owner].append(others[link.record]) }
            for (owner, list) in zip(owners, lists) {
                try relations.note(relation, of: owner, list, deletesRemoved: below.deletesRemoved)
            }
        }
    }

    private func saveReferred(_ below: SavedLevel, by level: SavedLevel) throws {
        guard let relation = below.relation else { return }
        try save(below)
        let keys = try keys(of: below, relation.referredColumns)
        for link in below.links { try refer(level, link.owner, relation.ownerColumns, to: keys[link.record]) }
    }

    private func saveRecords(_ level: SavedLevel) throws {
        guard level.count > 0 else { return }
        if level.count > 1, database.dialect != .sqlite {
            return try database.batch(level.model, level.count, isSent: level.record(0).hookKind != .all) {
                plan, index, end in
                while index < end {
                    var record = level.record(index)
                    try plan.save(&record)
                    index += 1
                }
            } receive: { plan, index in
                var record = level.record(index)
                _ = try plan.receive(&record, .save)
            }
        }
        try database.withPlan(level.model) { plan in
            for index in 0..<level.count {
                var record = level.record(index)
                do {
                    try plan.save(&record)
                } catch let error as CormorantError {
                    throw level.relation == nil && level.count == 1 ? error : error.at(record: index)
                }
            }
        }
    }

    /// The values of some columns, of each record.
    private func keys(of level: SavedLevel, _ columns: [Int]) throws -> [[Value]] {
        let values = try database.values(of: level.model, columns, count: level.count) { level.record($0) }
        return (0..<level.count).map { Array(values[$0 * columns.count..<($0 + 1) * columns.count]) }
    }

    /// Writes a foreign key into a record.
    private func refer(_ level: SavedLevel, _ index: Int, _ columns: [Int], to key: [Value]) throws {
        var record = level.record(index)
        if let field = level.unowned(columns, key),
            try key != database.values(of: level.model, columns, count: 1, { _ in record })
        {
            throw arenaMissing(level.model, field, "that refers to another record")
        }
        try database.assign(key, to: level.model, columns) { try record.read(only: columns, from: $0) }
    }
}

extension Value {
    fileprivate var isTextOrBlob: Bool {
        switch self {
        case .text, .blob: true
        default: false
        }
    }
}
