import CormorantBase
import CormorantEngine
import CormorantSQLite

/// How values cross to the page and back: as JSON where that has them. `{"i": "..."}` is an integer that JavaScript would
/// round, `{"r": "..."}` a real that it would take for an integer or does not know, `{"h": "..."}` a blob in hex digits.
enum Wire {
    static func json(_ value: Value) -> JSON {
        switch value {
        case .null: .null
        case .integer(let integer): json(integer)
        case .real(let real): json(real)
        case .text(let text): .text(text)
        case .blob(let bytes): ["h": .text(hex(bytes))]
        }
    }

    static func json(_ integer: Int64) -> JSON {
        integer.magnitude < 1 << 53 ? .integer(integer) : ["i": .text(String(integer))]
    }

    static func json(_ real: Double) -> JSON {
        guard real.isFinite else { return ["r": real < 0 ? "-9e999" : "9e999"] }
        return real == real.rounded() ? ["r": .text("\(real)")] : .real(real)
    }

    static func value(_ json: JSON) throws -> Value {
        switch json {
        case .null: return .null
        case .bool(let bool): return .integer(bool ? 1 : 0)
        case .integer(let integer): return .integer(integer)
        case .real(let real): return .real(real)
        case .text(let text): return .text(text)
        case .object(let members) where members.count == 1:
            let text = members[0].value.text ?? ""
            switch members[0].name {
            case "i": if let integer = Int64(text) { return .integer(integer) }
            case "r":
                if let real = Double(text == "9e999" ? "inf" : text == "-9e999" ? "-inf" : text) { return .real(real) }
            case "h": if let bytes = bytes(hex: text) { return .blob(bytes) }
            default: break
            }
            throw malformed("a value is none")
        default: throw malformed("a value is none")
        }
    }

    static func values(_ json: JSON) throws -> [Value] { try json.elements.map(value) }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

/// Cells as the grid shows them, which has no room for long values: `{"t": "...", "n": bytes}` is the beginning of a text,
/// `{"b": bytes}` a blob.
extension Wire {
    static let shownBytes = 400

    /// - Parameter hasSizes: whether a blob is its size, as `sized` selects it.
    static func cell(_ cell: Cell, hasSizes: Bool) -> JSON {
        switch cell.type {
        case StorageType.integer: return json(cell.int64)
        case StorageType.real: return json(cell.double)
        case StorageType.text: return text(cell.text)
        case StorageType.blob:
            let blob = cell.blob
            return ["b": hasSizes ? JSON(Int64(String(decoding: blob, as: UTF8.self))) : JSON(blob.count)]
        default: return .null
        }
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> JSON {
        let isWhole = bytes.count <= shownBytes
        if isWhole, bytes.baseAddress.map({ isValidUTF8($0, count: bytes.count) }) ?? true {
            return .text(String(decoding: bytes, as: UTF8.self))
        }
        // Not within a character.
        var end = min(bytes.count, shownBytes)
        while !isWhole, end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return ["t": .text(String(decoding: bytes[..<end], as: UTF8.self)), "n": JSON(bytes.count)]
    }

    /// A column whose blobs are not read, but for their size: SQLite tells it without them.
    static func sized(_ column: String) -> String {
        "CASE typeof(\(column)) WHEN 'blob' THEN CAST(length(\(column)) AS BLOB) ELSE \(column) END"
    }
}
