/// A type that is stored as another one: give the conversion both ways, and it is a column.
///
/// ```swift
/// struct Color: CustomColumnValue {
///     var red, green, blue: UInt8
///
///     init(stored: Int) { ... }
///     var stored: Int { ... }
/// }
/// ```
///
/// Either way may throw: the call then fails with the code `callback` and names the column. Neither may call the
/// database.
public protocol CustomColumnValue: ColumnValue {
    /// What the column holds.
    associatedtype Stored: ColumnValue

    /// The value that was stored so.
    init(stored: Stored) throws

    /// What to store.
    var stored: Stored { get throws }
}

extension CustomColumnValue {
    @inlinable
    public static var columnType: ColumnType { Stored.columnType }

    @inlinable
    public static var isOptional: Bool { Stored.isOptional }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws {
        let value = try Stored(from: reader, at: column)
        do {
            try self.init(stored: value)
        } catch {
            throw reader.notConverted(error, at: column)
        }
    }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        let value: Stored
        do {
            value = try stored
        } catch {
            throw writer.notConverted(error, at: column)
        }
        try value.write(to: &writer, at: column)
    }

    public var columnValue: Value {
        get throws { try stored.columnValue }
    }

    public static var integerRange: ClosedRange<Int64>? { Stored.integerRange }

    @inlinable
    public static func generatedKey(_ key: Int64) throws -> Self? {
        try Stored.generatedKey(key).map { try Self(stored: $0) }
    }
}

extension RecordReader {
    @usableFromInline
    func notConverted(_ reason: any Error, at column: Int) -> CormorantError {
        error(column, .callback, "cannot be converted: \(reason)", "mend the file, or the type's init(stored:)")
    }
}

extension RecordWriter {
    @usableFromInline
    func notConverted(_ reason: any Error, at column: Int) -> CormorantError {
        wrong(column, .callback, "cannot be converted: \(reason)", "mend the value, or the type's stored")
    }
}
