import CormorantBase

/// Times, dates, UUIDs and JSON are texts in a file of SQLite, whose operators take of a text or a blob the digits at its beginning: of
/// a time its year, of an array 0.
extension StatementCompiler {
    /// Throws where one of them stands in place of a number.
    func requireNumbers(_ parts: [Expression], in what: String) throws {
        for part in parts {
            guard let found = type(of: part), let hint = found.type.insteadOfCalculating else { continue }
            throw CormorantError(
                .type,
                "\(what) is of numbers, and \(found.column.map(\.title) ?? "a value in it") is of type \(found.type.name)",
                hint: hint,
                columns: found.column.map { [$0.column.name] } ?? [])
        }
    }

    func requireNumbers(in call: Call, _ name: String) throws {
        if name == "sum" || name == "abs" || calculatingFunctions.contains(name) {
            try requireNumbers(call.arguments, in: name + "()")
        }
    }
}

extension ColumnType {
    /// What to do with a value of a type that is no number; nil where one may be calculated with.
    fileprivate var insteadOfCalculating: String? {
        switch self {
        case .json: "take a number in it by its path"
        case .uuid, .blob: "compare it"
        default:
            timeForm == nil
                ? nil : "take its parts by strftime() or its seconds by unixepoch(), or calculate in the program"
        }
    }
}

/// A day and a moment are texts that are never equal in a file of SQLite, not at midnight either.
extension StatementCompiler {
    func refuseDaysBesideMoments(in expression: Expression) throws {
        switch expression.node {
        case .binary(let op, let left, let right) where op.compares: try refuseDayBesideMoment(left, right)
        case .between(let operand, let low, let high):
            for bound in [low, high] { try refuseDayBesideMoment(operand, bound) }
        case .inSelect(let operand, let select): try refuseDayBesideMoment(operand, .scalar(select))
        default: break
        }
    }

    private func refuseDayBesideMoment(_ left: Expression, _ right: Expression) throws {
        if case .row(let parts) = left.node, case .row(let others) = right.node {
            for (part, other) in zip(parts, others) { try refuseDayBesideMoment(part, other) }
            return
        }
        guard let one = type(of: left), one.type.timeForm != nil, let other = type(of: right) else { return }
        guard let (day, moment) = one.type == .date ? (one, other) : other.type == .date ? (other, one) : nil,
            moment.type == .datetime || moment.type == .offsetDatetime
        else { return }
        throw CormorantError(
            .type,
            "\(day.column.map(\.title) ?? "a value") of type date is compared with "
                + "\(moment.column.map(\.title) ?? "a value") of type \(moment.type.name)",
            hint: "compare it with the day of the time, which is date(...) of it",
            columns: [day, moment].compactMap { $0.column?.column.name })
    }
}
