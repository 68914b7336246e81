/// What comes behind an operand: members, arguments, closures.
extension Parser {
    mutating func suffixes(of operand: Expression, from start: Int) throws(NotUnderstood) -> Expression {
        var expression = operand
        var length = 0
        while true {
            length += 1
            let kind: Expression.Kind
            if at(".") {
                kind = try member(of: expression)
            } else if atInLine("(") {
                kind = .call(expression, arguments: try callArguments())
                if isAtTrailingClosure { try skipTrailingClosures() }
            } else if atInLine("[") {
                try skipBrackets()
                kind = .other
                if isAtTrailingClosure { try skipTrailingClosures() }
            } else if at("{") && !expression.isLiteral && isAtTrailingClosure {
                try skipTrailingClosures()
                kind = .call(expression, arguments: [])
                if at("{") { return Expression(kind: kind, range: range(from: start)) }
            } else if token.kind == .postfixOperator {
                advance()
                kind = .other
            } else if at("#if") && isAtConditionalSuffix {
                try skipConditionalSuffix()
                kind = .other
            } else {
                return expression
            }
            // One in the other they are only as far as anybody looks.
            expression = Expression(kind: length > Self.deepest ? .other : kind, range: range(from: start))
        }
    }

    private mutating func member(of base: Expression) throws(NotUnderstood) -> Expression.Kind {
        try expect(".")
        if token.kind == .integer {
            advance()
            return .other
        }
        var name = try word().text
        while consume("::") { name = try word().text }
        guard startsGenericArguments else { return .member(base: base, name: name) }
        try skipAngles()
        return .specialized
    }

    /// The arguments in parentheses; none where they are the labels of a function's name.
    mutating func callArguments() throws(NotUnderstood) -> [Argument] {
        var labels = self
        labels.advance()
        while labels.token.kind == .word && labels.peek().is(":") {
            labels.advance()
            labels.advance()
            guard !labels.consume(")") else {
                self = labels
                return []
            }
        }
        return try arguments()
    }

    mutating func arguments() throws(NotUnderstood) -> [Argument] {
        try expect("(")
        var arguments: [Argument] = []
        while !at(")") {
            var label = ""
            if token.kind == .word && peek().is(":") {
                label = token.text
                advance()
                advance()
            }
            arguments.append(Argument(label: label, value: try argumentValue()))
            guard consume(",") else { break }
        }
        try expect(")")
        return arguments
    }

    /// An expression, or an operator alone.
    private mutating func argumentValue() throws(NotUnderstood) -> Expression {
        let next = peek()
        switch token.kind {
        case .prefixOperator, .infixOperator, .postfixOperator:
            guard next.is(",") || next.is(")") else { return try expression() }
            let start = start
            advance()
            return Expression(kind: .other, range: range(from: start))
        default:
            return try expression()
        }
    }

    /// Whether `<` begins a list of types, which is so if one can be read and what follows cannot follow a comparison.
    var startsGenericArguments: Bool {
        guard at(angle: "<"), token.kind != .infixOperator || token.text == "<" else { return false }
        var behind = self
        guard let _ = try? behind.skipTypes() else { return false }
        let next = behind.token
        switch next.kind {
        case .punctuation:
            if next.is("(") || next.is("[") { return !next.startsLine }
            return [")", "]", "{", "}", ".", ",", ";", ":"].contains(next.text)
        case .postfixOperator: return next.is("?") || next.is("!")
        case .infixOperator: return next.is("&")
        default: return next.kind == .end
        }
    }

    /// Consumes types in angle brackets, and throws where something else stands there.
    private mutating func skipTypes() throws(NotUnderstood) {
        guard consume(angle: "<") else { throw notUnderstood }
        while !at(angle: ">") {
            if token.kind == .integer { advance() } else { _ = try type() }
            guard consume(",") else { break }
        }
        guard consume(angle: ">") else { throw notUnderstood }
    }

    /// Whether the brace here is a closure, and not the observers of a property.
    var isAtTrailingClosure: Bool {
        guard at("{") else { return false }
        var inside = self
        inside.advance()
        if inside.at("case") { return false }
        while inside.at("@") {
            guard let _ = try? inside.attribute() else { return false }
        }
        return !["willSet", "didSet", "init"].contains(inside.token.text)
    }

    mutating func skipTrailingClosures() throws(NotUnderstood) {
        try skipBrackets()
        while token.kind == .word, !at("default"), peek().is(":") {
            var behind = self
            behind.advance()
            behind.advance()
            guard behind.at("{") else { return }
            self = behind
            try skipBrackets()
        }
    }

    /// Whether `#if` here goes on with members of the expression.
    private var isAtConditionalSuffix: Bool {
        var inside = self
        repeat {
            inside.advance()
            guard let _ = try? inside.skipCondition() else { return false }
        } while inside.at("#if")
        return inside.at(".")
    }

    private mutating func skipConditionalSuffix() throws(NotUnderstood) {
        var depth = 0
        repeat {
            if at("#if") { depth += 1 }
            if at("#endif") { depth -= 1 }
            if token.kind == .end { throw notUnderstood }
            if at("(") || at("[") || at("{") { try skipBrackets() } else { advance() }
        } while depth > 0
    }
}

extension Expression {
    fileprivate var isLiteral: Bool {
        switch kind {
        case .null, .boolean, .integer, .float, .string, .array: true
        default: false
        }
    }
}
