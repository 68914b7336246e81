/// The types whose values add up: numbers and decimals.
public protocol SQLSummable: ColumnValue {}

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
    public static prefix func - (operand: SQLExpression) -> SQLExpression {
        SQLExpression(node: .unary(.negate, operand.node))
    }

    /// The number without its sign.
    public func magnitude() -> SQLExpression { SQLExpression(node: .call("abs", [node])) }
}

/// Arithmetic, in 64 bits. With NULL the result is NULL, and so is a division by zero; `read(as:)` makes an integer go with
/// a real.
extension SQLExpression where Content.Unwrapped: SQLNumber {
    public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.add, right.node)
    }
    public static func + (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.add, .bound(right))
    }
    public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.subtract, right.node)
    }
    public static func - (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.subtract, .bound(right))
    }
    public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.multiply, right.node)
    }
    public static func * (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.multiply, .bound(right))
    }
    public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.divide, right.node)
    }
    public static func / (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.divide, .bound(right))
    }

    /// Rounded to so many digits after the point.
    public func rounded(digits: Int64 = 0) -> SQLExpression<Double?> {
        SQLExpression<Double?>(node: .call("round", digits == 0 ? [node] : [node, .bound(digits)]))
    }
}

/// The same with one that may be NULL: so may the result.
extension SQLExpression where Content: SQLNumber {
    public static func + (left: SQLExpression, right: SQLExpression<Content?>) -> SQLExpression<Content?> {
        SQLExpression<Content?>(node: .binary(.add, left.node, right.node))
    }
    public static func + (left: SQLExpression<Content?>, right: SQLExpression) -> SQLExpression<Content?> {
        left.calculated(.add, right.node)
    }
    public static func - (left: SQLExpression, right: SQLExpression<Content?>) -> SQLExpression<Content?> {
        SQLExpression<Content?>(node: .binary(.subtract, left.node, right.node))
    }
    public static func - (left: SQLExpression<Content?>, right: SQLExpression) -> SQLExpression<Content?> {
        left.calculated(.subtract, right.node)
    }
    public static func * (left: SQLExpression, right: SQLExpression<Content?>) -> SQLExpression<Content?> {
        SQLExpression<Content?>(node: .binary(.multiply, left.node, right.node))
    }
    public static func * (left: SQLExpression<Content?>, right: SQLExpression) -> SQLExpression<Content?> {
        left.calculated(.multiply, right.node)
    }
    public static func / (left: SQLExpression, right: SQLExpression<Content?>) -> SQLExpression<Content?> {
        SQLExpression<Content?>(node: .binary(.divide, left.node, right.node))
    }
    public static func / (left: SQLExpression<Content?>, right: SQLExpression) -> SQLExpression<Content?> {
        left.calculated(.divide, right.node)
    }
}

/// Remainders and bits of integers.
extension SQLExpression where Content.Unwrapped: FixedWidthInteger {
    public static func % (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.remainder, right.node)
    }
    public static func % (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.remainder, .bound(right))
    }
    public static func & (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.bitAnd, right.node)
    }
    public static func & (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.bitAnd, .bound(right))
    }
    public static func | (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.bitOr, right.node)
    }
    public static func | (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.bitOr, .bound(right))
    }
    public static func << (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.shiftLeft, right.node)
    }
    public static func << (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.shiftLeft, .bound(right))
    }
    public static func >> (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        left.calculated(.shiftRight, right.node)
    }
    public static func >> (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression {
        left.calculated(.shiftRight, .bound(right))
    }
    public static prefix func ~ (operand: SQLExpression) -> SQLExpression {
        SQLExpression(node: .unary(.bitNot, operand.node))
    }
}

extension SQLExpression {
    fileprivate func calculated(_ op: BinaryOperator, _ right: Expression) -> SQLExpression {
        SQLExpression(node: .binary(op, node, right))
    }
}
