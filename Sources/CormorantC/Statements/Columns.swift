public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantORM

/// Gives the rows of a cursor out as a stream; where that fails, as one that reads as released.
private func stream(
    _ cursor: StatementCursor, to outStream: UnsafeMutablePointer<ArrowArrayStream>?
) throws {
    let out = try require(outStream, "out_stream")
    out.pointee = ArrowArrayStream()
    out.pointee = try ColumnStream(ColumnReader(cursor)).exported()
}

@_cdecl("corm_result_columns") @implementation
public func corm_result_columns(
    _ handle: OpaquePointer?, _ outStream: UnsafeMutablePointer<ArrowArrayStream>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try Handles.require(handle, .result, as: ResultBox.self)
        Handles.remove(handle, .result)
        try stream(result.cursor, to: outStream)
        return CORM_OK
    }
}

@_cdecl("corm_query_columns") @implementation
public func corm_query_columns(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outStream: UnsafeMutablePointer<ArrowArrayStream>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try stream(openCursor(handle, requireModel(model), query), to: outStream)
        return CORM_OK
    }
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
