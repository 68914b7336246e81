/// Cuts SQL into the tokens that SQLite sees (`sqlite3GetToken` in its tokenize.c), in place: it allocates nothing, and
/// the bytes must outlive it.
package struct SQLLexer {
    package enum Kind: UInt8, Sendable {
        /// A name without quotes, or a keyword: the lexer has no list of those.
        case identifier
        /// An identifier that who has the list found in it.
        case keyword
        /// A name in "", [] or ``.
        case quotedIdentifier
        /// In ''.
        case text
        case blob, number, parameter
        case leftParenthesis, rightParenthesis, comma, semicolon, dot
        case `operator`
        /// Spaces, or a byte order mark.
        case space
        case comment
        /// One that begins with `/*` and takes all that follows; SQLite takes that.
        case openComment
        /// What SQLite calls an unrecognized token.
        case illegal
    }

    package struct Token: Sendable {
        package let kind: Kind
        package let range: Range<Int>

        package init(kind: Kind, range: Range<Int>) {
            self.kind = kind
            self.range = range
        }
    }

    @usableFromInline let bytes: UnsafePointer<UInt8>
    private let count: Int
    /// Of the next token.
    package internal(set) var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
        // An empty buffer may have no address; with a count of 0 none is read.
        self.bytes = bytes.baseAddress ?? UnsafePointer(UnsafeMutablePointer(bitPattern: 1).unsafelyUnwrapped)
        count = bytes.count
        self.position = position
    }

    /// Of SQL that ends with a NUL, whose length need not be known: no token goes beyond a NUL.
    package init(_ sql: UnsafePointer<CChar>) {
        bytes = UnsafeRawPointer(sql).assumingMemoryBound(to: UInt8.self)
        count = .max
        position = 0
    }

    /// The next token that is neither space nor comment; nil at the end, and at a NUL, where SQLite stops.
    package mutating func next() -> Token? {
        while let token = scan() {
            switch token.kind {
            case .space, .comment, .openComment: continue
            default: return token
            }
        }
        return nil
    }

    /// The next token, be it space; nil at the end or a NUL.
    @inline(never)
    package mutating func scan() -> Token? {
        let start = position
        let first = byte(start)
        guard first != 0 else { return nil }
        let (kind, end) = token(start, first)
        position = end
        return Token(kind: kind, range: Range(uncheckedBounds: (start, end)))
    }

    /// Whether a token is a word, given in lower case.
    @inlinable @inline(__always)
    package func isWord(_ token: Token, _ word: StaticString) -> Bool {
        token.range.count == word.utf8CodeUnitCount && isSpelled(token, word.utf8Start)
    }

    @usableFromInline
    func isSpelled(_ token: Token, _ word: UnsafePointer<UInt8>) -> Bool {
        guard token.kind == .identifier else { return false }
        for index in 0..<token.range.count where foldASCII(bytes[token.range.lowerBound + index]) != word[index] {
            return false
        }
        return true
    }

    /// What a token says: a name or a text without its quotes, anything else as it is written.
    package func unquoted(_ token: Token) -> String {
        guard token.kind == .quotedIdentifier || token.kind == .text else {
            return String(decoding: buffer(token.range), as: UTF8.self)
        }
        let quote = bytes[token.range.lowerBound]
        let inner = buffer(token.range.dropFirst().dropLast())
        // Nothing but ] ends what [ begins, so that no quote can be inside.
        guard quote != UInt8(ascii: "["), inner.contains(quote) else { return String(decoding: inner, as: UTF8.self) }
        var wasQuote = false
        let single = inner.filter { byte in
            wasQuote = byte == quote && !wasQuote
            return !wasQuote
        }
        return String(decoding: single, as: UTF8.self)
    }

    package func buffer(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }
}

