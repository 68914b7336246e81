/// The tokens of PostgreSQL (its scan.l), with SQLite's parameters among them: `?`, `?1`, `:name`, `@name`, `$name`, and `$1`.
///
/// What is both, is a parameter where it can be one: `?` always, so that an operator with it is written `??`, which the engine
/// sends as `?`; `:name` unless it is a cast (`::name`); `@name` unless it ends an operator (`<@name`); `$name` unless a dollar
/// quote begins with it. With a space behind them, `:` and `@` are none.
extension SQLLexer {
    /// The next token, be it space; nil at the end or a NUL.
    package mutating func scanPostgreSQL() -> Token? {
        let start = position
        let first = byte(start)
        guard first != 0 else { return nil }
        let (kind, end) = postgreSQLToken(start, first)
        position = end
        return Token(kind: kind, range: Range(uncheckedBounds: (start, end)))
    }

    private func postgreSQLToken(_ start: Int, _ first: UInt8) -> (Kind, end: Int) {
        let second = byte(start + 1)
        switch first {
        case 0x20, 0x09...0x0D: return (.space, run(start + 1, while: isSQLSpace))
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            return second == UInt8(ascii: "'") ? escaped(start + 1) : word(start)
        case UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "n"),
            UInt8(ascii: "N"):
            return second == UInt8(ascii: "'") ? quoted(start + 1, .text) : word(start)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            guard second == UInt8(ascii: "&") else { return word(start) }
            let third = byte(start + 2)
            if third == UInt8(ascii: "'") { return quoted(start + 2, .text) }
            return third == UInt8(ascii: "\"") ? quoted(start + 2, .quotedIdentifier) : word(start)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            0x80...0xFF:
            return word(start)
        case UInt8(ascii: "("): return (.leftParenthesis, start + 1)
        case UInt8(ascii: ")"): return (.rightParenthesis, start + 1)
        case UInt8(ascii: ","): return (.comma, start + 1)
        case UInt8(ascii: ";"): return (.semicolon, start + 1)
        case UInt8(ascii: "'"): return quoted(start, .text)
        case UInt8(ascii: "\""): return quoted(start, .quotedIdentifier)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return number(start)
        case UInt8(ascii: "."):
            if isDigit(second) { return number(start) }
            // Between the bounds of a loop.
            return second == UInt8(ascii: ".") ? (.operator, start + 2) : (.dot, start + 1)
        case UInt8(ascii: "["), UInt8(ascii: "]"): return (.operator, start + 1)
        case UInt8(ascii: "$"): return dollar(start)
        case UInt8(ascii: ":"):
            if second == UInt8(ascii: ":") || second == UInt8(ascii: "=") { return (.operator, start + 2) }
            return isSQLNameStart(second) ? (.parameter, word(start + 1).end) : (.operator, start + 1)
        case UInt8(ascii: "@") where isSQLNameStart(second): return (.parameter, word(start + 1).end)
        case UInt8(ascii: "?") where second != UInt8(ascii: "?"):
            return (.parameter, run(start + 1, while: isDigit))
        case UInt8(ascii: "-") where second == UInt8(ascii: "-"):
            return (.comment, run(start + 2) { $0 != 0x0A && $0 != 0x0D && $0 != 0 })
        case UInt8(ascii: "/") where second == UInt8(ascii: "*"): return nestedComment(start)
        default:
            let end = operatorEnd(start)
            return end > start ? (.operator, end) : (.illegal, start + 1)
        }
    }

    private func word(_ start: Int) -> (Kind, end: Int) { (.identifier, run(start, while: isSQLNamePart)) }

    /// A backslash takes the quote behind it.
    private func escaped(_ start: Int) -> (Kind, end: Int) {
        var at = start + 1
        while true {
            at = run(at) { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\\") && $0 != 0 }
            switch byte(at) {
            case 0: return (.illegal, at)
            case UInt8(ascii: "\\"): at += byte(at + 1) == 0 ? 1 : 2
            default:
                guard byte(at + 1) == UInt8(ascii: "'") else { return (.text, at + 1) }
                at += 2
            }
        }
    }

    /// A parameter, or a text in dollar quotes.
    private func dollar(_ start: Int) -> (Kind, end: Int) {
        if isDigit(byte(start + 1)) { return (.parameter, run(start + 1, while: isDigit)) }
        let isTag: (UInt8) -> Bool = { isSQLNamePart($0) && $0 != UInt8(ascii: "$") }
        let tag = run(start + 1, while: isTag)
        guard byte(tag) == UInt8(ascii: "$") else {
            return tag > start + 1 ? (.parameter, tag) : (.illegal, start + 1)
        }
        let length = tag + 1 - start
        var at = tag + 1
        while true {
            at = run(at) { $0 != UInt8(ascii: "$") && $0 != 0 }
            guard byte(at) != 0 else { return (.illegal, at) }
            if (0..<length).allSatisfy({ byte(at + $0) == byte(start + $0) }) { return (.text, at + length) }
            at += 1
        }
    }

    private func nestedComment(_ start: Int) -> (Kind, end: Int) {
        var (at, depth) = (start + 2, 1)
        while true {
            at = run(at) { $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "/") && $0 != 0 }
            guard byte(at) != 0 else { return (.openComment, at) }
            switch (byte(at), byte(at + 1)) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")): (at, depth) = (at + 2, depth + 1)
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                (at, depth) = (at + 2, depth - 1)
                if depth == 0 { return (.comment, at) }
            default: at += 1
            }
        }
    }

    /// The longest run of operator characters, as PostgreSQL takes it; but `=@name` and the like end before the parameter.
    private func operatorEnd(_ start: Int) -> Int {
        var end = start
        var isPlain = true
        while true {
            let (next, behind) = (byte(end), byte(end + 1))
            if next == UInt8(ascii: "?") {
                guard behind == UInt8(ascii: "?") else { return end }
                (end, isPlain) = (end + 2, false)
                continue
            }
            guard isOperator(next), !(next == UInt8(ascii: "-") && behind == UInt8(ascii: "-")),
                !(next == UInt8(ascii: "/") && behind == UInt8(ascii: "*"))
            else { return end }
            if next == UInt8(ascii: "@"), isSQLNameStart(behind), end > start, isPlain,
                !(end == start + 1 && byte(start) == UInt8(ascii: "<"))
            {
                return end
            }
            if !isComparing(next) { isPlain = false }
            end += 1
        }
    }
}

/// Of operators that SQLite has, too.
private func isComparing(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "<"),
        UInt8(ascii: ">"),
        UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "|"):
        true
    default: false
    }
}

private func isOperator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "&"),
        UInt8(ascii: "`"):
        true
    default: isComparing(byte)
    }
}
