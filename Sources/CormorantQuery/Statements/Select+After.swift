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
        try requireUniqueOrder()
        var alternatives: [Expression] = []
        var equal: [Expression] = []
        for (term, given) in zip(order, values) {
            for (operand, direction) in distinguished(term).map(\.orderParts) {
                let value = try operand.placed(given)
                let mayBeNull = operand.mayBeNull || joins.contains { $0.kind.isOuter }
                if let beyond = operand.beyond(value, isNull: given == .null, direction, mayBeNull: mayBeNull) {
                    alternatives.append(.all(equal + [beyond]))
                }
                equal.append(.binary(.is, operand, value))
            }
        }
        var select = self
        select.conditions.append(.any(alternatives))
        return select
    }

    /// An order term and, of a decimal of a key, its text: it is ordered by its number, and a key that is kept as text may have
    /// 1.1 and 1.10.
    func distinguished(_ term: Expression) -> [Expression] {
        let (operand, direction) = term.orderParts
        guard case .column(let reference) = operand.node, reference.path.isEmpty, reference.column.type == .decimal,
            reference.column.collation.map(foldIdentifier) != "corm_decimal", groupBy.isEmpty, !isDistinct,
            ([reference.table.key] + reference.table.uniques).contains(where: { $0.contains(reference.index) })
        else { return [term] }
        return [term, Expression.collate(operand, "binary").ordered(direction)]
    }

    /// Rows that are equal in all order terms would be passed over. Where SQL or names stand in the order, or several
    /// tables are joined, it is for the caller to know.
    private func requireUniqueOrder() throws {
        guard joins.isEmpty, !isDistinct, case .table(let table)? = source?.kind else { return }
        var known: [Int] = []
        func note(_ operand: Expression) {
            guard case .column(let reference) = operand.node, reference.path.isEmpty, reference.table.isSame(as: table)
            else {
                return
            }
            known.append(reference.index)
        }
        for operand in order.map(\.orderParts.operand) {
            switch operand.node {
            case .raw, .name: return
            default: note(operand)
            }
        }
        let all = Expression.all(conditions)
        let parts = if case .list(isAny: false, let parts) = all.node { parts } else { [all] }
        for case .binary(.equal, let left, let right) in parts.lazy.map(\.node) {
            // A value that all rows have.
            switch right.node {
            case .value, .parameter: note(left)
            default: break
            }
        }
        let keys = (table.key.isEmpty ? [] : [table.key]) + table.uniques
        if keys.contains(where: { $0.allSatisfy(known.contains) }) { return }
        let names = table.key.map { table.columns[$0].property }.joined(separator: ", ")
        throw CormorantError(
            .misuse, "rows of \(table.model) may be equal in all terms of the order, and be passed over",
            hint: names.isEmpty
                ? "give the model a key, and add it as the last term of the order, or page by limit and offset"
                : "add the key, \(names), as the last \(table.key.count == 1 ? "term" : "terms") of the order",
            table: table.name)
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
    fileprivate func beyond(
        _ value: Expression, isNull: Bool, _ direction: OrderDirection, mayBeNull: Bool
    ) -> Expression? {
        let nullsLast = direction.nulls == .last || direction.nulls == .least && direction.descending
        if isNull { return nullsLast ? nil : .unary(.isNotNull, self) }
        let further = Expression.binary(direction.descending ? .less : .greater, self, value)
        return nullsLast && mayBeNull ? .any([further, .unary(.isNull, self)]) : further
    }

    fileprivate var mayBeNull: Bool {
        if case .column(let reference) = node { return reference.column.isOptional || !reference.path.isEmpty }
        return true
    }
}
