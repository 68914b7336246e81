/// Clauses. What is given to one twice is added to it.
// One function for each number of terms, though the compiler would sooner tell of a wrong relation before a pack of them: an empty pack
// takes a closure that gives no term at all, with a warning, and orders by nothing.
extension RowQuery {
    /// Only rows that meet the condition, and those given before.
    public func `where`(_ condition: (Columns) -> SQLExpression<Bool>) -> Self {
        changingParts { $0.conditions.append(condition(query.columns).node) }
    }

    /// The order of the rows: `{ $0.name }`, `{ ($0.age.desc().nullsLast(), $0.name) }`, with up to four terms at once.
    public func order<A: SQLOrderTerm>(by term: (Columns) -> A) -> Self {
        ordered([term(query.columns)])
    }

    /// Adds two terms to the order.
    public func order<A: SQLOrderTerm, B: SQLOrderTerm>(by terms: (Columns) -> (A, B)) -> Self {
        let (a, b) = terms(query.columns)
        return ordered([a, b])
    }

    /// Adds three terms to the order.
    public func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm>(by terms: (Columns) -> (A, B, C)) -> Self {
        let (a, b, c) = terms(query.columns)
        return ordered([a, b, c])
    }

    /// Adds four terms to the order.
    public func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm, D: SQLOrderTerm>(
        by terms: (Columns) -> (A, B, C, D)
    ) -> Self {
        let (a, b, c, d) = terms(query.columns)
        return ordered([a, b, c, d])
    }

    /// Five terms are two orders.
    @available(*, unavailable, message: "an order has four terms at once: add the others, .order { ... }.order { ... }")
    public func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm, D: SQLOrderTerm, E: SQLOrderTerm>(
        by terms: (Columns) -> (A, B, C, D, E)
    ) -> Self { fatalError("unavailable") }

    private func ordered(_ terms: [any SQLOrderTerm]) -> Self {
        changing { $0.order += terms.map(\.orderTerm.node) }
    }

    /// One row for all that have the same values: `{ $0.city }`, `{ ($0.city, $0.age) }`, with up to four at once.
    public func group<A>(by term: (Columns) -> SQLExpression<A>) -> Self {
        grouped([term(query.columns).node])
    }

    /// Adds two terms to the groups.
    public func group<A, B>(by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>)) -> Self {
        let (a, b) = terms(query.columns)
        return grouped([a.node, b.node])
    }

    /// Adds three terms to the groups.
    public func group<A, B, C>(by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>)) -> Self {
        let (a, b, c) = terms(query.columns)
        return grouped([a.node, b.node, c.node])
    }

    /// Adds four terms to the groups.
    public func group<A, B, C, D>(
        by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>, SQLExpression<D>)
    ) -> Self {
        let (a, b, c, d) = terms(query.columns)
        return grouped([a.node, b.node, c.node, d.node])
    }

    private func grouped(_ terms: [Expression]) -> Self { changingParts { $0.groupBy += terms } }

    /// Only groups that meet the condition.
    public func having(_ condition: (Columns) -> SQLExpression<Bool>) -> Self {
        changingParts { $0.having.append(condition(query.columns).node) }
    }

    /// Rows that are all different.
    public func distinct() -> Self { changingParts { $0.isDistinct = true } }

    /// At most so many rows.
    public func limit(_ count: Int) -> Self { limit(SQLExpression(count)) }

    /// The greatest number of rows, as an expression such as a parameter.
    public func limit(_ count: SQLExpression<Int>) -> Self { changing { $0.limit = count.node } }

    /// Without the first so many rows.
    public func offset(_ count: Int) -> Self { offset(SQLExpression(count)) }

    /// How many rows to skip, as an expression such as a parameter.
    public func offset(_ count: SQLExpression<Int>) -> Self { changing { $0.offset = count.node } }
}

/// Queries over a record's table that begin with a clause.
extension Record {
    /// The records that meet a condition.
    @inlinable
    public static func `where`(_ condition: (Columns) -> SQLExpression<Bool>) -> SelectQuery<Self, Columns> {
        all.where(condition)
    }

    /// All records in an order; see `RowQuery.order(by:)`.
    @inlinable
    public static func order<A: SQLOrderTerm>(by term: (Columns) -> A) -> SelectQuery<Self, Columns> {
        all.order(by: term)
    }

    /// All records, in the order of two terms.
    @inlinable
    public static func order<A: SQLOrderTerm, B: SQLOrderTerm>(
        by terms: (Columns) -> (A, B)
    ) -> SelectQuery<Self, Columns> {
        all.order(by: terms)
    }

    /// All records, in the order of three terms.
    @inlinable
    public static func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm>(
        by terms: (Columns) -> (A, B, C)
    ) -> SelectQuery<Self, Columns> {
        all.order(by: terms)
    }

    /// All records, in the order of four terms.
    @inlinable
    public static func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm, D: SQLOrderTerm>(
        by terms: (Columns) -> (A, B, C, D)
    ) -> SelectQuery<Self, Columns> {
        all.order(by: terms)
    }

    /// Five terms are two orders.
    @available(*, unavailable, message: "an order has four terms at once: add the others, .order { ... }.order { ... }")
    public static func order<A: SQLOrderTerm, B: SQLOrderTerm, C: SQLOrderTerm, D: SQLOrderTerm, E: SQLOrderTerm>(
        by terms: (Columns) -> (A, B, C, D, E)
    ) -> SelectQuery<Self, Columns> { fatalError("unavailable") }

    /// One row for all records that have the same value; see `RowQuery.group(by:)`.
    @inlinable
    public static func group<A>(by term: (Columns) -> SQLExpression<A>) -> SelectQuery<Self, Columns> {
        all.group(by: term)
    }

    /// All records, in groups by two terms.
    @inlinable
    public static func group<A, B>(
        by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>)
    ) -> SelectQuery<Self, Columns> {
        all.group(by: terms)
    }

    /// All records, in groups by three terms.
    @inlinable
    public static func group<A, B, C>(
        by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>)
    ) -> SelectQuery<Self, Columns> {
        all.group(by: terms)
    }

    /// All records, in groups by four terms.
    @inlinable
    public static func group<A, B, C, D>(
        by terms: (Columns) -> (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>, SQLExpression<D>)
    ) -> SelectQuery<Self, Columns> {
        all.group(by: terms)
    }

    /// The records without those that are equal to another one.
    @inlinable
    public static func distinct() -> SelectQuery<Self, Columns> { all.distinct() }

    /// At most so many records.
    @inlinable
    public static func limit(_ count: Int) -> SelectQuery<Self, Columns> { all.limit(count) }
}
