import Foundation

/// A `Codable` type that is a JSON column as it is, without `JSON` around it, and so are its arrays and sets.
///
/// ```swift
/// struct Place: JSONColumnValue { var name: String, floor: Int }
///
/// @Model struct Event {
///     @Key var id: Int64?
///     var place: Place
///     var tags: [String]
/// }
/// ```
///
/// A value that cannot be encoded, and a document that cannot be decoded, are errors that name the column.
public protocol JSONColumnValue: CustomColumnValue, ArrayColumnElement, Codable where Stored == JSONText {}

extension JSONColumnValue {
    /// What a document says.
    public init(stored: JSONText) throws { self = try JSON<Self>(stored: stored).content }

    /// The document.
    public var stored: JSONText {
        get throws { try JSON(self).stored }
    }
}

// Arrays of what JSON has -------------------------------------------------------------------------------------------------

extension ArrayColumnElement where Self: Codable {
    public static var arrayColumnType: ColumnType { .json }

    public static func readArray(from reader: RecordReader, at column: Int) throws -> [Self] {
        try JSON<[Self]>(from: reader, at: column).content
    }

    public static func writeArray(_ array: [Self], to writer: inout RecordWriter, at column: Int) throws {
        try JSON(array).write(to: &writer, at: column)
    }

    public static func columnValue(ofArray array: [Self]) throws -> Value { try JSON(array).columnValue }
}

extension String: ArrayColumnElement {}
extension Bool: ArrayColumnElement {}
extension Int: ArrayColumnElement {}
extension Int64: ArrayColumnElement {}
extension Int32: ArrayColumnElement {}
extension Int16: ArrayColumnElement {}
extension UInt32: ArrayColumnElement {}
extension UInt16: ArrayColumnElement {}
extension Double: ArrayColumnElement {}
extension Float: ArrayColumnElement {}
extension UUID: ArrayColumnElement {}

/// An array of arrays.
extension Array: ArrayColumnElement where Element: ArrayColumnElement & Codable {}

/// A set is the JSON array of its elements, in one order whatever the set's is, so that equal sets are equal texts.
extension Set: CustomColumnValue, ColumnValue, BindableValue where Element: ArrayColumnElement & Codable {
    public init(stored: JSONText) throws { self.init(try JSON<[Element]>(stored: stored).content) }

    public var stored: JSONText {
        get throws {
            let elements = try map { try JSON($0).stored.text }
            return JSONText("[\(elements.sorted().joined(separator: ","))]")
        }
    }
}

/// A dictionary is a JSON object.
extension Dictionary: CustomColumnValue, ColumnValue, BindableValue, ParameterConvertible
where Key == String, Value: ArrayColumnElement & Codable {
    public init(stored: JSONText) throws { self = try JSON<Self>(stored: stored).content }

    public var stored: JSONText {
        get throws { try JSON(self).stored }
    }
}
