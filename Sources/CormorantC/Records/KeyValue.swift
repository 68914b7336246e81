public import CCormorant
import CormorantBase
import CormorantKeyValue
import CormorantORM
import CormorantSQLite

@inline(__always)
package func requireStore(_ handle: OpaquePointer?) throws -> KeyValueStore {
    try Handles.require(handle, as: KeyValueStore.self)
}

@inline(__always)
package func keyBytes(_ key: UnsafeRawPointer?, _ size: Int) throws -> UnsafeRawBufferPointer {
    guard key != nil else { throw CormorantError(.misuse, "the key is NULL", hint: "pass a text and its size") }
    return try bytes(key, size, "key")
}

package func storeRange(_ given: UnsafePointer<corm_store_range>?) throws -> KeyValueRange {
    guard let given else { return KeyValueRange() }
    let raw: corm_store_range = try readStruct(given, given.pointee.struct_size, "corm_store_range")
    func text(_ text: corm_text) throws -> String? {
        guard text.data != nil else { return nil }
        guard
            let string = String(validating: try keyBytes(text.data, text.size), as: UTF8.self)
        else { throw CormorantError(.encoding, "a key of the range is not UTF-8", hint: "convert it") }
        return string
    }
    guard raw.limit >= 0 else {
        throw CormorantError(.misuse, "the limit is negative", hint: "give 0 for none")
    }
    return KeyValueRange(
        prefix: try text(raw.prefix), start: try text(raw.start), end: try text(raw.end), after: try text(raw.after),
        limit: raw.limit == 0 ? nil : Int(clamping: raw.limit))
}

/// Binds a value whose bytes stay where they are until the statement has run.
private func bind(_ value: corm_value, to statement: Statement, _ index: Int32) throws {
    switch value.type {
    case CORM_VALUE_INTEGER: return statement.bind(value.as.integer, index)
    case CORM_VALUE_TEXT:
        if let data = value.as.bytes.data, value.as.bytes.size >= 0, isValidUTF8(data, count: value.as.bytes.size) {
            return try statement.bindText(borrowing: data, count: value.as.bytes.size, index)
        }
    case CORM_VALUE_BLOB:
        if let data = value.as.bytes.data, value.as.bytes.size > 0 {
            return try statement.bindBlob(borrowing: data, count: value.as.bytes.size, index)
        }
    default: break
    }
    try statement.bind(plainValue(value, "the value"), index)
}

@discardableResult
private func put(_ entry: corm_store_entry, _ store: KeyValueStore, isConditional: Bool = false) throws -> Bool {
    try store.put(
        keyBytes(entry.key.data, entry.key.size), isJSON: entry.is_json,
        expires: expiry(entry), version: isConditional ? entry.version : nil
    ) { try bind(entry.value, to: $0, $1) }
}

/// When the entry stops being there, in milliseconds, as the file has it; nil for never.
private func expiry(_ entry: corm_store_entry) throws -> Int64? {
    guard entry.expires_after == 0 else {
        guard entry.expires == 0 else {
            throw CormorantError(
                .misuse, "the entry has both expires and expires_after", hint: "set one of them, and the other to 0")
        }
        return try KeyValueStore.expiry(entry.expires_after)
    }
    return entry.expires == 0 ? nil : max(1, entry.expires / 1000)
}

/// Reads all but the key.
/// - Parameter first: the column of the value, after which the others come.
private func read(_ entry: inout corm_store_entry, _ row: Row, from first: Int32) {
    entry.value = borrowedValue(row, first)
    entry.is_json = row.cell(first + 1).int64 != 0
    entry.created = row.cell(first + 2).int64 &* 1000
    entry.updated = row.cell(first + 3).int64 &* 1000
    // One that is further ahead than this can say comes out, and goes back, as the farthest.
    let expires = row.cell(first + 4).int64
    entry.expires = expires > Int64.max / 1000 ? .max : expires &* 1000
    entry.version = row.cell(first + 5).int64
    entry.expires_after = 0
}

@_cdecl("corm_store_open") @implementation
public func corm_store_open(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outStore: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outStore, "out_store")
        out.pointee = try Handles.add(database(handle).store(string(name, "store's name")))
        return CORM_OK
    }
}

@_cdecl("corm_store_close") @implementation
public func corm_store_close(_ handle: OpaquePointer?) { Handles.remove(handle, as: KeyValueStore.self) }

