public import CCormorant
import CormorantBase
import CormorantORM

/// An error as C strings.
final class ErrorText: HandleObject {
    static var kind: HandleKind { .error }
    fileprivate(set) var error: CormorantError
    private let memory = ScratchMemory(firstSize: 512)
    let message: UnsafePointer<CChar>?
    let hint: UnsafePointer<CChar>?
    let sql: UnsafePointer<CChar>?
    let table: UnsafePointer<CChar>?
    let columns: UnsafePointer<UnsafePointer<CChar>?>?
    let constraint: UnsafePointer<CChar>?

    init(_ error: CormorantError) {
        self.error = error
        message = memory.copy(error.plainMessage)
        hint = error.plainHint.map(memory.copy)
        sql = error.sql.flatMap { [memory] in try? memory.checkedCopy($0) }
        table = error.table.map(memory.copy)
        if error.columns.isEmpty {
            columns = nil
        } else {
            let list = memory.allocateArray(of: UnsafePointer<CChar>?.self, count: error.columns.count)
            for (index, column) in error.columns.enumerated() { (list + index).initialize(to: memory.copy(column)) }
            columns = UnsafePointer(list)
        }
        constraint = error.constraint.map(memory.copy)
    }
}

extension ScratchMemory {
    /// A NUL-terminated copy, or an error where there is no memory for it.
    func checkedCopy(_ text: String) throws -> UnsafePointer<CChar> {
        var text = text
        let start = try text.withUTF8 { try checkedCopy($0.baseAddress, count: $0.count) }
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }
}

private func text(_ error: OpaquePointer?) -> ErrorText? { Handles.object(error, as: ErrorText.self) }

@_cdecl("corm_error_create") @implementation
public func corm_error_create(
    _ code: corm_status, _ message: UnsafePointer<CChar>?, _ hint: UnsafePointer<CChar>?
) -> OpaquePointer? {
    let text = message.map { String(cString: $0) } ?? ""
    let error = CormorantError(
        ErrorCode(rawValue: code) ?? .callback, text.isEmpty ? "a function of the program failed" : text,
        hint: hint.map { String(cString: $0) })
    return try? Handles.add(ErrorText(error))
}

/// What a program in another language says an error comes from.
private final class HostCause: Error, @unchecked Sendable {  // the program's: it says how it may be used
    let cause: UnsafeMutableRawPointer?
    private let release: corm_release?

    init(_ cause: UnsafeMutableRawPointer?, _ release: corm_release?) { (self.cause, self.release) = (cause, release) }

    deinit { release?(cause) }
}

@_cdecl("corm_error_set_cause") @implementation
public func corm_error_set_cause(
    _ error: OpaquePointer?, _ cause: UnsafeMutableRawPointer?, _ release: corm_release?
) {
    let cause = HostCause(cause, release)
    guard let text = text(error) else { return }
    text.error = text.error.caused(by: cause)
}

@_cdecl("corm_error_cause") @implementation
public func corm_error_cause(_ error: OpaquePointer?) -> UnsafeMutableRawPointer? {
    (text(error)?.error.cause as? HostCause)?.cause
}

@_cdecl("corm_error_free") @implementation
public func corm_error_free(_ error: OpaquePointer?) { Handles.remove(error, as: ErrorText.self) }

@_cdecl("corm_error_code") @implementation
public func corm_error_code(_ error: OpaquePointer?) -> corm_status {
    text(error)?.error.code.rawValue ?? CORM_E_MISUSE
}

@_cdecl("corm_error_sqlite_code") @implementation
public func corm_error_sqlite_code(_ error: OpaquePointer?) -> Int32 { text(error)?.error.sqliteCode ?? 0 }

@_cdecl("corm_error_message") @implementation
public func corm_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    text(error)?.message ?? corm_status_name(CORM_E_MISUSE)
}

@_cdecl("corm_error_hint") @implementation
public func corm_error_hint(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { text(error)?.hint }

@_cdecl("corm_error_sql") @implementation
public func corm_error_sql(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { text(error)?.sql }

@_cdecl("corm_error_offset") @implementation
public func corm_error_offset(_ error: OpaquePointer?) -> Int32 {
    text(error)?.error.offset.map { Int32(clamping: $0) } ?? -1
}

@_cdecl("corm_error_table") @implementation
public func corm_error_table(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { text(error)?.table }

@_cdecl("corm_error_columns") @implementation
public func corm_error_columns(
    _ error: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UnsafePointer<CChar>?>? {
    let text = text(error)
    outCount?.pointee = text?.error.columns.count ?? 0
    return text?.columns
}

@_cdecl("corm_error_constraint") @implementation
public func corm_error_constraint(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { text(error)?.constraint }

@_cdecl("corm_error_record_index") @implementation
public func corm_error_record_index(_ error: OpaquePointer?) -> Int64 {
    text(error)?.error.recordIndex.map(Int64.init) ?? -1
}
