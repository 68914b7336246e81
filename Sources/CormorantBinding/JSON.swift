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
    /// Where the newest of the records that all belong to begins.
    private var newest = (size: 0, count: 0, missing: 0)

    init(_ model: ModelDescriptor) throws {
        block.initialize(to: corm_block())
        writer = MarshalWriter(block)
        types = ColumnTypes(model)
        try writer.beginList()
        mark()
    }

    deinit {
        corm_block_free(block)
        block.deallocate()
    }

    func append(_ reader: RecordReader, _ lacked: [Int]) throws {
        let start = writer.count
        do { try writer.row(reader, types) } catch {
            writer.cut(start)
            throw error
        }
        for column in lacked { missing += [count, column] }
        count += 1
    }

    /// Another record comes, with what is related to it.
    func mark() { newest = (writer.count, count, missing.count) }

    /// - Parameter count: how many belong to records that are whole; if not all, the newest is not.
    func write(_ count: Int, to other: inout MarshalWriter) throws {
        if count < self.count {
            writer.cut(newest.size)
            self.count = newest.count
            missing.removeSubrange(newest.missing...)
        }
        try writer.endList(self.count)
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
            if level == 0 { for level in rows { level.mark() } }
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
            try rows.write(level.count, to: &writer)
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
    _ levels: UnsafeRawPointer?, _ size: Int, _ options: UnsafePointer<corm_json_options>?,
    _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var out = MarshalWriter(try require(block, "block"))
        let tree = try MarshalTree(JSONWriter(jsonOptions(options)), MarshalReader(levels, size))
        try tree.writer.document(tree.count) { _ in try tree.write(0) }
        _ = try tree.writer.json.withUnsafeBufferPointer { try out.text($0) }
        out.finish()
        return CORM_OK
    }
}

/// Records and those related to them, as rows that are read from a block in the order in which they are written.
private final class MarshalTree {
    /// The records of one model at a level.
    private final class Part {
        let mapping: JSONMapping
        var row: MarshalRow
        let count: Int

        init(_ mapping: JSONMapping, _ rows: MarshalReader) throws {
            self.mapping = mapping
            count = try rows.sequence()
            row = MarshalRow(reader: rows, model: mapping.model, types: ColumnTypes(mapping.model))
        }
    }

    private final class Level {
        let parts: [Part]
        /// Of which part each record is; empty where there is one.
        let order: [Int]
        let count: Int
        /// Which owner comes next that has some, and how many each has, backwards.
        var groups: [(owner: Int, count: Int)] = []
        /// With the relation of each part.
        var below: [(relations: [Int?], level: Level)] = []
        /// How many were written.
        var written = 0

        init(_ parts: [Part], _ order: [Int]) throws {
            self.parts = parts
            self.order = order
            count = parts.reduce(0) { $0 + $1.count }
            guard !parts.isEmpty, order.isEmpty ? parts.count == 1 : order.count == count,
                order.allSatisfy(parts.indices.contains)
            else { throw MarshalReader.damaged() }
        }
    }

    let writer: JSONWriter
    private var levels: [Level] = []

    var count: Int { levels[0].count }

    init(_ writer: JSONWriter, _ reader: MarshalReader) throws {
        self.writer = writer
        let integers = {
            try (0..<reader.sequence()).map { _ in
                guard case .integer(let number) = try reader.next() else { throw MarshalReader.damaged() }
                return Int(clamping: number)
            }
        }
        for index in 0..<(try reader.sequence()) {
            guard try reader.sequence() == 5 else { throw MarshalReader.damaged() }
            let parent = try reader.value("the level above")
            let name = try reader.value("the relation")
            let groups = try integers()
            let parts = try (0..<reader.sequence()).map { _ in
                guard try reader.sequence() == 2,
                    case .bytes(let handle, MemoryLayout<UInt>.size) = try reader.next(),
                    case .bytes(let rows, let size) = try reader.next()
                else { throw MarshalReader.damaged() }
                let model = try requireModel(OpaquePointer(bitPattern: handle.loadUnaligned(as: UInt.self))).descriptor
                return try Part(writer.mapping(of: model), MarshalReader(rows, size))
            }
            let level = try Level(parts, integers())
            levels.append(level)
            guard index > 0 else { continue }
            guard case .integer(let above) = parent, (0..<index).contains(Int(clamping: above)),
                case .text(let name) = name
            else { throw MarshalReader.damaged() }
            for place in stride(from: 0, to: groups.count - 1, by: 2) {
                level.groups.append((groups[place], groups[place + 1]))
            }
            level.groups.reverse()
            // Not every model of the level above has the relation.
            let owners = levels[Int(above)].parts
            levels[Int(above)].below.append((owners.map { try? $0.mapping.relationIndex(name) }, level))
        }
        guard !levels.isEmpty else { throw MarshalReader.damaged() }
    }

    func write(_ level: Int) throws { try write(levels[level]) }

    private func write(_ level: Level) throws {
        let position = level.written
        guard position < level.count else { throw MarshalReader.damaged() }
        level.written += 1
        let index = level.order.isEmpty ? 0 : level.order[position]
        let part = level.parts[index]
        part.row.begin()
        try writer.object(part.row, part.mapping) {
            for (relations, below) in level.below where below.groups.last?.owner == position {
                guard let group = below.groups.popLast(), group.count >= 0, let relation = relations[index]
                else { throw MarshalReader.damaged() }
                try writer.relation(relation, of: part.mapping, group.count) { _ in try self.write(below) }
            }
        }
    }
}
