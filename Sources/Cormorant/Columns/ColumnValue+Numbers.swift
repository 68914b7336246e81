extension Int64: ColumnValue {}
extension Int: ColumnValue {}
extension Int32: ColumnValue {}
extension Int16: ColumnValue {}
extension Int8: ColumnValue {}

/// Values beyond `Int64.max` are refused, because SQLite has no place for them.
extension UInt64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt8: ColumnValue {}

/// Integers of every width: what does not fit is an error, on the way in and out.
extension ColumnValue where Self: FixedWidthInteger {
    @inlinable
    public static var columnType: ColumnType { bitWidth > 32 ? .int64 : .int32 }

    public static var integerRange: ClosedRange<Int64>? { Int64(clamping: min)...Int64(clamping: max) }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws {
        guard let value = Self(exactly: try reader.int64(at: column)) else {
            throw reader.doesNotFit(Self.self, at: column)
        }
        self = value
    }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        if let value = Int64(exactly: self) {
            writer.write(value, at: column)
        } else if writer.uses(column) {
            throw writer.beyondInt64(at: column)
        }
    }

    public var columnValue: Value {
        get throws {
            guard let value = Int64(exactly: self) else {
                throw CormorantError(.range, "an integer is beyond 64 bits with sign", hint: "give a smaller one")
            }
            return .integer(value)
        }
    }

    @inlinable
    public static func generatedKey(_ key: Int64) throws -> Self? {
        guard let value = Self(exactly: key) else { throw keyDoesNotFit(Self.self) }
        return value
    }
}

extension Double: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .double }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.double(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(self, at: column) }

    public var columnValue: Value { .real(self) }
}

/// Rounded to 32 bits when read; a number that only infinity is left of is refused.
extension Float: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .float }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.float(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(Double(self), at: column)
    }

    public var columnValue: Value { .real(Double(self)) }
}

extension Bool: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .bool }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.bool(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws { writer.write(self, at: column) }

    public var columnValue: Value { .integer(self ? 1 : 0) }
}

extension RecordReader {
    @usableFromInline
    func doesNotFit(_ type: Any.Type, at column: Int) -> CormorantError {
        error(column, .range, "does not fit into \(type)", "make the property wide enough")
    }
}

extension RecordWriter {
    @usableFromInline
    func beyondInt64(at column: Int) -> CormorantError {
        wrong(
            column, .range, "is beyond the integers of SQLite, which end at \(Int64.max)",
            "give a smaller one, or store it as text")
    }
}

@usableFromInline
func keyDoesNotFit(_ type: Any.Type) -> CormorantError {
    CormorantError(.range, "the key that SQLite made does not fit into \(type)", hint: "make the key Int64")
}
