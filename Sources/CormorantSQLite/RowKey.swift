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
                withUnsafeBytes(of: real) { bytes += $0 }
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
}
