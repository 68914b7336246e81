/// Operators with one operand; the same numbers as `CORM_OP_*` in `cormorant/expression.h`.
package enum UnaryOperator: Int32, Sendable, CaseIterable {
    case not = 1
    case negate = 2
    case bitNot = 3
    case isNull = 4
    case isNotNull = 5
}

/// Operators with two operands; the same numbers as `CORM_OP_*`.
package enum BinaryOperator: Int32, Sendable, CaseIterable {
    case equal = 10
    case notEqual = 11
    case less = 12
    case lessOrEqual = 13
    case greater = 14
    case greaterOrEqual = 15
    /// Equal, with NULL equal to NULL.
    case `is` = 16
    case isNot = 17
    case add = 20
    case subtract = 21
    case multiply = 22
    case divide = 23
    case remainder = 24
    case concat = 25
    case bitAnd = 26
    case bitOr = 27
    case shiftLeft = 28
    case shiftRight = 29
    case like = 30
    case notLike = 31
    case glob = 32
    case notGlob = 33
    /// Full-text search.
    case match = 34
    case hasPrefix = 35
    case hasSuffix = 36
    case contains = 37
    /// The element of JSON at a path, as JSON.
    case jsonAt = 38
    /// The element of JSON at a path, as a value of SQL.
    case jsonValueAt = 39
    /// A regular expression.
    case regexp = 40
    /// One of the list that the parameter on the right is given.
    case isIn = 41
}

/// How tightly an expression holds together: https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes
package struct Precedence: Comparable, Sendable {
    let level: Int

    static let any = Precedence(level: 0)
    static let or = Precedence(level: 1)
    static let and = Precedence(level: 2)
    static let not = Precedence(level: 3)
    static let equality = Precedence(level: 4)
    static let comparison = Precedence(level: 5)
    static let bits = Precedence(level: 6)
    static let sum = Precedence(level: 7)
    static let product = Precedence(level: 8)
    static let concat = Precedence(level: 9)
    static let collate = Precedence(level: 10)
    static let sign = Precedence(level: 11)
    static let atom = Precedence(level: 12)

    var next: Precedence { Precedence(level: level + 1) }

    package static func < (left: Precedence, right: Precedence) -> Bool { left.level < right.level }
}

extension BinaryOperator {
    var precedence: Precedence {
        switch self {
        case .equal, .notEqual, .is, .isNot, .like, .notLike, .glob, .notGlob, .match, .hasPrefix, .hasSuffix,
            .contains, .regexp, .isIn:
            .equality
        case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparison
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight: .bits
        case .add, .subtract: .sum
        case .multiply, .divide, .remainder: .product
        case .concat, .jsonAt, .jsonValueAt: .concat
        }
    }

    /// Whether a value beside a column must be of the column's type.
    var compares: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .is, .isNot: true
        default: false
        }
    }

    /// Whether it looks into a text without regard to the case of ASCII letters.
    var ignoresCase: Bool {
        switch self {
        case .like, .notLike, .hasPrefix, .hasSuffix, .contains: true
        default: false
        }
    }

    /// Whether it looks for a pattern, or a part, in a text.
    var looksIntoText: Bool { ignoresCase || self == .glob || self == .notGlob || self == .regexp }

    /// Whether the result is a truth value.
    package var isCondition: Bool { precedence == .equality || precedence == .comparison }
}
