public import CCormorant
import CormorantBase
import CormorantORM

private func value(_ type: Int32, _ change: (inout corm_value) -> Void) -> corm_value {
    var value = corm_value()
    value.type = type
    change(&value)
    return value
}

@_cdecl("corm_value_null") @implementation
public func corm_value_null() -> corm_value { corm_value() }

@_cdecl("corm_value_int64") @implementation
public func corm_value_int64(_ integer: Int64) -> corm_value { value(CORM_VALUE_INTEGER) { $0.as.integer = integer } }

@_cdecl("corm_value_uint64") @implementation
public func corm_value_uint64(_ integer: UInt64) -> corm_value {
    value(CORM_VALUE_UNSIGNED) { $0.as.unsigned_integer = integer }
}

@_cdecl("corm_value_double") @implementation
public func corm_value_double(_ real: Double) -> corm_value { value(CORM_VALUE_REAL) { $0.as.real = real } }

@_cdecl("corm_value_text") @implementation
public func corm_value_text(_ text: UnsafePointer<CChar>?) -> corm_value {
    corm_value_text_size(text, text.map(cStringLength) ?? 0)
}

@_cdecl("corm_value_text_size") @implementation
public func corm_value_text_size(_ data: UnsafePointer<CChar>?, _ size: Int) -> corm_value {
    guard let data else { return corm_value() }
    return value(CORM_VALUE_TEXT) {
        $0.as.bytes.data = UnsafeRawPointer(data)
        $0.as.bytes.size = size
    }
}

@_cdecl("corm_value_blob") @implementation
public func corm_value_blob(_ data: UnsafeRawPointer?, _ size: Int) -> corm_value {
    guard let data else { return corm_value() }
    return value(CORM_VALUE_BLOB) {
        $0.as.bytes.data = data
        $0.as.bytes.size = size
    }
}

@_cdecl("corm_value_named") @implementation
public func corm_value_named(_ name: UnsafePointer<CChar>?, _ value: corm_value) -> corm_value {
    var value = value
    value.name = name
    return value
}

@_cdecl("corm_arena_create") @implementation
public func corm_arena_create() -> OpaquePointer? { try? Handles.add(ScratchMemory(), .arena) }

@_cdecl("corm_arena_clear") @implementation
public func corm_arena_clear(_ arena: OpaquePointer?) { Handles.object(arena, .arena, as: ScratchMemory.self)?.reset() }

@_cdecl("corm_arena_free") @implementation
public func corm_arena_free(_ arena: OpaquePointer?) { Handles.remove(arena, .arena) }

@_cdecl("corm_arena_copy") @implementation
public func corm_arena_copy(_ arena: OpaquePointer?, _ data: UnsafeRawPointer?, _ size: Int) -> UnsafeMutablePointer<
    CChar
>? {
    // SQLite takes no longer texts either.
    guard size >= 0, size <= Int(Int32.max), data != nil || size == 0,
        let memory = Handles.object(arena, .arena, as: ScratchMemory.self)
    else {
        return nil
    }
    return (try? memory.checkedCopy(data, count: size))?
        .assumingMemoryBound(to: CChar.self)
}
