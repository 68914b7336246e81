/// Conditions.
extension SQLExpression where Content == Bool {
    /// AND: both hold.
    public static func && (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .all([left.node, right.node]))
    }

    /// OR: one of them holds, or both.
    public static func || (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .any([left.node, right.node]))
    }

    /// NOT: it does not hold. Of NULL it is NULL.
    public static prefix func ! (condition: SQLExpression) -> SQLExpression {
        SQLExpression(node: .unary(.not, condition.node))
    }

    /// AND of any number of conditions; of none it is true.
    public static func all(_ conditions: [SQLExpression]) -> SQLExpression {
        SQLExpression(node: .all(conditions.map(\.node)))
    }

    /// OR of any number of conditions; of none it is false.
    public static func any(_ conditions: [SQLExpression]) -> SQLExpression {
        SQLExpression(node: .any(conditions.map(\.node)))
    }
}

extension SQLExpression {
    /// The value, or another one where it is NULL.
    public static func ?? (left: SQLExpression, right: Content.Unwrapped) -> SQLExpression<Content.Unwrapped> {
        SQLExpression<Content.Unwrapped>(node: .call("coalesce", [left.node, .bound(right)]))
    }

    /// The value, or that of another expression where it is NULL.
    public static func ?? <Other>(left: SQLExpression, right: SQLExpression<Other>) -> SQLExpression<Other>
    where Other.Unwrapped == Content.Unwrapped {
        SQLExpression<Other>(node: .call("coalesce", [left.node, right.node]))
    }
}
