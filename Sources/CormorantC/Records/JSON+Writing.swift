public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

@_cdecl("corm_json_write") @implementation
public func corm_json_write(
    _ model: OpaquePointer?, _ records: UnsafeRawPointer?, _ count: Int, _ nested: UnsafePointer<corm_json_nested>?,
    _ nestedCount: Int, _ options: UnsafePointer<corm_json_options>?, _ arena: OpaquePointer?,
    _ outText: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ outSize: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let memory = try Handles.require(arena, as: ScratchMemory.self)
        let out = try require(outText, "out_text")
        let box = try requireModel(model)
        try refuseRecords(records, count, size: box.records().size)
        let nested = try readStructs(nested, nestedCount, "corm_json_nested", "nested")
        var tree = JSONTree(try JSONWriter(jsonOptions(options)))
        let start = UnsafeRawPointer(records ?? UnsafeRawPointer(emptyText))
        try tree.add(JSONTree.Level(tree.writer.mapping(of: box.descriptor), box.records(), start, count))
        for level in nested { try tree.add(level) }
        try tree.writer.document(count) { try tree.write(0, $0) }
        let json = tree.writer.json
        let copy = try json.withUnsafeBytes { try memory.checkedCopy($0.baseAddress, count: $0.count) }
        out.pointee = UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
        outSize?.pointee = json.count
        return CORM_OK
    }
}

/// Records side by side and those related to them, as they lie in C.
private struct JSONTree {
    struct Level {
        let mapping: JSONMapping
        let layout: StructLayout
        let start: UnsafeRawPointer
        let count: Int
        /// By the position of their owners; nil for the records themselves.
        var related: Related?
        /// The relations, from the records on.
        var names: [String] = []
        /// The levels below, and by which relation.
        var below: [(relation: Int, level: Int)] = []

        init(_ mapping: JSONMapping, _ layout: StructLayout, _ start: UnsafeRawPointer, _ count: Int) {
            self.mapping = mapping
            self.layout = layout
            self.start = start
            self.count = count
        }
    }

    let writer: JSONWriter
    private var levels: [Level] = []

    init(_ writer: JSONWriter) { self.writer = writer }

    mutating func add(_ level: Level) { levels.append(level) }

    mutating func add(_ nested: corm_json_nested) throws {
        let path = try string(nested.relations, "relation")
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let related = try Handles.require(nested.related, as: Related.self)
        guard let parent = levels.firstIndex(where: { $0.names == Array(names.dropLast()) }), let name = names.last
        else {
            throw CormorantError(.misuse, "\"\(path)\" comes before the level above it", hint: "give that one first")
        }
        let relation = try levels[parent].mapping.relationIndex(name)
        let model = levels[parent].mapping.relation(relation).target
        let layout = try layout(of: model)
        guard related.size == layout.size, related.starts.count == levels[parent].count + 1 else {
            throw CormorantError(
                .misuse, "\"\(path)\" is given related records of other owners, or of another relation",
                hint: "load them for the records that are written, or for corm_related_all of the level above")
        }
        guard !levels.contains(where: { $0.names == names }) else {
            throw CormorantError(.misuse, "\"\(path)\" is given twice", hint: "give each relation once")
        }
        let start = UnsafeRawPointer(related.records.start ?? UnsafeMutableRawPointer(mutating: emptyText))
        var level = Level(try writer.mapping(of: model), layout, start, related.records.count)
        level.related = related
        level.names = names
        levels[parent].below.append((relation, levels.count))
        levels.append(level)
    }

    /// Writes a record with what is related to it.
    func write(_ index: Int, _ position: Int) throws {
        let level = levels[index]
        let base = UnsafeMutableRawPointer(mutating: level.start + position &* level.layout.size)
        try writer.object(StructRecord(base: base, layout: level.layout, arena: nil), level.mapping) {
            for (relation, below) in level.below {
                let range = levels[below].related?.range(position) ?? 0..<0
                try writer.relation(relation, of: level.mapping, range.count) {
                    try write(below, range.lowerBound + $0)
                }
            }
        }
    }
}
