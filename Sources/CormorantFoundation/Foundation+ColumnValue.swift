public import Foundation

/// A `UUID` in a UUID column.
extension UUID: ColumnValue {
    public static var columnType: ColumnType { .uuid }

    public init(from reader: RecordReader, at column: Int) throws { self.init(try reader.uuid(at: column)) }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(UUIDBytes(self), at: column)
    }

    public var columnValue: Value { UUIDBytes(self).columnValue }
}

extension UUID {
    /// A UUID of its 16 bytes.
    public init(_ bytes: UUIDBytes) {
        let words = (bytes.high.bigEndian, bytes.low.bigEndian)
        self.init(uuid: withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension UUIDBytes {
    /// The 16 bytes of a UUID.
    public init(_ uuid: UUID) {
        let words = withUnsafeBytes(of: uuid.uuid) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
        self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }
}

/// `Data` in a blob column.
extension Data: ColumnValue {
    public static var columnType: ColumnType { .blob }

    public init(from reader: RecordReader, at column: Int) throws { self.init(try reader.blob(at: column)) }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write([UInt8](self), at: column)
    }

    public var columnValue: Value { .blob([UInt8](self)) }
}
