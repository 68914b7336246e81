extension Declaration {
    /// What types have besides their members.
    struct Parts {
        var name: SourceRange?
        var genericParameters: SourceRange?
        var inherited: [SourceRange] = []
        var body: SourceRange?
    }
}

extension Declaration {
    /// What stands in a type's braces.
    func members() throws(NotUnderstood) -> [Declaration] {
        guard let body else { return [] }
        var parser = Parser(body.source, from: body.bytes.lowerBound)
        return try parser.members()
    }
}

/// Declarations of types and functions.
extension Parser {
    mutating func typeParts(isExtension: Bool) throws(NotUnderstood) -> Declaration.Parts {
        var parts = Declaration.Parts()
        if isExtension {
            parts.name = try type().range
        } else {
            parts.name = try nameRange()
            if at(angle: "<") {
                let start = start
                try skipAngles()
                parts.genericParameters = range(from: start)
            }
        }
        if consume(":") { parts.inherited = try inherited() }
        try skipRequirements()
        let start = start
        guard at("{") else { throw notUnderstood }
        try skipBrackets()
        parts.body = range(from: start)
        return parts
    }

    mutating func nameRange() throws(NotUnderstood) -> SourceRange {
        let start = start
        _ = try word()
        return range(from: start)
    }

    mutating func inherited() throws(NotUnderstood) -> [SourceRange] {
        var types: [SourceRange] = []
        repeat { types.append(try type().range) } while consume(",")
        return types
    }

    /// Consumes a `where` with its requirements.
    mutating func skipRequirements() throws(NotUnderstood) {
        guard consume("where") else { return }
        repeat {
            _ = try type()
            guard at(":") || token.text == "==" else { throw notUnderstood }
            advance()
            if token.kind == .integer { advance() } else { _ = try type() }
        } while consume(",")
    }

    /// Consumes a function behind its keyword; its body may be missing, for macros can write it.
    mutating func skipFunction(_ keyword: String) throws(NotUnderstood) {
        if keyword == "init", at("?") || at("!") { advance() }
        if keyword == "func" || keyword == "macro" { try skipFunctionName() }
        if at(angle: "<") { try skipAngles() }
        if at("(") { try skipBrackets() }
        try skipEffects()
        if consume("->") { _ = try type() }
        if keyword == "macro" && consume("=") { _ = try expression() }
        try skipRequirements()
        if at("{") { try skipBrackets() }
    }

    /// A name, or an operator, whose last character may begin the generic parameters.
    private mutating func skipFunctionName() throws(NotUnderstood) {
        if token.kind == .word { return advance() }
        guard [.prefixOperator, .infixOperator, .postfixOperator].contains(token.kind) || at("=") || at("->") else {
            throw notUnderstood
        }
        let isGeneric = token.text.count > 1 && token.text.hasSuffix("<") && peek().kind == .word
        if isGeneric { advance(bytes: token.text.utf8.count - 1) } else { advance() }
    }
}
