extension String: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .text }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.string(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(self, at: column) }

    public var columnValue: Value { .text(self) }
}

extension Timestamp: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .datetime }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.timestamp(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(self, at: column) }

    public var columnValue: Value {
        get throws {
            .text(try TimeForm.datetime.text(of: microseconds, "a time"))
        }
    }
}

extension Timestamp: LosslessStringConvertible {
    /// Reads `YYYY-MM-DD`, with or without a time of day and an offset from UTC; nil for any other text.
    public init?(_ description: String) {
        var text = description
        guard let time = text.withUTF8({ Timestamp(parsing: $0) }) else { return nil }
        self = time
    }
}

extension OffsetTimestamp: ColumnValue {
    public static var columnType: ColumnType { .offsetDatetime }

    public init(from reader: RecordReader, at column: Int) throws { self = try reader.offsetTimestamp(at: column) }

    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(self, at: column) }

    public var columnValue: Value {
        get throws { .text(try stored("it")) }
    }
}

extension OffsetTimestamp: LosslessStringConvertible {
    /// Reads `2026-01-31T12:00:00+01:00`; nil for a text without an offset, and for any other.
    public init?(_ description: String) {
        var text = description
        guard let time = text.withUTF8({ OffsetTimestamp(parsing: $0) }), time.fault == nil else { return nil }
        self = time
    }
}

extension UUIDBytes: ColumnValue {
    @inlinable
    public static var columnType: ColumnType { .uuid }

    @inlinable
    public init(from reader: RecordReader, at column: Int) throws { self = try reader.uuid(at: column) }

    @inlinable
    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(self, at: column) }

    public var columnValue: Value { .text(description) }
}

extension UUIDBytes: LosslessStringConvertible {
    /// Reads 32 hexadecimal digits in either case, with or without the four dashes; nil for any other text.
    public init?(_ description: String) {
        var text = description
        guard let uuid = text.withUTF8({ UUIDBytes(parsing: $0) }) else { return nil }
        self = uuid
    }
}

/// A decimal number by its text, so that no digit is lost: "12.50" stays "12.50". A text that is no number is refused
/// when it is written, and when it is read.
public struct DecimalText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The digits as they were written, with sign, point and exponent.
    public var text: String

    /// A number by its text, which is checked when it is written.
    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }
}

extension DecimalText: ColumnValue {
    public static var columnType: ColumnType { .decimal }

    public init(from reader: RecordReader, at column: Int) throws {
        text = String(decoding: try reader.decimal(at: column), as: UTF8.self)
    }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(.text(text), as: .decimal, at: column)
    }

    public var columnValue: Value {
        get throws {
            var text = text
            guard text.withUTF8(isDecimalText) else {
                throw CormorantError(
                    .type, "\"\(text)\" is not a decimal number",
                    hint: "give digits, with a sign, a point or an exponent")
            }
            return .text(text)
        }
    }
}

/// A JSON document by its text, kept as it is. SQLite refuses a text that is no JSON.
public struct JSONText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The document, as it stands in the file.
    public var text: String

    /// A document by its text, which SQLite checks when it is written.
    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }
}

extension JSONText: ColumnValue {
    public static var columnType: ColumnType { .json }

    public init(from reader: RecordReader, at column: Int) throws { text = try reader.string(at: column) }

    public func write(to writer: inout RecordWriter, at column: Int) throws { try writer.write(text, at: column) }

    public var columnValue: Value { .text(text) }
}
