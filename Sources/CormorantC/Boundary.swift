import CCormorant
import CormorantBase

typealias ErrorOut = UnsafeMutablePointer<OpaquePointer?>?

/// The only place where Swift errors become C errors.
@inline(__always)
func boundary(_ outError: ErrorOut, _ body: () throws -> corm_status) -> corm_status {
    do {
        return try body()
    } catch {
        return report(error, outError)
    }
}

@inline(never)
private func report(_ error: any Error, _ outError: ErrorOut) -> corm_status {
    let error = error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)")
    if let outError { outError.pointee = try? Handles.add(ErrorText(error), .error) }
    return error.code.rawValue
}

/// A C string that must be there and be UTF-8.
func string(_ text: UnsafePointer<CChar>?, _ what: StaticString) throws -> String {
    guard let text else { throw CormorantError(.misuse, "the \(what) is NULL", hint: "pass a \(what)") }
    guard let string = String(validatingCString: text) else {
        throw CormorantError(.encoding, "the \(what) is not UTF-8", hint: "convert it")
    }
    return string
}

/// A C string that may be NULL.
func optionalString(_ text: UnsafePointer<CChar>?, _ what: StaticString) throws -> String? {
    try text.map { try string($0, what) }
}

/// An array of C strings.
func strings(_ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ what: StaticString) throws -> [String] {
    guard count != 0 else { return [] }
    guard (1...greatestCount).contains(count), let list else { throw missingArray(what) }
    return try (0..<count).map { try string(list[$0], what) }
}

func missingArray(_ what: StaticString) -> CormorantError {
    CormorantError(.misuse, "the array of \(what) is NULL or its count is negative", hint: "pass as many as counted")
}

func require<T>(_ pointer: UnsafeMutablePointer<T>?, _ what: StaticString) throws -> UnsafeMutablePointer<T> {
    guard let pointer else { throw CormorantError(.misuse, "\(what) is NULL", hint: "pass where the result goes") }
    return pointer
}
