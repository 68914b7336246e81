/// CASE: the value of the first condition that holds.
///
/// ```swift
/// when($0.age < 18, "child").when($0.age < 65, "adult").otherwise("old")
/// ```
public func when<Content>(_ condition: SQLExpression<Bool>, _ value: Content) -> SQLCase<Content> {
    SQLCase().when(condition, value)
}

public func when<Content>(_ condition: SQLExpression<Bool>, _ value: SQLExpression<Content>) -> SQLCase<Content> {
    SQLCase().when(condition, value)
}

/// A CASE that is being put together; `otherwise` or `end` makes it an expression.
public struct SQLCase<Content: ColumnValue>: Sendable {
    private var cases: [(when: Expression, then: Expression)] = []

    fileprivate init() {}

    public func when(_ condition: SQLExpression<Bool>, _ value: Content) -> SQLCase {
        when(condition, SQLExpression(value))
    }

    public func when(_ condition: SQLExpression<Bool>, _ value: SQLExpression<Content>) -> SQLCase {
        var copy = self
        copy.cases.append((condition.node, value.node))
        return copy
    }

    /// The value where no condition holds.
    public func otherwise(_ value: Content) -> SQLExpression<Content> { otherwise(SQLExpression(value)) }

    public func otherwise(_ value: SQLExpression<Content>) -> SQLExpression<Content> {
        SQLExpression(node: .cases(base: nil, cases, otherwise: value.node))
    }

    /// NULL where no condition holds.
    public func end() -> SQLExpression<Content.Unwrapped?> {
        SQLExpression<Content.Unwrapped?>(node: .cases(base: nil, cases, otherwise: nil))
    }
}
