/// A JSON value. The compiler's messages are read with it because Foundation would take longer to load than a macro to expand.
enum JSON: Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// A member of an object; nil for a missing one, for null and for what is no object.
    subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
        return member
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// nil for a number with a fraction, too.
    var integer: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }

    var array: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension JSON {
    /// As UTF-8, members in the order of their names.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    private func encode(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let isTrue): bytes += (isTrue ? "true" : "false").utf8
        case .number(let number): bytes += (integer.map(String.init) ?? "\(number)").utf8
        case .string(let text): JSON.encode(text, into: &bytes)
        case .array(let elements):
            bytes.append(.openBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(.comma) }
                element.encode(into: &bytes)
            }
            bytes.append(.closeBracket)
        case .object(let members):
            bytes.append(.openBrace)
            for (index, (name, member)) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(.comma) }
                JSON.encode(name, into: &bytes)
                bytes.append(.colon)
                member.encode(into: &bytes)
            }
            bytes.append(.closeBrace)
        }
    }

    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(.quote)
        for byte in text.utf8 {
            switch byte {
            case .quote, .backslash: bytes += [.backslash, byte]
            case .newline: bytes += [.backslash, UInt8(ascii: "n")]
            case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(.quote)
    }
}
