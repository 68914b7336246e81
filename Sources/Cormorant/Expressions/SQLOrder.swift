/// What a query is ordered by: an expression, which is ascending, or one with a direction.
public protocol SQLOrderTerm: Sendable {
    /// The expression and its direction.
    var orderTerm: SQLOrder { get }
}

/// An expression and the direction it sorts in.
public struct SQLOrder: SQLOrderTerm {
    package let node: Expression

    /// Itself.
    public var orderTerm: SQLOrder { self }

    /// NULLs before everything else.
    public func nullsFirst() -> SQLOrder { with(.first) }

    /// NULLs after everything else.
    public func nullsLast() -> SQLOrder { with(.last) }

    private func with(_ nulls: OrderDirection.Nulls) -> SQLOrder {
        var (operand, direction) = node.orderParts
        direction.nulls = nulls
        return SQLOrder(node: operand.ordered(direction))
    }
}

extension SQLExpression: SQLOrderTerm {
    /// The expression, ascending.
    public var orderTerm: SQLOrder { SQLOrder(node: node) }

    /// Ascending, NULL before everything else.
    public func asc() -> SQLOrder { SQLOrder(node: node.ordered(OrderDirection())) }

    /// Descending, NULL after everything else.
    public func desc() -> SQLOrder { SQLOrder(node: node.ordered(OrderDirection(descending: true))) }
}
