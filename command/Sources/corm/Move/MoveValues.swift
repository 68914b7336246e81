import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What of a value the other engine would not have as it is; nil where nothing.
func misfit(_ cell: Cell, in column: ColumnSchema, _ target: Dialect) -> String? {
    let type = cell.type
    guard type != StorageType.null else { return column.notNull ? "NULL" : nil }
    if target == .sqlite {
        return type == StorageType.real && cell.double.isNaN ? "NaN, which SQLite makes NULL of" : nil
    }
    switch column.type {
    case .int64, .int32, .duration:
        guard type == StorageType.integer else { return shown(cell) }
        let range = column.type.integers(isUnsigned: false, bits: 0)
        let isHeld = column.type == .duration || range.contains(cell.int64)
        return isHeld ? nil : "\(cell.int64), which is wider than its column"
    case .bool: return type == StorageType.integer && (0...1).contains(cell.int64) ? nil : shown(cell)
    case .double, .float:
        if type == StorageType.integer {
            return Int64(exactly: Double(cell.int64)) == cell.int64 ? nil : "\(cell.int64), which no double is"
        }
        guard type == StorageType.real else { return shown(cell) }
        let isExact = column.type == .double || Double(Float(cell.double)) == cell.double
        return isExact ? nil : "\(cell.double), which is no float"
    case .blob: return type == StorageType.blob ? nil : shown(cell)
    default: break
    }
    guard type == StorageType.text else { return shown(cell) }
    let text = cell.text
    guard let start = text.baseAddress else { return nil }
    guard isValidUTF8(start, count: text.count) else { return "a text that is not UTF-8" }
    guard !text.contains(0) else { return "a text with NUL" }
    switch column.type {
    case .datetime, .date, .time:
        return column.type.timeForm?.value(stored: text) == nil ? shown(cell) : nil
    case .uuid: return UUIDBytes(stored: text) == nil ? shown(cell) : nil
    case .decimal:
        let before = text.prefix { $0 != UInt8(ascii: ".") }.count { $0 != UInt8(ascii: "-") }
        let isHeld = isHeldByNumeric(before: before, after: max(0, text.count - before - 1))
        return isPlainDecimal(text) && isHeld ? nil : shown(cell)
    case .json:
        guard let canonical = canonicalJSON(text) else { return shown(cell) }
        return canonical.hasTwins ? "JSON with two members of one name" : nil
    default: return nil
    }
}

/// Whether both engines' values are one.
func isSame(_ one: Cell, _ other: Cell, _ column: ColumnSchema) -> Bool {
    let (first, last) = (one.type, other.type)
    switch (first, last) {
    case (StorageType.integer, StorageType.integer): return one.int64 == other.int64
    case (StorageType.real, StorageType.real): return one.double == other.double
    case (StorageType.integer, StorageType.real): return Double(one.int64) == other.double
    case (StorageType.real, StorageType.integer): return one.double == Double(other.int64)
    case (StorageType.text, StorageType.text):
        if one.text.elementsEqual(other.text) { return true }
        guard column.type == .json, let json = canonicalJSON(one.text) else { return false }
        return json.bytes == canonicalJSON(other.text)?.bytes
    case (StorageType.blob, StorageType.blob): return one.blob.elementsEqual(other.blob)
    default: return first == last
    }
}

/// As messages show it, cut where it is long.
func shown(_ cell: Cell) -> String {
    switch cell.type {
    case StorageType.integer: return "\(cell.int64)"
    case StorageType.real: return "\(cell.double)"
    case StorageType.text:
        let text = String(decoding: cell.text.prefix(60), as: UTF8.self)
        return "\"\(text)\"" + (cell.text.count > 60 ? "..." : "")
    case StorageType.blob: return "a blob of \(cell.blob.count) bytes"
    default: return "NULL"
    }
}

/// How many decimals a numeric has before its point and behind it: https://www.postgresql.org/docs/15/datatype-numeric.html
private func isHeldByNumeric(before: Int, after: Int) -> Bool { before <= 131_072 && after <= 16_383 }

/// Digits, with a point between them and a minus before them: what a numeric gives back.
private func isPlainDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var digits = text[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    guard isDecimalText(text), let first = digits.first, let last = digits.last else { return false }
    let isDigits = digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".") }
    let hasLead = first == 0x30 && digits.count > 1 && digits[digits.startIndex + 1] != UInt8(ascii: ".")
    let isZero = digits.allSatisfy { $0 == 0x30 || $0 == UInt8(ascii: ".") }
    return isDigits && !hasLead && first != UInt8(ascii: ".") && last != UInt8(ascii: ".") && !(isNegative && isZero)
}

