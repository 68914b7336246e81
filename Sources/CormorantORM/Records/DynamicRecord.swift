import CormorantBase
import CormorantQuery
import CormorantSQLite

/// A record of a model that is known only at run time: values in the order of the model's columns. A datetime is an
/// integer of microseconds since 1970 UTC; UUID, decimal and JSON are text.
public struct DynamicRecord: RecordAccess, Sendable {
    /// Its model.
    public let model: ModelDescriptor
    /// A value for each of the model's columns, in their order.
    public var values: [Value]

    /// All NULL.
    public init(_ model: ModelDescriptor) {
        self.model = model
        values = Array(repeating: .null, count: model.columns.count)
    }

    /// The value of a property by its name; nil where the model has none of that name, and to set it then does nothing.
    public subscript(property: String) -> Value? {
        get { model.column(named: property).map { values[$0] } }
        set { if let index = model.column(named: property) { values[index] = newValue ?? .null } }
    }

    public func write(to writer: inout RecordWriter) throws {
        for (index, column) in model.columns.enumerated() where column.computedSQL == nil {
            try writer.write(values[index], as: column.type, at: index)
        }
    }

    public mutating func read(from reader: RecordReader) throws {
        for index in values.indices { values[index] = try reader.value(at: index) }
    }

    public mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        for index in columns { values[index] = try reader.value(at: index) }
    }

    public mutating func clearGeneratedKey() {
        if model.generatedColumn >= 0 { values[model.generatedColumn] = .null }
    }

    public mutating func setGeneratedKey(_ key: Int64) {
        if model.generatedColumn >= 0 { values[model.generatedColumn] = .integer(key) }
    }
}
