import CormorantBase
import CormorantORM
import CormorantQuery

/// Makes statements by chance, of everything that the builders have and both engines answer.
struct Generator {
    enum Kind: CaseIterable { case integer, real, text, decimal, datetime, date, time, uuid, condition }

    struct Name {
        let table: TableReference
        let alias: String?
    }

    var chance: SeededNumbers
    var tables: [Name] = []
    /// What the statement is given when it runs.
    var parameters: [String: ParameterValue] = [:]
    /// Within a text: there SQLite would compare it as the decimals that a condition in it compares.
    private var isInText = false

    init(seed: UInt64) { chance = SeededNumbers(seed: seed) }

    // Expressions -----------------------------------------------------------------------------------------------------

    mutating func expression(_ kind: Kind, _ depth: Int) -> Expression {
        switch kind {
        case .integer: integer(depth)
        case .real: real(depth)
        case .text: text(depth)
        case .decimal: decimal(depth)
        case .datetime, .date, .time, .uuid: plain(kind, depth)
        case .condition: condition(depth)
        }
    }

    private mutating func column(_ types: [ColumnType]) -> Expression? {
        let types = isInText ? types.filter { $0 != .decimal } : types
        var found: [Expression] = []
        for name in tables {
            for (index, column) in name.table.columns.enumerated() where types.contains(column.type) {
                found.append(.column(name.table, index, alias: name.alias))
            }
        }
        return found.isEmpty ? nil : chance.one(found)
    }

    private mutating func value(_ type: ColumnType) -> Expression {
        chance.happens(4) ? .value(.null, as: type) : .value(chance.one(Sample.values(type)))
    }

    mutating func integer(_ depth: Int) -> Expression {
        if depth == 0 || chance.happens(25) {
            if chance.happens(70), let column = column([.int64, .int32]) { return column }
            return .value(.integer(Int64(chance.below(12)) - 3))
        }
        let next = depth - 1
        switch chance.below(16) {
        case 0: return .binary(.add, small(next), small(next))
        case 1: return .binary(.subtract, small(next), small(next))
        case 2: return .binary(.multiply, .value(.integer(Int64(chance.below(5)) - 2)), small(next))
        case 3: return .binary(.divide, small(next), small(next))
        case 4: return .binary(.remainder, small(next), small(next))
        case 5: return .unary(.negate, small(next))
        case 6: return .call("abs", [small(next)])
        case 7: return .call("length", [text(next)])
        case 8: return .call("instr", [text(next), text(next)])
        case 9: return .call("coalesce", [integer(next), integer(next)])
        case 10: return .call(chance.one(["min", "max"]), [integer(next), integer(next)])
        case 11:
            return .cases(
                base: nil, [(condition(next), integer(next))], otherwise: chance.happens(50) ? integer(next) : nil)
        case 12: return .binary(chance.one([.bitAnd, .bitOr]), integer(next), integer(next))
        case 13: return .cast(element(30) ?? (chance.happens(50) ? text(next) : real(next)), .int64)
        case 14: return .call("nullif", [integer(next), integer(next)])
        default:
            return .binary(
                chance.one([.shiftLeft, .shiftRight]), small(next), .value(.integer(Int64(chance.below(20)) - 8)))
        }
    }

    /// Where a larger one would leave 64 bits.
    private mutating func small(_ depth: Int) -> Expression {
        if depth > 0, chance.happens(30) { return .binary(.remainder, integer(depth - 1), .value(.integer(1000))) }
        let names = tables.flatMap { name in
            name.table.columns.enumerated().compactMap { $1.name == "number" || $1.name == "amount" ? (name, $0) : nil }
        }
        if chance.happens(60), !names.isEmpty {
            let (name, index) = chance.one(names)
            return .column(name.table, index, alias: name.alias)
        }
        return .value(.integer(Int64(chance.below(12)) - 3))
    }

    mutating func real(_ depth: Int) -> Expression {
        if depth == 0 || chance.happens(35) {
            if chance.happens(75), let column = column([.double, .float]) { return column }
            return .value(chance.one(Sample.values(.double)))
        }
        let next = depth - 1
        switch chance.below(9) {
        case 0:
            return .binary(
                chance.one([.add, .subtract, .multiply]), real(next), chance.happens(30) ? small(next) : real(next))
        case 1: return .binary(.divide, real(next), real(next))
        case 2: return .unary(.negate, real(next))
        case 3: return .call("abs", [real(next)])
        case 4:
            return .call("round", chance.happens(50) ? [column([.double]) ?? real(0)] : [real(0), .value(.integer(1))])
        case 5: return .call("coalesce", [real(next), real(next)])
        case 6:
            return .cast(
                element(30) ?? (chance.happens(50) ? integer(next) : text(next)), chance.happens(80) ? .double : .float)
        case 7: return .call(chance.one(["floor", "ceil"]), [real(next)])
        default: return .cases(base: nil, [(condition(next), real(next))], otherwise: real(next))
        }
    }

