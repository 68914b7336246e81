/// What a query can select: an expression, which gives its value, or the columns of a record, which give the record. The
/// types of the library conform to it.
public protocol Selectable: Sendable {
    /// What it gives for each row.
    associatedtype Fetched

    /// How many result columns it takes.
    static var columnCount: Int { get }

    /// Adds its result columns.
    func addColumns(to list: inout ResultColumnList)

    /// Reads it from a row in which its columns begin at `column`.
    static func fetched(from reader: RecordReader, at column: Int) throws -> Fetched
}

/// The columns of a result, in order.
public struct ResultColumnList: Sendable {
    package var nodes: [Expression] = []
}

extension Selectable {
    var nodes: [Expression] {
        var list = ResultColumnList()
        addColumns(to: &list)
        return list.nodes
    }
}

extension SQLExpression: Selectable {
    @inlinable
    public static var columnCount: Int { 1 }

    public func addColumns(to list: inout ResultColumnList) { list.nodes.append(node) }

    @inlinable
    public static func fetched(from reader: RecordReader, at column: Int) throws -> Content {
        try Content(from: reader, at: column)
    }
}

extension RecordColumns {
    @inlinable
    public static var columnCount: Int { Fetched.model.columns.count }

    public func addColumns(to list: inout ResultColumnList) { list.nodes += recordSource.resultColumns }

    @inlinable
    public static func fetched(from reader: RecordReader, at column: Int) throws -> Fetched {
        try Fetched(from: reader.record(Fetched.model, at: column))
    }
}

extension OptionalColumns: Selectable {
    @inlinable
    public static var columnCount: Int { Columns.columnCount }

    public func addColumns(to list: inout ResultColumnList) { columns.addColumns(to: &list) }

    @inlinable
    public static func fetched(from reader: RecordReader, at column: Int) throws -> Columns.Fetched? {
        let model = Columns.Fetched.model
        let record = reader.record(model, at: column)
        return record.isMissing ? nil : try Columns.Fetched(from: record)
    }
}

/// Reads the parts of a row side by side.
@usableFromInline
struct RowPosition {
    @usableFromInline let reader: RecordReader
    @usableFromInline var column = 0

    @inlinable
    init(_ reader: RecordReader) { self.reader = reader }

    @inlinable
    mutating func next<Part: Selectable>(_ type: Part.Type) throws -> Part.Fetched {
        defer { column += Part.columnCount }
        return try Part.fetched(from: reader, at: column)
    }
}
