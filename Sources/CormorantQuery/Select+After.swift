import CormorantBase

extension Select {
    /// The rows that follow the one with these values of the order terms: paging that stays right when rows come and go.
    /// NULLs are where the order has them.
    package func after(_ values: [Value]) throws -> Select {
        guard !order.isEmpty, values.count == order.count else {
            throw CormorantError(
                .misuse, "the order has \(order.count) terms, \(values.count) values were given",
                hint: "order by columns that make rows unique, such as the key, and give the value of each")
        }
        guard compounds.isEmpty, groupBy.isEmpty else {
            throw CormorantError(
                .misuse, "rows that are grouped or combined cannot be paged by value",
                hint: "select from the query as a subquery, and page that")
        }
        var alternatives: [Expression] = []
        var equal: [Expression] = []
        for (term, value) in zip(order, values) {
            let (operand, direction) = term.orderParts
            let mayBeNull = operand.mayBeNull || joins.contains { $0.kind == .left }
            if let beyond = operand.beyond(value, direction, mayBeNull: mayBeNull) {
                alternatives.append(.all(equal + [beyond]))
            }
            equal.append(.binary(.is, operand, .value(value)))
        }
        var select = self
        select.conditions.append(.any(alternatives))
        return select
    }
}

extension Expression {
    /// An order term without its direction, and that.
    package var orderParts: (operand: Expression, direction: OrderDirection) {
        switch node {
        case .ordered(let inner, let direction): (inner, direction)
        default: (self, OrderDirection())
        }
    }

    /// What comes after a value in that direction; nil for nothing.
    fileprivate func beyond(_ value: Value, _ direction: OrderDirection, mayBeNull: Bool) -> Expression? {
        let nullsLast = direction.nulls == .last || direction.nulls == .least && direction.descending
        if value == .null { return nullsLast ? nil : .unary(.isNotNull, self) }
        let further = Expression.binary(direction.descending ? .less : .greater, self, .value(value))
        return nullsLast && mayBeNull ? .any([further, .unary(.isNull, self)]) : further
    }

    fileprivate var mayBeNull: Bool {
        if case .column(let reference) = node { return reference.column.isOptional || !reference.path.isEmpty }
        return true
    }
}
