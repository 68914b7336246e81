/// Reads JSON as the compiler writes it.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    struct Malformed: Error {
        /// In bytes.
        let position: Int
    }

    /// A compiler nests five deep.
    private static let deepest = 64

    static func read(_ bytes: [UInt8]) throws(Malformed) -> JSON {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.malformed }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var malformed: Malformed { Malformed(position: position) }
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte, [.space, .tab, .newline, .carriageReturn].contains(byte) { position += 1 }
    }

    private mutating func consume(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Malformed) -> JSON {
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        guard depth <= Self.deepest else { throw malformed }
        switch byte {
        case .openBrace: return .object(try members())
        case .openBracket: return .array(try elements())
        case .quote: return .string(try string())
        default: return try literal()
        }
    }

    private mutating func members() throws(Malformed) -> [String: JSON] {
        var members: [String: JSON] = [:]
        position += 1
        skipSpace()
        if consume(.closeBrace) { return members }
        repeat {
            skipSpace()
            guard byte == .quote else { throw malformed }
            let name = try string()
            skipSpace()
            guard consume(.colon) else { throw malformed }
            members[name] = try value()
            skipSpace()
        } while consume(.comma)
        guard consume(.closeBrace) else { throw malformed }
        return members
    }

    private mutating func elements() throws(Malformed) -> [JSON] {
        var elements: [JSON] = []
        position += 1
        skipSpace()
        if consume(.closeBracket) { return elements }
        repeat {
            elements.append(try value())
            skipSpace()
        } while consume(.comma)
        guard consume(.closeBracket) else { throw malformed }
        return elements
    }

    private mutating func string() throws(Malformed) -> String {
        var text: [UInt8] = []
        position += 1
        while true {
            let start = position
            skipPlainText()
            text += bytes[start..<position]
            guard let byte else { throw malformed }
            position += 1
            if byte == .quote { return String(decoding: text, as: UTF8.self) }
            try appendEscaped(to: &text)
        }
    }

    /// Skips what needs no escape. The longest of what the compiler sends is text, which a debug build of this is to read
    /// quickly, too.
    private mutating func skipPlainText() {
        let (quote, backslash, start) = (UInt8.quote, UInt8.backslash, position)
        position = bytes.withUnsafeBufferPointer { buffer in
            var index = start
            while index < buffer.count && buffer[index] != quote && buffer[index] != backslash { index &+= 1 }
            return index
        }
    }

    private mutating func appendEscaped(to text: inout [UInt8]) throws(Malformed) {
        guard let byte else { throw malformed }
        position += 1
        switch byte {
        case .quote, .backslash, .slash: text.append(byte)
        case UInt8(ascii: "n"): text.append(.newline)
        case UInt8(ascii: "r"): text.append(.carriageReturn)
        case UInt8(ascii: "t"): text.append(.tab)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]), consume(.backslash) {
                guard consume(UInt8(ascii: "u")) else { throw malformed }
                units.append(try unit())
            }
            text += String(decoding: units, as: UTF16.self).utf8
        default: throw malformed
        }
    }

    private mutating func unit() throws(Malformed) -> UInt16 {
        guard position + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw malformed }
        position += 4
        return unit
    }

    /// A number, `true`, `false` or `null`.
    private mutating func literal() throws(Malformed) -> JSON {
        let start = position
        while let byte, ![.comma, .closeBrace, .closeBracket, .space, .newline].contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            guard let number = Double(text), number.isFinite else { throw Malformed(position: start) }
            return .number(number)
        }
    }
}
