/// The types whose values add up: numbers and decimals.
public protocol SQLSummable: ColumnValue where Unwrapped == Self {}

/// The types that SQLite calculates with: integers, `Double` and `Float`.
public protocol SQLNumber: SQLSummable {}

extension Int64: SQLNumber {}
extension Int: SQLNumber {}
extension Int32: SQLNumber {}
extension Int16: SQLNumber {}
extension Int8: SQLNumber {}
extension UInt64: SQLNumber {}
extension UInt: SQLNumber {}
extension UInt32: SQLNumber {}
extension UInt16: SQLNumber {}
extension UInt8: SQLNumber {}
extension Double: SQLNumber {}
extension Float: SQLNumber {}

extension SQLExpression where Content.Unwrapped: SQLSummable {
    /// The number with the other sign; exact for a decimal.
    public static prefix func - (operand: SQLExpression) -> SQLExpression {
        SQLExpression(node: .unary(.negate, operand.node))
    }

    /// The number without its sign.
    public func magnitude() -> SQLExpression { SQLExpression(node: .call("abs", [node])) }
}

// Numbers and decimals share what they can: each overload more is felt in the time that the compiler takes for a long expression.

/// Arithmetic, of integers in 64 bits, of decimals exact. With NULL the result is NULL; `read(as:)` makes an integer go with
/// a real.
extension SQLExpression where Content.Unwrapped: SQLSummable {
    /// The sum; NULL where one is.
    public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.add, right.node)
    }
    /// The sum with a value; NULL where the expression is.
    public static func + (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.add, .bound(right))
    }
    /// The difference; NULL where one is.
    public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.subtract, right.node)
    }
    /// The difference to a value; NULL where the expression is.
    public static func - (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.subtract, .bound(right))
    }
    /// The product; NULL where one is.
    public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.multiply, right.node)
    }
    /// The product with a value; NULL where the expression is.
    public static func * (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.multiply, .bound(right))
    }
}

/// Division, which decimals have not: `cast(to: Double.self)` calculates with doubles.
extension SQLExpression where Content.Unwrapped: SQLNumber {
    /// The quotient, of integers an integer; NULL where one is, or the divisor is zero.
    public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.divide, right.node)
    }
    /// The quotient by a value, of integers an integer; NULL where the expression is, or the divisor is zero.
    public static func / (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.divide, .bound(right))
    }

    /// Rounded to so many digits after the point.
    public func rounded(digits: Int = 0) -> SQLExpression<Double?> {
        SQLExpression<Double?>(node: .call("round", digits == 0 ? [node] : [node, .bound(digits)]))
    }
}

/// The same where only one of them can be NULL.
extension SQLExpression where Content.Unwrapped: SQLSummable {
    /// The sum, where only one of them can be NULL; so can the result.
    public static func + <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Content.Unwrapped?>
    where Other.Unwrapped == Content.Unwrapped {
        left.optional.calculated(.add, right.node)
    }
    /// The difference, where only one of them can be NULL; so can the result.
    public static func - <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Content.Unwrapped?>
    where Other.Unwrapped == Content.Unwrapped {
        left.optional.calculated(.subtract, right.node)
    }
    /// The product, where only one of them can be NULL; so can the result.
    public static func * <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Content.Unwrapped?>
    where Other.Unwrapped == Content.Unwrapped {
        left.optional.calculated(.multiply, right.node)
    }
}

extension SQLExpression where Content.Unwrapped: SQLNumber {
    /// The quotient, where only one of them can be NULL; so can the result.
    public static func / <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Content.Unwrapped?>
    where Other.Unwrapped == Content.Unwrapped {
        left.optional.calculated(.divide, right.node)
    }
}

/// Remainders and bits of integers.
extension SQLExpression where Content.Unwrapped: FixedWidthInteger {
    /// The remainder, with the sign of the left one; NULL where one is, or the divisor is zero.
    public static func % (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.remainder, right.node)
    }
    /// The remainder by a value, with the sign of the expression; NULL where that is, or the divisor is zero.
    public static func % (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.remainder, .bound(right))
    }
    /// The bits that both have; NULL where one is.
    public static func & (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.bitAnd, right.node)
    }
    /// The bits that a value has, too; NULL where the expression is.
    public static func & (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.bitAnd, .bound(right))
    }
    /// The bits that one of them has; NULL where one is.
    public static func | (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.bitOr, right.node)
    }
    /// The bits that it or a value has; NULL where the expression is.
    public static func | (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.bitOr, .bound(right))
    }
    /// The bits moved to the left, and to the right by a negative number; NULL where one is.
    public static func << (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.shiftLeft, right.node)
    }
    /// The bits moved to the left, and to the right by a negative number; NULL where the expression is.
    public static func << (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.shiftLeft, .bound(right))
    }
    /// The bits moved to the right, and to the left by a negative number; NULL where one is.
    public static func >> (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.shiftRight, right.node)
    }
    /// The bits moved to the right, and to the left by a negative number; NULL where the expression is.
    public static func >> (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.shiftRight, .bound(right))
    }
    /// The bits that it has not; NULL for NULL.
    public static prefix func ~ (operand: SQLExpression) -> SQLExpression {
        SQLExpression(node: .unary(.bitNot, operand.node))
    }
}

extension SQLExpression {
    fileprivate func calculated(_ op: BinaryOperator, _ right: Expression) -> SQLExpression {
        SQLExpression(node: .binary(op, node, right))
    }
}
