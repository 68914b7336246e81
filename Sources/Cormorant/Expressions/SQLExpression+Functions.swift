/// Aggregates over the rows of a group. Without GROUP BY all rows are one.
extension SQLExpression {
    /// How many rows have a value other than NULL.
    public func count() -> SQLExpression<Int> { SQLExpression<Int>(node: .call("count", [node])) }

    /// The smallest value; NULL of no rows.
    public func min() -> SQLExpression<Content.Unwrapped?> { aggregated("min") }

    /// The greatest value; NULL of no rows.
    public func max() -> SQLExpression<Content.Unwrapped?> { aggregated("max") }

    fileprivate func aggregated<Other>(_ function: String) -> SQLExpression<Other> {
        SQLExpression<Other>(node: .call(function, [node]))
    }
}

extension SQLExpression where Content.Unwrapped: SQLSummable {
    /// The sum, of the column's own type; NULL of no rows. Integers beyond it are an error: `cast(to: Int.self)` first makes room.
    /// Decimals are summed to the last digit.
    public func sum() -> SQLExpression<Content.Unwrapped?> { aggregated("sum") }
}

extension SQLExpression where Content.Unwrapped: SQLNumber {
    /// The sum as a real; 0 of no rows.
    public func total() -> SQLExpression<Double> { aggregated("total") }

    /// The mean; NULL of no rows.
    public func average() -> SQLExpression<Double?> { aggregated("avg") }
}

extension SQLExpression where Content.Unwrapped == String {
    /// The texts put together; NULL of no rows.
    public func joined(separator: String = ",") -> SQLExpression<String?> {
        SQLExpression<String?>(node: .call("group_concat", [node, .bound(separator)]))
    }

    /// How many characters it has.
    public func length() -> SQLExpression<Int?> { aggregated("length") }
}

/// What is said of a call.
extension SQLExpression {
    /// An aggregate over distinct values.
    public func distinct() -> SQLExpression {
        SQLExpression(node: node.changingCall("DISTINCT") { $0.isDistinct = true })
    }

    /// An aggregate over the rows that meet a condition.
    public func filter(_ condition: SQLExpression<Bool>) -> SQLExpression {
        SQLExpression(node: node.changingCall("FILTER") { $0.filter = condition.node })
    }

    /// An aggregate that takes its rows in this order, as `joined(separator:)` does: SQLite has it from 3.44 on, and says that it
    /// has not before.
    ///
    /// ```swift
    /// $0.title.joined(separator: ", ").ordered(by: $0.year.desc(), $0.title)
    /// ```
    public func ordered<each Term: SQLOrderTerm>(by terms: repeat each Term) -> SQLExpression {
        var order: [Expression] = []
        for term in repeat each terms { order.append(term.orderTerm.node) }
        return SQLExpression(node: node.changingCall("ORDER BY") { [order] in $0.order += order })
    }

    /// The call over a window of rows.
    ///
    /// ```swift
    /// $0.total.sum().over(.partition(by: $0.country).order(by: $0.date))
    /// ```
    public func over(_ window: SQLWindow = SQLWindow()) -> SQLExpression {
        SQLExpression(node: node.changingCall("OVER") { $0.window = window.node })
    }
}

/// How many rows a group has: `count(*)`.
public func count() -> SQLExpression<Int> { SQLExpression(node: .call("count", [])) }

/// A call of any function of SQL or of one's own.
///
/// ```swift
/// call("strftime", SQLExpression("%Y"), $0.date, as: String?.self)
/// call("row_number", as: Int64.self).over(.order(by: $0.total.desc()))
/// ```
public func call<each Argument, Content>(
    _ function: String, _ arguments: repeat SQLExpression<each Argument>, as type: Content.Type = Content.self
) -> SQLExpression<Content> {
    var nodes: [Expression] = []
    for argument in repeat each arguments { nodes.append(argument.node) }
    return SQLExpression(node: .call(function, nodes))
}

/// The rows around one that a window function looks at.
public struct SQLWindow: Sendable {
    package var node = Window()

    /// All rows, in no order.
    public init() {}

    /// A window for each value of the expressions.
    public static func partition<each Part>(by parts: repeat SQLExpression<each Part>) -> SQLWindow {
        var window = SQLWindow()
        for part in repeat each parts { window.node.partition.append(part.node) }
        return window
    }

    /// The order of all rows, or of those of each part.
    public func order<each Term: SQLOrderTerm>(by terms: repeat each Term) -> SQLWindow {
        var window = self
        for term in repeat each terms { window.node.order.append(term.orderTerm.node) }
        return window
    }

    /// A window whose rows are in this order.
    public static func order<each Term: SQLOrderTerm>(by terms: repeat each Term) -> SQLWindow {
        SQLWindow().order(by: repeat each terms)
    }

    /// Which rows around the current one, as SQL writes it: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    public func frame(_ frame: String) -> SQLWindow {
        var window = self
        window.node.frame = frame
        return window
    }
}
