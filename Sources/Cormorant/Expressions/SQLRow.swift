/// Several expressions that are compared as one, as SQL's row values are.
///
/// ```swift
/// Person.where { SQLRow($0.city, $0.age).isIn([("Rome", 30), ("Oslo", nil)]) }
/// Person.where { SQLRow($0.name, $0.id) > ("Bob", 17) }.order { ($0.name, $0.id) }
/// ```
///
/// Rows sort by their first value, then by the next. `isEqual(to:)` and `isIn` compare a nil with IS NULL; a row with NULL is
/// otherwise neither less nor greater. Making one never fails, as of `SQLExpression`.
public struct SQLRow<Values>: Sendable {
    private let parts: [Expression]
    private let bound: @Sendable (Values) -> [Expression]

    // With a list of types alone, literals in a tuple would be of their own types, before those of the expressions are known.

    /// A row of two expressions.
    public init<A: ColumnValue & SendableMetatype, B: ColumnValue & SendableMetatype>(
        _ a: SQLExpression<A>, _ b: SQLExpression<B>
    ) where Values == (A, B) {
        parts = [a.node, b.node]
        bound = { [.bound($0.0), .bound($0.1)] }
    }

    /// A row of three expressions.
    public init<
        A: ColumnValue & SendableMetatype, B: ColumnValue & SendableMetatype, C: ColumnValue & SendableMetatype
    >(
        _ a: SQLExpression<A>, _ b: SQLExpression<B>, _ c: SQLExpression<C>
    ) where Values == (A, B, C) {
        parts = [a.node, b.node, c.node]
        bound = { [.bound($0.0), .bound($0.1), .bound($0.2)] }
    }

    /// A row of up to eight expressions.
    @_disfavoredOverload
    public init<each Content: ColumnValue & SendableMetatype>(_ parts: repeat SQLExpression<each Content>)
    where Values == (repeat each Content) {
        var nodes: [Expression] = []
        for part in repeat each parts { nodes.append(part.node) }
        self.parts = nodes
        bound = { values in
            var nodes: [Expression] = []
            for value in repeat each values { nodes.append(.bound(value)) }
            return nodes
        }
    }

    // `==` would stand among what the compiler tries of every comparison, and tells of where one is wrong.

    /// Equal in all values, of which nil asks for NULL; `!` of it is other than them.
    public func isEqual(to values: Values) -> SQLExpression<Bool> {
        let values = bound(values)
        guard values.contains(where: \.isNull) else { return compared(.equal, .row(values)) }
        return SQLExpression(
            node: .all(zip(parts, values).map { $1.isNull ? .unary(.isNull, $0) : .binary(.equal, $0, $1) }))
    }

    /// Equal in all values to another row, in SQL: a row with a NULL is not found.
    public func isEqual(to row: SQLRow) -> SQLExpression<Bool> { compared(.equal, row) }

    /// Equal to the first row of a query of as many columns.
    public func isEqual<Query: RowQuery>(to query: Query) -> SQLExpression<Bool> where Query.Row == Values {
        compared(.equal, .scalar(query.tree))
    }

    /// Before a row of values.
    public static func < (left: SQLRow, right: Values) -> SQLExpression<Bool> { left.compared(.less, right) }

    /// Before a row of values, or equal to it.
    public static func <= (left: SQLRow, right: Values) -> SQLExpression<Bool> { left.compared(.lessOrEqual, right) }

    /// Behind a row of values.
    public static func > (left: SQLRow, right: Values) -> SQLExpression<Bool> { left.compared(.greater, right) }

    /// Behind a row of values, or equal to it.
    public static func >= (left: SQLRow, right: Values) -> SQLExpression<Bool> { left.compared(.greaterOrEqual, right) }

    /// Before another row.
    public static func < (left: SQLRow, right: SQLRow) -> SQLExpression<Bool> { left.compared(.less, right) }

    /// Before another row, or equal to it.
    public static func <= (left: SQLRow, right: SQLRow) -> SQLExpression<Bool> { left.compared(.lessOrEqual, right) }

    /// Behind another row.
    public static func > (left: SQLRow, right: SQLRow) -> SQLExpression<Bool> { left.compared(.greater, right) }

    /// Behind another row, or equal to it.
    public static func >= (left: SQLRow, right: SQLRow) -> SQLExpression<Bool> { left.compared(.greaterOrEqual, right) }

    /// BETWEEN: from one row to the other, both included.
    public func isBetween(_ low: Values, _ high: Values) -> SQLExpression<Bool> {
        SQLExpression(node: .between(.row(parts), .row(bound(low)), .row(bound(high))))
    }

    /// IN rows, of which there may be any number; a nil in one asks for NULL.
    public func isIn(_ rows: some Sequence<Values>) -> SQLExpression<Bool> {
        do {
            return SQLExpression(
                node: .isIn(.row(parts), try rows.flatMap { try bound($0).map { try $0.boundValue() } }))
        } catch {
            return SQLExpression(node: .wrong(error))
        }
    }

    /// IN the rows of a query of as many columns.
    public func isIn<Query: RowQuery>(_ query: Query) -> SQLExpression<Bool> where Query.Row == Values {
        SQLExpression(node: .isIn(.row(parts), query.tree))
    }

    /// IN the rows that a parameter is given as a list when the query runs, one row after the other, without NULL in them.
    public func isIn(parameter name: String) -> SQLExpression<Bool> {
        compared(.isIn, Expression(.parameter(name)))
    }

    private func compared(_ op: BinaryOperator, _ other: Values) -> SQLExpression<Bool> {
        compared(op, .row(bound(other)))
    }

    private func compared(_ op: BinaryOperator, _ other: SQLRow) -> SQLExpression<Bool> {
        compared(op, .row(other.parts))
    }

    private func compared(_ op: BinaryOperator, _ other: Expression) -> SQLExpression<Bool> {
        SQLExpression(node: .binary(op, .row(parts), other))
    }
}

extension Expression {
    fileprivate var isNull: Bool {
        if case .value(.null, _) = node { true } else { false }
    }

    /// What a value was bound as.
    fileprivate func boundValue() throws -> Value {
        switch node {
        case .value(let value, _): return value
        case .problem(let error): throw error
        default: throw CormorantError(.internal, "a value is no value")
        }
    }
}
