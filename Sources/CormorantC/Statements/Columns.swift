public import CCormorant
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

@_cdecl("corm_result_arrow") @implementation
public func corm_result_arrow(
    _ handle: OpaquePointer?, _ outStream: UnsafeMutablePointer<ArrowArrayStream>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try Handles.require(handle, as: ResultBox.self)
        Handles.remove(handle, as: ResultBox.self)
        try stream(result.cursor, to: outStream)
        return CORM_OK
    }
}

@_cdecl("corm_query_arrow") @implementation
public func corm_query_arrow(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outStream: UnsafeMutablePointer<ArrowArrayStream>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        try stream(openCursor(handle, requireModel(model), query), to: outStream)
        return CORM_OK
    }
}
