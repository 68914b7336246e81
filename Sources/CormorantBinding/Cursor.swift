public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

/// A cursor whose rows go into blocks.
final class BlockCursor {
    let cursor: StatementCursor
    /// nil: rows of raw SQL.
    let types: ColumnTypes?
    let columnNames = ColumnNames()
    /// What it was last given out as.
    var stream: ColumnStream?

    init(_ cursor: StatementCursor, _ types: ColumnTypes?) {
        self.cursor = cursor
        self.types = types
    }
}

private func object(_ handle: OpaquePointer?) -> BlockCursor? {
    Handles.object(handle, .blockCursor, as: BlockCursor.self)
}

@_cdecl("corm_block_cursor_open") @implementation
public func corm_block_cursor_open(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ bindings: UnsafeRawPointer?,
    _ size: Int, _ orderBy: UnsafePointer<UnsafePointer<CChar>?>?, _ orderByCount: Int, _ limit: Int64,
    _ offset: Int64, _ outCursor: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCursor, "out_cursor")
        let database = try database(handle)
        let box = model == nil ? nil : try requireModel(model)
        let order = try strings(orderBy, orderByCount, "order_by")
        guard limit >= 0, offset >= 0 else {
            throw CormorantError(.misuse, "limit or offset is negative", hint: "give 0 for none")
        }
        let cursor: StatementCursor
        if let sql = try optionalString(sql, "SQL") {
            try refuseBesidesSQL(order.isEmpty && limit == 0 && offset == 0)
            if let box {
                cursor = try database.cursor(box.descriptor, Query(sql: sql)) { try bindBlock(bindings, size, to: $0) }
            } else {
                cursor = try database.cursor(sql) { try bindBlock(bindings, size, to: $0) }
            }
        } else {
            let attributes = bindings == nil ? [] : try MarshalReader(bindings, size).attributes()
            let query = Query(attributes: attributes, order: order, limit: limit == 0 ? nil : limit, offset: offset)
            cursor = try database.cursor(requireModel(model).descriptor, query)
        }
        out.pointee = try Handles.add(BlockCursor(cursor, box?.types), .blockCursor)
        return CORM_OK
    }
}

@_cdecl("corm_block_cursor_next") @implementation
public func corm_block_cursor_next(
    _ handle: OpaquePointer?, _ maxRows: Int64, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let cursor = try Handles.require(handle, .blockCursor, as: BlockCursor.self)
        guard maxRows > 0 else {
            throw CormorantError(.misuse, "max_rows is below 1", hint: "ask for at least one row")
        }
        let limit = Int(clamping: maxRows)
        var writer = MarshalWriter(try require(block, "block"))
        try writer.beginList()
        let count: Int
        if let types = cursor.types {
            count = try cursor.cursor.forEach(limit: limit) { try writer.row($0, types) }
        } else {
            count = try cursor.cursor.forEachRow(limit: limit) { try writer.row($0) }
        }
        try writer.endList(count)
        writer.finish()
        return count == 0 ? CORM_DONE : CORM_ROW
    }
}

@_cdecl("corm_block_cursor_column_count") @implementation
public func corm_block_cursor_column_count(_ handle: OpaquePointer?) -> Int32 {
    Int32(clamping: object(handle)?.cursor.columnNames.count ?? 0)
}

@_cdecl("corm_block_cursor_column_name") @implementation
public func corm_block_cursor_column_name(_ handle: OpaquePointer?, _ column: Int32) -> UnsafePointer<CChar>? {
    guard let cursor = object(handle) else { return nil }
    let names = cursor.columnNames.list(cursor.cursor.columnNames)
    return names.indices.contains(Int(column)) ? names[Int(column)] : nil
}

@_cdecl("corm_block_cursor_close") @implementation
public func corm_block_cursor_close(_ handle: OpaquePointer?) {
    // Its rows may be a stream's, which lives longer.
    if let block = object(handle), block.stream == nil { block.cursor.close() }
    Handles.remove(handle, .blockCursor)
}

@_cdecl("corm_block_cursor_columns") @implementation
public func corm_block_cursor_columns(
    _ handle: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ nameCount: Int,
    _ outStream: UnsafeMutablePointer<ArrowArrayStream>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let block = try Handles.require(handle, .blockCursor, as: BlockCursor.self)
        let out = try require(outStream, "out_stream")
        out.pointee = ArrowArrayStream()
        let stream =
            try block.stream.map { try $0.movedOut() }
            ?? ColumnStream(ColumnReader(block.cursor, names: strings(names, nameCount, "names")))
        block.stream = stream
        out.pointee = stream.exported()
        return CORM_OK
    }
}

@_cdecl("corm_block_cursor_json") @implementation
public func corm_block_cursor_json(
    _ handle: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ nameCount: Int,
    _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let cursor = try Handles.require(handle, .blockCursor, as: BlockCursor.self).cursor
        var writer = MarshalWriter(try require(block, "block"))
        let json = try cursor.json(names: strings(names, nameCount, "names"))
        _ = try json.withUnsafeBufferPointer { try writer.text($0) }
        writer.finish()
        return CORM_OK
    }
}
