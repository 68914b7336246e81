/// Numbers, text and regular expressions.
extension Lexer {
    /// - Parameter isElement: whether it is the number of a tuple's element, which has no fraction.
    mutating func lexNumber(isElement: Bool) -> Token.Kind {
        let isHexadecimal = byte() == UInt8(ascii: "0") && byte(1) == UInt8(ascii: "x")
        let exponents =
            isHexadecimal ? [UInt8(ascii: "p"), UInt8(ascii: "P")] : [UInt8(ascii: "e"), UInt8(ascii: "E")]
        var kind = Token.Kind.integer
        while true {
            if byte() == .period && byte(1).isDigit && kind == .integer && !isElement {
                kind = .float
            } else if exponents.contains(byte()) {
                kind = .float
                if byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") { position += 1 }
            } else if !byte().isNameByte {
                return kind
            }
            position += 1
        }
    }

    /// Text, raw or not, of one line or several.
    mutating func lexString() -> Token.Kind {
        let pounds = skipPounds()
        let isMultiline = byte(1) == .quote && byte(2) == .quote && (pounds == 0 || isLastOfLine(3))
        position += isMultiline ? 3 : 1
        while !isAtEnd {
            switch byte() {
            case .quote where !isMultiline || (byte(1) == .quote && byte(2) == .quote):
                let quotes = isMultiline ? 3 : 1
                if hasPounds(pounds, after: quotes) {
                    position += quotes + pounds
                    return .string
                }
                position += 1
            case .backslash where hasPounds(pounds, after: 1):
                position += 1 + pounds
                if byte() == .openParenthesis {
                    skipInterpolation()
                } else {
                    position += 1
                }
            case .newline, .carriageReturn:
                guard isMultiline else { return .unknown }
                position += 1
            default:
                position += 1
            }
        }
        return .unknown
    }

    /// Whether only white space is left of the line: `#"""#` is a quote between quotes, and not the beginning of several
    /// lines.
    private func isLastOfLine(_ distance: Int) -> Bool {
        var distance = distance
        while byte(distance) == .space || byte(distance) == .tab { distance += 1 }
        return byte(distance) == .newline || byte(distance) == .carriageReturn
    }

    private mutating func skipPounds() -> Int {
        let start = position
        while byte() == .pound { position += 1 }
        return position - start
    }

    private func hasPounds(_ count: Int, after distance: Int) -> Bool {
        (0..<count).allSatisfy { byte(distance + $0) == .pound }
    }

    /// What is interpolated is code, in which there may be text again.
    private mutating func skipInterpolation() {
        var parentheses = 0
        expectsOperand = true
        // Nested without end, it is text without end.
        guard depth < 256 else { return position = bytes.count }
        depth += 1
        defer { depth -= 1 }
        repeat {
            let token = next()
            if token.is("(") { parentheses += 1 }
            if token.is(")") { parentheses -= 1 }
            if token.kind == .end { return }
        } while parentheses > 0
    }

    /// - Returns: false, with nothing skipped, where it is none: it has no end, or it would end a bracket.
    mutating func lexRegex() -> Bool {
        let start = position
        let pounds = skipPounds()
        position += 1
        if pounds > 0 ? skipExtendedRegex(pounds) : skipPlainRegex() { return true }
        position = start
        return false
    }

    private mutating func skipExtendedRegex(_ pounds: Int) -> Bool {
        let isMultiline = isLastOfLine(0)
        while !isAtEnd {
            if byte() == .slash && hasPounds(pounds, after: 1) {
                position += 1 + pounds
                return true
            }
            if !isMultiline && (byte() == .newline || byte() == .carriageReturn) { return false }
            position += byte() == .backslash ? 2 : 1
        }
        return false
    }

    private mutating func skipPlainRegex() -> Bool {
        var parentheses = 0
        var brackets = 0
        if [.space, .tab, .slash, .asterisk].contains(byte()) { return false }
        while !isAtEnd {
            switch byte() {
            case .slash:
                position += 1
                return byte(-2) != .space && byte(-2) != .tab && byte() != .slash && byte() != .asterisk
            case .newline, .carriageReturn: return false
            case .backslash: position += 1
            case .openParenthesis where brackets == 0: parentheses += 1
            case .closeParenthesis where brackets == 0:
                parentheses -= 1
                if parentheses < 0 { return false }
            case .openBracket: brackets += 1
            case .closeBracket: brackets = max(0, brackets - 1)
            default: break
            }
            position += 1
        }
        return false
    }
}
