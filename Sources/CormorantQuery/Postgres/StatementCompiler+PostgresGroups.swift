import CormorantBase

/// GROUP BY, beside which PostgreSQL takes no column that a group may have several values of.
extension StatementCompiler {
    func write(groups: [Expression], of select: Select) throws {
        sql += " GROUP BY "
        let terms = groups.map { select.position(ofLabel: $0) ?? $0 }
        for (index, term) in terms.enumerated() {
            if index > 0 { sql += ", " }
            try refuseTelling(textKey(of: term), "groups")
            try write(postgres: term, at: .any)
        }
        // What a relation to one leads to is one for all rows of a group.
        for reference in followed(in: select) where follows(reference, terms) {
            sql += ", "
            try write(reference)
        }
    }

    /// Refuses columns that stand beside an aggregate though rows are not grouped by them.
    func refuseBareColumns(of select: Select) throws {
        guard !select.groupBy.isEmpty || select.columns.contains(where: \.isAggregate) else { return }
        let groups = select.groupBy.map { term in
            if case .name(nil, let name) = term.node, let label = select.labelled(name) { return label.expression }
            return term
        }
        for column in select.columns {
            guard case .column(let reference) = column.bare.node, !isGrouped(reference, groups) else { continue }
            let name = "\((reference.path.last?.target ?? reference.table).model).\(reference.column.property)"
            throw CormorantError(
                .unsupported, "\(name) is selected from groups that may have several of it, which PostgreSQL refuses",
                hint: "group by it, too, or select min() or max() of it", table: reference.table.name,
                columns: [reference.column.name])
        }
    }

    private func isGrouped(_ reference: ColumnReference, _ groups: [Expression]) -> Bool {
        if isGrouped(reference.index, reference.path, of: reference, groups) { return true }
        let key = reference.table.key
        guard reference.path.isEmpty else { return follows(reference, groups) }
        return !key.isEmpty && key.allSatisfy { isGrouped($0, [], of: reference, groups) } && !reference.table.isView
    }

    /// Whether a path goes on from what rows are grouped by: from where its first step begins, or from a key on its way.
    private func follows(_ reference: ColumnReference, _ groups: [Expression]) -> Bool {
        if let first = reference.path.first,
            first.columns.allSatisfy({ isGrouped($0.from, [], of: reference, groups) })
        {
            return true
        }
        return (0...reference.path.count).contains { steps in
            let way = Array(reference.path.prefix(steps))
            let key = (way.last?.target ?? reference.table).key
            return !key.isEmpty && key.allSatisfy { isGrouped($0, way, of: reference, groups) }
        }
    }

    /// Whether rows are grouped by the column that a path leads to from where the reference begins.
    private func isGrouped(
        _ index: Int, _ path: [RelationStep], of reference: ColumnReference, _ groups: [Expression]
    ) -> Bool {
        groups.contains { term in
            guard case .column(let other) = term.bare.node else { return false }
            return other.table === reference.table && other.alias == reference.alias && other.index == index
                && other.path.map(\.name) == path.map(\.name)
        }
    }

    /// The columns at the ends of paths, outside of aggregates.
    private func followed(in select: Select) -> [ColumnReference] {
        var found: [ColumnReference] = []
        for expression in select.columns + select.having + select.order { expression.collect(&found) }
        return found
    }
}

extension Expression {
    private static let aggregates: Set<String> = [
        "count", "sum", "total", "avg", "group_concat", "string_agg", "json_group_array", "json_group_object",
    ]

    var isAggregate: Bool {
        guard case .call(let call) = bare.node, call.window == nil else { return false }
        let name = foldIdentifier(call.name)
        return Expression.aggregates.contains(name) || (name == "min" || name == "max") && call.arguments.count == 1
    }

    fileprivate func collect(_ found: inout [ColumnReference]) {
        switch node {
        case .column(let reference):
            if !reference.path.isEmpty { found.append(reference) }
        case .labelled(let inner, _), .collate(let inner, _), .ordered(let inner, _), .cast(let inner, _),
            .unary(_, let inner), .inValues(let inner, _), .present(_, let inner):
            inner.collect(&found)
        case .binary(_, let left, let right):
            left.collect(&found)
            right.collect(&found)
        case .list(_, let parts): for part in parts { part.collect(&found) }
        case .cases(let base, let cases, let otherwise):
            for part in [base, otherwise].compactMap({ $0 }) + cases.flatMap({ [$0.when, $0.then] }) {
                part.collect(&found)
            }
        case .call(let call) where !isAggregate: for part in call.arguments { part.collect(&found) }
        default: break
        }
    }
}

extension Select {
    /// The same with its first row alone, which is its value; of several PostgreSQL makes an error.
    var ofOneRow: Select {
        let isOne = source == nil || groupBy.isEmpty && columns.contains(where: \.isAggregate)
        if limit != nil || isOne && compounds.isEmpty { return self }
        var one = self
        one.limit = Expression(.raw("1", []))
        return one
    }
}
