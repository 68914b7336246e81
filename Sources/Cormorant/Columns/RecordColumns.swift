/// The columns of a record as expressions: what `$0` is in the closures of a query. `@Model` writes them; by hand they
/// look like this, nested in the record and called `Columns`:
///
/// ```swift
/// extension City {
///     struct Columns: RecordColumns {
///         let recordSource: TableSource<City>
///         init(recordSource: TableSource<City>) { self.recordSource = recordSource }
///
///         var id: SQLExpression<Int64?> { recordSource.column(0) }
///         var name: SQLExpression<String> { recordSource.column(1) }
///     }
/// }
/// ```
///
/// The numbers are positions in the model's columns, and the types those of the record's properties.
public protocol RecordColumns: Selectable where Fetched == SelectedRecord {
    // Apart from `Fetched`, so that it is known from the type of `recordSource`.
    /// The record whose columns these are.
    associatedtype SelectedRecord: Record

    /// Where the columns come from.
    var recordSource: TableSource<SelectedRecord> { get }

    /// The columns of a table that takes part in a query; `@Model` writes it.
    init(recordSource: TableSource<SelectedRecord>)
}

extension RecordColumns {
    /// A column by its property's name, for what is known only at run time.
    public func column<Content>(_ property: String, as type: Content.Type) -> SQLExpression<Content> {
        recordSource.column(named: property)
    }

    /// Full-text search in all columns of an FTS5 table.
    public func match(_ query: String) -> SQLExpression<Bool> {
        SQLExpression(node: .binary(.match, recordSource.whole, .bound(query)))
    }
}

/// The columns of a record that declares none: they are found by name.
public struct NamedColumns<Fetched: Record>: RecordColumns {
    public let recordSource: TableSource<Fetched>

    /// The columns of a table that takes part in a query.
    public init(recordSource: TableSource<Fetched>) { self.recordSource = recordSource }
}

/// Where the columns of a record come from: its table, under a name of its own where it takes part twice; the end of a
/// relation; a subquery; or expressions, one for each column.
public struct TableSource<Fetched: Record>: Sendable {
    private enum Kind: Sendable {
        case table(alias: String?, of: ModelDescriptor?, SourceIdentity)
        case name(String)
        case path(RelationRoute)
        case expressions([Expression])
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The record's, or that of another table with its columns.
    var model: ModelDescriptor {
        if case .table(_, let model?, _) = kind { return model }
        return Fetched.model
    }

    /// The table, with what the query calls it.
    @usableFromInline
    package init(alias: String? = nil) { kind = .table(alias: alias, of: nil, SourceIdentity()) }

    /// Another table that has the record's columns.
    init(of model: ModelDescriptor?, alias: String?) { kind = .table(alias: alias, of: model, SourceIdentity()) }

    /// What tells the table's columns from those of the same table in another query.
    var identity: SourceIdentity? { if case .table(_, _, let identity) = kind { identity } else { nil } }

    /// A subquery with columns of the record's names, or the row that an upsert would have inserted.
    package init(named name: String) { kind = .name(name) }

    /// A record made of expressions, in the order of the model's columns.
    public init<each Content>(_ columns: repeat SQLExpression<each Content>) {
        var nodes: [Expression] = []
        for column in repeat each columns { nodes.append(column.node) }
        kind = .expressions(nodes)
    }

    /// The same, of any expressions; `@Model` writes it.
    public init(columns: [any Selectable]) { kind = .expressions(columns.flatMap(\.nodes)) }

    /// A column by its position in the model's columns.
    public func column<Content>(_ index: Int) -> SQLExpression<Content> { SQLExpression(node: node(index)) }

    func column<Content>(named property: String) -> SQLExpression<Content> {
        do {
            return SQLExpression(node: node(try Fetched.model.require(property)))
        } catch {
            return SQLExpression(node: .wrong(error))
        }
    }

    private func node(_ index: Int) -> Expression {
        let table = model.tableReference
        guard table.columns.indices.contains(index) else {
            return .problem(
                CormorantError(
                    .model, "the columns of \(table.model) ask for column \(index)",
                    hint: "number them as the model's columns, from 0 to \(table.columns.count - 1)"))
        }
        switch kind {
        case .table(let alias, _, let identity): return .column(table, index, alias: alias, source: identity)
        case .name(let name): return Expression(.name(source: name, table.columns[index].name))
        case .path(let route):
            return route.model.column(
                along: route.relations, table.columns[index].property, alias: route.alias, source: route.source)
        case .expressions(let nodes):
            guard nodes.count == table.columns.count else {
                return .problem(
                    CormorantError(
                        .model,
                        "\(table.model) is made of \(nodes.count) expressions, it has \(table.columns.count) columns",
                        hint: "give one for each column, in their order"))
            }
            return nodes[index]
        }
    }

    /// A column of a subquery or table function that the record does not have.
    func other<Content>(_ name: String) -> SQLExpression<Content> {
        guard case .name(let source) = kind else {
            return SQLExpression(
                node: .problem(
                    CormorantError(.misuse, "\(Fetched.model.name) has no column \"\(name)\" here", hint: "read it")))
        }
        return SQLExpression(node: Expression(.name(source: source, name)))
    }

    /// All columns, to select the record; expressions under the columns' names, so that a subquery of it can be read from.
    var resultColumns: [Expression] {
        let columns = Fetched.model.tableReference.columns
        let nodes = columns.indices.map(node)
        guard case .expressions = kind else { return nodes }
        return zip(nodes, columns).map { node, column in node.labelled(column.name) }
    }

    /// The table itself, as full-text search names it.
    var whole: Expression {
        switch kind {
        case .table(let alias, _, _): Expression(.name(source: nil, alias ?? model.tableReference.name))
        case .name(let name): Expression(.name(source: nil, name))
        case .path, .expressions:
            .problem(
                CormorantError(
                    .misuse, "\(Fetched.model.name) is no table of the query itself", hint: "search where it is one"))
        }
    }
}

/// Along relations.
extension TableSource {
    /// The end of a to-one relation, by its name in the model.
    public func toOne<Target: RecordColumns>(_ name: String) -> OptionalColumns<Target> {
        OptionalColumns(Target(recordSource: TableSource<Target.Fetched>(.path(route(name)))))
    }

    /// The records at the end of a to-many relation, by its name in the model.
    public func toMany<Target: RecordColumns>(_ name: String) -> RelatedRecords<Target> {
        RelatedRecords(route: route(name))
    }

    /// The way from a table of the query to these columns.
    var route: RelationRoute {
        switch kind {
        case .table(let alias, _, let identity):
            RelationRoute(model: model, alias: alias, source: identity, relations: [])
        case .path(let route): route
        case .name(let name): RelationRoute(model: Fetched.model, alias: name, source: nil, relations: [])
        case .expressions: RelationRoute(model: Fetched.model, alias: nil, source: nil, relations: [])
        }
    }

    private func route(_ name: String) -> RelationRoute {
        let start = route
        return RelationRoute(
            model: start.model, alias: start.alias, source: start.source, relations: start.relations + [name])
    }
}