    mutating func text(_ depth: Int) -> Expression {
        let wasInText = isInText
        isInText = true
        defer { isInText = wasInText }
        if depth == 0 || chance.happens(30) {
            if chance.happens(75), let column = column([.text, .varchar(40)]) { return column }
            return .value(chance.one(Sample.values(.text)))
        }
        let next = depth - 1
        switch chance.below(13) {
        case 0: return .binary(.concat, text(next), chance.happens(70) ? text(next) : integer(next))
        case 1: return .call(chance.one(["lower", "upper", "trim", "ltrim", "rtrim"]), [text(next)])
        case 2: return .call("replace", [text(next), text(0), text(0)])
        case 3:
            return .call(
                "substr",
                [text(next), .value(.integer(Int64(chance.below(4)))), .value(.integer(Int64(chance.below(4))))])
        case 4: return .call("coalesce", [text(next), text(next)])
        case 5: return .cases(base: integer(next), [(integer(next), text(next))], otherwise: text(next))
        case 6: return .cast(chance.happens(60) ? integer(next) : column([.double]) ?? integer(next), .text)
        case 7: return .call(chance.one(["min", "max"]), [text(next), text(next)])
        case 8:
            if let time = column([.datetime, .date]) {
                return .call(
                    "strftime", [.value(.text(chance.one(["%Y", "%m/%d", "%H:%M:%S", "%j", "%w", "%s"]))), time])
            }
            return text(next)
        case 9:
            guard let time = column([.datetime, .date, .time]) else { return text(next) }
            let name = chance.one(["date", "time", "datetime"])
            guard time.type != .time, chance.happens(40) else { return .call(name, [time]) }
            let modifiers = (0..<1 + chance.below(2)).map { _ in
                Expression.value(
                    .text(chance.one(["+1 day", "-1 day", "+40 days", "start of month", "-3 hours", "start of year"])))
            }
            return .call(name, [time] + modifiers)
        case 10: return .call("iif", [condition(next), text(next), text(next)])
        case 11: return column([.datetime, .date, .time, .uuid, .bool]).map { .cast($0, .text) } ?? text(next)
        default: return .collate(text(next), chance.one(["NOCASE", "BINARY", "RTRIM"]))
        }
    }

    mutating func decimal(_ depth: Int) -> Expression {
        if depth == 0 || chance.happens(50) {
            return column([.decimal]) ?? .value(chance.one(Sample.values(.decimal)), as: .decimal)
        }
        let next = depth - 1
        switch chance.below(5) {
        case 0:
            return .binary(
                chance.one([.add, .subtract, .multiply]), decimal(next), chance.happens(50) ? decimal(next) : small(0))
        case 1: return .unary(.negate, decimal(next))
        case 2: return .call("abs", [decimal(next)])
        case 3: return .call("coalesce", [decimal(next), decimal(next)])
        default: return .call("max", [decimal(next), decimal(next)])
        }
    }

    private mutating func plain(_ kind: Kind, _ depth: Int) -> Expression {
        let type: ColumnType =
            switch kind {
            case .datetime: .datetime
            case .date: .date
            case .time: .time
            default: .uuid
            }
        guard let column = column([type]) else { return .value(chance.one(Sample.values(type)), as: type) }
        guard depth > 0, chance.happens(25) else { return column }
        return .call("coalesce", [column, .value(chance.one(Sample.values(type)), as: type)])
    }

