import CormorantBase

/// Reads an expression of SQL that both engines have into one of ours, which is then written as the engine wants it.
/// Source of the grammar: https://www.sqlite.org/lang_expr.html
struct PortableParser {
    /// What a name stands for; nil: it is unknown.
    typealias Names = (_ source: String?, _ name: String) -> Expression?

    private let source: SQLTokenizer
    private let tokens: [SQLToken]
    private let names: Names
    /// For the parameters, in order.
    private var values: ArraySlice<Value>
    private var index = 0
    private var depth = 0

    /// - Returns: nil where there is no such expression; `fault` is then told where.
    static func parse(
        _ sql: String, values: [Value] = [], names: @escaping Names,
        fault: (_ offset: Int, _ word: String) -> Void = { _, _ in }
    ) -> Expression? {
        var tokenizer = SQLTokenizer(sql)
        guard let tokens = try? tokenizer.all(), !tokens.isEmpty, !tokenizer.endsInComment else {
            fault(0, sql)
            return nil
        }
        var parser = PortableParser(tokenizer, tokens, values, names)
        guard let expression = parser.or(), parser.index == tokens.count, parser.values.isEmpty else {
            let token = tokens[min(parser.index, tokens.count - 1)]
            fault(token.range.lowerBound, tokenizer.excerpt(token.range))
            return nil
        }
        return expression
    }

    private init(_ source: SQLTokenizer, _ tokens: [SQLToken], _ values: [Value], _ names: @escaping Names) {
        self.source = source
        self.tokens = tokens
        self.values = values[...]
        self.names = names
    }

    // Tokens ----------------------------------------------------------------------------------------------------------

    private var next: SQLToken? { index < tokens.count ? tokens[index] : nil }

    private func text(_ token: SQLToken) -> String { String(decoding: source.bytes[token.range], as: UTF8.self) }

    /// Whether the next token is that word or sign.
    private func sees(_ word: String, at offset: Int = 0) -> Bool {
        guard index + offset < tokens.count else { return false }
        let token = tokens[index + offset]
        switch token.kind {
        case .text, .quotedIdentifier, .blob, .number: return false
        default: return foldIdentifier(text(token)) == word
        }
    }

    private mutating func accept(_ words: String...) -> Bool {
        for (offset, word) in words.enumerated() where !sees(word, at: offset) { return false }
        index += words.count
        return true
    }

    private mutating func acceptOne(_ words: [(String, BinaryOperator)]) -> BinaryOperator? {
        for (word, op) in words where accept(word) { return op }
        return nil
    }

    // Levels, from the loosest ----------------------------------------------------------------------------------------

