import CormorantQuery

/// A table-valued function that SQLite has, as a table of a query: `jsonEach(_:path:)`, or any other by its name with a
/// record type that has columns of the names that it gives.
///
/// ```swift
/// Book.all.crossJoin { jsonEach($0.tags) }.select { book, tag in (book.title, tag.value(as: String.self)) }
/// TableFunction<ColumnInfo>("pragma_table_info", SQLExpression("album")).all.where { $0.type == "TEXT" }
/// ```
public struct TableFunction<R: Record>: Sendable {
    private let call: Call

    /// A call of the function.
    public init<each Argument: ColumnValue>(_ name: String, _ arguments: repeat SQLExpression<each Argument>) {
        var nodes: [Expression] = []
        for argument in repeat each arguments { nodes.append(argument.node) }
        call = Call(name, nodes)
    }

    /// All rows that it gives.
    // The function may have other columns than the record.
    public var all: SelectQuery<R, R.Columns> { source(nil).all.listed }

    @usableFromInline
    func source(_ alias: String?) -> RecordSource<R> { RecordSource(.function(call), named: alias ?? call.name) }
}

extension SelectQuery where Columns: RecordColumns, Row == Columns.Fetched {
    /// Every row with every row that a table-valued function gives for it.
    @inlinable
    public func crossJoin<R: Record>(
        as alias: String? = nil, _ function: (Columns) -> TableFunction<R>
    ) -> JoinedQuery2<Columns, R.Columns> {
        let first = columns
        let source = function(first).source(alias)
        return JoinedQuery2(listed.joining(source, nil), first, source.columns)
    }
}

extension JoinedQuery2 {
    /// Every row with every row that a table-valued function gives for it.
    @inlinable
    public func crossJoin<R: Record>(
        as alias: String? = nil, _ function: (A, B) -> TableFunction<R>
    ) -> JoinedQuery3<A, B, R.Columns> {
        let (a, b) = query.columns
        let source = function(a, b).source(alias)
        return JoinedQuery3(query.joining(source, nil), a, b, source.columns)
    }
}

extension JoinedQuery3 {
    /// Every row with every row that a table-valued function gives for it.
    @inlinable
    public func crossJoin<R: Record>(
        as alias: String? = nil, _ function: (A, B, C) -> TableFunction<R>
    ) -> JoinedQuery4<A, B, C, R.Columns> {
        let (a, b, c) = query.columns
        let source = function(a, b, c).source(alias)
        return JoinedQuery4(query.joining(source, nil), a, b, c, source.columns)
    }
}

/// A row for each element of a JSON list or object, as `json_each` of SQLite gives them.
///
/// - Parameters:
///   - json: JSON, which may be a column of a table that stands before it in the query.
///   - path: of the list or object in it, such as `$.tags`.
public func jsonEach<Content>(_ json: SQLExpression<Content>, path: String = "$") -> TableFunction<JSONElement> {
    TableFunction("json_each", json, SQLExpression(path))
}

/// A row for each element of JSON, and for each within it, as `json_tree` of SQLite gives them.
///
/// - Parameters:
///   - json: JSON, which may be a column of a table that stands before it in the query.
///   - path: of the list or object in it, such as `$.tags`.
public func jsonTree<Content>(_ json: SQLExpression<Content>, path: String = "$") -> TableFunction<JSONElement> {
    TableFunction("json_tree", json, SQLExpression(path))
}

/// An element of JSON, of `jsonEach(_:path:)` and `jsonTree(_:path:)`: https://www.sqlite.org/json1.html#jeach
///
/// Its key and its value are of many types; `Columns` gives them as the one that is asked for.
public struct JSONElement: Record {
    /// What JSON calls it: "null", "true", "integer", "text", "array", ...
    public let type: String
    /// A number that no other element has.
    public let id: Int64
    /// The id of what holds it; `jsonEach` gives nil.
    public let parent: Int64?
    /// The path to it.
    public let fullkey: String
    /// The path to what holds it.
    public let path: String

    public static let model = ModelDescriptor(
        name: "JSONElement",
        columns: [
            ColumnDescriptor("type", String.self), ColumnDescriptor("id", Int64.self),
            ColumnDescriptor("parent", Int64?.self), ColumnDescriptor("fullkey", String.self),
            ColumnDescriptor("path", String.self),
        ])

    public init(from reader: RecordReader) throws {
        type = try String(from: reader, at: 0)
        id = try Int64(from: reader, at: 1)
        parent = try Int64?(from: reader, at: 2)
        fullkey = try String(from: reader, at: 3)
        path = try String(from: reader, at: 4)
    }

    public func write(to writer: inout RecordWriter) throws {
        throw CormorantError(.misuse, "an element of JSON is no row of a table", hint: "write the JSON that has it")
    }

    public mutating func setGeneratedKey(_ key: Int64) {}
    public mutating func clearGeneratedKey() {}

    /// The columns of an element.
    public struct Columns: RecordColumns {
        public let recordSource: TableSource<JSONElement>

        /// The columns of a table that takes part in a query.
        public init(recordSource: TableSource<JSONElement>) { self.recordSource = recordSource }

        /// What JSON calls it.
        public var type: SQLExpression<String> { recordSource.column(0) }
        /// A number that no other element has.
        public var id: SQLExpression<Int64> { recordSource.column(1) }
        /// The id of what holds it.
        public var parent: SQLExpression<Int64?> { recordSource.column(2) }
        /// The path to it.
        public var fullkey: SQLExpression<String> { recordSource.column(3) }
        /// The path to what holds it.
        public var path: SQLExpression<String> { recordSource.column(4) }

        /// The value as SQL has it; lists and objects as JSON.
        public func value<Content>(as type: Content.Type = Content.self) -> SQLExpression<Content> {
            recordSource.other("value")
        }

        /// The index in a list, the name in an object; NULL of a single value.
        public func key<Content>(as type: Content.Type = Content.self) -> SQLExpression<Content> {
            recordSource.other("key")
        }

        /// The value; NULL of lists and objects.
        public func atom<Content>(as type: Content.Type = Content.self) -> SQLExpression<Content> {
            recordSource.other("atom")
        }
    }
}
