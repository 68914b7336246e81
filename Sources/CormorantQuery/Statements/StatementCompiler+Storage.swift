import CormorantBase

/// In a file of SQLite a text is greater than every number and equals none, unless a column or a cast beside it converts it. What a
/// function gives is not converted, so that such a comparison holds for all rows or for none.
extension StatementCompiler {
    /// Throws where a comparison, or a path into JSON, would not mean what it says.
    func checkSides(of expression: Expression) throws {
        try refuseDaysBesideMoments(in: expression)
        switch expression.node {
        case .binary(.jsonAt, _, let path), .binary(.jsonValueAt, _, let path):
            if case .value(let value, _) = path.node { _ = try value.pathIntoJSON() }
        case .binary(let op, let left, _) where op.looksIntoText: try refuseJSON(left, op)
        case .binary(let op, let left, let right) where op.compares: try refuseTextBesideNumber(left, right)
        case .between(let operand, let low, let high):
            for bound in [low, high] { try refuseTextBesideNumber(operand, bound) }
        case .inSelect(let operand, let select): try refuseTextBesideNumber(operand, .scalar(select))
        case .cases(let base?, let cases, _): for part in cases { try refuseTextBesideNumber(base, part.when) }
        default: break
        }
    }

    /// JSON is one text in a file of SQLite and another in PostgreSQL: in which spaces stand, and keys in which order.
    private func refuseJSON(_ operand: Expression, _ op: BinaryOperator) throws {
        guard let found = type(of: operand), found.type == .json else { return }
        throw CormorantError(
            .type, "a pattern looks into a text, and \(found.column.map(\.title) ?? "a value") is of type json",
            hint: "look at what stands at a path, at the elements that json_each() gives, or at it cast to a text",
            columns: found.column.map { [$0.column.name] } ?? [])
    }

    private func refuseTextBesideNumber(_ left: Expression, _ right: Expression) throws {
        if left.isRow || right.isRow {
            for (part, other) in zip(left.parts, right.parts) { try refuseTextBesideNumber(part, other) }
            return
        }
        guard let one = storage(of: left), let other = storage(of: right), one != other else { return }
        let (isValue, isOther) = (left.isValue, right.isValue)
        // Two values are as they were meant.
        if isValue, isOther { return }
        throw (isValue ? other : one).refusal(isValue ? right : left)
    }

    /// What a parameter or a value of a list must be beside an expression; nil: it may be anything.
    func storage(beside expression: Expression) -> ParameterForm? {
        guard !expression.isValue, let kind = storage(of: expression) else { return nil }
        return .only(kind, kind.refusal(expression))
    }

    /// Whether all that are no parameters are numbers.
    func areNumbers(_ parts: [Expression]) -> Bool {
        let known = parts.filter { if case .parameter = $0.node { false } else { true } }
        return !known.isEmpty && known.allSatisfy { storage(of: $0) == .number || type(of: $0)?.asNumber != nil }
    }

    /// Of a value, and of a function that always gives the same: it is not converted beside the other. nil: not known.
    private func storage(of expression: Expression) -> StorageKind? {
        switch expression.bare.node {
        case .value(.text, nil): return .text
        case .value(.integer, nil), .value(.real, nil): return .number
        case .call(let call) where call.window == nil:
            let name = foldIdentifier(call.name)
            return StorageKind.texts.contains(name) ? .text : StorageKind.numbers.contains(name) ? .number : nil
        case .scalar(let select): return select.columns.first.flatMap { storage(of: $0) }
        default: return nil
        }
    }

}

func noPath(_ text: String) -> CormorantError {
    CormorantError(
        .sql, "\"\(text)\" is no path into JSON",
        hint: "write it as $.key[0], and a key with other signs in quotes: $.\"a.b\"")
}

/// Whether it is a word, which is a key in place of a path. One that begins with a digit may be an index.
func isKey(_ text: String) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    guard let first = text.utf8.first, !isDigit(first) else { return false }
    return text.utf8.allSatisfy { $0 >= 0x80 || $0 == 0x5F || isDigit($0) || (0x41...0x5A).contains($0 & 0xDF) }
}

extension Expression {
    fileprivate var isValue: Bool { if case .value = bare.node { true } else { false } }

    /// What stands at each place of a row, or of the rows that a SELECT gives.
    fileprivate var parts: [Expression] {
        switch node {
        case .row(let parts): parts
        case .scalar(let select): select.columns
        default: []
        }
    }
}

/// A storage class of SQLite, as far as one is compared with the other.
package enum StorageKind: Sendable {
    case text, number

    /// Of what the functions of these names give: https://www.sqlite.org/lang_corefunc.html, https://www.sqlite.org/lang_datefunc.html
    fileprivate static let texts: Set<String> = [
        "strftime", "date", "time", "datetime", "upper", "lower", "trim", "ltrim", "rtrim", "replace", "substr",
        "substring", "hex", "printf", "format", "char", "quote", "typeof", "json_type", "group_concat",
    ]
    fileprivate static let numbers: Set<String> = ["length", "instr", "unicode", "count", "unixepoch", "julianday"]

    fileprivate func refusal(_ expression: Expression) -> CormorantError {
        let what = if case .call(let call) = expression.bare.node { "\(call.name)()" } else { "an expression" }
        return self == .text
            ? CormorantError(
                .type, "\(what) gives a text and is compared with a number",
                hint: "give a text, or cast what it gives to an integer")
            : CormorantError(
                .type, "\(what) gives a number and is compared with a text, as which decimals are given, too",
                hint: "give an integer or a double, or cast what it gives to text")
    }
}

extension Value {
    /// SQLite has read a path that does not begin with $ otherwise from version to version, unless it is a word.
    func pathIntoJSON() throws -> Value {
        guard case .text(let text) = self, !text.hasPrefix("$"), !isKey(text) else { return self }
        throw noPath(text)
    }

    /// Throws where it is of the other kind.
    func required(as kind: StorageKind, _ refusal: CormorantError) throws -> Value {
        switch (self, kind) {
        case (.text, .number), (.integer, .text), (.real, .text): throw refusal
        default: return self
        }
    }
}
