import CormorantBase
import CormorantQuery

// SQL as a server reads and writes it.

/// The first words of a statement as the server reads them: small letters, but for what stands in quotes.
func serverWords(_ sql: String, _ count: Int) -> [String] {
    var copy = sql
    return copy.withUTF8 { bytes in
        var words: [String] = []
        var lexer = SQLLexer(bytes)
        while words.count < count, let token = lexer.scanPostgreSQL() {
            if token.isSpace { continue }
            let word = lexer.unquoted(token)
            words.append(token.kind == .identifier ? foldIdentifier(word) : word)
        }
        return words
    }
}

/// The statements of SQL as the server reads it. A semicolon in parentheses, or between BEGIN ATOMIC and its END, ends none.
func serverStatements(_ sql: String) -> [(sql: String, offset: Int)] {
    var copy = sql
    return copy.withUTF8 { bytes in
        var found: [(sql: String, offset: Int)] = []
        var lexer = SQLLexer(bytes)
        var start: Int?
        var (parentheses, blocks) = (0, 0)
        var before = ""
        func end(_ position: Int) {
            if let begin = start { found.append((String(decoding: bytes[begin..<position], as: UTF8.self), begin)) }
            (start, parentheses, blocks) = (nil, 0, 0)
        }
        while let token = lexer.scanPostgreSQL() {
            if token.isSpace { continue }
            switch token.kind {
            case .semicolon where parentheses == 0 && blocks == 0:
                end(token.range.lowerBound)
                continue
            case .leftParenthesis: parentheses += 1
            case .rightParenthesis: parentheses = max(0, parentheses - 1)
            default: break
            }
            if start == nil { start = token.range.lowerBound }
            let word = token.kind == .identifier ? foldIdentifier(lexer.unquoted(token)) : ""
            if word == "atomic" && before == "begin" || word == "case" && blocks > 0 {
                blocks += 1
            } else if word == "end", blocks > 0 {
                blocks -= 1
            }
            before = word
        }
        end(bytes.count)
        return found
    }
}

/// SQL as the server writes it, which is one way for what means one thing, but for quotes around names.
func serverFragment(_ sql: String) -> SQLFragment {
    SQLFragment(text: sql, canonical: rewrittenOnServer(sql) { _ in nil })
}

/// The text without needless quotes.
/// - Parameter name: what a name becomes; nil: what it is.
func rewrittenOnServer(_ sql: String, isCanonical: Bool = true, _ name: (String) -> String?) -> String {
    var sql = sql
    return sql.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        var text = ""
        var before = ""
        while let token = lexer.scanPostgreSQL() {
            let word = String(decoding: bytes[token.range], as: UTF8.self)
            let isCalled = lexer.position < bytes.count && bytes[lexer.position] == UInt8(ascii: "(")
            switch token.kind {
            case .quotedIdentifier, .identifier:
                let plain = lexer.unquoted(token)
                let isName = before != "::" && !(isCalled && token.kind == .identifier)
                if isName, let new = name(plain) {
                    text += isCanonical && isPlain(new) ? new : quoteIdentifier(new)
                } else {
                    text += isCanonical && isPlain(plain) ? plain : word
                }
            default: text += word
            }
            if token.kind != .space { before = word }
        }
        return text
    }
}

private func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(first >= 0x30 && first <= 0x39) else { return false }
    return name.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x5F }
}

extension SQLLexer.Token {
    /// Whether it says nothing to the server.
    fileprivate var isSpace: Bool { kind == .space || kind == .comment || kind == .openComment }
}
