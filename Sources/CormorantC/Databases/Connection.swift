public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

/// A connection for as long as a callback has it.
final class LentConnection: HandleObject {
    static var kind: HandleKind { .connection }
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Calls a callback of the program's with a connection.
    static func lend(
        _ raw: borrowing RawConnection, to callback: corm_connection_callback, _ context: UnsafeMutableRawPointer?,
        _ what: String
    ) throws {
        let handle = try Handles.add(LentConnection(raw.connection))
        defer { Handles.remove(handle, as: LentConnection.self) }
        var error: OpaquePointer?
        let status = callback(handle, context, &error)
        if status < 0 || error != nil { throw failure(of: what, status, error) }
    }
}

private struct SetUpContext: @unchecked Sendable {  // the program's: the header says how it may be used
    let context: UnsafeMutableRawPointer?
}

func setUp(
    by callback: @escaping corm_connection_callback, _ context: UnsafeMutableRawPointer?
) -> @Sendable (borrowing RawConnection) throws -> Void {
    let context = SetUpContext(context: context)
    return { try LentConnection.lend($0, to: callback, context.context, "the set-up of a connection") }
}

@_cdecl("corm_connection_is_reader") @implementation
public func corm_connection_is_reader(_ handle: OpaquePointer?) -> Bool {
    Handles.object(handle, as: LentConnection.self).map { RawConnection($0.connection).isReader } ?? false
}

@_cdecl("corm_connection_execute_script") @implementation
public func corm_connection_execute_script(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let lent = try Handles.require(handle, as: LentConnection.self)
        try RawConnection(lent.connection).execute(script: string(sql, "SQL"))
        return CORM_OK
    }
}

@_cdecl("corm_connection_sqlite3") @implementation
public func corm_connection_sqlite3(_ handle: OpaquePointer?) -> OpaquePointer? {
    Handles.object(handle, as: LentConnection.self).flatMap { RawConnection($0.connection).sqliteHandle }
}

@_cdecl("corm_database_use_connection") @implementation
public func corm_database_use_connection(
    _ handle: OpaquePointer?, _ callback: corm_connection_callback?, _ context: UnsafeMutableRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        guard let callback else {
            throw CormorantError(.misuse, "the callback is NULL", hint: "pass a function that is given the connection")
        }
        try database.lendConnection { try LentConnection.lend($0, to: callback, context, "the callback") }
        return CORM_OK
    }
}