// JSON ----------------------------------------------------------------------------------------------------------------

/// JSON whose members are in order and whose numbers have one form, as jsonb does not keep what they were.
/// - Returns: nil for what is none, or holds what jsonb does not take.
private func canonicalJSON(_ text: UnsafeBufferPointer<UInt8>) -> (bytes: [UInt8], hasTwins: Bool)? {
    guard let base = text.baseAddress else { return nil }
    var scanner = JSONScanner(base: base, end: text.count, offset: 0, position: 0)
    var hasTwins = false
    guard let bytes = try? canonical(&scanner, 0, &hasTwins) else { return nil }
    scanner.skipSpace()
    return scanner.position == text.count ? (bytes, hasTwins) : nil
}

private struct NoJSON: Error {}

private func canonical(_ scanner: inout JSONScanner, _ depth: Int, _ hasTwins: inout Bool) throws -> [UInt8] {
    guard depth < 1000 else { throw NoJSON() }
    scanner.skipSpace()
    switch scanner.next {
    case UInt8(ascii: "{"):
        scanner.position += 1
        var members: [(name: [UInt8], value: [UInt8])] = []
        scanner.skipSpace()
        while !scanner.take("}") {
            if !members.isEmpty {
                guard scanner.take(",") else { throw NoJSON() }
                scanner.skipSpace()
            }
            guard scanner.next == UInt8(ascii: "\"") else { throw NoJSON() }
            let name = try string(&scanner)
            scanner.skipSpace()
            guard scanner.take(":") else { throw NoJSON() }
            members.append((name, try canonical(&scanner, depth + 1, &hasTwins)))
            scanner.skipSpace()
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        if zip(members, members.dropFirst()).contains(where: { $0.name == $1.name }) { hasTwins = true }
        return Array("{".utf8) + members.flatMap { $0.name + Array(":".utf8) + $0.value + Array(",".utf8) }
            + Array("}".utf8)
    case UInt8(ascii: "["):
        scanner.position += 1
        var result = Array("[".utf8)
        scanner.skipSpace()
        while !scanner.take("]") {
            if result.count > 1 { guard scanner.take(",") else { throw NoJSON() } }
            result += try canonical(&scanner, depth + 1, &hasTwins) + Array(",".utf8)
            scanner.skipSpace()
        }
        return result
    case UInt8(ascii: "\""): return try string(&scanner)
    case UInt8(ascii: "t"):
        try scanner.take("true")
        return Array("t".utf8)
    case UInt8(ascii: "f"):
        try scanner.take("false")
        return Array("f".utf8)
    case UInt8(ascii: "n"):
        try scanner.take("null")
        return Array("n".utf8)
    default:
        guard let number = number(try scanner.number().bytes) else { throw NoJSON() }
        return number
    }
}

/// With its quotes, and without its escapes.
private func string(_ scanner: inout JSONScanner) throws -> [UInt8] {
    let token = try scanner.string()
    var bytes = Array(token.bytes)
    if token.isRich {
        var plain = [UInt8](repeating: 0, count: bytes.count)
        let count = plain.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { scanner.unescape(token, to: $0) } ?? 0
        }
        bytes = Array(plain[..<count])
    }
    guard !bytes.contains(0) else { throw NoJSON() }
    return Array("\"".utf8) + bytes.flatMap { $0 == UInt8(ascii: "\"") ? [0x5C, $0] : [$0] } + Array("\"".utf8)
}

/// Its digits without zeros around them, and the power of ten that the last one stands for; nil: no numeric holds it.
private func number(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var digits: [UInt8] = []
    var exponent = 0
    var (hasPoint, isNegative) = (false, false)
    for (index, byte) in text.enumerated() {
        switch byte {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): hasPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            guard let power = Int(String(decoding: text[(index + 1)...], as: UTF8.self)), abs(power) < 200_000 else {
                return nil
            }
            exponent += power
            return written(digits, exponent, isNegative)
        default:
            digits.append(byte)
            if hasPoint { exponent -= 1 }
        }
    }
    return written(digits, exponent, isNegative)
}

private func written(_ digits: [UInt8], _ exponent: Int, _ isNegative: Bool) -> [UInt8]? {
    var (digits, exponent) = (digits, exponent)
    guard isHeldByNumeric(before: digits.drop { $0 == 0x30 }.count + exponent, after: -exponent) else { return nil }
    while digits.last == 0x30 {
        digits.removeLast()
        exponent += 1
    }
    digits = Array(digits.drop { $0 == 0x30 })
    if digits.isEmpty { return [0x30] }
    return (isNegative ? [UInt8(ascii: "-")] : []) + digits + Array("e\(exponent)".utf8)
}
