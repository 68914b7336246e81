public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

@_cdecl("corm_block_free") @implementation
public func corm_block_free(_ block: UnsafeMutablePointer<corm_block>?) {
    guard let block else { return }
    if block.pointee.owned { block.pointee.data?.deallocate() }
    block.pointee = corm_block()
}

@_cdecl("corm_block_find") @implementation
public func corm_block_find(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ key: UnsafeRawPointer?, _ size: Int,
    _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let writeKey = { (writer: inout RecordWriter, model: ModelDescriptor) in
            try writer.writeKey(MarshalReader(key, size), of: model)
        }
        guard let block else { return try rowExists(handle, model, key: writeKey) ? CORM_OK : CORM_NOT_FOUND }
        let found = try findRow(handle, model, block, cached: { rowKey(key, size, of: $0) }, writeKey)
        return found ? CORM_OK : CORM_NOT_FOUND
    }
}

/// Writes the row with a key into the block; false when there is none.
/// - Parameters: as of `ModelPlan.find`.
@inline(__always)
func findRow(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ block: UnsafeMutablePointer<corm_block>,
    cached: (ModelDescriptor) -> RowKey?, _ key: (inout RecordWriter, ModelDescriptor) throws -> Void
) throws -> Bool {
    var writer = MarshalWriter(block)
    let found = try findRow(handle, model, cached: cached, key: key) { try writer.row($0, $1) }
    writer.finish()
    return found
}

/// A marshalled tuple as caches know a key.
private func rowKey(_ key: UnsafeRawPointer?, _ size: Int, of model: ModelDescriptor) -> RowKey? {
    guard let reader = try? MarshalReader(key, size), let count = try? reader.sequence(),
        let values = try? (0..<count).map({ _ in try reader.value("the key") })
    else { return nil }
    return model.rowKey(values)
}

extension RecordWriter {
    /// Writes a primary key given as a marshalled tuple.
    fileprivate mutating func writeKey(_ reader: MarshalReader, of model: ModelDescriptor) throws {
        let count = try reader.sequence()
        guard count == max(1, model.keyColumns.count) else { throw wrongKeyCount(model, count) }
        for position in 0..<count { try writeKey(reader.value("the key"), position: position) }
    }
}

@_cdecl("corm_block_delete_key") @implementation
public func corm_block_delete_key(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ key: UnsafeRawPointer?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let model = box.descriptor
            return try database.withPlan(model) { plan in
                let reader = try MarshalReader(key, size)
                return try plan.delete(key: { try $0.writeKey(reader, of: model) }) ? CORM_OK : CORM_NOT_FOUND
            }
        }
    }
}

@_cdecl("corm_block_execute") @implementation
public func corm_block_execute(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ bindings: UnsafeRawPointer?, _ size: Int,
    _ isPart: Bool, _ outChanges: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let sql = try string(sql, "SQL")
        var changes: Int64 = 0
        if bindings == nil {
            changes = try database.execute(sql) { try $0.checkBindingCount(0) }
        } else {
            let reader = try MarshalReader(bindings, size)
            let count = try reader.sequence()
            if count == 1 {
                changes = try database.execute(sql) { try reader.bind(to: $0, borrowing: true) }
            } else {
                changes = try database.executeBatch(sql, count: count, isPart: isPart) {
                    try reader.bind(to: $0, borrowing: true)
                }
            }
        }
        outChanges?.pointee = changes
        return CORM_OK
    }
}

@_cdecl("corm_block_is_plain") @implementation
public func corm_block_is_plain(_ rows: UnsafeRawPointer?, _ size: Int) -> Bool {
    do {
        let reader = try MarshalReader(rows, size)
        for _ in 0..<(try reader.sequence()) {
            guard try reader.skipPlainTuple() else { return false }
        }
        return true
    } catch {
        return false
    }
}

@_cdecl("corm_block_count") @implementation
public func corm_block_count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ bindings: UnsafeRawPointer?,
    _ size: Int, _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let out = try require(outCount, "out_count")
        if let sql = try optionalString(sql, "SQL") {
            out.pointee = try database.count(sql) { try bindBlock(bindings, size, to: $0) }
        } else {
            let attributes = bindings == nil ? [] : try MarshalReader(bindings, size).attributes()
            out.pointee = try database.count(
                requireModel(model).descriptor, Query(attributes: attributes, order: [], limit: nil, offset: 0))
        }
        return CORM_OK
    }
}

func bindBlock(_ bindings: UnsafeRawPointer?, _ size: Int, to statement: Statement) throws {
    if bindings == nil {
        try statement.checkBindingCount(0)
    } else {
        try MarshalReader(bindings, size).bind(to: statement, borrowing: false)
    }
}

@_cdecl("corm_block_set_whole") @implementation
public func corm_block_set_whole(
    _ part: OpaquePointer?, _ whole: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireModel(part).descriptor.whole = requireModel(whole).descriptor
        return CORM_OK
    }
}

@_cdecl("corm_block_refer") @implementation
public func corm_block_refer(
    _ model: OpaquePointer?, _ other: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireModel(model).descriptor.relations.refer(to: livingModel(of: other))
        return CORM_OK
    }
}

@_cdecl("corm_block_refer_by_name") @implementation
public func corm_block_refer_by_name(
    _ model: OpaquePointer?, _ others: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let others = try array(others, count, "others").map { try livingModel(of: $0) }
        try requireModel(model).descriptor.relations.refer(byName: others)
        return CORM_OK
    }
}

@_cdecl("corm_block_tell_relations") @implementation
public func corm_block_tell_relations(
    _ model: OpaquePointer?, _ tell: corm_release?, _ context: UnsafeMutableRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    let context = UInt(bitPattern: context)
    return boundary(outError) {
        try requireModel(model).descriptor.relations.onceAsked { tell?(UnsafeMutableRawPointer(bitPattern: context)) }
        return CORM_OK
    }
}

@_cdecl("corm_block_max_key") @implementation
public func corm_block_max_key(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var writer = MarshalWriter(try require(block, "block"))
        let key = try database(handle).maxKey(requireModel(model).descriptor)
        if let key { try writer.value(key) }
        writer.finish()
        return key == nil ? CORM_NOT_FOUND : CORM_OK
    }
}

/// A copy of a block, which stays where it is.
final class KeptBlock: @unchecked Sendable {  // never written after init
    private let memory = ScratchMemory(firstSize: 256)
    let data: UnsafeRawPointer?
    let size: Int

    init(_ data: UnsafeRawPointer?, _ size: Int) throws {
        let given = try bytes(data, data == nil ? 0 : size, "block")
        self.size = given.count
        self.data = try given.baseAddress.map { [memory] in
            UnsafeRawPointer(try memory.checkedCopy($0, count: given.count))
        }
    }
}