    mutating func condition(_ depth: Int) -> Expression {
        let next = max(0, depth - 1)
        if depth > 0, chance.happens(30) {
            switch chance.below(4) {
            case 0: return .all([condition(next), condition(next)])
            case 1: return .any([condition(next), condition(next)])
            case 2: return .unary(.not, condition(next))
            default: return .binary(chance.one([.is, .isNot, .equal]), condition(next), condition(next))
            }
        }
        let comparison: BinaryOperator = chance.one([
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .is, .isNot,
        ])
        switch chance.below(24) {
        case 20, 21: return inQuery()
        case 22: return equalsQuery()
        case 16:
            guard let column = column([.int64, .int32, .text, .double, .date, .datetime, .decimal, .bool, .blob]),
                let type = column.type
            else { return condition(0) }
            let some = (0..<3).map { _ in chance.one(Sample.values(type)) }
            return .isIn(column, Array(repeating: some, count: 40).flatMap { $0 })
        case 17:
            guard let one = column([.int64, .int32, .text]), let other = column([.date, .double, .decimal, .text]),
                let (first, second) = Optional((one.type, other.type)), let first, let second
            else { return condition(0) }
            let rows = (0..<1 + chance.below(3)).flatMap { _ in
                [chance.one(Sample.values(first)), chance.one(Sample.values(second))]
            }
            return .isIn(.row([one, other]), rows)
        case 18:
            guard let one = column([.int64, .int32, .text]), let other = column([.date, .double, .decimal, .text]),
                let (first, second) = Optional((one.type, other.type)), let first, let second
            else { return condition(0) }
            let row = Expression.row([
                .value(chance.one(Sample.values(first))), .value(chance.one(Sample.values(second))),
            ])
            return .binary(chance.one([.equal, .less, .greaterOrEqual, .notEqual]), .row([one, other]), row)
        case 19 where tables.contains { $0.table === Sample.things.tableReference && $0.alias == nil }:
            return Expression(
                .raw(
                    chance.one([
                        "number > 1 OR title LIKE 'a%'", "flag = 1", "weight / number >= 0.5 AND note IS NOT NULL",
                        "number IN (1, 2, 3) AND NOT is_open", "length(title) BETWEEN 1 AND 2",
                        "CASE WHEN count > 0 THEN 'x' ELSE title END = 'x'", "nick = 'zoe'",
                        "made >= '2024-01-31 12:00:00'", "is_open", "count IS TRUE", "number IS NOT FALSE",
                        "weight IS DISTINCT FROM (TRUE)", "is_open IS FALSE", "title IS TRUE",
                    ]), []))
        case 0, 1: return .binary(comparison, integer(next), chance.happens(30) ? real(next) : integer(next))
        case 2: return .binary(comparison, real(next), real(next))
        case 3, 4: return .binary(comparison, text(next), text(next))
        case 5 where isInText: return condition(0)
        case 5: return .binary(comparison, decimal(next), chance.happens(40) ? small(0) : decimal(next))
        case 6:
            let type: ColumnType = chance.one([
                .datetime, .date, .time, .uuid, .blob, .bool, .int32, .decimal, .text, .float,
            ])
            guard let column = column([type]) else { return condition(0) }
            // Another text of the same number is equal.
            if chance.happens(25) {
                return .binary(comparison, column, parameter(.value(chance.one(Sample.values(type)))))
            }
            if type == .decimal, chance.happens(30) { return .binary(comparison, column, .value(.text("1.1"))) }
            return .binary(comparison, column, value(type))
        case 7:
            let type: ColumnType = chance.one([
                .datetime, .date, .time, .uuid, .int64, .int32, .decimal, .text, .double, .bool,
            ])
            guard let column = column([type]) else { return condition(0) }
            let values = (0..<chance.below(4)).map { _ in chance.one(Sample.values(type)) }
            if chance.happens(30) {
                return .binary(.isIn, column, parameter(.list(chance.happens(20) ? values + [.null] : values)))
            }
            return .isIn(column, chance.happens(20) ? values + [.null] : values)
        case 8: return .unary(chance.one([.isNull, .isNotNull]), expression(chance.one(Kind.allCases), next))
        case 9:
            let op: BinaryOperator = chance.one([.like, .notLike])
            return .binary(
                op, text(next), .value(.text(chance.one(["a%", "%C", "_b%", "%\\%", "a\\%c", "%Ä%", "", "%"]))))
        case 10:
            return .binary(
                chance.one([.hasPrefix, .hasSuffix, .contains]), text(next), chance.happens(60) ? value(.text) : text(0)
            )
        case 11:
            let op: BinaryOperator = chance.one([.glob, .notGlob])
            return .binary(
                op, text(next),
                .value(.text(chance.one(["a*", "[a-c]*", "[^a]*", "?b?", "*[]c]", "*\\*", "[A-Z]*", "*é"]))))
        case 12:
            return .binary(
                .regexp, text(next),
                .value(.text(chance.one(["^a", "b+", "[A-Z]\\w*", "\\bc", "\\d{2}", "(?i)AB", "^$", "."]))))
        case 13: return .between(integer(next), .value(.integer(-2)), integer(next))
        case 14: return json()
        case 15: return column([.bool]) ?? condition(0)
        default:
            guard let moment = column([.offsetDatetime, .datetime]) else { return condition(0) }
            return .binary(comparison, moment, chance.happens(50) ? givenTime() : value(.datetime))
        }
    }

