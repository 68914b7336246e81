import CormorantBase

/// What tells a row of a table from all others: its rowid, or the bytes of its primary key.
package enum RowKey: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    /// Of the table as a whole.
    case none

    /// Equal keys exactly where the values are the same, of the same storage classes.
    package init(_ key: [Value]) {
        if key.count == 1, case .integer(let integer) = key[0] {
            self = .integer(integer)
            return
        }
        var bytes: [UInt8] = []
        for value in key {
            switch value {
            case .null: bytes.append(0)
            case .integer(let integer):
                bytes.append(1)
                withUnsafeBytes(of: integer) { bytes += $0 }
            case .real(let real):
                bytes.append(2)
                // -0.0 equals 0.0.
                withUnsafeBytes(of: real == 0 ? 0 : real) { bytes += $0 }
            case .text(var text):
                bytes.append(3)
                withUnsafeBytes(of: text.utf8.count) { bytes += $0 }
                text.withUTF8 { bytes += $0 }
            case .blob(let blob):
                bytes.append(4)
                withUnsafeBytes(of: blob.count) { bytes += $0 }
                bytes += blob
            }
        }
        self = .bytes(bytes)
    }

    /// Equal keys exactly where the values are equal to the collations of their columns, in lower case.
    package init(_ key: [Value], _ collations: [String?]) {
        self.init(
            zip(key, collations).map { value, collation in
                guard let collation, case .text(var text) = value else { return value }
                return .text(text.withUTF8 { String(decoding: comparable($0, collation), as: UTF8.self) })
            })
    }
}

/// Whether equal texts are known by `comparable`: not by a collation of the program's.
package func isComparable(_ collation: String?) -> Bool {
    switch collation {
    case nil, "binary", "nocase", "corm_decimal", "corm_nocase", "corm_offset_datetime", "rtrim": true
    default: false
    }
}

/// A text's bytes such that equal ones are equal to the collation.
/// Source of what the collations do: https://www.sqlite.org/datatype3.html#collating_sequences
package func comparable(_ text: UnsafeBufferPointer<UInt8>, _ collation: String?) -> [UInt8] {
    switch collation {
    case "nocase": text.map(foldASCII)
    case "corm_decimal": shortestDecimal(text)
    case "corm_nocase": Array(foldedCase(String(decoding: text, as: UTF8.self)).utf8)
    case "corm_offset_datetime": Array(text.prefix(OffsetTimestamp.momentSize))
    case "rtrim": Array(text[..<((text.lastIndex { $0 != 0x20 } ?? -1) + 1)])
    default: Array(text)
    }
}