@_cdecl("corm_store_get") @implementation
public func corm_store_get(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ size: Int, _ arena: OpaquePointer?,
    _ outEntry: UnsafeMutablePointer<corm_store_entry>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let store = try requireStore(handle)
        if outEntry == nil, arena == nil { return try store.contains(keyBytes(key, size)) ? CORM_OK : CORM_NOT_FOUND }
        let memory = try Handles.require(arena, as: ScratchMemory.self)
        let out = try require(outEntry, "out_entry")
        var entry = try requireEntry(UnsafePointer(out))
        let key = try keyBytes(key, size)
        let found = try store.get(key) { row in
            read(&entry, row, from: 0)
            let type = entry.value.type
            if type == CORM_VALUE_TEXT || type == CORM_VALUE_BLOB {
                let bytes = entry.value.as.bytes
                entry.value.as.bytes.data = UnsafeRawPointer(try memory.checkedCopy(bytes.data, count: bytes.size))
            }
            let copy = try memory.checkedCopy(key.baseAddress, count: key.count)
            entry.key = corm_text(data: copy.assumingMemoryBound(to: CChar.self), size: key.count)
        }
        if found { writeStruct(entry, to: out, entry.struct_size) }
        return found ? CORM_OK : CORM_NOT_FOUND
    }
}

private func requireEntry(_ entry: UnsafePointer<corm_store_entry>?) throws -> corm_store_entry {
    guard let entry else { throw CormorantError(.misuse, "the entry is NULL", hint: "pass one") }
    return try readStruct(entry, entry.pointee.struct_size, "corm_store_entry")
}

@_cdecl("corm_store_put") @implementation
public func corm_store_put(
    _ handle: OpaquePointer?, _ entry: UnsafePointer<corm_store_entry>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try put(requireEntry(entry), requireStore(handle))
        return CORM_OK
    }
}

@_cdecl("corm_store_put_many") @implementation
public func corm_store_put_many(
    _ handle: OpaquePointer?, _ entries: UnsafePointer<corm_store_entry>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let store = try requireStore(handle)
        let entries = try readStructs(entries, count, "corm_store_entry", "entries")
        guard count != 0 else { return CORM_OK }
        try store.batch(count) { try put(entries[$0], store) }
        return CORM_OK
    }
}

@_cdecl("corm_store_compare_and_set") @implementation
public func corm_store_compare_and_set(
    _ handle: OpaquePointer?, _ entry: UnsafePointer<corm_store_entry>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try put(requireEntry(entry), requireStore(handle), isConditional: true) ? CORM_OK : CORM_CHANGED
    }
}

@_cdecl("corm_store_delete") @implementation
public func corm_store_delete(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) { try requireStore(handle).delete(keyBytes(key, size)) ? CORM_OK : CORM_NOT_FOUND }
}

@_cdecl("corm_store_scan") @implementation
public func corm_store_scan(
    _ handle: OpaquePointer?, _ range: UnsafePointer<corm_store_range>?,
    _ outResult: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        out.pointee = try Handles.add(ResultBox(requireStore(handle).scan(storeRange(range))))
        return CORM_OK
    }
}

@_cdecl("corm_store_next") @implementation
public func corm_store_next(
    _ handle: OpaquePointer?, _ outEntry: UnsafeMutablePointer<corm_store_entry>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try Handles.require(handle, as: ResultBox.self)
        let out = try require(outEntry, "out_entry")
        var entry = try requireEntry(UnsafePointer(out))
        guard result.columnCount == 7 else {
            throw CormorantError(.misuse, "the result is no scan", hint: "open it with corm_store_scan")
        }
        guard try result.cursor.nextRow() else { return CORM_DONE }
        try result.cursor.row { row in
            let key = row.cell(0).text
            entry.key = corm_text(
                data: key.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }, size: key.count)
            read(&entry, row, from: 1)
        }
        writeStruct(entry, to: out, entry.struct_size)
        return CORM_ROW
    }
}

@_cdecl("corm_store_count") @implementation
public func corm_store_count(
    _ handle: OpaquePointer?, _ range: UnsafePointer<corm_store_range>?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCount, "out_count")
        out.pointee = try Int64(requireStore(handle).count(storeRange(range)))
        return CORM_OK
    }
}

@_cdecl("corm_store_clear") @implementation
public func corm_store_clear(
    _ handle: OpaquePointer?, _ range: UnsafePointer<corm_store_range>?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let count = try requireStore(handle).clear(storeRange(range))
        outCount?.pointee = Int64(count)
        return CORM_OK
    }
}

@_cdecl("corm_store_purge") @implementation
public func corm_store_purge(
    _ handle: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let count = try requireStore(handle).purge()
        outCount?.pointee = Int64(count)
        return CORM_OK
    }
}

@_cdecl("corm_store_adopt") @implementation
public func corm_store_adopt(
    _ handle: OpaquePointer?, _ table: UnsafePointer<CChar>?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let count = try requireStore(handle).adopt(table: string(table, "table's name"))
        outCount?.pointee = Int64(count)
        return CORM_OK
    }
}