    private mutating func parameter(_ value: ParameterValue) -> Expression {
        let name = "p\(parameters.count)"
        parameters[name] = value
        return Expression(.parameter(name))
    }

    /// What stands in a query for a condition: operands and a column of the query that they are compared with.
    private mutating func besideQuery() -> (operands: [Expression], select: Select) {
        let (thing, outer) = (Sample.things.tableReference, tables)
        let alias = "inside\(outer.count)"
        var select = Select(from: Source(.table(thing), alias: alias))
        var operands: [Expression] = []
        var other = select
        for _ in 0..<(chance.happens(30) ? 2 : 1) {
            let isTime = chance.happens(40)
            operands.append(isTime && chance.happens(30) ? givenTime() : sought(isTime))
            tables = [Name(table: thing, alias: alias)]
            select.columns.append(sought(isTime))
            other.columns.append(sought(isTime))
            tables = outer
        }
        if chance.happens(15) { select.compounds = [Compound(chance.one([.union, .unionAll]), other)] }
        return (operands, select)
    }

    /// A text, whatever it is compared by, or a time.
    private mutating func sought(_ isTime: Bool) -> Expression {
        if isTime {
            guard let time = column([.datetime, .offsetDatetime]) else { return givenTime() }
            return chance.happens(70) ? time : .call("max", [time, time])
        }
        if chance.happens(15) {
            return .cases(base: nil, [(condition(1), text(0))], otherwise: column([.text]) ?? text(0))
        }
        return chance.happens(70) ? column([.text]) ?? text(0) : .call(chance.one(["lower", "trim"]), [text(0)])
    }

    private mutating func givenTime() -> Expression {
        let type: ColumnType = chance.one([.datetime, .offsetDatetime])
        return .value(chance.one(Sample.values(type)), as: type)
    }

    private mutating func inQuery() -> Expression {
        let (operands, select) = besideQuery()
        let found = Expression.isIn(operands.count == 1 ? operands[0] : .row(operands), select)
        return chance.happens(30) ? .unary(.not, found) : found
    }

    /// With the first row of many.
    private mutating func equalsQuery() -> Expression {
        var (operands, select) = besideQuery()
        guard case .table(let thing)? = select.source?.kind else { return condition(0) }
        select.order = [.column(thing, 0, alias: select.source?.alias)]
        if chance.happens(50) { select.conditions = [.binary(.greater, select.order[0], .value(.integer(5)))] }
        let comparison: BinaryOperator = chance.one([.equal, .equal, .notEqual, .less, .greaterOrEqual])
        let operand = operands.count == 1 ? operands[0] : .row(operands)
        return chance.happens(20)
            ? .binary(comparison, .scalar(select), operand) : .binary(comparison, operand, .scalar(select))
    }

    /// A value within JSON, by chance of a hundred.
    mutating func element(_ percent: Int) -> Expression? {
        guard chance.happens(percent), let column = column([.json]) else { return nil }
        return .binary(.jsonValueAt, column, path())
    }

    private mutating func path() -> Expression {
        .value(
            .text(
                chance.one([
                    "$.a", "$.b", "$.c[1]", "$.c[#-1]", "$.d", "$.e", "$.f", "$.g.h", "a", "$[0]", "$.none", "$.a[0]",
                    "$.b[#-1]", "$.c[0][0]", "$.e[0]", "$[0][0]",
                ])))
    }

    private mutating func json() -> Expression {
        guard let column = column([.json]) else { return condition(0) }
        let path = path()
        let element = Expression.binary(.jsonValueAt, column, path)
        let comparison: BinaryOperator = chance.one([.equal, .notEqual, .less, .greater, .is, .isNot])
        switch chance.below(7) {
        case 0: return .binary(comparison, element, .value(.integer(Int64(chance.below(4)))))
        case 1: return .binary(comparison, element, .value(.text(chance.one(["x", "1", "y", "Y"]))))
        case 2: return .binary(comparison, element, .value(.real(2.5)))
        case 3: return .unary(chance.one([.isNull, .isNotNull]), element)
        case 4: return .unary(.isNull, .binary(.jsonAt, column, path))
        case 5: return .binary(.like, element, .value(.text("%y%")))
        default:
            return .binary(
                comparison, .call(chance.one(["json_type", "json_array_length"]), [column, path]),
                .value(chance.happens(50) ? .text("text") : .text("integer")))
        }
    }
}

extension Expression {
    /// Of a column.
    fileprivate var type: ColumnType? {
        if case .column(let reference) = node { return reference.column.type }
        return nil
    }
}
