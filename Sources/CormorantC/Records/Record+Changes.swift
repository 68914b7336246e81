public import CCormorant
import CormorantBase
import CormorantORM

/// The columns whose fields differ between two structs of a model.
private func changedColumns(
    _ model: OpaquePointer?, _ record: UnsafeRawPointer?, since old: UnsafeRawPointer?
) throws -> [Int] {
    let box = try requireModel(model)
    let layout = try box.records()
    guard let record, let old else { throw missingRecord() }
    func given(_ at: UnsafeRawPointer) -> StructRecord {
        StructRecord(base: UnsafeMutableRawPointer(mutating: at), layout: layout, arena: nil)
    }
    return try given(record).changedColumns(since: given(old), box.descriptor)
}

/// A name as lists of names have it: in quotes where it would be read as another.
private func listed(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    return isPlain ? name : quoteIdentifier(name)
}

@_cdecl("corm_record_changes") @implementation
public func corm_record_changes(
    _ model: OpaquePointer?, _ record: UnsafeRawPointer?, _ since: UnsafeRawPointer?, _ arena: OpaquePointer?,
    _ outProperties: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outProperties, "out_properties")
        out.pointee = nil
        guard let memory = try memory(arena) else {
            throw CormorantError(.misuse, "the arena is NULL", hint: "pass one, which owns the list")
        }
        let columns = try changedColumns(model, record, since: since)
        if columns.isEmpty { return CORM_IGNORED }
        let descriptor = try requireModel(model).descriptor
        out.pointee = memory.copy(columns.map { listed(descriptor.columns[$0].name) }.joined(separator: ", "))
        return CORM_OK
    }
}

@_cdecl("corm_record_update_changes") @implementation
public func corm_record_update_changes(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?,
    _ since: UnsafeRawPointer?, _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        _ = try database(handle)
        let columns = try changedColumns(model, record, since: since)
        if columns.isEmpty { return CORM_IGNORED }
        return try withRecord(handle, model, record, arena, for: .updating) { plan, record in
            try plan.update(&record, with: plan.update(changed: columns))
            return CORM_OK
        }
    }
}
