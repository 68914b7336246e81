public import CCormorant
import CormorantBase
import CormorantORM

/// A cursor and the texts of its newest record.
private final class CursorBox: HandleObject {
    static var kind: HandleKind { .cursor }
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
        defer { consumeRest(of: query) }
        let out = try require(outCursor, "out_cursor")
        let box = try requireModel(model)
        let layout = try box.rows()
        out.pointee = try Handles.add(CursorBox(openCursor(handle, box, query), layout))
        return CORM_OK
    }
}

@_cdecl("corm_cursor_next") @implementation
public func corm_cursor_next(
    _ handle: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try Handles.require(handle, as: CursorBox.self)
        guard let record else { throw missingRecord() }
        box.texts.reset()
        var access = StructRecord(base: record, layout: box.layout, arena: box.texts)
        let row: Void? = try box.cursor.next { try access.read(from: $0) }
        return row == nil ? CORM_DONE : CORM_ROW
    }
}

@_cdecl("corm_cursor_close") @implementation
public func corm_cursor_close(_ handle: OpaquePointer?) {
    Handles.object(handle, as: CursorBox.self)?.cursor.close()
    Handles.remove(handle, as: CursorBox.self)
}
