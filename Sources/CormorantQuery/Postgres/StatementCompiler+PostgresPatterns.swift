import CormorantBase

/// LIKE, GLOB and REGEXP.
extension StatementCompiler {
    func write(matching op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        if case .collate(_, let collation) = left.node, sameIdentifier(collation, "corm_nocase"), op.ignoresCase {
            throw lacksInPostgres(
                "collation corm_nocase", hint: "LIKE without it ignores the case of ASCII letters")
        }
        if case .parameter(let name) = left.bare.node { throw untyped(name) }
        try write(left.bare, as: .text, at: .atom)
        if !isBytewise(left) { sql += #" COLLATE "C""# }
        switch op {
        case .glob: sql += " ~ "
        case .notGlob: sql += " !~ "
        case .regexp: sql += " ~ "
        case .notLike: sql += " NOT ILIKE "
        default: sql += " ILIKE "
        }
        switch op {
        case .hasPrefix, .hasSuffix, .contains: try write(part: right, op)
        case .glob, .notGlob, .regexp: try write(expression: right, op)
        default:
            switch right.bare.node {
            case .value(let value, _):
                guard case .text = value else { return try write(right, as: .text, at: .atom) }
                bindNumbered(.value(try value.pattern(for: op)), .text)
            case .parameter(let name): bindNumbered(.parameter(name, .pattern(op, folds: false)))
            default: try write(right, as: .text, at: .atom)
            }
            sql += " ESCAPE ''"
        }
    }

    private func write(part: Expression, _ op: BinaryOperator) throws {
        switch part.bare.node {
        case .value(let value, _): bindNumbered(.value(try value.pattern(for: op)), .text)
        case .parameter(let name): bindNumbered(.parameter(name, .pattern(op, folds: false)))
        default:
            sql += op == .hasPrefix ? "(" : "('%' || "
            sql += #"replace(replace(replace("#
            try write(part, as: .text)
            sql += #", '\', '\\'), '%', '\%'), '_', '\_')"#
            sql += op == .hasSuffix ? ")" : " || '%')"
        }
        sql += #" ESCAPE '\'"#
    }

    private func write(expression: Expression, _ op: BinaryOperator) throws {
        switch expression.bare.node {
        case .value(.null, _): sql += "CAST(NULL AS text)"
        case .value(let value, _): bindNumbered(.value(try value.postgresExpression(op)), .text)
        case .parameter(let name): bindNumbered(.parameter(name, .expression(op)))
        default:
            throw lacksInPostgres(
                (op == .regexp ? "REGEXP" : "GLOB") + " of a pattern that the database holds",
                hint: "give the pattern as a value or a parameter")
        }
    }
}

extension Value {
    /// The regular expression of PostgreSQL that finds what a pattern finds.
    func postgresExpression(_ op: BinaryOperator) throws -> Value {
        if self == .null { return self }
        guard case .text(var text) = self else {
            throw CormorantError(.type, "a pattern is \(kindName)", hint: "give text")
        }
        guard op == .regexp else {
            guard case .text(let pattern) = try pattern(for: .glob) else { return self }
            return .text(expressionOfGlob(pattern))
        }
        let fault: String? = text.withUTF8 { bytes in
            do throws(RegularExpression.Fault) {
                _ = try RegularExpression(bytes)
                return nil
            } catch {
                return error.message
            }
        }
        if let fault { throw CormorantError(.sql, "the regular expression \(fault)", hint: "look at its parts") }
        return .text(expressionOfRegexp(text))
    }
}

/// `*`, `?` and `[...]`, which may begin with `^`: https://www.sqlite.org/lang_expr.html#glob
func expressionOfGlob(_ pattern: String) -> String {
    var result = "^"
    var rest = pattern.unicodeScalars[...]
    while let next = rest.popFirst() {
        switch next {
        case "*": result += ".*"
        case "?": result += "."
        case "[":
            var inner = rest
            let isOpposite = inner.first == "^"
            if isOpposite { inner.removeFirst() }
            var members: [Unicode.Scalar] = []
            // A ] that comes first is one of them, and begins no range.
            let hasBracket = inner.first == "]"
            if hasBracket { inner.removeFirst() }
            while let member = inner.first, member != "]" { members.append(inner.removeFirst()) }
            // Nothing closes it: it finds nothing.
            guard inner.popFirst() != nil, hasBracket || !members.isEmpty else { return "(?!)" }
            rest = inner
            result += (isOpposite ? "[^" : "[") + (hasBracket ? "\\]" : "") + ranges(members) + "]"
        default: result += escaped(next)
        }
    }
    return result + "$"
}

private func ranges(_ members: [Unicode.Scalar]) -> String {
    var result = ""
    var index = 0
    while index < members.count {
        result += inBracket(members[index])
        guard index + 2 < members.count, members[index + 1] == "-" else {
            index += 1
            continue
        }
        // Where the first is behind the second, nothing else lies between them.
        if members[index] < members[index + 2] { result += "-" + inBracket(members[index + 2]) }
        index += 3
    }
    return result
}

private func inBracket(_ scalar: Unicode.Scalar) -> String {
    "\\^-[]".unicodeScalars.contains(scalar) ? "\\" + String(scalar) : String(scalar)
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
    "\\^$.|?*+()[]{}".unicodeScalars.contains(scalar) ? "\\" + String(scalar) : String(scalar)
}

/// PostgreSQL's \b is another character, the end of a word its \y; its \x takes any number of digits.
private func expressionOfRegexp(_ pattern: String) -> String {
    var result = ""
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
        if isEscaped {
            switch scalar {
            case "b": result += "y"
            case "B": result += "Y"
            case "x": result += "u00"
            default: result.unicodeScalars.append(scalar)
            }
            isEscaped = false
        } else {
            isEscaped = scalar == "\\"
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}
