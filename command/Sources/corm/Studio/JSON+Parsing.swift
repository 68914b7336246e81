import CormorantBase

extension JSON {
    /// Source: RFC 8259. Numbers without fraction stay integers of 64 bits.
    init(parsing bytes: [UInt8]) throws {
        var reader = JSONTextReader(bytes: bytes)
        guard
            bytes.withUnsafeBufferPointer({ bytes in
                bytes.baseAddress.map { isValidUTF8($0, count: bytes.count) } ?? true
            })
        else { throw malformed("it is not UTF-8") }
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.isAtEnd else { throw malformed("something stands behind it") }
    }
}

private struct JSONTextReader {
    let bytes: [UInt8]
    var place = 0

    var isAtEnd: Bool { place == bytes.count }
    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(_ word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    mutating func value(depth: Int) throws -> JSON {
        guard depth < 64 else { throw malformed("it is too deep") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t") where take("true"): return .bool(true)
        case UInt8(ascii: "f") where take("false"): return .bool(false)
        case UInt8(ascii: "n") where take("null"): return .null
        default: return try number()
        }
    }

    private mutating func object(_ depth: Int) throws -> JSON {
        place += 1
        var members: [(name: String, value: JSON)] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("a member has no name") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw malformed("a member has no value") }
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw malformed("an object has no end") }
        return .object(members)
    }

    private mutating func array(_ depth: Int) throws -> JSON {
        place += 1
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw malformed("an array has no end") }
        return .array(elements)
    }

    private mutating func number() throws -> JSON {
        let start = place
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard !text.isEmpty, let real = Double(text) else { throw malformed("a value is none") }
        return .real(real)
    }

    private mutating func string() throws -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(&text)
            case 0..<0x20: throw malformed("a text has a control character")
            default: text.append(byte)
            }
        }
        throw malformed("a text has no end")
    }

    private mutating func escape(_ text: inout [UInt8]) throws {
        guard let byte = next else { throw malformed("a text has no end") }
        place += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"):
            var code = UInt32(try unit())
            if 0xD800..<0xDC00 ~= code, take("\\u") {
                let low = UInt32(try unit())
                guard 0xDC00..<0xE000 ~= low else { throw malformed("a text has half a character") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed("a text has half a character") }
            text.append(contentsOf: String(scalar).utf8)
        default: text.append(byte)
        }
    }

    private mutating func unit() throws -> UInt16 {
        guard place + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else { throw malformed("a text has an escape that is none") }
        place += 4
        return unit
    }
}
