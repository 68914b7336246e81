import CormorantBase
import CormorantSQLite

/// What is wrong with a JSON text. Every level that it passes on its way out puts its own step before the path.
package struct JSONFault: Error {
    private(set) var path = ""
    private let error: CormorantError
    /// Whether the text ends where more of it was expected.
    package private(set) var isCutShort = false

    init(_ code: ErrorCode, _ message: String, _ hint: String, isCutShort: Bool = false) {
        error = CormorantError(code, message, hint: hint)
        self.isCutShort = isCutShort
    }

    init(_ error: any Error) {
        if let fault = error as? JSONFault {
            self = fault
        } else {
            self.error = error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)")
        }
    }

    /// Without the place.
    package var message: String { error.plainMessage }

    /// The same, as the one around it sees it.
    func within(_ step: JSONStep) -> JSONFault {
        var fault = self
        fault.path = step.description + path
        return fault
    }

    /// As users see it.
    func explained(at root: String) -> CormorantError { error.prefixed("\(root)\(path): ") }
}

/// One step of a path.
enum JSONStep: Equatable, CustomStringConvertible {
    case key(String)
    case index(Int)

    var description: String {
        switch self {
        case .index(let index): return "[\(index)]"
        case .key(let key):
            let isPlain = key.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
            }
            if isPlain, !key.isEmpty { return ".\(key)" }
            var quoted: [UInt8] = []
            appendJSONString(key.utf8, to: &quoted)
            return "[\(String(decoding: quoted, as: UTF8.self))]"
        }
    }

    /// The steps of `$.data.items`, `$.pages[0]["the rows"]`.
    static func parse(_ path: String) throws -> [JSONStep] {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "$") else { throw unreadable(path) }
        var steps: [JSONStep] = []
        var index = 1
        while index < bytes.count {
            let start = index + 1
            if bytes[index] == UInt8(ascii: ".") {
                index = bytes[start...].firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") } ?? bytes.count
                guard index > start else { throw unreadable(path) }
                steps.append(.key(String(decoding: bytes[start..<index], as: UTF8.self)))
            } else if bytes[index] == UInt8(ascii: "["), start < bytes.count, bytes[start] == UInt8(ascii: "\"") {
                guard let key = quotedKey(bytes, &index) else { throw unreadable(path) }
                steps.append(.key(key))
            } else if bytes[index] == UInt8(ascii: "["),
                let close = bytes[start...].firstIndex(of: UInt8(ascii: "]")),
                let number = Int(String(decoding: bytes[start..<close], as: UTF8.self)), number >= 0
            {
                steps.append(.index(number))
                index = close + 1
            } else {
                throw unreadable(path)
            }
        }
        return steps
    }

    private static func quotedKey(_ bytes: [UInt8], _ index: inout Int) -> String? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var scanner = JSONScanner(base: base, end: bytes.count, offset: 0, position: index + 1)
            guard let token = try? scanner.string(), scanner.take("]") else { return nil }
            index = scanner.position
            return scanner.text(of: token)
        }
    }

    private static func unreadable(_ path: String) -> CormorantError {
        CormorantError(.misuse, "\"\(path)\" is no path", hint: "write it as $.data.items or $.pages[0].rows")
    }
}

extension JSONScanner {
    /// A copy of a string.
    func text(of token: Token) -> String {
        guard token.isRich else { return String(decoding: token.bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: token.count) { buffer in
            buffer.baseAddress.map { unescape(token, to: $0) } ?? 0
        }
    }
}