    private mutating func or() -> Expression? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 100, let first = and() else { return nil }
        var parts = [first]
        while accept("or") {
            guard let part = and() else { return nil }
            parts.append(part)
        }
        return parts.count == 1 ? first : .any(parts)
    }

    private mutating func and() -> Expression? {
        guard let first = not() else { return nil }
        var parts = [first]
        while accept("and") {
            guard let part = not() else { return nil }
            parts.append(part)
        }
        return parts.count == 1 ? first : .all(parts)
    }

    private mutating func not() -> Expression? {
        guard sees("not"), !sees("exists", at: 1) else { return equality() }
        index += 1
        depth += 1
        defer { depth -= 1 }
        guard depth < 100 else { return nil }
        return not().map { .unary(.not, $0) }
    }

    private mutating func equality() -> Expression? {
        guard var left = comparison() else { return nil }
        while true {
            if let op = acceptOne([("=", .equal), ("==", .equal), ("<>", .notEqual), ("!=", .notEqual)]) {
                guard let right = comparison() else { return nil }
                left = .binary(op, left, right)
            } else if accept("isnull") {
                left = .unary(.isNull, left)
            } else if accept("notnull") || accept("not", "null") {
                left = .unary(.isNotNull, left)
            } else if accept("is") {
                let isNot = accept("not")
                // DISTINCT FROM turns it round.
                let turns = accept("distinct", "from")
                let start = index
                guard let right = comparison() else { return nil }
                let isNull = if case .value(.null, _) = right.node { true } else { false }
                let op: BinaryOperator = isNot != turns ? .isNot : .is
                // TRUE and FALSE ask for the truth of the left side there, not for 1 and 0.
                if isTruth(start..<index) { left = .unary(.not, .unary(.not, left)) }
                left = isNull ? .unary(op == .is ? .isNull : .isNotNull, left) : .binary(op, left, right)
            } else {
                let start = index
                let isNot = accept("not")
                guard let found = tested(left) else {
                    if index > start + (isNot ? 1 : 0) { return nil }
                    index = start
                    return left
                }
                left = isNot ? .unary(.not, found) : found
            }
        }
    }

    private func isTruth(_ range: Range<Int>) -> Bool {
        let words = tokens[range].filter { $0.kind != .leftParenthesis && $0.kind != .rightParenthesis }
        return words.count == 1 && ["true", "false"].contains { sameIdentifier(text(words[0]), $0) }
    }

    /// IN, BETWEEN, LIKE and GLOB. nil without a step where it is none.
    private mutating func tested(_ left: Expression) -> Expression? {
        if accept("between") {
            guard let low = comparison(), accept("and"), let high = comparison() else { return nil }
            return .between(left, low, high)
        }
        if accept("like") {
            guard let pattern = comparison() else { return nil }
            guard accept("escape") else { return .binary(.like, left, pattern) }
            return nil
        }
        if accept("glob") { return comparison().map { .binary(.glob, left, $0) } }
        if accept("regexp") { return comparison().map { .binary(.regexp, left, $0) } }
        guard accept("in", "(") else { return nil }
        guard !accept(")") else { return .isIn(left, []) }
        guard let parts = list() else { return nil }
        return .any(parts.map { .binary(.equal, left, $0) })
    }

    /// Up to the parenthesis.
    private mutating func list() -> [Expression]? {
        var parts: [Expression] = []
        repeat {
            guard let part = or() else { return nil }
            parts.append(part)
        } while accept(",")
        return accept(")") ? parts : nil
    }

    private mutating func comparison() -> Expression? {
        chain([("<", .less), ("<=", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual)]) { $0.bits() }
    }

    private mutating func bits() -> Expression? {
        chain([("&", .bitAnd), ("|", .bitOr), ("<<", .shiftLeft), (">>", .shiftRight)]) { $0.sum() }
    }

    private mutating func sum() -> Expression? { chain([("+", .add), ("-", .subtract)]) { $0.product() } }

    private mutating func product() -> Expression? {
        chain([("*", .multiply), ("/", .divide), ("%", .remainder)]) { $0.concat() }
    }

    private mutating func concat() -> Expression? {
        chain([("||", .concat), ("->", .jsonAt), ("->>", .jsonValueAt)]) { $0.collated() }
    }

    private mutating func chain(
        _ operators: [(String, BinaryOperator)], _ operand: (inout PortableParser) -> Expression?
    ) -> Expression? {
        guard var left = operand(&self) else { return nil }
        while let op = acceptOne(operators) {
            guard let right = operand(&self) else { return nil }
            left = .binary(op, left, right)
        }
        return left
    }

    private mutating func collated() -> Expression? {
        guard var operand = signed() else { return nil }
        while accept("collate") {
            guard let token = next, token.kind != .number else { return nil }
            index += 1
            operand = .collate(operand, source.unquoted(token))
        }
        return operand
    }

    private mutating func signed() -> Expression? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 100 else { return nil }
        if accept("+") { return signed() }
        if accept("~") { return signed().map { .unary(.bitNot, $0) } }
        guard accept("-") else { return primary() }
        if let token = next, token.kind == .number, let least = Int64("-" + text(token)) {
            index += 1
            return .value(.integer(least))
        }
        guard let operand = signed() else { return nil }
        switch operand.node {
        case .value(.integer(let integer), nil) where integer != .min: return .value(.integer(-integer))
        case .value(.real(let real), nil): return .value(.real(-real))
        default: return .unary(.negate, operand)
        }
    }

    private mutating func primary() -> Expression? {
        guard let token = next else { return nil }
        switch token.kind {
        case .number:
            guard let value = number(text(token)) else { return nil }
            index += 1
            return .value(value)
        case .text:
            index += 1
            return .value(.text(source.unquoted(token)))
        case .blob:
            index += 1
            return .value(.blob(blob(text(token))))
        case .parameter:
            guard let value = values.popFirst() else { return nil }
            index += 1
            return .value(value)
        case .leftParenthesis:
            index += 1
            guard let parts = list() else { return nil }
            return parts.count == 1 ? parts[0] : .row(parts)
        case .identifier, .keyword, .quotedIdentifier: return word(token)
        default: return nil
        }
    }

    private func number(_ text: String) -> Value? {
        // Of two's complement.
        if foldIdentifier(text).hasPrefix("0x") {
            return UInt64(text.dropFirst(2), radix: 16).map { .integer(Int64(bitPattern: $0)) }
        }
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map { .real($0) }
    }

    /// Of `x'00ff'`, which the lexer has seen to be whole.
    private func blob(_ text: String) -> [UInt8] {
        let digits = text.utf8.dropFirst(2).dropLast().map { $0 <= 0x39 ? $0 & 15 : ($0 & 15) + 9 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private mutating func word(_ token: SQLToken) -> Expression? {
        let isQuoted = token.kind == .quotedIdentifier
        if !isQuoted {
            if accept("null") { return .value(.null) }
            if accept("true") { return .value(.integer(1)) }
            if accept("false") { return .value(.integer(0)) }
            if accept("current_timestamp") { return .call("datetime", [.value(.text("now"))]) }
            if accept("current_date") { return .call("date", [.value(.text("now"))]) }
            if accept("current_time") { return .call("time", [.value(.text("now"))]) }
            if accept("case") { return choice() }
            if accept("cast", "(") { return cast() }
            if sees("(", at: 1) { return call(token) }
        }
        let name = source.unquoted(token)
        guard sees(".", at: 1), index + 2 < tokens.count else {
            guard let column = names(nil, name) else { return nil }
            index += 1
            return column
        }
        guard let column = names(name, source.unquoted(tokens[index + 2])) else { return nil }
        index += 3
        return column
    }

    private mutating func call(_ token: SQLToken) -> Expression? {
        let name = text(token)
        guard isFunctionName(name) else { return nil }
        index += 2
        if accept(")") { return .call(name, []) }
        if accept("*", ")") { return .call(name, []) }
        let isDistinct = accept("distinct")
        guard let arguments = list() else { return nil }
        var call = Call(name, arguments)
        call.isDistinct = isDistinct
        return .call(call)
    }

    private mutating func cast() -> Expression? {
        guard let operand = or(), accept("as"), let token = next else { return nil }
        let type: ColumnType
        switch foldIdentifier(text(token)) {
        case "integer", "int", "bigint": type = .int64
        case "text": type = .text
        case "real", "double": type = .double
        case "blob": type = .blob
        default: return nil
        }
        index += 1
        _ = accept("precision")
        return accept(")") ? .cast(operand, type) : nil
    }

    private mutating func choice() -> Expression? {
        var base: Expression?
        if !sees("when") {
            guard let operand = or() else { return nil }
            base = operand
        }
        var cases: [(when: Expression, then: Expression)] = []
        while accept("when") {
            guard let when = or(), accept("then"), let then = or() else { return nil }
            cases.append((when, then))
        }
        var otherwise: Expression?
        if accept("else") {
            guard let last = or() else { return nil }
            otherwise = last
        }
        return accept("end") && !cases.isEmpty ? .cases(base: base, cases, otherwise: otherwise) : nil
    }
}
