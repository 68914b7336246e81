public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@_cdecl("corm_query_init") @implementation
public func corm_query_init(_ query: UnsafeMutablePointer<corm_query>?) {
    guard let query else { return }
    query.pointee = corm_query()
    query.pointee.struct_size = UInt32(MemoryLayout<corm_query>.size)
}

/// A C query as the engine's, and raw SQL apart, since its bindings may mix positions and names.
private struct GivenQuery {
    var query = Query()
    var values: UnsafePointer<corm_value>?
    var valueCount = 0

    init(_ given: UnsafePointer<corm_query>?) throws {
        guard let given else { return }
        let raw: corm_query = try readStruct(given, given.pointee.struct_size, "corm_query")
        let order = try strings(raw.order_by, raw.order_by_count, "order_by")
        guard raw.limit >= 0, raw.offset >= 0 else {
            throw CormorantError(.misuse, "limit or offset is negative", hint: "give 0 for none")
        }
        values = raw.values
        valueCount = raw.value_count
        if let sql = try optionalString(raw.sql, "SQL") {
            try refuseBesidesSQL(order.isEmpty && raw.limit == 0 && raw.offset == 0)
            query = Query(sql: sql)
        } else {
            query = Query(
                attributes: try attributes(), order: order, limit: raw.limit == 0 ? nil : raw.limit, offset: raw.offset)
        }
    }

    private func attributes() throws -> [(property: String, value: Value)] {
        guard valueCount != 0 else { return [] }
        guard valueCount > 0, let values else { throw missingArray("values") }
        return try (0..<valueCount).map { index in
            let name = try string(values[index].name, "attribute's name")
            return (name, try plainValue(values[index], "attribute \(name)"))
        }
    }
}

func refuseBesidesSQL(_ allowed: Bool) throws {
    if !allowed {
        throw CormorantError(
            .misuse, "order, limit and offset do not go with SQL", hint: "write them into the SELECT")
    }
}

private func openCursor(
    _ handle: OpaquePointer?, _ box: ModelBox, _ given: UnsafePointer<corm_query>?, limit: Int64? = nil
) throws -> StatementCursor {
    var given = try GivenQuery(given)
    if let limit, given.query.sql == nil { given.query.limit = limit }
    return try database(handle).cursor(box.descriptor, given.query) { try bind(given.values, given.valueCount, to: $0) }
}

/// An array of structs and its texts.
private final class Records {
    let texts = ScratchMemory()
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var count = 0
    private var capacity = 0
    private let size: Int

    init(size: Int) { self.size = size }

    deinit { free(start) }

    /// Room for one more record, all bytes zero.
    @inline(__always)
    func append() throws -> UnsafeMutableRawPointer {
        if count == capacity { try grow() }
        // `grow` leaves start set.
        let record = start.unsafelyUnwrapped + count &* size
        record.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        count &+= 1
        return record
    }

    /// realloc moves pages of a large array rather than bytes.
    private func grow() throws {
        let larger = max(16, capacity &* 2)
        guard let moved = realloc(start, larger &* size) else {
            throw CormorantError(
                .noMemory, "there is no memory for \(larger) records", hint: "stream them with a cursor")
        }
        start = moved
        capacity = larger
    }
}

@_cdecl("corm_query_fetch") @implementation
public func corm_query_fetch(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outRecords: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outRecords, "out_records")
        let box = try requireModel(model)
        let layout = try box.records()
        let cursor = try openCursor(handle, box, query)
        defer { cursor.close() }
        let records = Records(size: layout.size)
        var access = StructRecord(
            base: UnsafeMutableRawPointer(mutating: emptyText), layout: layout, arena: records.texts)
        try cursor.forEach { reader in
            access.base = try records.append()
            try access.read(from: reader)
        }
        out.pointee = try Handles.add(records, .records)
        return CORM_OK
    }
}

private func records(_ handle: OpaquePointer?) -> Records? { Handles.object(handle, .records, as: Records.self) }

