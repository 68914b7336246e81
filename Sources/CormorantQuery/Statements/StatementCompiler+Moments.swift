import CormorantBase

/// What an offset datetime is compared with: the moment that a value is.
package struct Moment: Sendable {
    /// The texts of offset datetimes of one moment lie between two bounds, so that an index finds them.
    package enum Bound: Sendable {
        /// Before all of them.
        case start
        /// Behind all of them.
        case end
    }

    private let start: String

    /// nil for NULL.
    /// - Parameter type: what the value is of; nil: told by its form.
    init?(_ value: Value, _ type: ColumnType?) throws {
        if value == .null { return nil }
        let isTime = type == nil || type == .datetime || type == .offsetDatetime
        let stored: String? =
            switch value {
            // As the library has them in SQL: in UTC.
            case .text(var text) where isTime:
                try text.withUTF8 { bytes in
                    Timestamp(stored: bytes).map { OffsetTimestamp($0, offsetSeconds: 0) }
                        ?? OffsetTimestamp(parsing: bytes)
                }.map { try $0.stored("a time") }
            case .integer(let time) where isTime: try TimeForm.offsetDatetime.text(of: time, "a time")
            default: nil
            }
        guard let stored else {
            let form = TimeForm.offsetDatetime
            let fault =
                if case .text(var text) = value { "a text that is " + text.withUTF8(form.fault) } else {
                    value.kindName
                }
            throw CormorantError(
                .type, "a column of type \(form.name) is compared with \(fault)", hint: form.formHint)
        }
        start = String(decoding: stored.utf8.prefix(OffsetTimestamp.momentSize), as: UTF8.self)
    }

    package func text(_ bound: Bound) -> String { bound == .start ? start : start + "~" }
}

/// What an offset datetime is compared with.
enum MomentOperand {
    case null
    case calculated
    /// What is bound for the bounds of a moment that is given.
    case given(start: CompiledStatement.Binding, end: CompiledStatement.Binding)

    init(_ operand: Expression) throws {
        switch operand.node {
        case .value(let value, let type):
            guard let moment = try Moment(value, type) else {
                self = .null
                return
            }
            self = .given(start: .value(.text(moment.text(.start))), end: .value(.text(moment.text(.end))))
        case .parameter(let name):
            self = .given(start: .parameter(name, .moment(.start)), end: .parameter(name, .moment(.end)))
        default: self = .calculated
        }
    }
}

/// Offset datetimes compare as the moments that they are, whatever their offsets. Their texts sort by the moment and then by the
/// offset: that is their order, and by that they are grouped and told apart.
extension StatementCompiler {
    func isOffsetDatetime(_ expression: Expression) -> Bool { type(of: expression)?.type == .offsetDatetime }

    /// Whether it is compared as a moment: not where its collation tells that it compares by its text.
    func isMoment(_ expression: Expression) -> Bool { !expression.comparesTexts && isOffsetDatetime(expression) }

    /// Whether two sides are compared as moments: not where one of them is a text, as the file has it.
    /// - Parameter inner: where the right side stands; nil: beside the left one.
    func areMoments(_ left: Expression, _ right: Expression, in inner: StatementCompiler? = nil) -> Bool {
        !left.comparesTexts && !right.comparesTexts && !left.isGivenText && !right.isGivenText
            && (isOffsetDatetime(left) || (inner ?? self).isOffsetDatetime(right))
    }

    /// Writes a comparison of offset datetimes. False where it is none, and where one is NULL.
    func write(
        moments op: BinaryOperator, _ left: Expression, _ right: Expression, _ level: Precedence
    ) throws -> Bool {
        guard op.compares else { return false }
        if left.isGivenValue, !right.isGivenValue { return try write(moments: op.changedOver, right, left, level) }
        guard areMoments(left, right) else { return false }
        let start, end: CompiledStatement.Binding
        switch try MomentOperand(right) {
        case .null: return false
        case .calculated:
            try write(moment: left)
            sql += dialect.infix(op)
            try write(right, at: level)
            return true
        case .given(let first, let last): (start, end) = (first, last)
        }
        switch op {
        case _ where !isOffsetDatetime(left):
            try write(moment: left)
            sql += dialect.infix(op)
            bind(start)
        case .less, .greaterOrEqual, .greater, .lessOrEqual:
            try write(left, at: level)
            sql += dialect.infix(op)
            bind(op == .less || op == .greaterOrEqual ? start : end)
        case .equal:
            try write(left, at: level)
            sql += " BETWEEN "
            bind(start)
            sql += " AND "
            bind(end)
        default:
            try write(moment: left)
            sql += dialect.infix(op)
            bind(start)
        }
        return true
    }

    /// Writes an offset datetime that compares as its moment.
    func write(moment expression: Expression) throws {
        try write(expression, at: .collate)
        write(collation: dialect.momentCollation)
    }

    /// Writes what IN, CASE or a row looks for.
    func write(matched operand: Expression) throws {
        if isMoment(operand) {
            try write(moment: operand)
        } else {
            try write(compared: operand, at: .comparison)
        }
    }

    /// Writes one side of a comparison of offset datetimes. False where it is none, and where texts of the file are compared as
    /// such.
    func write(moment side: Expression, beside other: Expression) throws -> Bool {
        if side.isGivenText || other.isGivenText { return false }
        switch side.node {
        case .value(.null, _): return false
        case .value(let value, let type):
            guard isMoment(other), let moment = try Moment(value, type) else { return false }
            bind(.value(.text(moment.text(.start))))
        case .parameter(let name):
            guard isMoment(other) else { return false }
            bindParameter(name, .moment(.start))
        default:
            guard isMoment(side), !other.comparesTexts else { return false }
            try write(moment: side)
        }
        return true
    }

    /// Whether an order term's offset datetimes must be told to compare as moments: such as are calculated. A column's own order
    /// goes on by the offset, as its index does.
    func comparesAsMoment(_ expression: Expression) -> Bool {
        if case .column = expression.node { return false }
        return isOffsetDatetime(expression)
    }
}

/// SQLite's functions that read times: https://www.sqlite.org/lang_datefunc.html
let dateFunctions: Set<String> = ["date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"]

extension Expression {
    /// Whether it is given with the statement as a text.
    var isGivenText: Bool { if case .value(_, .text) = node { true } else { false } }

    /// Whether it is given with the statement.
    var isGivenValue: Bool {
        switch node {
        case .value, .parameter: true
        default: false
        }
    }
}

extension BinaryOperator {
    /// The comparison that it is with its operands changed over.
    var changedOver: BinaryOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}

extension Expression {
    /// Whether it compares by its text, as keys in the file do.
    var comparesTexts: Bool { if case .collate(_, let name) = node { sameIdentifier(name, "binary") } else { false } }

    /// A value as a column's order and keys tell it apart: an offset datetime's text, offset and all.
    package func placed(_ value: Value) throws -> Expression {
        guard case .column(let reference) = node, reference.column.type == .offsetDatetime, value != .null else {
            return .value(value)
        }
        return .value(try value.comparable(with: reference), as: .text)
    }
}
