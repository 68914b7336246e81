/// Operators, and which of their sides something stands on.
extension Lexer {
    /// Whether what is before the next byte belongs to it.
    var isLeftBound: Bool {
        switch byte(-1) {
        case .space, .tab, .newline, .carriageReturn, 0, .openParenthesis, .openBracket, .openBrace, .comma, .semicolon,
            .colon:
            false
        case .slash: byte(-2) != .asterisk
        case 0xA0: byte(-2) != 0xC2
        default: true
        }
    }

    private func isRightBound(isLeftBound: Bool) -> Bool {
        switch byte() {
        case .space, .tab, .newline, .carriageReturn, 0, .closeParenthesis, .closeBracket, .closeBrace, .comma,
            .semicolon, .colon:
            false
        case .period: !isLeftBound
        case .slash: byte(1) != .slash && byte(1) != .asterisk
        case 0xC2: byte(1) != 0xA0
        default: true
        }
    }

    /// What comes behind the first character of an operator.
    mutating func lexOperator() -> Token.Kind {
        let end = position
        position -= 1
        while byte() & 0xC0 == 0x80 { position -= 1 }
        let start = position
        let isLeftBound = isLeftBound
        if byte() == .slash && !isLeftBound {
            var behind = self
            behind.position = end
            if expectsOperand || behind.isRightBound(isLeftBound: false), lexRegex() { return .regex }
        }
        position = end
        let hasPeriods = bytes[start] == .period
        while hasPeriods || byte() != .period, byte() != .slash || (byte(1) != .slash && byte(1) != .asterisk),
            skipOperatorCharacter()
        {}
        let isRightBound = isRightBound(isLeftBound: isLeftBound)
        if position - start == 1 && bytes[start] == UInt8(ascii: "=") { return .punctuation }
        if position - start == 2 && bytes[start] == UInt8(ascii: "-") && bytes[start + 1] == UInt8(ascii: ">") {
            return .punctuation
        }
        if position - start == 1 && bytes[start] == .question { return .infixOperator }
        return isLeftBound == isRightBound ? .infixOperator : isLeftBound ? .postfixOperator : .prefixOperator
    }

    /// - Returns: false, with nothing skipped, where there is none.
    mutating func skipOperatorCharacter() -> Bool {
        switch byte() {
        case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "!"),
            UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"),
            UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "."):
            position += 1
            return true
        case 0xC2...0xE3:
            let length = byte() < 0xE0 ? 2 : 3
            guard length == 2 || position + 2 < bytes.count else { return false }
            let high = UInt32(byte()) & (length == 2 ? 0x1F : 0x0F)
            let low = UInt32(byte(1)) & 0x3F
            let scalar = length == 2 ? high << 6 | low : high << 12 | low << 6 | UInt32(byte(2)) & 0x3F
            guard isOperator(scalar) else { return false }
            position += length
            return true
        default:
            return false
        }
    }

    /// Source: The Swift Programming Language, Lexical Structure, Operators.
    private func isOperator(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xA1...0xA7, 0xA9, 0xAB, 0xAC, 0xAE, 0xB0, 0xB1, 0xB6, 0xBB, 0xBF, 0xD7, 0xF7, 0x2016...0x2017,
            0x2020...0x2027, 0x2030...0x203E, 0x2041...0x2053, 0x2055...0x205E, 0x2190...0x23FF, 0x2500...0x2775,
            0x2794...0x2BFF, 0x2E00...0x2E7F, 0x3001...0x3003, 0x3008...0x3020, 0x3030:
            true
        default: false
        }
    }
}
