private let modifierNames: Set = [
    "public", "package", "internal", "fileprivate", "private", "open", "static", "final", "lazy", "weak", "unowned",
    "nonisolated", "mutating", "nonmutating", "consuming", "borrowing", "__consuming", "override", "required",
    "convenience", "dynamic", "optional", "indirect", "distributed", "isolated", "prefix", "postfix", "infix", "async",
    "sending", "_const", "_local", "__setter_access", "reasync", "rethrows",
]

/// Words that begin a declaration.
private let keywords: Set = [
    "struct", "class", "enum", "actor", "protocol", "extension", "func", "init", "deinit", "subscript", "var", "let",
    "typealias", "associatedtype", "case", "import", "macro", "operator", "precedencegroup",
]

extension Parser {
    /// A declaration with its attributes.
    mutating func declaration() throws(NotUnderstood) -> Declaration {
        try enter()
        defer { leave() }
        if at("#if") && !isAtConditionalAttributes { return try conditional() }
        let start = start
        let attributes = try attributes()
        let modifiers = try modifiers()
        let keyword = token
        var (kind, end) = (Declaration.Kind.other, Declaration.Parts())
        switch keyword.text {
        case "var", "let":
            advance()
            kind = .variable(try bindings())
        case "struct", "class", "enum", "actor", "protocol", "extension":
            advance()
            end = try typeParts(isExtension: keyword.is("extension"))
        case "func", "init", "deinit", "subscript", "macro":
            advance()
            try skipFunction(keyword.text)
        case "typealias", "associatedtype":
            advance()
            end.name = try nameRange()
            try skipAlias()
        case "case", "import", "operator", "precedencegroup":
            try skipLine()
        default:
            guard keyword.kind == .pound, !["#elseif", "#else", "#endif"].contains(keyword.text) else {
                throw notUnderstood
            }
            _ = try expression()
        }
        return Declaration(
            kind: kind, keyword: keyword.text, attributes: attributes, modifiers: modifiers, name: end.name,
            genericParameters: end.genericParameters, inherited: end.inherited, body: end.body,
            range: range(from: start))
    }

    /// The members in a type's braces, where the parser stands.
    mutating func members() throws(NotUnderstood) -> [Declaration] {
        try expect("{")
        let members = try declarations()
        try expect("}")
        return members
    }

    private mutating func declarations() throws(NotUnderstood) -> [Declaration] {
        var declarations: [Declaration] = []
        while true {
            if consume(";") { continue }
            if at("}") || at("#elseif") || at("#else") || at("#endif") || token.kind == .end { return declarations }
            declarations.append(try declaration())
        }
    }

    private mutating func conditional() throws(NotUnderstood) -> Declaration {
        let start = start
        var members: [Declaration] = []
        repeat {
            advance()
            try skipCondition()
            members += try declarations()
        } while at("#elseif") || at("#else")
        try expect("#endif")
        return Declaration(
            kind: .conditional(members), keyword: "#if", attributes: [], modifiers: [], range: range(from: start))
    }

    /// Whether `#if` is around attributes alone, and so belongs to the declaration behind it.
    private var isAtConditionalAttributes: Bool {
        var behind = self
        return (try? behind.conditionalAttributes()) != nil
    }

    /// With those that stand in `#if`.
    mutating func attributes() throws(NotUnderstood) -> [Attribute] {
        var attributes: [Attribute] = []
        while true {
            if at("@") {
                attributes.append(try attribute())
            } else if at("#if") {
                var behind = self
                guard let more = try? behind.conditionalAttributes() else { return attributes }
                self = behind
                attributes += more
            } else {
                return attributes
            }
        }
    }

    private mutating func conditionalAttributes() throws(NotUnderstood) -> [Attribute] {
        try enter()
        defer { leave() }
        var found: [Attribute] = []
        repeat {
            advance()
            try skipCondition()
            found += try attributes()
        } while at("#elseif") || at("#else")
        guard !found.isEmpty else { throw notUnderstood }
        try expect("#endif")
        return found.map { attribute in
            var attribute = attribute
            attribute.isConditional = true
            return attribute
        }
    }

    mutating func attribute() throws(NotUnderstood) -> Attribute {
        let start = start
        try expect("@")
        var name = try word().text
        while at(".") || at("::") {
            advance()
            name = try word().text
        }
        if at(angle: "<") { try skipAngles() }
        var found: [Argument] = []
        if atInLine("(") && isAtAttributeArguments {
            if macroNames.contains(name) { found = try arguments() } else { try skipBrackets() }
        }
        return Attribute(name: name, arguments: found, range: range(from: start))
    }

    /// Whether the parentheses are the attribute's, and not the parameters of a function's type.
    private var isAtAttributeArguments: Bool {
        let isAdjacent = token.range.lowerBound == end
        var behind = self
        guard let _ = try? behind.skipBrackets() else { return isAdjacent }
        if isAdjacent { return !["->", "async", "throws", "rethrows"].contains(behind.token.text) }
        return behind.at("@") || modifierNames.contains(behind.token.text) || keywords.contains(behind.token.text)
    }

    private mutating func modifiers() throws(NotUnderstood) -> [String] {
        var modifiers: [String] = []
        while modifierNames.contains(token.text) || (at("class") && isModifier) {
            let modifier = token.text
            advance()
            let isOfSetter = at("(") && peek().is("set")
            if at("(") { try skipBrackets() }
            if !isOfSetter { modifiers.append(modifier) }
        }
        return modifiers
    }

    /// Whether `class` says how something is declared.
    private var isModifier: Bool {
        let next = peek()
        return modifierNames.contains(next.text) || (keywords.contains(next.text) && !next.is("class"))
    }

    private mutating func skipAlias() throws(NotUnderstood) {
        if at(angle: "<") { try skipAngles() }
        if consume(":") { _ = try inherited() }
        if consume("=") { _ = try type() }
        try skipRequirements()
    }

    /// Consumes what a line declares, with all that its brackets and commas take into the next.
    private mutating func skipLine() throws(NotUnderstood) {
        repeat {
            let isComma = at(",")
            if at("(") || at("[") || at("{") { try skipBrackets() } else { advance() }
            if isComma { continue }
        } while token.kind != .end && !at("}") && !at(";") && (!token.startsLine || at(","))
    }
}
