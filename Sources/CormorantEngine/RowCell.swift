import CormorantBase

/// What a value is stored as: the storage classes of SQLite, which others' types are mapped to.
@usableFromInline
package enum StorageType {
    @inlinable package static var integer: Int32 { 1 }
    @inlinable package static var real: Int32 { 2 }
    @inlinable package static var text: Int32 { 3 }
    @inlinable package static var blob: Int32 { 4 }
    @inlinable package static var null: Int32 { 5 }

    package static func name(_ type: Int32) -> String {
        switch type {
        case integer: "an integer"
        case real: "a real"
        case text: "text"
        case blob: "a blob"
        default: "NULL"
        }
    }
}

/// One value of a row, of any engine.
@frozen @usableFromInline
package struct RowCell: Sendable {
    /// One of `StorageType`.
    @usableFromInline package let type: Int32
    /// Of a text or blob, in bytes.
    @usableFromInline let length: Int32
    /// An integer, the bits of a real, or the address of a text's or blob's bytes, which its owner keeps.
    @usableFromInline let bits: UInt64

    @inlinable @inline(__always)
    init(_ type: Int32, length: Int32 = 0, bits: UInt64) {
        self.type = type
        self.length = length
        self.bits = bits
    }

    @inlinable package static var null: RowCell { RowCell(StorageType.null, bits: 0) }

    @inlinable package init(_ integer: Int64) { self.init(StorageType.integer, bits: UInt64(bitPattern: integer)) }

    @inlinable package init(_ real: Double) { self.init(StorageType.real, bits: real.bitPattern) }

    /// - Parameter text: UTF-8, or what the file has in its place.
    @inlinable package init(text: UnsafeRawBufferPointer) { self.init(StorageType.text, text) }

    @inlinable package init(blob: UnsafeRawBufferPointer) { self.init(StorageType.blob, blob) }

    @inlinable @inline(__always)
    init(_ type: Int32, _ bytes: UnsafeRawBufferPointer) {
        let address = UInt(bitPattern: bytes.baseAddress)
        self.init(type, length: Int32(clamping: bytes.count), bits: UInt64(address))
    }

    // Who asks for one of these knows the type: a test of it would be one more for each cell that is read.

    @inlinable @inline(__always)
    package var int64: Int64 { Int64(bitPattern: bits) }

    @inlinable @inline(__always)
    package var double: Double { Double(bitPattern: bits) }

    /// Of a text or blob; without an address where it has none.
    @inlinable @inline(__always)
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: bits)), count: Int(length))
    }

    package var hasBytes: Bool { type == StorageType.text || type == StorageType.blob }

    /// A copy of it; text that is not UTF-8 comes as its bytes.
    package var value: Value {
        switch type {
        case StorageType.integer: .integer(int64)
        case StorageType.real: .real(double)
        case StorageType.text:
            if let base = bytes.baseAddress, !isValidUTF8(base, count: bytes.count) {
                .blob(Array(bytes))
            } else {
                .text(String(decoding: bytes, as: UTF8.self))
            }
        case StorageType.blob: .blob(Array(bytes))
        default: .null
        }
    }

    /// Whether both hold the same value of the same storage class.
    package func equals(_ other: RowCell) -> Bool {
        guard type == other.type, length == other.length else { return false }
        return hasBytes ? bytes.elementsEqual(other.bytes) : bits == other.bits
    }

    /// The same with its bytes at another address.
    func moved(to address: UnsafeMutableRawPointer) -> RowCell {
        RowCell(type, length: length, bits: UInt64(UInt(bitPattern: address)))
    }
}
