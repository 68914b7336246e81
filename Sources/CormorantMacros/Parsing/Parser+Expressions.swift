/// What may stand before an operand, as a word.
private let operandWords: Set = ["try", "await", "unsafe", "copy", "consume", "borrow", "each", "repeat"]

extension Parser {
    /// An expression with all its operators; one that has any is of the other kind.
    mutating func expression() throws(NotUnderstood) -> Expression {
        try enter()
        defer { leave() }
        let start = start
        let first = try operand()
        var isSingle = true
        while try skipOperator() { isSingle = false }
        return isSingle ? first : Expression(kind: .other, range: range(from: start))
    }

    /// Consumes an operator with its right side.
    ///
    /// - Returns: false where the expression ends.
    private mutating func skipOperator() throws(NotUnderstood) -> Bool {
        if at("?") && token.kind == .infixOperator {
            advance()
            _ = try expression()
            try expect(":")
        } else if token.kind == .infixOperator || at("=") || at("->") {
            advance()
        } else if at("is") || at("as") {
            advance()
            if (at("?") || at("!")) && token.kind == .postfixOperator { advance() }
            _ = try type()
            return true
        } else if at("throws") || (at("async") && (peek().is("->") || peek().is("throws"))) {
            try skipEffects()
            try expect("->")
        } else {
            return false
        }
        _ = try operand()
        return true
    }

    /// What stands between two operators.
    private mutating func operand() throws(NotUnderstood) -> Expression {
        try enter()
        defer { leave() }
        let start = start
        if at("@") || at("inout") || (at("nonisolated") && peek().is("(")) || (at("any") && peek().startsType) {
            _ = try type()
        } else if operandWords.contains(token.text) && isAtOperandWord {
            advance()
            if (at("?") || at("!")) && token.kind == .postfixOperator { advance() }
            _ = try operand()
        } else if at("if") || at("switch") || at("do") {
            try skipStatement()
        } else if token.kind == .prefixOperator {
            let isMinus = at("-")
            advance()
            let operand = try operand()
            return Expression(kind: isMinus ? .negative(operand) : .other, range: range(from: start))
        } else if at("\\") {
            try skipKeyPath()
        } else {
            return try suffixes(of: try primary(), from: start)
        }
        return Expression(kind: .other, range: range(from: start))
    }

    /// `copy` is a name where no operand follows.
    private var isAtOperandWord: Bool {
        if at("try") || at("await") || at("repeat") { return true }
        let next = peek()
        guard !next.startsLine else { return false }
        switch next.kind {
        case .word: return !["is", "as", "in", "else", "async", "throws"].contains(next.text)
        case .integer, .float, .string, .regex, .prefixOperator, .pound: return true
        case .punctuation: return next.is("\\") || next.is("@") || (at("unsafe") && next.is("{"))
        default: return false
        }
    }

    /// Consumes an `if`, `switch` or `do` that has a value.
    private mutating func skipStatement() throws(NotUnderstood) {
        while true {
            try skipToBody()
            try skipBrackets()
            guard at("else") || at("catch") else { return }
            advance()
        }
    }

    private mutating func skipToBody() throws(NotUnderstood) {
        while !at("{") {
            if at("(") || at("[") {
                try skipBrackets()
            } else if token.kind == .end || at("}") || at(")") || at("]") {
                throw notUnderstood
            } else {
                advance()
            }
        }
    }

    /// `\Person.name`, `\.tags[0]?.name`
    private mutating func skipKeyPath() throws(NotUnderstood) {
        try expect("\\")
        if at("(") || at("[") {
            try skipBrackets()
        } else if token.kind == .word {
            advance()
        }
        if at(angle: "<") { try skipAngles() }
        while true {
            if at(".") {
                advance()
                if token.kind == .word || token.kind == .integer { advance() }
                if startsGenericArguments { try skipAngles() }
            } else if atInLine("[") {
                try skipBrackets()
            } else if token.kind == .postfixOperator, token.text.allSatisfy({ "?!.".contains($0) }) {
                advance()
            } else {
                return
            }
        }
    }

    /// An operand without what comes behind it.
    private mutating func primary() throws(NotUnderstood) -> Expression {
        let start = start
        var kind = Expression.Kind.other
        switch token.kind {
        case .integer, .float, .string, .regex:
            switch token.kind {
            case .integer: kind = .integer
            case .float: kind = .float
            case .string: kind = .string
            default: break
            }
            advance()
        case .word:
            kind = try name()
        case .pound:
            advance()
            if startsGenericArguments { try skipAngles() }
            if atInLine("(") { try skipBrackets() }
            if isAtTrailingClosure { try skipTrailingClosures() }
        case .punctuation where at("("), .punctuation where at("{"):
            try skipBrackets()
        case .punctuation where at("["):
            kind = try arrayOrDictionary()
        case .punctuation where at("."):
            advance()
            kind = .member(base: nil, name: try word().text)
        default:
            throw notUnderstood
        }
        return Expression(kind: kind, range: range(from: start))
    }

    private mutating func name() throws(NotUnderstood) -> Expression.Kind {
        if token.isReserved
            && !["nil", "true", "false", "self", "Self", "super", "Any", "init", "_"].contains(token.text)
        {
            throw notUnderstood
        }
        let word = try word()
        switch word.text {
        case "nil": return .null
        case "true", "false": return .boolean
        case "Any", "_": return .other
        default: break
        }
        while consume("::") { _ = try self.word() }
        guard startsGenericArguments else { return .name }
        try skipAngles()
        return .specialized
    }

    /// What is no array of expressions is not looked into.
    private mutating func arrayOrDictionary() throws(NotUnderstood) -> Expression.Kind {
        var behind = self
        try behind.skipBrackets()
        defer { self = behind }
        advance()
        var elements: [Expression] = []
        while !at("]") {
            guard let element = try? expression() else { return .other }
            elements.append(element)
            guard consume(",") else { break }
        }
        return at("]") ? .array(elements) : .other
    }
}
