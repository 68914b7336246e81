import CormorantBase

/// Reads JSON in place. Source: RFC 8259.
///
/// SQLite's own functions are not the parser, because they cut a text at an escaped NUL, give numbers with a fraction and
/// integers beyond 64 bits as doubles, say of a malformed document no more than that it is, and take it only whole. They
/// were slower, too: json_each with `->>` for each of 10 columns read 7 MB/s (100,000 objects, SQLite 3.40.1).
package struct JSONScanner {
    package let base: UnsafePointer<UInt8>
    package let end: Int
    /// Where `base` lies in the whole text.
    let offset: Int
    package var position: Int

    package init(base: UnsafePointer<UInt8>, end: Int, offset: Int, position: Int) {
        self.base = base
        self.end = end
        self.offset = offset
        self.position = position
    }

    /// How deep values may nest.
    static let depthLimit = 1000

    /// A string or a number in the text.
    package struct Token {
        let start: UnsafePointer<UInt8>
        let count: Int
        /// Of a string, whether it has escapes; of a number, a fraction or an exponent.
        package let isRich: Bool

        package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
    }

    /// The next byte; 0, which begins nothing, at the end.
    package var next: UInt8 {
        @inline(__always) get { position < end ? base[position] : 0 }
    }

    @inline(__always)
    package mutating func skipSpace() {
        while position < end {
            let byte = base[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position &+= 1
        }
    }

    @inline(__always)
    package mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        position &+= 1
        return true
    }

    package mutating func take(_ word: StaticString) throws {
        let count = word.utf8CodeUnitCount
        guard count <= end - position, (0..<count).allSatisfy({ base[position + $0] == word.utf8Start[$0] }) else {
            throw malformed("expected \(found(next))")
        }
        position += count
    }

    /// The string that begins here, without its quotes. It is checked: UTF-8, escapes, pairs of surrogates.
    package mutating func string() throws -> Token {
        let start = position &+ 1
        var at = start
        var isRich = false
        var seen: UInt64 = 0
        while at < end {
            // Eight bytes at once where none of them ends the string, escapes or is a control character.
            while at &+ 8 <= end {
                let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
                if hasZero(word ^ 0x2222_2222_2222_2222) | hasZero(word ^ 0x5C5C_5C5C_5C5C_5C5C)
                    | (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080 != 0
                {
                    break
                }
                seen |= word
                at &+= 8
            }
            guard at < end else { break }
            let byte = base[at]
            if byte == UInt8(ascii: "\"") {
                position = at &+ 1
                let token = Token(start: base + start, count: at &- start, isRich: isRich)
                if seen & 0x8080_8080_8080_8080 != 0, !isValidUTF8(token.start, count: token.count) {
                    throw JSONFault(.encoding, "the string is not UTF-8", "convert the text")
                }
                return token
            }
            if byte == UInt8(ascii: "\\") {
                isRich = true
                at = try escapeEnd(at)
                continue
            }
            position = at
            guard byte >= 0x20 else { throw malformed("a control character in a string is not escaped") }
            seen |= UInt64(byte)
            at &+= 1
        }
        position = end
        throw malformed("the text ends within a string")
    }

    /// Where the escape that begins at a backslash ends.
    private mutating func escapeEnd(_ at: Int) throws -> Int {
        position = at
        switch at + 1 < end ? base[at + 1] : 0 {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            guard let unit = hex(at + 2) else { break }
            switch unit {
            case 0xD800...0xDBFF:
                let isPair =
                    at + 7 < end && base[at + 6] == UInt8(ascii: "\\") && base[at + 7] == UInt8(ascii: "u")
                    && (0xDC00...0xDFFF).contains(hex(at + 8) ?? 0)
                guard isPair else { throw loneSurrogate }
                return at + 12
            case 0xDC00...0xDFFF: throw loneSurrogate
            default: return at + 6
            }
        default: break
        }
        throw malformed("a string has an escape that JSON does not know")
    }

    private var loneSurrogate: JSONFault {
        JSONFault(.encoding, "the string has half a surrogate pair", "escape both halves, or neither")
    }

    private func hex(_ at: Int) -> UInt32? {
        guard at + 4 <= end else { return nil }
        var value: UInt32 = 0
        for index in at..<at + 4 {
            switch base[index] {
            case 0x30...0x39: value = value << 4 | UInt32(base[index] - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(base[index] - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(base[index] - 0x57)
            default: return nil
            }
        }
        return value
    }

    /// Writes a string without its escapes, which are no shorter than what they stand for.
    /// - Returns: how many bytes.
    package func unescape(_ token: Token, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var from = token.start - base
        let last = from + token.count
        var count = 0
        while from < last {
            guard base[from] == UInt8(ascii: "\\") else {
                bytes[count] = base[from]
                (from, count) = (from + 1, count + 1)
                continue
            }
            switch base[from + 1] {
            case UInt8(ascii: "u"):
                var scalar = hex(from + 2) ?? 0
                from += 6
                if (0xD800...0xDBFF).contains(scalar) {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + ((hex(from + 2) ?? 0xDC00) - 0xDC00)
                    from += 6
                }
                for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init() {
                    bytes[count] = byte
                    count += 1
                }
                continue
            case UInt8(ascii: "b"): bytes[count] = 0x08
            case UInt8(ascii: "f"): bytes[count] = 0x0C
            case UInt8(ascii: "n"): bytes[count] = 0x0A
            case UInt8(ascii: "r"): bytes[count] = 0x0D
            case UInt8(ascii: "t"): bytes[count] = 0x09
            case let other: bytes[count] = other
            }
            (from, count) = (from + 2, count + 1)
        }
        return count
    }

    /// The number that begins here.
    package mutating func number() throws -> Token {
        let start = position
        if next == UInt8(ascii: "-") { position &+= 1 }
        let digits = position
        skipDigits()
        var isWellFormed = position > digits && (base[digits] != 0x30 || position == digits &+ 1)
        var isRich = false
        if next == UInt8(ascii: ".") {
            isRich = true
            position &+= 1
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        if next | 0x20 == UInt8(ascii: "e") {
            isRich = true
            position &+= 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position &+= 1 }
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        guard isWellFormed else { throw malformed("a number is not written as JSON has it") }
        return Token(start: base + start, count: position &- start, isRich: isRich)
    }

    @discardableResult @inline(__always)
    private mutating func skipDigits() -> Int {
        let start = position
        while position < end, base[position] &- 0x30 <= 9 { position &+= 1 }
        return position &- start
    }

    /// Goes over a whole value, which is checked, without recursion.
    package mutating func skipValue() throws {
        // What encloses the value: true for an object.
        var open: [Bool] = []
        repeat {
            skipSpace()
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = next == UInt8(ascii: "{")
                guard open.count < JSONScanner.depthLimit else {
                    throw JSONFault(.json, "values nest more than \(JSONScanner.depthLimit) deep", "flatten them")
                }
                position += 1
                skipSpace()
                if take(isObject ? "}" : "]") { break }
                open.append(isObject)
                if isObject { try skipKey() }
                continue
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "-"), 0x30...0x39: _ = try number()
            case UInt8(ascii: "t"): try take("true")
            case UInt8(ascii: "f"): try take("false")
            case UInt8(ascii: "n"): try take("null")
            default: throw malformed("expected a value")
            }
            while let isObject = open.last {
                skipSpace()
                if take(",") {
                    skipSpace()
                    if isObject { try skipKey() }
                    break
                }
                guard take(isObject ? "}" : "]") else {
                    throw malformed(isObject ? "expected , or }" : "expected , or ]")
                }
                open.removeLast()
            }
        } while !open.isEmpty
    }

    private mutating func skipKey() throws {
        _ = try key()
    }

    /// The key that comes next, with its colon and the space behind that.
    @inline(__always)
    package mutating func key() throws -> Token {
        guard next == UInt8(ascii: "\"") else { throw malformed("expected a key in quotes") }
        let key = try string()
        skipSpace()
        guard take(":") else { throw malformed("expected a colon after the key") }
        skipSpace()
        return key
    }

    package func failure(_ what: String) -> JSONFault { malformed(what) }

    package func malformed(_ what: String) -> JSONFault {
        let isCutShort = position >= end
        return JSONFault(
            .json, "\(isCutShort ? "the text ends too early" : what), at byte \(offset + position)",
            "mend the JSON text", isCutShort: isCutShort)
    }

    /// What begins with a byte, as messages call it.
    func found(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "-"), 0x30...0x39: "a number"
        case UInt8(ascii: "t") where has("true"), UInt8(ascii: "f") where has("false"): "true or false"
        case UInt8(ascii: "n") where has("null"): "null"
        default: "a value"
        }
    }

    /// Whether the value that begins there is null.
    func isNull(at place: Int) -> Bool {
        var value = self
        value.position = place
        return value.next == UInt8(ascii: "n")
    }

    private func has(_ word: StaticString) -> Bool {
        guard end - position >= word.utf8CodeUnitCount else { return false }
        return (0..<word.utf8CodeUnitCount).allSatisfy { base[position + $0] == word.utf8Start[$0] }
    }

    /// A value of another kind than there should be. What is no value at all is malformed.
    func expected(_ what: String, _ code: ErrorCode = .type) -> JSONFault {
        let found = found(next)
        guard found != "a value" else { return malformed("expected \(what)") }
        return JSONFault(code, "expected \(what), found \(found)", "mend the document, or change the model")
    }
}

@inline(__always)
private func hasZero(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}
