import CormorantBase

/// A piece of SQL that has no parts: where it lies in the text, and what it is.
package struct SQLToken: Sendable {
    package enum Kind: UInt8, Sendable {
        /// A bare name that is no keyword.
        case identifier
        /// A name in "", [] or ``.
        case quotedIdentifier
        case keyword
        /// In ''.
        case text
        case blob, number, parameter
        case leftParenthesis, rightParenthesis, comma, semicolon, dot
        case `operator`
    }

    package let kind: Kind
    /// Of `.keyword`.
    package let keyword: SQLKeyword?
    /// The bytes of the text that it takes.
    package let range: Range<Int>

    init(_ kind: Kind, _ range: Range<Int>, keyword: SQLKeyword? = nil) {
        self.kind = kind
        self.keyword = keyword
        self.range = range
    }
}

/// Cuts SQL into the tokens that SQLite sees (its rules: `sqlite3GetToken` in tokenize.c).
package struct SQLTokenizer {
    package let sql: String
    package let bytes: [UInt8]
    private var position = 0
    /// The text ends in a comment of the other kind than `--` that nothing closes; SQLite takes that.
    package private(set) var endsInComment = false

    package init(_ sql: String) {
        self.sql = sql
        bytes = Array(sql.utf8)
    }

    /// All that are left.
    package mutating func all() throws(CormorantError) -> [SQLToken] {
        // The tokens are many times the text, and so is what is made of them.
        try requireMemory(24 * bytes.count)
        var tokens: [SQLToken] = []
        tokens.reserveCapacity((bytes.count - position) / 4)
        while let token = try next() { tokens.append(token) }
        return tokens
    }

    /// The next one, or nil at the end.
    package mutating func next() throws(CormorantError) -> SQLToken? {
        skipSpace()
        guard position < bytes.count else { return nil }
        let start = position
        let (kind, end) = scan(start, bytes[start])
        guard let kind else { throw unrecognized(start..<max(end, start + 1)) }
        position = end
        let range = start..<end
        guard kind == .identifier, let keyword = SQLKeyword.find(bytes[range]) else { return SQLToken(kind, range) }
        return SQLToken(.keyword, range, keyword: keyword)
    }

    /// What begins at `start`, without a kind where SQLite knows no such token, and where it ends.
    private func scan(_ start: Int, _ first: UInt8) -> (SQLToken.Kind?, end: Int) {
        switch first {
        case UInt8(ascii: "("): return (.leftParenthesis, start + 1)
        case UInt8(ascii: ")"): return (.rightParenthesis, start + 1)
        case UInt8(ascii: ","): return (.comma, start + 1)
        case UInt8(ascii: ";"): return (.semicolon, start + 1)
        case UInt8(ascii: "'"): return quoted(start, .text)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(start, .quotedIdentifier)
        case UInt8(ascii: "["): return bracketed(start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return number(start)
        case UInt8(ascii: "."): return isDigit(byte(start + 1)) ? number(start) : (.dot, start + 1)
        case UInt8(ascii: "?"): return (.parameter, run(start + 1, while: isDigit))
        case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "#"): return named(start)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            return byte(start + 1) == UInt8(ascii: "'") ? blob(start) : (.identifier, run(start + 1, while: isNamePart))
        default:
            if isNameStart(first) { return (.identifier, run(start + 1, while: isNamePart)) }
            return operation(start, first)
        }
    }

    private func operation(_ start: Int, _ first: UInt8) -> (SQLToken.Kind?, end: Int) {
        let second = byte(start + 1)
        let length: Int
        switch (first, second) {
        case (UInt8(ascii: "-"), UInt8(ascii: ">")): length = byte(start + 2) == UInt8(ascii: ">") ? 3 : 2
        case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "!"), UInt8(ascii: "=")),
            (UInt8(ascii: "|"), UInt8(ascii: "|")),
            (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")),
            (UInt8(ascii: "<"), UInt8(ascii: "<")),
            (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: ">")):
            length = 2
        case (UInt8(ascii: "-"), _), (UInt8(ascii: "+"), _), (UInt8(ascii: "*"), _), (UInt8(ascii: "/"), _),
            (UInt8(ascii: "%"), _), (UInt8(ascii: "="), _), (UInt8(ascii: "<"), _), (UInt8(ascii: ">"), _),
            (UInt8(ascii: "|"), _), (UInt8(ascii: "&"), _), (UInt8(ascii: "~"), _):
            length = 1
        default: return (nil, start + 1)
        }
        return (.operator, start + length)
    }

    /// A quote inside is written twice.
    private func quoted(_ start: Int, _ kind: SQLToken.Kind) -> (SQLToken.Kind?, end: Int) {
        let quote = bytes[start]
        var at = start + 1
        while at < bytes.count, bytes[at] != 0 {
            if bytes[at] == quote {
                guard byte(at + 1) == quote else { return (kind, at + 1) }
                at += 1
            }
            at += 1
        }
        return (nil, at)
    }

    private func bracketed(_ start: Int) -> (SQLToken.Kind?, end: Int) {
        let end = run(start + 1) { $0 != UInt8(ascii: "]") && $0 != 0 }
        return byte(end) == UInt8(ascii: "]") ? (.quotedIdentifier, end + 1) : (nil, end)
    }

    private func blob(_ start: Int) -> (SQLToken.Kind?, end: Int) {
        let end = run(start + 2, while: isHexDigit)
        guard byte(end) == UInt8(ascii: "'"), (end - start) % 2 == 0 else { return (nil, end) }
        return (.blob, end + 1)
    }

    /// Digits may have _ between them since SQLite 3.46.
    private func number(_ start: Int) -> (SQLToken.Kind?, end: Int) {
        var end = start
        if bytes[start] == UInt8(ascii: "0"), lowerCase(byte(start + 1)) == UInt8(ascii: "x"),
            isHexDigit(byte(start + 2))
        {
            end = run(start + 3) { isHexDigit($0) || $0 == UInt8(ascii: "_") }
        } else {
            let digits: (UInt8) -> Bool = { isDigit($0) || $0 == UInt8(ascii: "_") }
            end = run(start, while: digits)
            if byte(end) == UInt8(ascii: ".") { end = run(end + 1, while: digits) }
            if lowerCase(byte(end)) == UInt8(ascii: "e") {
                let signed = byte(end + 1) == UInt8(ascii: "+") || byte(end + 1) == UInt8(ascii: "-")
                let exponent = end + (signed ? 2 : 1)
                if isDigit(byte(exponent)) { end = run(exponent, while: digits) }
            }
        }
        return isNamePart(byte(end)) ? (nil, run(end, while: isNamePart)) : (.number, end)
    }

    /// `:name`, `@name`, `$name`, and `$name::part(index)` of Tcl.
    private func named(_ start: Int) -> (SQLToken.Kind?, end: Int) {
        var at = start + 1
        var hasName = false
        while at < bytes.count {
            if isNamePart(bytes[at]) {
                hasName = true
                at += 1
            } else if bytes[at] == UInt8(ascii: "("), hasName {
                let end = run(at + 1) { $0 != UInt8(ascii: ")") && !isSpace($0) && $0 != 0 }
                return byte(end) == UInt8(ascii: ")") ? (.parameter, end + 1) : (nil, end)
            } else if bytes[at] == UInt8(ascii: ":"), byte(at + 1) == UInt8(ascii: ":") {
                at += 2
            } else {
                break
            }
        }
        return (hasName ? .parameter : nil, at)
    }

    /// Passes spaces, comments and byte order marks.
    private mutating func skipSpace() {
        while position < bytes.count {
            let first = bytes[position]
            if isSpace(first) {
                position += 1
            } else if first == UInt8(ascii: "-"), byte(position + 1) == UInt8(ascii: "-") {
                position = run(position + 2) { $0 != UInt8(ascii: "\n") && $0 != 0 }
            } else if first == UInt8(ascii: "/"), byte(position + 1) == UInt8(ascii: "*"), byte(position + 2) != 0 {
                skipComment()
            } else if first == 0xEF, byte(position + 1) == 0xBB, byte(position + 2) == 0xBF {
                position += 3
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        var at = position + 3
        while at < bytes.count, bytes[at - 1] != 0 {
            if bytes[at - 1] == UInt8(ascii: "*"), bytes[at] == UInt8(ascii: "/") {
                position = at + 1
                return
            }
            at += 1
        }
        endsInComment = true
        position = bytes[at - 1] == 0 ? at - 1 : at
    }

    private func unrecognized(_ range: Range<Int>) -> CormorantError {
        CormorantError(
            .schema, "the SQL cannot be read at byte \(range.lowerBound): near \"\(excerpt(range))\"",
            hint: "SQLite knows no such token; look for a quote that is not closed", sql: sql, offset: range.lowerBound)
    }

    /// Enough of some bytes for a message.
    func excerpt(_ range: Range<Int>) -> String {
        let line = bytes[range].prefix(40).prefix { $0 >= 0x20 }
        return String(decoding: line, as: UTF8.self)
    }

    /// 0 behind the end, as SQLite reads it.
    @inline(__always)
    private func byte(_ at: Int) -> UInt8 { at < bytes.count ? bytes[at] : 0 }

    @inline(__always)
    private func run(_ start: Int, while isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return end
    }
}

/// SQL as a person reads it in a line: what stands between its words, be it comments or new lines, is a blank.
package func onOneLine(_ sql: String) -> String {
    var tokenizer = SQLTokenizer(sql)
    guard let tokens = try? tokenizer.all() else { return sql }
    var line: [UInt8] = []
    for (index, token) in tokens.enumerated() {
        if index > 0, tokens[index - 1].range.upperBound < token.range.lowerBound { line.append(0x20) }
        line += tokenizer.bytes[token.range]
    }
    return String(decoding: line, as: UTF8.self)
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B) }

private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

private func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (lowerCase(byte) >= UInt8(ascii: "a") && lowerCase(byte) <= UInt8(ascii: "f"))
}

func isNameStart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_")
        || (lowerCase(byte) >= UInt8(ascii: "a") && lowerCase(byte) <= UInt8(ascii: "z"))
}

func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "$") }
