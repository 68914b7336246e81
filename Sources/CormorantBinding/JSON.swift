public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM

/// The rows of one level on their way into a block.
private final class LevelRows {
    private let block = UnsafeMutablePointer<corm_block>.allocate(capacity: 1)
    private var writer: MarshalWriter
    private let types: ColumnTypes
    private var count = 0
    private(set) var missing: [Int] = []

    init(_ model: ModelDescriptor) throws {
        block.initialize(to: corm_block())
        writer = MarshalWriter(block)
        types = ColumnTypes(model)
        try writer.beginList()
    }

    deinit {
        corm_block_free(block)
        block.deallocate()
    }

    func append(_ reader: RecordReader, _ lacked: [Int]) throws {
        try writer.row(reader, types)
        for column in lacked { missing += [count, column] }
        count += 1
    }

    func write(to other: inout MarshalWriter) throws {
        try writer.endList(count)
        writer.finish()
        try other.blob(UnsafeRawBufferPointer(start: block.pointee.data, count: block.pointee.size))
    }
}

@_cdecl("corm_block_read_json") @implementation
public func corm_block_read_json(
    _ handle: OpaquePointer?, _ maxRecords: Int, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let reader = try Handles.require(handle, as: JSONReaderBox.self).reader
        var writer = MarshalWriter(try require(block, "block"))
        var rows = [try LevelRows(reader.model)]
        let count = try reader.records(limit: maxRecords <= 0 ? .max : maxRecords, untilError: true) {
            level, row, missing in
            while rows.count <= level { rows.append(try LevelRows(reader.levels[rows.count].model)) }
            try rows[level].append(row, missing)
        }
        while rows.count < reader.levels.count { rows.append(try LevelRows(reader.levels[rows.count].model)) }
        try writer.beginList()
        for (level, rows) in zip(reader.levels, rows) {
            try writer.tuple(5)
            if let parent = level.parent { writer.integer(Int64(parent)) } else { writer.none() }
            try writer.value(level.relation.map { .text($0.name) } ?? .null)
            try writer.integers(
                level.parent == nil
                    ? [reader.firstIndex].compactMap { $0 } : level.groups.flatMap { [$0.owner, $0.count] })
            try rows.write(to: &writer)
            try writer.integers(rows.missing)
        }
        try writer.endList(reader.levels.count)
        writer.finish()
        return count > 0 ? CORM_ROW : CORM_DONE
    }
}

extension MarshalWriter {
    fileprivate mutating func integers(_ values: [Int]) throws {
        try tuple(values.count)
        for value in values { integer(Int64(value)) }
    }
}

@_cdecl("corm_block_write_json") @implementation
public func corm_block_write_json(
    _ model: OpaquePointer?, _ levels: UnsafeRawPointer?, _ size: Int, _ options: UnsafePointer<corm_json_options>?,
    _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var out = MarshalWriter(try require(block, "block"))
        let descriptor = try requireModel(model).descriptor
        let tree = try MarshalTree(JSONWriter(jsonOptions(options)), descriptor, MarshalReader(levels, size))
        try tree.writer.document(tree.count) { _ in try tree.write(0) }
        _ = try tree.writer.json.withUnsafeBufferPointer { try out.text($0) }
        out.finish()
        return CORM_OK
    }
}

/// Records and those related to them, as rows that are read from a block in the order in which they are written.
private final class MarshalTree {
    private final class Level {
        let mapping: JSONMapping
        var row: MarshalRow
        let count: Int
        /// Which owner comes next that has some, and how many each has, backwards.
        var groups: [(owner: Int, count: Int)] = []
        var below: [(relation: Int, level: Level)] = []
        /// How many were written.
        var written = 0

        init(_ mapping: JSONMapping, _ rows: MarshalReader) throws {
            self.mapping = mapping
            count = try rows.sequence()
            let types = ColumnTypes(mapping.model)
            row = MarshalRow(reader: rows, model: mapping.model, types: types)
        }
    }

    let writer: JSONWriter
    private var levels: [Level] = []

    var count: Int { levels[0].count }

    init(_ writer: JSONWriter, _ model: ModelDescriptor, _ reader: MarshalReader) throws {
        self.writer = writer
        for index in 0..<(try reader.sequence()) {
            guard try reader.sequence() == 4 else { throw MarshalReader.damaged() }
            let parent = try reader.value("the level above")
            let name = try reader.value("the relation")
            let groups = try (0..<reader.sequence()).map { _ in try reader.value("a position") }
            guard case .bytes(let start, let size) = try reader.next() else { throw MarshalReader.damaged() }
            let rows = try MarshalReader(start, size)
            guard index > 0 else {
                levels.append(try Level(writer.mapping(of: model), rows))
                continue
            }
            guard case .integer(let above) = parent, levels.indices.contains(Int(clamping: above)),
                case .text(let name) = name
            else { throw MarshalReader.damaged() }
            let owner = levels[Int(above)]
            let relation = try owner.mapping.relationIndex(name)
            let level = try Level(writer.mapping(of: owner.mapping.relation(relation).target), rows)
            var numbers = groups.makeIterator()
            while case .integer(let position)? = numbers.next(), case .integer(let count)? = numbers.next() {
                level.groups.append((Int(clamping: position), Int(clamping: count)))
            }
            level.groups.reverse()
            owner.below.append((relation, level))
            levels.append(level)
        }
        guard !levels.isEmpty else { throw MarshalReader.damaged() }
    }

    func write(_ level: Int) throws { try write(levels[level]) }

    private func write(_ level: Level) throws {
        let position = level.written
        guard position < level.count else { throw MarshalReader.damaged() }
        level.written += 1
        level.row.begin()
        try writer.object(level.row, level.mapping) {
            for (relation, below) in level.below where below.groups.last?.owner == position {
                guard let group = below.groups.popLast(), group.count >= 0 else { throw MarshalReader.damaged() }
                try writer.relation(relation, of: level.mapping, group.count) { _ in try self.write(below) }
            }
        }
    }
}
