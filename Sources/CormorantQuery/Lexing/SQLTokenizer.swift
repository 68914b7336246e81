import CormorantBase

/// A piece of SQL that has no parts: where it lies in the text, and what it is.
package struct SQLToken: Sendable {
    package typealias Kind = SQLLexer.Kind

    package let kind: Kind
    /// Of `.keyword`.
    package let keyword: SQLKeyword?
    /// The bytes of the text that it takes.
    package let range: Range<Int>
}

/// The tokens of a text, with their keywords.
package struct SQLTokenizer {
    package let sql: String
    package let bytes: [UInt8]
    private var position = 0
    /// Where the comment of the other kind than `--` begins that nothing closes; SQLite takes that.
    package private(set) var openComment: Int?
    package var endsInComment: Bool { openComment != nil }

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
        while let token = scan() {
            position = token.range.upperBound
            let range = token.range
            switch token.kind {
            case .space, .comment: continue
            case .openComment: openComment = range.lowerBound
            // No statement ends in the two operators that `/*` is at the end of a text, and with a semicolon it were a comment.
            case .operator where range.upperBound == bytes.count - 1 && bytes.suffix(2) == [0x2F, 0x2A]:
                throw unrecognized(range.lowerBound..<bytes.count)
            case .illegal: throw unrecognized(range)
            case .identifier:
                let keyword = SQLKeyword.find(bytes[range])
                return SQLToken(kind: keyword == nil ? .identifier : .keyword, keyword: keyword, range: range)
            default: return SQLToken(kind: token.kind, keyword: nil, range: range)
            }
        }
        // SQLite takes a NUL for the end.
        guard position == bytes.count else { throw unrecognized(position..<position + 1) }
        return nil
    }

    private func scan() -> SQLLexer.Token? {
        bytes.withUnsafeBufferPointer { bytes in
            var lexer = SQLLexer(bytes, from: position)
            return lexer.scan()
        }
    }

    private func unrecognized(_ range: Range<Int>) -> CormorantError {
        CormorantError(
            .schema, "the SQL cannot be read at byte \(range.lowerBound): near \"\(excerpt(range))\"",
            hint: "SQLite knows no such token; look for a quote or a comment that is not closed", sql: sql,
            offset: range.lowerBound)
    }

    /// Enough of some bytes for a message.
    func excerpt(_ range: Range<Int>) -> String {
        let line = bytes[range].prefix(40).prefix { $0 >= 0x20 }
        return String(decoding: line, as: UTF8.self)
    }

    /// What a token says: a name or a text without its quotes, anything else as it is written.
    package func unquoted(_ token: SQLToken) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            SQLLexer(bytes).unquoted(SQLLexer.Token(kind: token.kind, range: token.range))
        }
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
