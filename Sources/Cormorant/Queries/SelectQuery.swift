/// A query as a value: which rows, and what of them. It knows no database; `Database` runs it.
///
/// ```swift
/// let query = Person.where { $0.age > 35 && $0.name.hasPrefix("B") }.order { $0.name.desc() }.limit(10)
/// let people = try database.fetchAll(query)
/// ```
///
/// Each clause gives a new query; the first is as it was. A query is compiled when it is first run, and its copies share
/// that: keep one, with `parameter(_:)` for what changes, and running it again pays for neither compiling nor preparing.
///
/// `Row` is what it gives for each row, `Columns` what the closures of its clauses are given.
public struct SelectQuery<Row, Columns: Sendable>: RowQuery {
    package private(set) var tree: Select
    @usableFromInline let columns: Columns
    @usableFromInline let read: @Sendable (RecordReader) throws -> Row
    private var forms = CompiledForms()

    init(_ tree: Select, _ columns: Columns, _ read: @escaping @Sendable (RecordReader) throws -> Row) {
        self.tree = tree
        self.columns = columns
        self.read = read
    }

    public var query: SelectQuery {
        get { self }
        set { self = newValue }
    }

    public var sql: SQLText {
        get throws { SQLText(try compiled(.sqlite)) }
    }

    /// As an engine takes it.
    func compiled(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.all, dialect) { try StatementCompiler.compile(tree, dialect) }
    }

    @inlinable
    public func row(from reader: RecordReader) throws -> Row { try read(reader) }

    /// The first row alone.
    func first(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.first, dialect) {
            var tree = tree
            if tree.limit == nil { tree.limit = .bound(1 as Int64) }
            return try StatementCompiler.compile(tree, dialect)
        }
    }

    func counting(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.count, dialect) { try StatementCompiler.compileCount(tree, dialect) }
    }

    func probing(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.exists, dialect) { try StatementCompiler.compileExists(tree, dialect) }
    }

    mutating func change(_ change: (inout Select) throws -> Void) {
        forms = CompiledForms()
        do { try change(&tree) } catch { tree.conditions.append(.wrong(error)) }
    }
}

extension SelectQuery where Row: Record, Columns == Row.Columns {
    /// The records of a source.
    @usableFromInline
    init(from source: RecordSource<Row>, _ read: @escaping @Sendable (RecordReader) throws -> Row) {
        self.init(Select(from: source.source), source.columns, read)
    }

    /// One row, from nothing.
    @usableFromInline
    init(of columns: Columns, _ read: @escaping @Sendable (RecordReader) throws -> Row) {
        var tree = Select()
        tree.columns = columns.nodes
        self.init(tree, columns, read)
    }
}

/// What a query reads records from: a record's table, under another name, or a subquery that gives such records.
@usableFromInline
struct RecordSource<R: Record>: Sendable {
    let source: Source
    @usableFromInline let columns: R.Columns

    @usableFromInline
    init(alias: String? = nil, _ query: (any FetchRequest<R>)? = nil) {
        if let query {
            // What is a table of its own already is read as that.
            let table = (query as? any RowQuery)?.tree.derivedTable
            let name = alias ?? table?.alias ?? R.model.table
            self.init(table?.kind ?? query.sourceKind, named: name)
        } else {
            let kind = R.model.problem.map { Source.Kind.problem($0) } ?? .table(R.model.tableReference)
            let table = TableSource<R>(alias: alias)
            self.init(Source(kind, alias: alias, identity: table.identity), R.Columns(recordSource: table))
        }
    }

    private init(_ source: Source, _ columns: R.Columns) {
        self.source = source
        self.columns = columns
    }

    /// What has columns of the record's names.
    init(_ kind: Source.Kind, named name: String) {
        source = Source(R.model.problem.map { .problem($0) } ?? kind, alias: name)
        columns = R.Columns(recordSource: TableSource(named: name))
    }

    /// Another table that has the record's columns.
    init(of model: ModelDescriptor, alias: String?) {
        let table = TableSource<R>(of: model, alias: alias)
        source = Source(.table(model.tableReference), alias: alias, identity: table.identity)
        columns = R.Columns(recordSource: table)
    }

    /// All its records.
    @inlinable
    var all: SelectQuery<R, R.Columns> {
        SelectQuery(from: self) { try R.Columns.fetched(from: $0, at: 0) }
    }
}

extension FetchRequest {
    /// What it is in a FROM clause.
    fileprivate var sourceKind: Source.Kind {
        if let query = self as? any RowQuery { return .select(query.tree) }
        return .problem(
            CormorantError(.misuse, "a statement that writes stands where rows are read from", hint: "give a query"))
    }
}

extension Select {
    /// The subquery, common table or table function that it reads from, where it does nothing but that.
    fileprivate var derivedTable: Source? {
        let isBare =
            columns.isEmpty && joins.isEmpty && conditions.isEmpty && groupBy.isEmpty && having.isEmpty
            && compounds.isEmpty && order.isEmpty && commonTables.isEmpty && !isDistinct && limit == nil
            && offset == nil
        guard isBare, let source else { return nil }
        return switch source.kind {
        case .table, .problem: nil
        case .select, .name, .common, .function: source
        }
    }
}

/// Queries over a record's table.
extension Record {
    /// All records.
    @inlinable
    public static var all: SelectQuery<Self, Columns> { RecordSource<Self>().all }

    /// The table under another name, where a subquery has it as well as the query around it.
    @inlinable
    public static func alias(_ name: String) -> SelectQuery<Self, Columns> { RecordSource<Self>(alias: name).all }

    /// The records of a query, to select of them anew.
    @inlinable
    public static func from(_ query: some FetchRequest<Self>) -> SelectQuery<Self, Columns> {
        RecordSource<Self>(alias: nil, query).all
    }

    /// One row made of expressions, from no table: the start of a recursive query.
    @inlinable
    public static func row(_ columns: Columns) -> SelectQuery<Self, Columns> {
        SelectQuery(of: columns) { try Columns.fetched(from: $0, at: 0) }
    }
}
