/// Cuts source text into tokens, one at a time; a copy of it looks ahead.
struct Lexer {
    let bytes: [UInt8]
    /// Of the next byte to read.
    var position = 0
    /// Whether a `/` here can begin a regular expression, as the token before it has it.
    var expectsOperand = true
    /// Whether digits here are the number of a tuple's element.
    private var isBehindPeriod = false
    /// Of interpolations in each other.
    var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A byte from the next one on; 0 behind the end.
    func byte(_ distance: Int = 0) -> UInt8 {
        let index = position + distance
        return index >= 0 && index < bytes.count ? bytes[index] : 0
    }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func next() -> Token {
        let startsLine = skipTrivia() || position == 0
        let start = position
        guard !isAtEnd else { return Token(kind: .end, text: "", range: start..<start, startsLine: true) }
        let kind = lexToken()
        if position == start { position += 1 }
        let text =
            switch kind {
            case .integer, .float, .string, .regex, .unknown: ""
            default: String(decoding: bytes[start..<position], as: UTF8.self)
            }
        let token = Token(kind: kind, text: text, range: start..<position, startsLine: startsLine)
        expectsOperand = token.isBeforeOperand
        isBehindPeriod = token.is(".")
        return token
    }

    /// Skips white space and comments.
    ///
    /// - Returns: whether a line ends in them.
    private mutating func skipTrivia() -> Bool {
        var endsLine = false
        while !isAtEnd {
            switch byte() {
            case .newline, .carriageReturn:
                endsLine = true
                position += 1
            case .space, .tab, 0x0B, 0x0C, 0:
                position += 1
            case 0xC2 where byte(1) == 0xA0, 0xEF where position == 0 && byte(1) == 0xBB && byte(2) == 0xBF:
                position += byte() == 0xC2 ? 2 : 3
            case .slash where byte(1) == .slash:
                while !isAtEnd && byte() != .newline && byte() != .carriageReturn { position += 1 }
            case .slash where byte(1) == .asterisk:
                if skipBlockComment() { endsLine = true }
            default:
                return endsLine
            }
        }
        return endsLine
    }

    /// Comments nest.
    private mutating func skipBlockComment() -> Bool {
        var depth = 0
        var endsLine = false
        repeat {
            if byte() == .slash && byte(1) == .asterisk {
                depth += 1
                position += 2
            } else if byte() == .asterisk && byte(1) == .slash {
                depth -= 1
                position += 2
            } else {
                if byte() == .newline || byte() == .carriageReturn { endsLine = true }
                position += 1
            }
        } while depth > 0 && !isAtEnd
        return endsLine
    }

    private mutating func lexToken() -> Token.Kind {
        switch byte() {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return lexNumber(isElement: isBehindPeriod)
        case .quote: return lexString()
        case .pound: return lexPound()
        case .backtick: return lexQuotedName()
        case .at, .backslash, .comma, .semicolon, .openParenthesis, .closeParenthesis, .openBracket, .closeBracket,
            .openBrace, .closeBrace:
            position += 1
            return .punctuation
        case .colon:
            position += byte(1) == .colon ? 2 : 1
            return .punctuation
        case .period where byte(1) != .period:
            position += 1
            return .punctuation
        case .question where isLeftBound, .exclamation where isLeftBound:
            position += 1
            return .postfixOperator
        default:
            if skipOperatorCharacter() { return lexOperator() }
            while byte().isNameByte || byte() == .dollar { position += 1 }
            return .word
        }
    }

    private mutating func lexQuotedName() -> Token.Kind {
        repeat { position += 1 } while !isAtEnd && byte() != .backtick && byte() != .newline
        guard byte() == .backtick else { return .unknown }
        position += 1
        return .word
    }

    /// A name with `#` before it, or what raw text or a regular expression begins with.
    private mutating func lexPound() -> Token.Kind {
        var pounds = 0
        while byte(pounds) == .pound { pounds += 1 }
        if byte(pounds) == .quote { return lexString() }
        if byte(pounds) == .slash { return lexRegex() ? .regex : .unknown }
        position += 1
        while byte().isNameByte { position += 1 }
        return .pound
    }
}

extension Token {
    fileprivate var isBeforeOperand: Bool {
        switch kind {
        case .prefixOperator, .infixOperator, .unknown: true
        case .punctuation: ["(", "[", "{", ",", ";", ":", "="].contains(text)
        case .pound: ["#if", "#elseif", "#else", "#endif"].contains(text)
        case .word: ["return", "try", "await", "in", "case", "where", "throw", "else", "is", "as", "if"].contains(text)
        default: false
        }
    }
}
