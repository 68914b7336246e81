public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

@_cdecl("corm_block_open") @implementation
public func corm_block_open(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ bindings: UnsafeRawPointer?,
    _ size: Int, _ orderBy: UnsafePointer<CChar>?, _ limit: Int64,
    _ offset: Int64, _ outResult: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        let database = try database(handle)
        let box = model == nil ? nil : try requireModel(model)
        let order = try names(orderBy, "order_by")
        let most = try CormorantC.limit(limit)
        guard offset >= 0 else {
            throw CormorantError(.misuse, "the offset is negative", hint: "give 0 for none")
        }
        let cursor: StatementCursor
        if let sql = try optionalString(sql, "SQL") {
            try refuseBesidesSQL(order.isEmpty && limit == 0 && offset == 0)
            if let box {
                cursor = try database.cursor(box.descriptor, Query(text: sql)) { try bindBlock(bindings, size, to: $0) }
            } else {
                cursor = try database.cursor(sql) { try bindBlock(bindings, size, to: $0) }
            }
        } else {
            let attributes = bindings == nil ? [] : try MarshalReader(bindings, size).attributes()
            let query = Query(attributes: attributes, order: order, limit: most, offset: offset)
            cursor = try database.cursor(requireModel(model).descriptor, query)
        }
        out.pointee = try Handles.add(ResultBox(cursor, box?.types))
        return CORM_OK
    }
}

@_cdecl("corm_block_next") @implementation
public func corm_block_next(
    _ handle: OpaquePointer?, _ maxRows: Int64, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        if maxRows == 0 {
            try result.cursor.beginWriting()
            return CORM_OK
        }
        let limit = Int(clamping: maxRows.magnitude)
        if maxRows < 0 { try result.cursor.wantAll() }
        if let error = result.blockFailure { throw error }
        var writer = MarshalWriter(try require(block, "block"))
        _ = try writer.beginList()
        var count = 0
        var size = writer.count
        do {
            if let types = result.types {
                _ = try result.cursor.forEach(limit: limit) {
                    try writer.row($0, types)
                    (count, size) = (count &+ 1, writer.count)
                }
            } else if !result.parts.isEmpty {
                _ = try result.cursor.forEach(limit: limit) {
                    try writer.row($0, result.parts)
                    (count, size) = (count &+ 1, writer.count)
                }
            } else {
                _ = try result.cursor.forEachRow(limit: limit) {
                    try writer.row($0)
                    (count, size) = (count &+ 1, writer.count)
                }
            }
        } catch  where count > 0 {
            result.blockFailure = error
        }
        try writer.endList(count)
        writer.finish(size)
        return result.blockFailure != nil ? CORM_OK : count == 0 ? CORM_DONE : CORM_ROW
    }
}

@_cdecl("corm_block_only_reads") @implementation
public func corm_block_only_reads(
    _ handle: OpaquePointer?, _ outReads: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try require(outReads, "out_reads").pointee = requireResult(handle).cursor.onlyReads ? 1 : 0
        return CORM_OK
    }
}

@_cdecl("corm_block_columns") @implementation
public func corm_block_columns(
    _ handle: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ nameCount: Int,
    _ outStream: UnsafeMutablePointer<ArrowArrayStream>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        let out = try require(outStream, "out_stream")
        out.pointee = ArrowArrayStream()
        let stream =
            try result.stream.map { try $0.movedOut() }
            ?? ColumnStream(ColumnReader(result.cursor, names: strings(names, nameCount, "names")))
        result.stream = stream
        out.pointee = stream.exported()
        return CORM_OK
    }
}

@_cdecl("corm_block_json") @implementation
public func corm_block_json(
    _ handle: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ nameCount: Int,
    _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let cursor = try requireResult(handle).cursor
        var writer = MarshalWriter(try require(block, "block"))
        let json = try cursor.json(names: strings(names, nameCount, "names"))
        _ = try json.withUnsafeBufferPointer { try writer.text($0) }
        writer.finish()
        return CORM_OK
    }
}
