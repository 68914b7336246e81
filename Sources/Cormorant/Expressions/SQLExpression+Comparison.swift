// Each operator takes an expression of the same type, one of the same type but for NULL, or a value: a fourth way would
// be felt in the time that the compiler takes for a long condition.

extension SQLExpression {
    /// Equal, in SQL: neither true nor false where one is NULL, so that such a row is not found.
    public static func == (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.equal, right.node)
    }

    /// Equal, where only one of them can be NULL; such a row is not found.
    public static func == <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.equal, right.node)
    }

    /// Equal to a value; IS NULL for nil.
    public static func == (left: SQLExpression, right: Content.Unwrapped?) -> SQLExpression<Bool> {
        left.node.compared(right, .equal, null: .isNull)
    }

    /// Other than, in SQL: neither true nor false where one is NULL, so that such a row is not found.
    public static func != (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.notEqual, right.node)
    }

    /// Other than, where only one of them can be NULL; such a row is not found.
    public static func != <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.notEqual, right.node)
    }

    /// Other than a value; IS NOT NULL for nil.
    public static func != (left: SQLExpression, right: Content.Unwrapped?) -> SQLExpression<Bool> {
        left.node.compared(right, .notEqual, null: .isNotNull)
    }

    /// Less than; a row with a NULL is not found.
    public static func < (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.less, right.node)
    }

    /// Less than, where only one of them can be NULL; such a row is not found.
    public static func < <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.less, right.node)
    }

    /// Less than a value; a row with NULL is not found.
    public static func < (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression<Bool> {
        left.node.compared(.less, .bound(right))
    }

    /// At most; a row with a NULL is not found.
    public static func <= (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.lessOrEqual, right.node)
    }

    /// At most, where only one of them can be NULL; such a row is not found.
    public static func <= <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.lessOrEqual, right.node)
    }

    /// At most a value; a row with NULL is not found.
    public static func <= (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression<Bool> {
        left.node.compared(.lessOrEqual, .bound(right))
    }

    /// Greater than; a row with a NULL is not found.
    public static func > (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.greater, right.node)
    }

    /// Greater than, where only one of them can be NULL; such a row is not found.
    public static func > <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.greater, right.node)
    }

    /// Greater than a value; a row with NULL is not found.
    public static func > (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression<Bool> {
        left.node.compared(.greater, .bound(right))
    }

    /// At least; a row with a NULL is not found.
    public static func >= (left: SQLExpression, right: SQLExpression) -> SQLExpression<Bool> {
        left.node.compared(.greaterOrEqual, right.node)
    }

    /// At least, where only one of them can be NULL; such a row is not found.
    public static func >= <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        left.node.compared(.greaterOrEqual, right.node)
    }

    /// At least a value; a row with NULL is not found.
    public static func >= (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression<Bool> {
        left.node.compared(.greaterOrEqual, .bound(right))
    }

    /// IS NOT: other than, where NULL is equal to NULL.
    public func isDistinct<Other>(from other: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        node.compared(.isNot, other.node)
    }

    /// IS NOT a value: other than it, where NULL is equal to nil.
    public func isDistinct(from other: Content.Unwrapped?) -> SQLExpression<Bool> {
        node.compared(.isNot, .bound(other))
    }

    /// IS: equal, where NULL is equal to NULL.
    public func isNotDistinct<Other>(from other: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        node.compared(.is, other.node)
    }

    /// IS a value: equal to it, where NULL is equal to nil.
    public func isNotDistinct(from other: Content.Unwrapped?) -> SQLExpression<Bool> {
        node.compared(.is, .bound(other))
    }
}

/// Several values at once.
extension SQLExpression {
    /// BETWEEN: from `low` to `high`, both included.
    public func isBetween(_ low: Content.Unwrapped, _ high: Content.Unwrapped) -> SQLExpression<Bool> {
        SQLExpression<Bool>(node: .between(node, .bound(low), .bound(high)))
    }

    /// BETWEEN: from one expression to the other, both included.
    public func isBetween<Other>(_ low: SQLExpression<Other>, _ high: SQLExpression<Other>) -> SQLExpression<Bool>
    where Other.Unwrapped == Content.Unwrapped {
        SQLExpression<Bool>(node: .between(node, low.node, high.node))
    }

    /// IN a list of any length; of none it is false.
    public func isIn(_ values: some Sequence<Content.Unwrapped>) -> SQLExpression<Bool> {
        do {
            return SQLExpression<Bool>(node: .isIn(node, try values.map { try $0.columnValue }))
        } catch {
            return SQLExpression<Bool>(node: .wrong(error))
        }
    }

    /// IN the list that a parameter is given when the query runs, whatever its length; NULL in it is found by IS NULL.
    ///
    /// ```swift
    /// let chosen = Person.where { $0.id.isIn(parameter: "ids") }
    /// try database.fetchAll(chosen, ["ids": [1, 2, 3]])
    /// ```
    public func isIn(parameter name: String) -> SQLExpression<Bool> {
        SQLExpression<Bool>(node: .binary(.isIn, node, Expression(.parameter(name))))
    }

    /// IN the rows of a query of one column. Its opposite holds for no row where the query gives a NULL: leave those out.
    public func isIn<Query: RowQuery>(_ query: Query) -> SQLExpression<Bool>
    where Query.Row: ColumnValue, Query.Row.Unwrapped == Content.Unwrapped {
        SQLExpression<Bool>(node: .isIn(node, query.tree))
    }
}

extension Expression {
    fileprivate func compared(_ op: BinaryOperator, _ other: Expression) -> SQLExpression<Bool> {
        SQLExpression<Bool>(node: .binary(op, self, other))
    }

    fileprivate func compared<Content: ColumnValue>(
        _ value: Content?, _ op: BinaryOperator, null: UnaryOperator
    ) -> SQLExpression<Bool> {
        let bound = Expression.bound(value)
        if case .value(.null, _) = bound.node { return SQLExpression<Bool>(node: .unary(null, self)) }
        return compared(op, bound)
    }
}
