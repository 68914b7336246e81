/// What an UPDATE or an INSERT sets, as `$0` in its closure: properties of the record are assigned values or expressions.
///
/// ```swift
/// Person.where { $0.city == "Rome" }.update { $0.age = $0.age + 1; $0.city = "Roma" }
/// ```
///
/// All happens at once: on the right a property is what the row held before, and one that is set twice is an error.
@dynamicMemberLookup
public struct Assignments<Columns: RecordColumns> {
    private let columns: Columns
    package private(set) var list: [(column: Int, value: Expression)] = []

    init(_ columns: Columns) { self.columns = columns }

    /// A property as an expression: read, what the row held before; set, what it is given.
    public subscript<Content>(dynamicMember path: KeyPath<Columns, SQLExpression<Content>>) -> SQLExpression<Content> {
        get { columns[keyPath: path] }
        set { assign(columns[keyPath: path].node, newValue.node) }
    }

    /// Sets a property that may be nil to an expression that is not.
    @_disfavoredOverload
    public subscript<Content>(dynamicMember path: KeyPath<Columns, SQLExpression<Content?>>) -> SQLExpression<Content> {
        @available(*, unavailable, message: "the property may be NULL: write $0.age ?? 0")
        get { fatalError("unavailable") }
        set { assign(columns[keyPath: path].node, newValue.node) }
    }

    // Disfavored, so that `$0.age + 1` on the right is an expression.
    /// Sets a property to a value.
    @_disfavoredOverload
    public subscript<Content>(dynamicMember path: KeyPath<Columns, SQLExpression<Content>>) -> Content {
        @available(
            *, unavailable, message: "a property is an expression here, not a value: set it, as $0.age = $0.age + 1"
        )
        get { fatalError("unavailable") }
        set { assign(columns[keyPath: path].node, .bound(newValue)) }
    }

    /// What is at the end of a relation to one, which no UPDATE joins by itself.
    @available(
        *, unavailable,
        message: "no relation to one is followed here: join it, and update { row, other in row.title = other.name }"
    )
    public subscript<Other>(dynamicMember path: KeyPath<Columns, OptionalColumns<Other>>) -> OptionalColumns<Other> {
        columns[keyPath: path]
    }

    /// The records at the end of a to-many relation, to set something to an aggregate over them: `$0.count = $0.albums.count()`.
    /// A row that is inserted has none yet.
    public subscript<Target>(dynamicMember path: KeyPath<Columns, RelatedRecords<Target>>) -> RelatedRecords<Target> {
        columns[keyPath: path]
    }

    /// Sets a property by its name, for what is known only at run time.
    public mutating func set<Content>(_ property: String, to value: SQLExpression<Content>) {
        assign(columns.column(property, as: Content.self).node, value.node)
    }

    private mutating func assign(_ target: Expression, _ value: Expression) {
        guard case .column(let reference) = target.node else {
            // Its error reaches the statement as the value of some column.
            return list.append((0, target))
        }
        list.append((reference.index, value))
    }
}
