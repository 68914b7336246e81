public import CCormorant
import CormorantBase
import CormorantSQLite

@_cdecl("corm_status_name") @implementation
public func corm_status_name(_ status: corm_status) -> UnsafePointer<CChar>? {
    let name: StaticString =
        switch status {
        case CORM_OK: "CORM_OK"
        case CORM_ROW: "CORM_ROW"
        case CORM_DONE: "CORM_DONE"
        case CORM_NOT_FOUND: "CORM_NOT_FOUND"
        case CORM_IGNORED: "CORM_IGNORED"
        case CORM_AGAIN: "CORM_AGAIN"
        case CORM_CHANGED: "CORM_CHANGED"
        default: ErrorCode(rawValue: status)?.name ?? "CORM_UNKNOWN"
        }
    return staticCString(name)
}

@_cdecl("corm_version") @implementation
public func corm_version() -> UnsafePointer<CChar>? { staticCString("0.1.0") }

@_cdecl("corm_sqlite_version") @implementation
public func corm_sqlite_version() -> UnsafePointer<CChar>? { sqliteVersion() }

/// Static strings end with a NUL.
func staticCString(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
