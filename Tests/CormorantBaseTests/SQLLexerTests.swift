import CormorantBase
import Testing

/// The kinds of tokens are tested with the tokenizer of CormorantQuery, which is made of it.
struct SQLLexerTests {
    private func tokens(_ sql: String) -> [(SQLLexer.Kind, String)] {
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            var found: [(SQLLexer.Kind, String)] = []
            while let token = lexer.scan() {
                found.append((token.kind, String(decoding: bytes[token.range], as: UTF8.self)))
            }
            return found
        }
    }

    @Test func spacesAndCommentsAreTokens() {
        let found = tokens("a \t\u{0b}--b\n/*c*//**/[d]/* e")
        #expect(
            found.map(\.0) == [
                .identifier, .space, .comment, .space, .comment, .comment, .quotedIdentifier, .openComment,
            ])
        #expect(found.map(\.1) == ["a", " \t\u{0b}", "--b", "\n", "/*c*/", "/**/", "[d]", "/* e"])
    }

    /// SQLite takes them in whole, so that what follows is read on.
    @Test(arguments: ["x'0g'", "x'1'", "12ab", "!", "'a", "[a", "$a(b", ":", "\u{0b}"])
    func whatIsIllegalIsOneToken(_ sql: String) {
        #expect(tokens(sql).map(\.0) == [.illegal])
        #expect(tokens(sql).map(\.1) == [sql])
    }

    @Test func aNULIsTheEnd() {
        #expect(tokens("a 'b\u{0}c' d").map(\.1) == ["a", " ", "'b"])
        let sql: [CChar] = Array("SELECT/**/\"a\"\"b\" 'c".utf8.map(CChar.init)) + [0, 0x61]
        sql.withUnsafeBufferPointer { sql in
            var lexer = SQLLexer(sql.baseAddress!)
            #expect(lexer.next().map { lexer.isWord($0, "select") } == true)
            #expect(lexer.next().map { lexer.unquoted($0) } == "a\"b")
            #expect(lexer.next()?.kind == .illegal)
            #expect(lexer.next() == nil)
            #expect(lexer.position == 19)
        }
    }

    @Test func wordsAreComparedInAnyCase() {
        var sql = "SeLect _A"
        sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            let (first, second) = (lexer.next()!, lexer.next()!)
            #expect(lexer.isWord(first, "select"))
            #expect(!lexer.isWord(first, "selec"))
            #expect(!lexer.isWord(first, "selects"))
            #expect(lexer.isWord(second, "_a"))
        }
        var quoted = "\"select\""
        quoted.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            let token = lexer.next()!
            #expect(!lexer.isWord(token, "select"))
        }
    }

    @Test(arguments: [
        ("'it''s'", "it's"), ("\"a\"\"\"\"b\"", "a\"\"b"), ("[a\"b]", "a\"b"), ("`a``b`", "a`b"), ("''", ""),
        ("a", "a"),
    ])
    func quotesAreTakenOff(_ sql: String, _ name: String) {
        var sql = sql
        #expect(
            sql.withUTF8 { bytes in
                var lexer = SQLLexer(bytes)
                return lexer.next().map { lexer.unquoted($0) }
            } == name)
    }
}
