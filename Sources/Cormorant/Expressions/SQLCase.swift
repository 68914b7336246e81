/// CASE: the value of the first condition that holds.
///
/// ```swift
/// when($0.age < 18, "child").when($0.age < 65, "adult").otherwise("old")
/// ```
public func when<Content>(_ condition: SQLExpression<Bool>, _ value: Content) -> SQLCase<Bool, Content> {
    SQLCase(base: nil).when(condition, value)
}

/// CASE: the value beside the first condition that holds.
public func when<Content>(_ condition: SQLExpression<Bool>, _ value: SQLExpression<Content>) -> SQLCase<Bool, Content> {
    SQLCase(base: nil).when(condition, value)
}

extension SQLExpression {
    /// CASE: what stands beside the first value that this is equal to.
    ///
    /// ```swift
    /// $0.grade.when(1, "very good").when(2, "good").otherwise("passed")
    /// ```
    public func when<Result>(_ value: Content.Unwrapped, _ result: Result) -> SQLCase<Content.Unwrapped, Result> {
        SQLCase(base: node).when(SQLExpression<Content.Unwrapped>(value), result)
    }
}

/// A CASE that is being put together; `otherwise` or `end` makes it an expression.
public struct SQLCase<Tested: ColumnValue, Content: ColumnValue>: Sendable {
    /// What is compared with the tests; nil where these are conditions.
    private let base: Expression?
    private var cases: [(when: Expression, then: Expression)] = []

    fileprivate init(base: Expression?) { self.base = base }

    /// The value, where the test is the next that fits.
    public func when(_ test: SQLExpression<Tested>, _ value: Content) -> SQLCase {
        when(test, SQLExpression(value))
    }

    /// The value, where what is tested is equal to this.
    public func when(_ test: Tested, _ value: Content) -> SQLCase { when(SQLExpression(test), SQLExpression(value)) }

    /// The value of an expression, where the test is the next that fits.
    public func when(_ test: SQLExpression<Tested>, _ value: SQLExpression<Content>) -> SQLCase {
        var copy = self
        copy.cases.append((test.node, value.node))
        return copy
    }

    /// The value where none of them fits.
    public func otherwise(_ value: Content) -> SQLExpression<Content> { otherwise(SQLExpression(value)) }

    /// The value of an expression where none of them fits.
    public func otherwise(_ value: SQLExpression<Content>) -> SQLExpression<Content> {
        SQLExpression(node: .cases(base: base, cases, otherwise: value.node))
    }

    /// NULL where none of them fits.
    public func end() -> SQLExpression<Content.Unwrapped?> {
        SQLExpression<Content.Unwrapped?>(node: .cases(base: base, cases, otherwise: nil))
    }
}
