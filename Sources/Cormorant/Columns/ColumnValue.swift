/// A type whose values a column can hold. `@Model` reads and writes every property through it.
///
/// The library's own conformances cover integers, `Bool`, `Double`, `Float`, `String`, `[UInt8]`, `Timestamp`,
/// `OffsetTimestamp`, `LocalDate`, `LocalTime`, `Duration`, `UUIDBytes`, `DecimalText`, `JSONText` and optionals of them; `CormorantFoundation` adds `Date`, `UUID`, `Decimal`,
/// `Data` and `JSON`. An enum with raw values conforms by declaration alone:
///
/// ```swift
/// enum Status: String, ColumnValue { case open, closed }
/// ```
///
/// For any other type see `CustomColumnValue`.
public protocol ColumnValue: BindableValue {
    /// The type without the optional around it: what an expression is compared with.
    associatedtype Unwrapped: ColumnValue = Self where Unwrapped.Unwrapped == Unwrapped

    /// How the file holds it.
    static var columnType: ColumnType { get }

    /// Whether it can be NULL.
    static var isOptional: Bool { get }

    /// The integers that a value can be; nil where it is none.
    static var integerRange: ClosedRange<Int64>? { get }

    /// Reads the value of a column.
    init(from reader: RecordReader, at column: Int) throws

    /// Binds the value to a column.
    func write(to writer: inout RecordWriter, at column: Int) throws

    /// The value for a key that SQLite made; nil where the type cannot hold one.
    static func generatedKey(_ key: Int64) throws -> Self?

    /// The value that asks SQLite for a key: NULL; nil where the type has none, so that every value is a key.
    static var missingKey: Self? { get }
}

// Inlinable, as is every conformance below and beside it: as calls through the module's boundary they make a fetch take
// 1.7 and an insert 1.35 times as long as hand-written C, inlined 1.3 and 1.2 (benchmarks: fetch, insert).
extension ColumnValue {
    @inlinable
    public static var isOptional: Bool { false }

    @inlinable
    public static func generatedKey(_ key: Int64) throws -> Self? { nil }

    public static var missingKey: Self? { nil }

    public static var integerRange: ClosedRange<Int64>? { nil }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    public typealias Unwrapped = Wrapped.Unwrapped

    @inlinable
    public static var columnType: ColumnType { Wrapped.columnType }

    @inlinable
    public static var isOptional: Bool { true }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws {
        self = reader.isNull(at: column) ? nil : try Wrapped(from: reader, at: column)
    }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        if let self { try self.write(to: &writer, at: column) } else { writer.writeNull(at: column) }
    }

    @inlinable
    public static func generatedKey(_ key: Int64) throws -> Wrapped?? {
        try Wrapped.generatedKey(key).map { .some($0) }
    }

    public static var missingKey: Wrapped?? { .some(nil) }

    public static var integerRange: ClosedRange<Int64>? { Wrapped.integerRange }
}

/// Enums and other types with raw values are stored as these.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { RawValue.columnType }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws {
        guard let value = Self(rawValue: try RawValue(from: reader, at: column)) else {
            throw reader.unknownRawValue(Self.self, at: column)
        }
        self = value
    }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try rawValue.write(to: &writer, at: column)
    }

    public var columnValue: Value {
        get throws { try rawValue.columnValue }
    }

    public static var integerRange: ClosedRange<Int64>? { RawValue.integerRange }

    @inlinable
    public static func generatedKey(_ key: Int64) throws -> Self? {
        guard let raw = try RawValue.generatedKey(key) else { return nil }
        guard let value = Self(rawValue: raw) else { throw keyDoesNotFit(Self.self) }
        return value
    }
}

extension RecordReader {
    @usableFromInline
    func unknownRawValue(_ type: Any.Type, at column: Int) -> CormorantError {
        error(column, .type, "holds a value that is no \(type)", "mend the file, or give the type that case")
    }
}
