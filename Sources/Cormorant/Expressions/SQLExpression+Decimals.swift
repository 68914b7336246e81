/// The types of decimal columns, which SQL calculates with exactly: `DecimalText`, and `Decimal` of `CormorantFoundation`.
public protocol SQLDecimal: SQLSummable {}

extension DecimalText: SQLDecimal {}

/// Exact arithmetic: results have as many digits as they need. With NULL the result is NULL. What is not exact, such as a
/// quotient or a mean, is refused: divide in the program, or `cast(to: Double.self)` to calculate with doubles.
extension SQLExpression where Content.Unwrapped: SQLDecimal {
    /// A price times a number of pieces.
    public static func * <Number>(left: SQLExpression, right: SQLExpression<Number>) -> SQLExpression
    where Number: FixedWidthInteger & SQLNumber {
        SQLExpression(node: .binary(.multiply, left.node, right.node))
    }
}
