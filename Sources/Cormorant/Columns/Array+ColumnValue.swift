/// A type whose arrays are columns: those of bytes are blobs. With `import CormorantFoundation` those of `String`, `Int` and
/// others that JSON has are JSON columns, and so are those of a `Codable` type that says so:
///
/// ```swift
/// struct Place: Codable, ArrayColumnElement { var name: String }
/// ```
public protocol ArrayColumnElement {
    /// How the file holds an array.
    static var arrayColumnType: ColumnType { get }

    /// Reads an array from a column.
    static func readArray(from reader: RecordReader, at column: Int) throws -> [Self]

    /// Binds an array to a column.
    static func writeArray(_ array: [Self], to writer: inout RecordWriter, at column: Int) throws

    /// An array as SQLite holds it.
    static func columnValue(ofArray array: [Self]) throws -> Value
}

extension Array: ColumnValue, BindableValue where Element: ArrayColumnElement {
    @inlinable
    public static var columnType: ColumnType { Element.arrayColumnType }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws {
        self = try Element.readArray(from: reader, at: column)
    }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try Element.writeArray(self, to: &writer, at: column)
    }

    public var columnValue: Value {
        get throws { try Element.columnValue(ofArray: self) }
    }
}

extension UInt8: ArrayColumnElement {
    @inlinable
    public static var arrayColumnType: ColumnType { .blob }

    @inlinable
    public static func readArray(from reader: RecordReader, at column: Int) throws -> [UInt8] {
        try reader.bytes(at: column)
    }

    @inlinable
    public static func writeArray(_ array: [UInt8], to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(array, at: column)
    }

    public static func columnValue(ofArray array: [UInt8]) -> Value { .blob(array) }
}
