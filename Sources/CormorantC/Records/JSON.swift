public import CCormorant
import CormorantBase
import CormorantORM

/// A reader with what C borrows from it.
package final class JSONReaderBox: HandleObject {
    package static var kind: HandleKind { .jsonReader }
    package let reader: JSONReader
    /// The texts of the newest record.
    private let texts = ScratchMemory(firstSize: 1024)
    /// What was read last of each level but the first, until it is taken.
    private var nested: [Records?] = []

    init(_ reader: JSONReader) { self.reader = reader }

    func next(into record: UnsafeMutableRawPointer) throws -> Bool {
        texts.reset()
        let access = StructRecord(base: record, layout: try layout(of: reader.model), arena: texts)
        return try read(limit: 1) { access } > 0
    }

    func fetch(limit: Int) throws -> Records {
        let layout = try layout(of: reader.model)
        let records = Records(size: layout.size)
        _ = try read(limit: limit) { StructRecord(base: try records.append(), layout: layout, arena: records.texts) }
        for (level, records) in zip(reader.levels, [records] + nested) { records?.keep(level.count) }
        return records
    }

    /// - Parameter root: where the next record goes.
    private func read(limit: Int, _ root: () throws -> StructRecord) throws -> Int {
        nested = []
        return try reader.records(limit: limit, untilError: limit < .max) { level, row, _ in
            var access: StructRecord
            if level == 0 {
                access = try root()
            } else {
                while nested.count < level {
                    nested.append(Records(size: try layout(of: reader.levels[nested.count + 1].model).size))
                }
                guard let records = nested[level - 1] else { return }
                access = StructRecord(
                    base: try records.append(), layout: try layout(of: reader.levels[level].model),
                    arena: records.texts)
            }
            try access.read(fromJSON: row)
        }
    }

    /// What was read of a level; nil when it was not met or is taken.
    func take(_ names: [String]) throws -> Related? {
        var level = 0
        var model = reader.model
        for name in names {
            let target = try model.relation(named: name).target
            let found = reader.levels.firstIndex { $0.parent == level && $0.relation?.name == name }
            level = found ?? .max
            model = target
        }
        guard level > 0, level < reader.levels.count, let parent = reader.levels[level].parent else { return nil }
        // A level whose owners have nothing has no records yet.
        while nested.count < level {
            nested.append(Records(size: try layout(of: reader.levels[nested.count + 1].model).size))
        }
        guard let records = nested[level - 1] else { return nil }
        nested[level - 1] = nil
        var starts = [Int](repeating: 0, count: reader.levels[parent].count + 1)
        for group in reader.levels[level].groups { starts[group.owner + 1] = group.count }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        return Related(records, starts: starts, size: try layout(of: model).size)
    }
}

/// How records of a model lie in C.
func layout(of model: ModelDescriptor) throws -> StructLayout {
    guard let layout = try ModelLayouts.records(of: model) else {
        throw CormorantError(
            .misuse, "model \(model.name) is freed", hint: "keep it as long as JSON is read or written")
    }
    return layout
}

package func jsonOptions(_ given: UnsafePointer<corm_json_options>?) throws -> JSONOptions {
    var options = JSONOptions()
    guard let given else { return options }
    let raw: corm_json_options = try readStruct(given, given.pointee.struct_size, "corm_json_options")
    try requireZero(raw.reserved, "corm_json_options")
    guard let names = JSONNames(rawValue: raw.names) else {
        throw CormorantError(
            .misuse, "names \(raw.names) are unknown", hint: "use CORM_JSON_PROPERTIES or CORM_JSON_COLUMNS")
    }
    options.names = names
    options.path = try optionalString(raw.path, "path") ?? "$"
    options.refusesUnknown = raw.refuse_unknown
    options.isLines = raw.lines
    return options
}

private func requireReader(_ handle: OpaquePointer?) throws -> JSONReaderBox {
    try Handles.require(handle, as: JSONReaderBox.self)
}

@_cdecl("corm_json_reader_create") @implementation
public func corm_json_reader_create(
    _ model: OpaquePointer?, _ options: UnsafePointer<corm_json_options>?,
    _ outReader: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outReader, "out_reader")
        let box = try requireModel(model)
        try box.refuseRows()
        var options = try jsonOptions(options)
        options.isStrict = box.layout == nil
        out.pointee = try Handles.add(JSONReaderBox(JSONReader(box.descriptor, options)))
        return CORM_OK
    }
}

@_cdecl("corm_json_reader_feed") @implementation
public func corm_json_reader_feed(
    _ handle: OpaquePointer?, _ data: UnsafeRawPointer?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let reader = try requireReader(handle).reader
        let bytes = try bytes(data, size, "data")
        if !bytes.isEmpty { try reader.feed(bytes) }
        return CORM_OK
    }
}

@_cdecl("corm_json_reader_end") @implementation
public func corm_json_reader_end(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        // No bytes are the end to the engine.
        try requireReader(handle).reader.feed(UnsafeRawBufferPointer(start: nil, count: 0))
        return CORM_OK
    }
}

@_cdecl("corm_json_reader_next") @implementation
public func corm_json_reader_next(
    _ handle: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireReader(handle)
        guard let record else { throw missingRecord() }
        return try box.next(into: record) ? CORM_ROW : CORM_DONE
    }
}

@_cdecl("corm_json_reader_fetch") @implementation
public func corm_json_reader_fetch(
    _ handle: OpaquePointer?, _ maxRecords: Int, _ outRecords: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireReader(handle)
        let out = try require(outRecords, "out_records")
        // A size_t beyond Int is no limit either.
        let records = try box.fetch(limit: maxRecords <= 0 ? .max : maxRecords)
        out.pointee = try Handles.add(records)
        return records.count > 0 ? CORM_ROW : CORM_DONE
    }
}

@_cdecl("corm_json_reader_related") @implementation
public func corm_json_reader_related(
    _ handle: OpaquePointer?, _ relations: UnsafePointer<CChar>?, _ outRelated: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireReader(handle)
        let out = try require(outRelated, "out_related")
        let names = try string(relations, "relation").split(separator: ".", omittingEmptySubsequences: false)
        guard let related = try box.take(names.map(String.init)) else { return CORM_NOT_FOUND }
        out.pointee = try Handles.add(related)
        return CORM_OK
    }
}

@_cdecl("corm_json_reader_import") @implementation
public func corm_json_reader_import(
    _ database: OpaquePointer?, _ handle: OpaquePointer?, _ operation: Int32,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let reader = try requireReader(handle).reader
        guard [CORM_WRITE_INSERT, CORM_WRITE_SAVE].contains(operation) else {
            throw CormorantError(
                .misuse, "operation \(operation) is none of JSON", hint: "use CORM_WRITE_INSERT or CORM_WRITE_SAVE")
        }
        let count = try reader.importRecords(
            into: CormorantC.database(database), isSave: operation == CORM_WRITE_SAVE)
        outCount?.pointee = Int64(count)
        return CORM_OK
    }
}

@_cdecl("corm_json_reader_free") @implementation
public func corm_json_reader_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: JSONReaderBox.self) }
