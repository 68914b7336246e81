public import CCormorant
import CormorantBase
import CormorantORM
import CormorantThreads

/// An error as C strings.
final class ErrorText: HandleObject {
    static var kind: HandleKind { .error }
    fileprivate(set) var error: CormorantError
    private let memory = ScratchMemory(firstSize: 512)
    let message: UnsafePointer<CChar>?
    let hint: UnsafePointer<CChar>?
    let info: UnsafePointer<corm_error_info>

    init(_ error: CormorantError) {
        self.error = error
        message = memory.copy(error.plainMessage)
        hint = error.plainHint.map(memory.copy)
        var info = corm_error_info()
        info.sqlite_code = error.sqliteCode
        info.offset = error.offset.map { Int32(clamping: $0) } ?? -1
        info.sql = error.sql.flatMap { [memory] in try? memory.checkedCopy($0) }
        info.table = error.table.map(memory.copy)
        if !error.columns.isEmpty {
            let list = memory.allocateArray(of: UnsafePointer<CChar>?.self, count: error.columns.count)
            for (index, column) in error.columns.enumerated() { (list + index).initialize(to: memory.copy(column)) }
            info.columns = UnsafePointer(list)
            info.column_count = error.columns.count
        }
        info.constraint = error.constraint.map(memory.copy)
        info.record_index = error.recordIndex.map(Int64.init) ?? -1
        self.info = memory.keep(info)
    }
}

private let noInfo: EmptyInfo<corm_error_info> = {
    var info = corm_error_info()
    info.offset = -1
    info.record_index = -1
    return EmptyInfo(info)
}()

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

/// Who is told of misuse.
struct MisuseLog {
    private static let lock = RecursiveLock(.misuseLog, outlivesForks: true)
    nonisolated(unsafe) private static var last: MisuseLog?

    let callback: corm_misuse_log
    let context: UnsafeMutableRawPointer?

    static var current: MisuseLog? {
        get { lock.locked { last } }
        set { lock.locked { last = newValue } }
    }

    /// Not of what the log itself does wrong.
    func tell(_ error: OpaquePointer?) {
        let thread = currentThread()
        if thread.pointee.logs { return }
        thread.pointee.logs = true
        callback(error, context)
        thread.pointee.logs = false
    }
}

@_cdecl("corm_misuse_set_log") @implementation
public func corm_misuse_set_log(_ callback: corm_misuse_log?, _ context: UnsafeMutableRawPointer?) {
    MisuseLog.current = callback.map { MisuseLog(callback: $0, context: context) }
}

@_cdecl("corm_error_free") @implementation
public func corm_error_free(_ error: OpaquePointer?) { Handles.remove(error, as: ErrorText.self) }

@_cdecl("corm_error_code") @implementation
public func corm_error_code(_ error: OpaquePointer?) -> corm_status {
    text(error)?.error.code.rawValue ?? CORM_E_MISUSE
}

@_cdecl("corm_error_message") @implementation
public func corm_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    text(error)?.message ?? corm_status_name(CORM_E_MISUSE)
}

@_cdecl("corm_error_hint") @implementation
public func corm_error_hint(_ error: OpaquePointer?) -> UnsafePointer<CChar>? { text(error)?.hint }

@_cdecl("corm_error_info_get") @implementation
public func corm_error_info_get(_ error: OpaquePointer?) -> UnsafePointer<corm_error_info>? {
    text(error)?.info ?? noInfo.pointer
}
