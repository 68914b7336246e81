/// The words that may stand before a type.
private let specifiers: Set = [
    "inout", "borrowing", "consuming", "sending", "isolated", "nonisolated", "__owned", "__shared", "_const",
]

extension Parser {
    mutating func type() throws(NotUnderstood) -> TypeReference {
        try enter()
        defer { leave() }
        let start = start
        var kind: TypeReference.Kind?
        while at("@") || at("repeat") || (specifiers.contains(token.text) && isSpecifier) {
            kind = .other
            if at("@") { _ = try attribute() } else { advance() }
            if isAtSpecifierArgument { try skipBrackets() }
        }
        let base = try composition()
        if isAtArrow {
            try skipEffects()
            try expect("->")
            _ = try type()
            kind = kind ?? .function
        }
        return TypeReference(kind: kind ?? base.kind, range: range(from: start))
    }

    /// Whether the word is no type's name, for a type follows.
    private var isSpecifier: Bool {
        let next = peek()
        if next.startsLine { return false }
        return next.kind == .word || next.is("@") || next.is("[") || (next.is("(") && !token.is("nonisolated"))
            || (token.is("nonisolated") && next.is("("))
    }

    /// `nonisolated(nonsending)`: what is in the parentheses is one word, and a type comes behind.
    private var isAtSpecifierArgument: Bool {
        guard atInLine("(") else { return false }
        var behind = self
        behind.advance()
        return behind.at("nonsending") || behind.at("unsafe")
    }

    /// Whether a function's type goes on here.
    private var isAtArrow: Bool {
        at("->") || ((at("async") || at("throws") || at("rethrows") || at("reasync")) && !token.startsLine)
    }

    /// Consumes `async`, `throws` and `throws(Failure)`.
    mutating func skipEffects() throws(NotUnderstood) {
        while ["async", "throws", "rethrows", "reasync"].contains(token.text) {
            let mayNameError = at("throws")
            advance()
            if mayNameError && at("(") { try skipBrackets() }
        }
    }

    private mutating func composition() throws(NotUnderstood) -> TypeReference {
        let start = start
        var kind: TypeReference.Kind?
        if (at("some") || at("any") || at("each")) && peek().startsType {
            kind = at("each") ? .other : .existential
            advance()
        }
        let first = try simpleType()
        while token.text == "&" && token.kind != .end {
            kind = kind ?? .other
            advance()
            _ = try simpleType()
        }
        return TypeReference(kind: kind ?? first.kind, range: range(from: start))
    }

    /// A type without `&` and `->`.
    private mutating func simpleType() throws(NotUnderstood) -> TypeReference {
        let start = start
        let isSuppressed = at("~")
        if isSuppressed { advance() }
        var kind = try baseType()
        var length = 0
        while true {
            length += 1
            guard length < Self.deepest else { throw notUnderstood }
            if at(".") {
                advance()
                let name = try word()
                kind =
                    ["Type", "Protocol"].contains(name.text) ? .other : .member(name.text, arguments: try arguments())
            } else if atInLine("?"), token.kind == .postfixOperator {
                kind = .optional(TypeReference(kind: kind, range: range(from: start)))
                advance()
            } else if atInLine("!"), token.kind == .postfixOperator {
                // With what stands before the mark.
                let range = SourceRange(source: source, bytes: start..<self.start)
                kind = .implicitlyUnwrapped(TypeReference(kind: kind, range: range))
                advance()
            } else {
                return TypeReference(kind: isSuppressed ? .other : kind, range: range(from: start))
            }
        }
    }

    private mutating func baseType() throws(NotUnderstood) -> TypeReference.Kind {
        if at("(") { return .tuple(try tupleElements()) }
        if at("[") { return try collection() }
        guard token.startsType else { throw notUnderstood }
        var name = try word()
        while consume("::") { name = try word() }
        return .named(name.text, arguments: try arguments())
    }

    private mutating func arguments() throws(NotUnderstood) -> [TypeReference]? {
        guard at(angle: "<") else { return nil }
        _ = consume(angle: "<")
        var arguments: [TypeReference] = []
        while !at(angle: ">") {
            arguments.append(try argument())
            guard consume(",") else { break }
        }
        guard consume(angle: ">") else { throw notUnderstood }
        return arguments
    }

    /// A type or a number.
    private mutating func argument() throws(NotUnderstood) -> TypeReference {
        let start = start
        guard token.kind == .integer || at("-") else { return try type() }
        if at("-") { advance() }
        guard token.kind == .integer else { throw notUnderstood }
        advance()
        return TypeReference(kind: .other, range: range(from: start))
    }

    /// The types in parentheses, whose names go.
    private mutating func tupleElements() throws(NotUnderstood) -> [TypeReference] {
        try expect("(")
        var elements: [TypeReference] = []
        while !at(")") {
            if token.kind == .word && peek().is(":") {
                advance()
                advance()
            } else if token.kind == .word && peek().kind == .word && isAtSecondName {
                advance()
                advance()
                advance()
            }
            elements.append(try type())
            if token.text == "..." { advance() }
            if at("=") {
                advance()
                _ = try expression()
            }
            guard consume(",") else { break }
        }
        try expect(")")
        return elements
    }

    /// `_ name: Int`
    private var isAtSecondName: Bool {
        var behind = self
        behind.advance()
        behind.advance()
        return behind.at(":")
    }

    /// `[Int]`, `[String: Int]`, `[3 of Int]`.
    private mutating func collection() throws(NotUnderstood) -> TypeReference.Kind {
        try expect("[")
        if token.kind == .integer || peek().is("of") {
            while !at("]") {
                if token.kind == .end { throw notUnderstood }
                if at("[") || at("(") { try skipBrackets() } else { advance() }
            }
            advance()
            return .other
        }
        let element = try type()
        guard consume(":") else {
            try expect("]")
            return .array(element)
        }
        _ = try type()
        try expect("]")
        return .dictionary
    }
}

extension Token {
    /// Whether it can begin a type without attributes.
    var startsType: Bool {
        kind == .word
            ? !isReserved || ["Any", "Self", "_"].contains(text) : self.is("(") || self.is("[") || self.is("~")
    }
}
