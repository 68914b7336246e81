import CCormorant
import CormorantBase
import CormorantThreads

package typealias ErrorOut = UnsafeMutablePointer<OpaquePointer?>?

/// The only place where Swift errors become C errors.
@inline(__always)
package func boundary(_ outError: ErrorOut, _ body: () throws -> corm_status) -> corm_status {
    do {
        return try body()
    } catch {
        return report(error, outError)
    }
}

@inline(never)
private func report(_ error: any Error, _ outError: ErrorOut) -> corm_status {
    let error = error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)")
    let log = error.code == .misuse ? MisuseLog.current : nil
    guard outError != nil || log != nil else { return error.code.rawValue }
    let handle = try? Handles.add(ErrorText(error))
    log?.tell(handle)
    if let outError { outError.pointee = handle } else { Handles.remove(handle, as: ErrorText.self) }
    return error.code.rawValue
}

/// What a function of the host's failed with: the error that it gave away, or else its status.
package func failure(
    of function: String, _ status: corm_status, _ given: OpaquePointer?, otherwise code: ErrorCode = .callback
) -> CormorantError {
    Handles.take(given, as: ErrorText.self)?.error
        ?? CormorantError(
            ErrorCode(rawValue: status) ?? code, "\(function) failed with status \(status)",
            hint: "let it hand out the error of the call that failed, or one of corm_error_create")
}

/// A C string that must be there and be UTF-8.
package func string(_ text: UnsafePointer<CChar>?, _ what: StaticString) throws -> String {
    guard let text else { throw CormorantError(.misuse, "the \(what) is NULL", hint: "pass \(withArticle("\(what)"))") }
    let count = cStringLength(text)
    // It is copied, and cut into tokens or joined with others.
    if count > 1 << 18 { try requireMemory(4 * count) }
    guard let string = String(validatingCString: text) else {
        throw CormorantError(.encoding, "the \(what) is not UTF-8", hint: "convert it")
    }
    return string
}

/// A C string that may be NULL.
package func optionalString(_ text: UnsafePointer<CChar>?, _ what: StaticString) throws -> String? {
    try text.map { try string($0, what) }
}

/// What no array of a program's has: a greater count is a mistake, found before memory is asked for.
let greatestCount = 1 << 24

/// A C array that is as long as its count says.
package func array<T>(_ start: UnsafePointer<T>?, _ count: Int, _ what: StaticString) throws -> UnsafeBufferPointer<T> {
    guard count != 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    guard count > 0, let start else { throw missingArray(what) }
    try refuseCount(count, what)
    return UnsafeBufferPointer(start: start, count: count)
}

func refuseCount(_ count: Int, _ what: StaticString) throws {
    guard count <= greatestCount else {
        throw CormorantError(
            .tooBig, "\(count) \(what) are too many for one call",
            hint: "check the count; give at most \(greatestCount) at once")
    }
}

/// Refuses records that cannot all lie in memory.
func refuseRecords(_ records: UnsafeRawPointer?, _ count: Int, size: Int) throws {
    guard count != 0 else { return }
    guard count > 0, records != nil else { throw missingArray("records") }
    guard count <= Int(Int32.max), count.multipliedReportingOverflow(by: size).overflow == false else {
        throw CormorantError(.tooBig, "\(count) records are too many for one call", hint: "check the count")
    }
}

/// Bytes that are as many as their size says; none at all where the address is NULL and the size 0.
package func bytes(_ start: UnsafeRawPointer?, _ size: Int, _ what: StaticString) throws -> UnsafeRawBufferPointer {
    guard size != 0 else { return UnsafeRawBufferPointer(start: start, count: 0) }
    guard size > 0, start != nil else {
        throw CormorantError(
            .misuse, "the \(what) is NULL or its size is negative", hint: "pass as much as its size says")
    }
    guard size <= Int(Int32.max) else {
        throw CormorantError(
            .tooBig, "the \(what) has \(size) bytes", hint: "check the size; give at most \(Int32.max) bytes at once")
    }
    return UnsafeRawBufferPointer(start: start, count: size)
}

/// An array of C strings.
package func strings(_ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ what: StaticString) throws
    -> [String]
{
    try array(list, count, what).map { try string($0, what) }
}

package func missingArray(_ what: StaticString) -> CormorantError {
    CormorantError(.misuse, "the array of \(what) is NULL or its count is negative", hint: "pass as many as counted")
}

package func require<T>(_ pointer: UnsafeMutablePointer<T>?, _ what: StaticString) throws -> UnsafeMutablePointer<T> {
    guard let pointer else { throw CormorantError(.misuse, "\(what) is NULL", hint: "pass where the result goes") }
    return pointer
}

/// What the program's callbacks get, released with the last that may call them.
package final class HostContext: @unchecked Sendable {  // the program's: its callbacks say how it may be used
    package let context: UnsafeMutableRawPointer?
    private let release: corm_release?

    /// The release of callbacks that a signal's handler may end before they have begun: once they have run, they write
    /// NULL or an error to `*out_error`, which holds `unrun` before.
    package static let confirming = AtomicNumber()
    package let unrun: OpaquePointer?

    package init(_ context: UnsafeMutableRawPointer?, _ release: corm_release?) {
        (self.context, self.release) = (context, release)
        let confirms = release.map { Int64(Int(bitPattern: unsafeBitCast($0, to: UnsafeRawPointer.self))) }
        unrun = confirms == HostContext.confirming.load() ? OpaquePointer(bitPattern: 1) : nil
    }

    /// Throws where a callback that was to write to `*out_error` has not.
    package func requireRun(_ error: OpaquePointer?, _ what: @autoclosure () -> String) throws {
        guard let unrun, error == unrun else { return }
        throw CormorantError(
            .interrupted, "\(what()) did not run, because the handler of a signal raised in its place",
            hint: "run the statement again, if the program is to go on")
    }

    deinit { release?(context) }
}
