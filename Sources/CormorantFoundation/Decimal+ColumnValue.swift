public import Foundation

/// A `Decimal` in a decimal column. A number with more digits than a Decimal has is an error when it is read;
/// `DecimalText` reads any.
extension Decimal: SQLDecimal {
    public static var columnType: ColumnType { .decimal }

    public init(from reader: RecordReader, at column: Int) throws {
        let text = String(decoding: try reader.decimal(at: column), as: UTF8.self)
        guard let value = Decimal(exactly: text) else {
            throw reader.error(
                column, .range, "is no number that a Decimal holds to the last digit",
                "make the property a DecimalText")
        }
        self = value
    }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        if isNaN && writer.uses(column) {
            throw writer.wrong(
                column, .range, "is not a number", "make it optional and give nil where a number is missing")
        }
        try writer.write(description, at: column)
    }

    public var columnValue: Value {
        get throws {
            guard !isNaN else {
                throw CormorantError(.range, "a decimal is not a number", hint: "give NULL where it is missing")
            }
            return .text(description)
        }
    }

    /// The number without rounding. `Decimal(string:)` alone rounds, and takes a text that only begins with a number.
    private init?(exactly text: String) {
        var text = text
        guard text.withUTF8({ isDecimalText($0) }), let value = Decimal(string: text), !value.isNaN else { return nil }
        guard significantDigits(text) == significantDigits(value.description) else { return nil }
        self = value
    }
}

/// The digits of the number without the zeros at its ends.
private func significantDigits(_ number: String) -> Substring {
    let digits = number.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
    return digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count)
}