@_cdecl("corm_records_count") @implementation
public func corm_records_count(_ handle: OpaquePointer?) -> Int { records(handle)?.count ?? 0 }

@_cdecl("corm_records_data") @implementation
public func corm_records_data(_ handle: OpaquePointer?) -> UnsafeMutableRawPointer? { records(handle)?.start }

@_cdecl("corm_records_free") @implementation
public func corm_records_free(_ handle: OpaquePointer?) { Handles.remove(handle, .records) }

@_cdecl("corm_query_first") @implementation
public func corm_query_first(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireModel(model)
        guard let record else { throw missingRecord() }
        var access = StructRecord(base: record, layout: try box.records(), arena: try memory(arena))
        let cursor = try openCursor(handle, box, query, limit: 1)
        defer { cursor.close() }
        let found: Void? = try cursor.next { try access.read(from: $0) }
        return found == nil ? CORM_NOT_FOUND : CORM_OK
    }
}

private func count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?
) throws -> (Database, Int64) {
    let database = try database(handle)
    let box = model == nil ? nil : try requireModel(model)
    let given = try GivenQuery(query)
    if let sql = given.query.sql {
        return (database, try database.count(sql) { try bind(given.values, given.valueCount, to: $0) })
    }
    guard let box else {
        throw CormorantError(.misuse, "there is neither a model nor SQL to count", hint: "pass one of them")
    }
    return (database, try database.count(box.descriptor, given.query))
}

@_cdecl("corm_query_count") @implementation
public func corm_query_count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCount, "out_count")
        out.pointee = try count(handle, model, query).1
        return CORM_OK
    }
}

@_cdecl("corm_query_page_count") @implementation
public func corm_query_page_count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?, _ pageSize: Int64,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCount, "out_count")
        let (database, records) = try count(handle, model, query)
        out.pointee = try database.pages(records, pageSize)
        return CORM_OK
    }
}

@_cdecl("corm_query_max_key") @implementation
public func corm_query_max_key(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ outKey: UnsafeMutablePointer<corm_value>?,
    _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outKey, "out_key")
        let arena = try memory(arena)
        guard let key = try database(handle).maxKey(requireModel(model).descriptor) else { return CORM_NOT_FOUND }
        switch key {
        case .integer(let integer): out.pointee = corm_value_int64(integer)
        case .real(let real): out.pointee = corm_value_double(real)
        default:
            guard let arena else {
                throw CormorantError(
                    .misuse, "the key is no number and there is no arena for it", hint: "pass an arena")
            }
            out.pointee = key.cValue(in: arena)
        }
        return CORM_OK
    }
}

/// A cursor and the texts of its newest record.
private final class CursorBox {
    let cursor: StatementCursor
    let texts = ScratchMemory(firstSize: 1024)
    let layout: StructLayout

    init(_ cursor: StatementCursor, _ layout: StructLayout) {
        self.cursor = cursor
        self.layout = layout
    }
}

@_cdecl("corm_cursor_open") @implementation
public func corm_cursor_open(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outCursor: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCursor, "out_cursor")
        let box = try requireModel(model)
        let layout = try box.records()
        out.pointee = try Handles.add(CursorBox(openCursor(handle, box, query), layout), .cursor)
        return CORM_OK
    }
}

@_cdecl("corm_cursor_next") @implementation
public func corm_cursor_next(
    _ handle: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try Handles.require(handle, .cursor, as: CursorBox.self)
        guard let record else { throw missingRecord() }
        box.texts.reset()
        var access = StructRecord(base: record, layout: box.layout, arena: box.texts)
        let row: Void? = try box.cursor.next { try access.read(from: $0) }
        return row == nil ? CORM_DONE : CORM_ROW
    }
}

@_cdecl("corm_cursor_close") @implementation
public func corm_cursor_close(_ handle: OpaquePointer?) {
    Handles.object(handle, .cursor, as: CursorBox.self)?.cursor.close()
    Handles.remove(handle, .cursor)
}