// One rule for each kind of token.
extension SQLLexer {
    /// What begins at `start`, and where it ends.
    @inline(__always)
    private func token(_ start: Int, _ first: UInt8) -> (Kind, end: Int) {
        switch first {
        // Not 0x0B, which SQLite passes only behind another space.
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: (.space, run(start + 1, while: isSQLSpace))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            byte(start + 1) == UInt8(ascii: "'") ? blob(start) : (.identifier, run(start + 1, while: isSQLNamePart))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            (.identifier, run(start + 1, while: isSQLNamePart))
        case 0x80...0xFF:
            isByteOrderMark(start) ? (.space, start + 3) : (.identifier, run(start + 1, while: isSQLNamePart))
        case UInt8(ascii: "("): (.leftParenthesis, start + 1)
        case UInt8(ascii: ")"): (.rightParenthesis, start + 1)
        case UInt8(ascii: ","): (.comma, start + 1)
        case UInt8(ascii: ";"): (.semicolon, start + 1)
        case UInt8(ascii: "'"): quoted(start, .text)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): quoted(start, .quotedIdentifier)
        case UInt8(ascii: "["): bracketed(start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number(start)
        case UInt8(ascii: "."): isDigit(byte(start + 1)) ? number(start) : (.dot, start + 1)
        case UInt8(ascii: "?"): (.parameter, run(start + 1, while: isDigit))
        case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "#"): named(start)
        case UInt8(ascii: "-") where byte(start + 1) == UInt8(ascii: "-"):
            (.comment, run(start + 2) { $0 != UInt8(ascii: "\n") && $0 != 0 })
        // Without a byte behind it, it is two operators.
        case UInt8(ascii: "/") where byte(start + 1) == UInt8(ascii: "*") && byte(start + 2) != 0: comment(start)
        default: operation(start, first)
        }
    }

    private func operation(_ start: Int, _ first: UInt8) -> (Kind, end: Int) {
        let second = byte(start + 1)
        switch (first, second) {
        case (UInt8(ascii: "-"), UInt8(ascii: ">")):
            return (.operator, byte(start + 2) == UInt8(ascii: ">") ? start + 3 : start + 2)
        case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "!"), UInt8(ascii: "=")),
            (UInt8(ascii: "|"), UInt8(ascii: "|")), (UInt8(ascii: "<"), UInt8(ascii: "=")),
            (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "<"), UInt8(ascii: "<")),
            (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: ">")):
            return (.operator, start + 2)
        case (UInt8(ascii: "-"), _), (UInt8(ascii: "+"), _), (UInt8(ascii: "*"), _), (UInt8(ascii: "/"), _),
            (UInt8(ascii: "%"), _), (UInt8(ascii: "="), _), (UInt8(ascii: "<"), _), (UInt8(ascii: ">"), _),
            (UInt8(ascii: "|"), _), (UInt8(ascii: "&"), _), (UInt8(ascii: "~"), _):
            return (.operator, start + 1)
        default: return (.illegal, start + 1)
        }
    }

    /// A quote inside is written twice.
    func quoted(_ start: Int, _ kind: Kind) -> (Kind, end: Int) {
        let quote = bytes[start]
        var at = start + 1
        while true {
            at = run(at) { $0 != quote && $0 != 0 }
            guard byte(at) == quote else { return (.illegal, at) }
            guard byte(at + 1) == quote else { return (kind, at + 1) }
            at += 2
        }
    }

    private func bracketed(_ start: Int) -> (Kind, end: Int) {
        let end = run(start + 1) { $0 != UInt8(ascii: "]") && $0 != 0 }
        return byte(end) == 0 ? (.illegal, end) : (.quotedIdentifier, end + 1)
    }

    /// One with another byte in it, or with half a byte, is illegal up to its quote.
    private func blob(_ start: Int) -> (Kind, end: Int) {
        let digits = run(start + 2, while: isHexDigit)
        let end = run(digits) { $0 != UInt8(ascii: "'") && $0 != 0 }
        let isWhole = byte(end) != 0
        return (isWhole && digits == end && (end - start) % 2 == 0 ? .blob : .illegal, isWhole ? end + 1 : end)
    }

    /// Digits may have _ between them since SQLite 3.46.
    func number(_ start: Int) -> (Kind, end: Int) {
        var end = start
        if bytes[start] == UInt8(ascii: "0"), foldASCII(byte(start + 1)) == UInt8(ascii: "x"),
            isHexDigit(byte(start + 2))
        {
            end = run(start + 3) { isHexDigit($0) || $0 == UInt8(ascii: "_") }
        } else {
            let digits: (UInt8) -> Bool = { isDigit($0) || $0 == UInt8(ascii: "_") }
            end = run(start, while: digits)
            if byte(end) == UInt8(ascii: ".") { end = run(end + 1, while: digits) }
            if foldASCII(byte(end)) == UInt8(ascii: "e") {
                let signed = byte(end + 1) == UInt8(ascii: "+") || byte(end + 1) == UInt8(ascii: "-")
                let exponent = end + (signed ? 2 : 1)
                if isDigit(byte(exponent)) { end = run(exponent, while: digits) }
            }
        }
        return isSQLNamePart(byte(end)) ? (.illegal, run(end, while: isSQLNamePart)) : (.number, end)
    }

    /// `:name`, `@name`, `$name`, and `$name::part(index)` of Tcl.
    private func named(_ start: Int) -> (Kind, end: Int) {
        var at = start + 1
        var hasName = false
        while true {
            if isSQLNamePart(byte(at)) {
                hasName = true
                at += 1
            } else if byte(at) == UInt8(ascii: "("), hasName {
                let end = run(at + 1) { $0 != UInt8(ascii: ")") && !isSQLSpace($0) && $0 != 0 }
                return byte(end) == UInt8(ascii: ")") ? (.parameter, end + 1) : (.illegal, end)
            } else if byte(at) == UInt8(ascii: ":"), byte(at + 1) == UInt8(ascii: ":") {
                at += 2
            } else {
                return (hasName ? .parameter : .illegal, at)
            }
        }
    }

    private func comment(_ start: Int) -> (Kind, end: Int) {
        var at = start + 2
        while true {
            at = run(at) { $0 != UInt8(ascii: "*") && $0 != 0 }
            guard byte(at) != 0 else { return (.openComment, at) }
            if byte(at + 1) == UInt8(ascii: "/") { return (.comment, at + 2) }
            at += 1
        }
    }

    private func isByteOrderMark(_ start: Int) -> Bool {
        byte(start) == 0xEF && byte(start + 1) == 0xBB && byte(start + 2) == 0xBF
    }

    /// 0 behind the end, as SQLite reads it.
    @inline(__always)
    func byte(_ at: Int) -> UInt8 { at < count ? bytes[at] : 0 }

    /// - Parameter isPart: says no of a NUL.
    @inline(__always)
    func run(_ start: Int, while isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < count, isPart(bytes[end]) { end &+= 1 }
        return end
    }
}

func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

private func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (foldASCII(byte) >= UInt8(ascii: "a") && foldASCII(byte) <= UInt8(ascii: "f"))
}

func isSQLSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

/// Whether a name that is not in quotes can begin with it.
package func isSQLNameStart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_")
        || (foldASCII(byte) >= UInt8(ascii: "a") && foldASCII(byte) <= UInt8(ascii: "z"))
}

@inline(__always)
package func isSQLNamePart(_ byte: UInt8) -> Bool {
    guard byte < 0x80 else { return true }
    // One bit for each of $ and 0 to 9, and for each of A to Z, _ and a to z.
    let bits: UInt64 = byte < 0x40 ? 0x03FF_0010_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return bits &>> UInt64(byte & 0x3F) & 1 != 0
}
