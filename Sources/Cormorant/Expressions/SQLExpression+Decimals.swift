/// The types of decimal columns, which SQL calculates with exactly: `DecimalText`, and `Decimal` of `CormorantFoundation`.
public protocol SQLDecimal: SQLSummable {}

extension DecimalText: SQLDecimal {}

/// Exact arithmetic: results have as many digits as they need. With NULL the result is NULL. What is not exact, such as a
/// quotient or a mean, is refused: divide in the program, or `cast(to: Double.self)` to calculate with doubles.
extension SQLExpression where Content.Unwrapped: SQLDecimal {
    /// The exact sum; NULL where one is.
    public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .binary(.add, left.node, right.node))
    }
    /// The exact sum with a value; NULL where the expression is.
    public static func + (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        SQLExpression(node: .binary(.add, left.node, .bound(right)))
    }
    /// The exact difference; NULL where one is.
    public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .binary(.subtract, left.node, right.node))
    }
    /// The exact difference to a value; NULL where the expression is.
    public static func - (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        SQLExpression(node: .binary(.subtract, left.node, .bound(right)))
    }
    /// The exact product; NULL where one is.
    public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .binary(.multiply, left.node, right.node))
    }
    /// The exact product with a value; NULL where the expression is.
    public static func * (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        SQLExpression(node: .binary(.multiply, left.node, .bound(right)))
    }

    /// A price times a number of pieces.
    public static func * <Number>(left: SQLExpression, right: SQLExpression<Number>) -> SQLExpression
    where Number: FixedWidthInteger & SQLNumber {
        SQLExpression(node: .binary(.multiply, left.node, right.node))
    }
}
