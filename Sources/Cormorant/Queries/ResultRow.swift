/// One row of raw SQL: values by position, by name, as a dictionary or as JSON.
public struct ResultRow: Sendable {
    private let columns: ResultColumns
    /// The values in the order of the columns, as SQLite holds them.
    public let values: [Value]

    init(_ columns: ResultColumns, _ values: [Value]) {
        self.columns = columns
        self.values = values
    }

    /// The columns' names.
    public var columnNames: [String] { columns.names }

    /// A value by its position, from 0. A column out of range is an error.
    public subscript(index: Int) -> Value {
        get throws {
            guard values.indices.contains(index) else {
                throw CormorantError(
                    .misuse, "the row has no column \(index)", hint: "it has \(values.count) columns, counted from 0")
            }
            return values[index]
        }
    }

    /// A value by its column's name: of two the first, the case of ASCII letters ignored. An unknown name is an error.
    public subscript(name: String) -> Value {
        get throws {
            guard let index = columns.byName[nameKey(name)] else {
                throw CormorantError(
                    .misuse, "the row has no column \"\(name)\"",
                    hint: "its columns are \(columns.names.joined(separator: ", "))")
            }
            return values[index]
        }
    }

    /// The values by column name; of two columns of one name the first.
    public var dictionary: [String: Value] {
        Dictionary(zip(columns.names, values), uniquingKeysWith: { first, _ in first })
    }

    /// The row as one JSON object, keys in column order; a blob is its base64, an infinity 9e999 or -9e999, a server's NaN null.
    public var json: String {
        var json: [UInt8] = []
        appendJSON(names: columns.names, values: values, to: &json)
        return String(decoding: json, as: UTF8.self)
    }
}

/// What the rows of one result share.
final class ResultColumns: Sendable {
    let names: [String]
    let byName: [ExactText: Int]

    init(_ names: [String]) {
        self.names = names
        byName = Dictionary(
            names.enumerated().map { (nameKey($1), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
