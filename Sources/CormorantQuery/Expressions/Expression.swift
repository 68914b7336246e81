import CormorantBase

/// An SQL expression as a value: what a condition, a result column or an order term is made of. It knows no connection;
/// `StatementCompiler` turns it into SQL text and bindings.
///
/// Making one never fails. What is wrong with it stays in it as `problem` and is thrown by the first use, so that
/// builders and operators can be nested freely.
package struct Expression: Sendable {
    package indirect enum Node: Sendable {
        case column(ColumnReference)
        /// A column that no model describes: of a subquery, a common table expression, `excluded`, or a result column's name.
        case name(source: String?, String)
        case value(Value, ColumnType?)
        /// A value given when the statement runs.
        case parameter(String)
        case unary(UnaryOperator, Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// AND or, where `isAny`, OR of all parts.
        case list(isAny: Bool, [Expression])
        /// Several values that are compared together: two at least.
        case row([Expression])
        case between(Expression, Expression, Expression)
        case inValues(Expression, [Value])
        /// Several operands together equal to one row of values; the rows follow each other.
        case inRows([Expression], [Value])
        /// One of the values of a list that is given when the statement runs.
        case inParameter(Expression, String)
        case inSelect(Expression, Select)
        case cases(base: Expression?, [(when: Expression, then: Expression)], otherwise: Expression?)
        /// Equalities that are NULL together where one of the operands is.
        case present([Expression], Expression)
        case cast(Expression, ColumnType)
        case collate(Expression, String)
        case call(Call)
        case scalar(Select)
        case exists(Select)
        case raw(String, [Value])
        case ordered(Expression, OrderDirection)
        case labelled(Expression, String)
        case problem(CormorantError)
    }

    package let node: Node
    /// How many expressions stand inside each other here.
    package let depth: Int

    /// SQLite's parser refuses expressions 1,000 deep (https://www.sqlite.org/limits.html); half of that leaves room for
    /// what the compiler adds, and keeps recursion over the tree within a thread's stack.
    package static let greatestDepth = 500

    package init(_ node: Node) {
        self.node = node
        depth = 1
    }

    init(_ node: Node, over depths: Int...) { self.init(node, over: depths) }

    init(_ node: Node, over depths: [Int]) {
        let deepest = 1 + (depths.max() ?? 0)
        guard deepest > Expression.greatestDepth else {
            self.node = node
            depth = deepest
            return
        }
        self.node = .problem(tooDeep())
        depth = 1
    }

    package static func problem(_ error: CormorantError) -> Expression { Expression(.problem(error)) }
}

/// A function call, an aggregate or a window function.
package struct Call: Sendable {
    package var name: String
    /// Empty: `count` becomes `count(*)`.
    package var arguments: [Expression]
    package var isDistinct = false
    /// In which order an aggregate takes its rows.
    package var order: [Expression]
    package var filter: Expression?
    package var window: Window?

    /// - Parameter arguments: order terms among them begin the order.
    package init(_ name: String, _ arguments: [Expression]) {
        self.name = name
        let end = arguments.firstIndex { if case .ordered = $0.node { true } else { false } } ?? arguments.count
        self.arguments = Array(arguments[..<end])
        order = Array(arguments[end...])
    }
}

/// The OVER clause of a window function.
package struct Window: Sendable {
    package var partition: [Expression]
    package var order: [Expression]
    /// As SQL writes it: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`. Checked word by word.
    package var frame: String?

    package init(partition: [Expression] = [], order: [Expression] = [], frame: String? = nil) {
        self.partition = partition
        self.order = order
        self.frame = frame
    }
}

/// How one term of ORDER BY sorts.
package struct OrderDirection: Sendable, Hashable {
    package enum Nulls: Int32, Sendable, CaseIterable {
        /// SQLite's way: NULL is less than everything.
        case least = 0
        case first = 1
        case last = 2
    }

    package var descending: Bool
    package var nulls: Nulls

    package init(descending: Bool = false, nulls: Nulls = .least) {
        self.descending = descending
        self.nulls = nulls
    }
}

/// A column of a table that takes part in a statement. A class, so that passing it around copies one pointer.
package final class ColumnReference: Sendable {
    /// The model's table; compared by identity.
    package let table: TableReference
    /// What the statement calls the table; nil: its own name.
    package let alias: String?
    package let index: Int
    /// To-one relations to go along from the table to the one that has the column.
    package let path: [RelationStep]
    /// Inside a subquery: the table of that name outside it is meant, even where the subquery has one of that name.
    package let isOuter: Bool
    /// Where it comes from; nil: what has its names, the innermost first.
    package let source: SourceIdentity?

    package init(
        _ table: TableReference, _ index: Int, alias: String? = nil, path: [RelationStep] = [], isOuter: Bool = false,
        source: SourceIdentity? = nil
    ) {
        self.table = table
        self.index = index
        self.alias = alias
        self.path = path
        self.isOuter = isOuter
        self.source = source
    }

    package var column: TableReference.Column { (path.last?.target ?? table).columns[index] }
}

extension Expression {
    /// Of a column: where it comes from.
    package var source: SourceIdentity? { if case .column(let reference) = node { reference.source } else { nil } }

    package static func column(
        _ table: TableReference, _ index: Int, alias: String? = nil, source: SourceIdentity? = nil
    ) -> Expression {
        Expression(.column(ColumnReference(table, index, alias: alias, source: source)))
    }

    package static func value(_ value: Value, as type: ColumnType? = nil) -> Expression {
        Expression(.value(value, type))
    }

    package static func unary(_ op: UnaryOperator, _ operand: Expression) -> Expression {
        Expression(.unary(op, operand), over: operand.depth)
    }

    package static func binary(_ op: BinaryOperator, _ left: Expression, _ right: Expression) -> Expression {
        guard op != .isIn else { return isIn(left, list: right) }
        return Expression(.binary(op, left, right), over: left.depth, right.depth)
    }

    /// A row of values.
    package static func row(_ parts: [Expression]) -> Expression {
        // What is wrong with a part is why there may be too few.
        if let wrong = parts.first(where: { if case .problem = $0.node { true } else { false } }) { return wrong }
        guard parts.count > 1 else {
            return .problem(
                CormorantError(
                    .misuse, "a row of \(counted(parts.count, "value")) is compared",
                    hint: "give two at least, and compare one by itself"))
        }
        return Expression(.row(parts), over: parts.map(\.depth))
    }

    package static func all(_ parts: consuming [Expression]) -> Expression { list(parts, isAny: false) }

    package static func any(_ parts: consuming [Expression]) -> Expression { list(parts, isAny: true) }

    /// Lists of the same kind inside become part of the list, so that a chain of ANDs stays flat however long it is. The
    /// first one grows in place where nobody else has it: a chain that is built two by two costs what its length does.
    private static func list(_ parts: consuming [Expression], isAny: Bool) -> Expression {
        guard !parts.isEmpty else { return Expression(.list(isAny: isAny, [])) }
        let first = parts.removeFirst()
        var depth = first.depth
        var flat: [Expression]
        if first.isList(isAny) {
            // Its own depth, not that of the list around it.
            depth -= 1
            flat = takeList(first)
        } else {
            flat = [first]
        }
        for part in parts {
            if case .list(isAny, let inner) = part.node, !inner.isEmpty {
                flat += inner
                depth = max(depth, part.depth - 1)
            } else {
                flat.append(part)
                depth = max(depth, part.depth)
            }
        }
        return flat.count == 1 ? flat[0] : Expression(.list(isAny: isAny, flat), over: depth)
    }

    private func isList(_ isAny: Bool) -> Bool {
        if case .list(isAny, let inner) = node { return !inner.isEmpty }
        return false
    }

    /// The parts of a list, which then has them no more.
    private static func takeList(_ list: consuming Expression) -> [Expression] {
        if case .list(_, let parts) = list.node { return parts }
        return []
    }

    package static func between(_ operand: Expression, _ low: Expression, _ high: Expression) -> Expression {
        Expression(.between(operand, low, high), over: operand.depth, low.depth, high.depth)
    }

    /// A NULL among the values is found by IS NULL, as `IS` finds it.
    /// - Parameter values: of a row a value for each part, one row after the other.
    package static func isIn(_ operand: Expression, _ values: [Value]) -> Expression {
        if case .row(let parts) = operand.node { return isIn(row: parts, values) }
        guard values.contains(.null) else { return Expression(.inValues(operand, values), over: operand.depth) }
        let others = values.filter { $0 != .null }
        let isNull = unary(.isNull, operand)
        return others.isEmpty ? isNull : any([Expression(.inValues(operand, others), over: operand.depth), isNull])
    }

    private static func isIn(row parts: [Expression], _ values: [Value]) -> Expression {
        guard values.count.isMultiple(of: parts.count) else {
            return .problem(
                CormorantError(
                    .misuse, "\(counted(values.count, "value")) are no rows of \(parts.count)",
                    hint: "give a value for each part of the row, one row after the other"))
        }
        var whole: [Value] = []
        var others: [Expression] = []
        for start in stride(from: 0, to: values.count, by: parts.count) {
            let row = values[start..<start + parts.count]
            if row.contains(.null) {
                others.append(.all(zip(parts, row).map { .binary(.is, $0, .value($1)) }))
            } else {
                whole += row
            }
        }
        let isWhole = isIn(parts, rows: whole)
        return others.isEmpty ? isWhole : any(whole.isEmpty ? others : [isWhole] + others)
    }

    /// One of a list that is given when the statement runs.
    private static func isIn(_ operand: Expression, list: Expression) -> Expression {
        switch list.node {
        case .parameter(let name): Expression(.inParameter(operand, name), over: operand.depth)
        case .problem: list
        default:
            .problem(
                CormorantError(
                    .misuse, "the right side of IN is no parameter",
                    hint: "give a list of values, a query, or a parameter that is given a list"))
        }
    }

    /// - Parameter rows: a value for each operand, one row after the other.
    package static func isIn(_ operands: [Expression], rows: [Value]) -> Expression {
        if operands.count == 1 { return isIn(operands[0], rows) }
        return Expression(.inRows(operands, rows), over: operands.map(\.depth))
    }

    package static func isIn(_ operand: Expression, _ select: Select) -> Expression {
        Expression(.inSelect(operand, select), over: operand.depth, select.depth)
    }

    package static func cases(
        base: Expression?, _ cases: [(when: Expression, then: Expression)], otherwise: Expression?
    ) -> Expression {
        guard !cases.isEmpty else {
            return .problem(
                CormorantError(.misuse, "a CASE has no WHEN", hint: "give at least one condition and its result"))
        }
        let inner = cases.flatMap { [$0.when.depth, $0.then.depth] } + [base?.depth ?? 0, otherwise?.depth ?? 0]
        return Expression(.cases(base: base, cases, otherwise: otherwise), over: inner)
    }

    /// Equalities that are NULL together where one of the operands is: a foreign key of which a part is NULL leads to no row, so that
    /// it neither is that of a row nor is it none of it.
    package static func present(_ operands: [Expression], _ equalities: Expression) -> Expression {
        guard !operands.isEmpty else { return equalities }
        return Expression(.present(operands, equalities), over: operands.map(\.depth) + [equalities.depth])
    }

    static func arePresent(_ operands: [Expression]) -> Expression { all(operands.map { .unary(.isNotNull, $0) }) }

    /// The same in a condition, where NULL is as good as false: an index serves for equalities.
    var asCondition: Expression {
        switch node {
        case .list(let isAny, let parts) where parts.contains { $0.changesAsCondition }:
            isAny ? .any(parts.map(\.asCondition)) : .all(parts.map(\.asCondition))
        case .present(let operands, let equalities): .all([.arePresent(operands), equalities])
        default: self
        }
    }

    private var changesAsCondition: Bool {
        switch node {
        case .list(_, let parts): parts.contains { $0.changesAsCondition }
        case .present: true
        default: false
        }
    }

    package static func cast(_ operand: Expression, _ type: ColumnType) -> Expression {
        Expression(.cast(operand, type), over: operand.depth)
    }

    package static func collate(_ operand: Expression, _ collation: String) -> Expression {
        Expression(.collate(operand, collation), over: operand.depth)
    }

    package static func call(_ call: Call) -> Expression {
        let window = (call.window?.partition ?? []) + (call.window?.order ?? [])
        return Expression(
            .call(call),
            over: (call.arguments + call.order).map(\.depth) + window.map(\.depth) + [call.filter?.depth ?? 0])
    }

    package static func call(_ name: String, _ arguments: [Expression]) -> Expression { call(Call(name, arguments)) }

    /// Changes a call; anything else becomes a problem.
    package func changingCall(_ what: String, _ change: (inout Call) -> Void) -> Expression {
        switch node {
        case .call(var call):
            change(&call)
            return .call(call)
        case .problem: return self
        default:
            return .problem(
                CormorantError(.misuse, "\(what) was asked of what is no function call", hint: "ask it of a call"))
        }
    }

    package static func scalar(_ select: Select) -> Expression { Expression(.scalar(select), over: select.depth) }

    package static func exists(_ select: Select) -> Expression { Expression(.exists(select), over: select.depth) }

    package func ordered(_ direction: OrderDirection) -> Expression {
        Expression(.ordered(self, direction), over: depth)
    }

    package func labelled(_ name: String) -> Expression { Expression(.labelled(self, name), over: depth) }

    /// The type that a value beside this expression must have.
    var typeHint: ColumnReference? {
        switch node {
        case .column(let column): column
        case .collate(let inner, _), .ordered(let inner, _), .labelled(let inner, _): inner.typeHint
        default: nil
        }
    }
}
