import CormorantBase
import CormorantEngine

extension Row {
    /// Appends the row as one JSON object, keys in column order. A blob is its base64; a real is as `jsonNumber` has it,
    /// an infinity 9e999 or -9e999.
    package func appendJSON(names: [String], to json: inout [UInt8]) throws {
        json.append(UInt8(ascii: "{"))
        for (index, name) in names.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            try json.makeRoom(2 * name.utf8.count + 64)
            appendJSONString(name.utf8, to: &json)
            json.append(UInt8(ascii: ":"))
            try appendJSON(column: Int32(truncatingIfNeeded: index), to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    /// - Parameter json: has room for 64 bytes.
    package func appendJSON(column: Int32, to json: inout [UInt8]) throws {
        let cell = cell(column)
        switch cell.type {
        case StorageType.integer: json.append(contentsOf: String(cell.int64).utf8)
        case StorageType.real:
            let value = cell.double
            json.append(contentsOf: jsonNumber(value).utf8)
        case StorageType.text:
            let bytes = cell.text
            if let base = bytes.baseAddress, !isValidUTF8(base, count: bytes.count) { throw invalidText(column) }
            try json.makeRoom(bytes.count + 64)
            appendJSONString(bytes, to: &json)
        case StorageType.blob:
            let bytes = cell.blob
            try json.makeRoom(bytes.count / 3 * 4 + 64)
            json.append(UInt8(ascii: "\""))
            appendBase64(bytes, to: &json)
            json.append(UInt8(ascii: "\""))
        default: json.append(contentsOf: "null".utf8)
        }
    }
}

/// Refuses columns of one name, of which readers of JSON keep one, and which `JSONReader` does not take.
package func requireDistinctKeys(_ names: some Sequence<String>) throws {
    var seen: Set<[UInt8]> = []
    for name in names where !seen.insert(Array(name.utf8)).inserted {
        throw CormorantError(
            .misuse, "two columns are called \"\(name)\", which one JSON object cannot hold",
            hint: "give one of them another name")
    }
}

/// Source: RFC 8259, section 7.
package func appendJSONString(_ bytes: some Sequence<UInt8>, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    let appended: Void? = bytes.withContiguousStorageIfAvailable { appendEscaped($0, to: &json) }
    if appended == nil { Array(bytes).withUnsafeBufferPointer { appendEscaped($0, to: &json) } }
    json.append(UInt8(ascii: "\""))
}

/// What lies between two escapes goes over at once.
private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to json: inout [UInt8]) {
    var start = 0
    for (index, byte) in bytes.enumerated()
    where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        json.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
        start = index + 1
        switch byte {
        case UInt8(ascii: "\""): json.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): json.append(contentsOf: "\\\\".utf8)
        case 0x0A: json.append(contentsOf: "\\n".utf8)
        default:
            json.append(contentsOf: "\\u00".utf8)
            json.append(0x30 + byte >> 4)
            json.append(byte & 15 < 10 ? 0x30 + byte & 15 : 0x57 + byte & 15)
        }
    }
    json.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
}

/// Source: RFC 4648, section 4.
package func appendBase64(_ bytes: UnsafeRawBufferPointer, to json: inout [UInt8]) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var index = 0
    while index < bytes.count {
        let left = bytes.count - index
        let first = bytes[index]
        let second = left > 1 ? bytes[index + 1] : 0
        let third = left > 2 ? bytes[index + 2] : 0
        json.append(alphabet[Int(first >> 2)])
        json.append(alphabet[Int(first & 3) << 4 | Int(second >> 4)])
        json.append(left > 1 ? alphabet[Int(second & 15) << 2 | Int(third >> 6)] : UInt8(ascii: "="))
        json.append(left > 2 ? alphabet[Int(third & 63)] : UInt8(ascii: "="))
        index += 3
    }
}

/// A real as JSON: an infinity as SQLite writes it, and NaN, for which JSON has no word, as null.
package func jsonNumber(_ value: Double) -> String {
    if value.isNaN { return "null" }
    return value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
}
