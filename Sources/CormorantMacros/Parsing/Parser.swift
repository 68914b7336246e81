/// Reads declarations as far as `@Model` has to know them: what it stores, of which type, with which attributes. Bodies and
/// whatever else stands in brackets are skipped, so that it need not know all of Swift; what it does not understand
/// elsewhere is an error, never left out.
///
/// The rules where an expression ends are the compiler's own; a copy of the parser looks ahead.
struct Parser {
    let source: SourceText
    private var lexer: Lexer
    /// The next one, not yet consumed.
    private(set) var token: Token
    /// Where the last consumed token ends.
    private(set) var end = 0
    /// Of declarations, types and expressions in each other.
    private var depth = 0

    /// As deep as the compiler goes.
    static let deepest = 256

    /// - Parameter position: where a token begins, in bytes.
    init(_ source: SourceText, from position: Int = 0) {
        self.source = source
        lexer = Lexer(source.bytes)
        lexer.position = position
        token = lexer.next()
    }

    /// Where the next token begins, to ask for a range from there on.
    var start: Int { token.range.lowerBound }

    /// From a token's start to the end of the last consumed one.
    func range(from start: Int) -> SourceRange {
        SourceRange(source: source, bytes: start..<max(start, end))
    }

    /// The token behind the next one.
    func peek() -> Token {
        var lexer = lexer
        return lexer.next()
    }

    func at(_ text: String) -> Bool { token.is(text) }

    /// Whether the next token is this one, and in the line of the last.
    func atInLine(_ text: String) -> Bool { token.is(text) && !token.startsLine }

    mutating func advance() {
        end = token.range.upperBound
        token = lexer.next()
    }

    mutating func consume(_ text: String) -> Bool {
        guard at(text) else { return false }
        advance()
        return true
    }

    mutating func expect(_ text: String) throws(NotUnderstood) {
        guard consume(text) else { throw notUnderstood }
    }

    mutating func word() throws(NotUnderstood) -> Token {
        guard token.kind == .word else { throw notUnderstood }
        let word = token
        advance()
        return word
    }

    /// Whether the next token begins with this bracket of generics, which may be part of an operator: `>?`.
    func at(angle: Character) -> Bool {
        switch token.kind {
        case .prefixOperator, .infixOperator, .postfixOperator: token.text.first == angle
        default: false
        }
    }

    /// Consumes one bracket of generics, of whatever operator it is part.
    mutating func consume(angle: Character) -> Bool {
        guard at(angle: angle) else { return false }
        advance(bytes: 1)
        return true
    }

    /// Consumes a part of an operator.
    mutating func advance(bytes: Int) {
        end = token.range.lowerBound + bytes
        lexer.position = end
        token = lexer.next()
    }

    /// Begins what may stand in itself, so that what is nested without end is an error and no crash.
    mutating func enter() throws(NotUnderstood) {
        guard depth < Self.deepest else { throw notUnderstood }
        depth += 1
    }

    mutating func leave() { depth -= 1 }

    /// An error that says where the parser stands.
    var notUnderstood: NotUnderstood {
        NotUnderstood(range: SourceRange(source: source, bytes: token.range))
    }

    /// Consumes a bracket with all that stands in it.
    mutating func skipBrackets() throws(NotUnderstood) {
        var closing: [String] = []
        repeat {
            switch token.kind == .punctuation ? token.text : "" {
            case "(": closing.append(")")
            case "[": closing.append("]")
            case "{": closing.append("}")
            case ")", "]", "}":
                guard closing.last == token.text else { throw notUnderstood }
                closing.removeLast()
            default:
                guard token.kind != .end && token.kind != .unknown else { throw notUnderstood }
            }
            advance()
        } while !closing.isEmpty
    }

    /// Consumes what stands between `<` and `>`, types or declarations of them.
    mutating func skipAngles() throws(NotUnderstood) {
        var depth = 0
        repeat {
            if consume(angle: "<") {
                depth += 1
            } else if consume(angle: ">") {
                depth -= 1
            } else if at("(") || at("[") || at("{") {
                try skipBrackets()
            } else if token.kind == .end || at(")") || at("]") || at("}") {
                throw notUnderstood
            } else {
                advance()
            }
        } while depth > 0
    }

    /// Consumes the condition of `#if`, which ends with its line.
    mutating func skipCondition() throws(NotUnderstood) {
        while !token.startsLine {
            if at("(") { try skipBrackets() } else { advance() }
        }
    }
}
