import CormorantBase
import CormorantQuery
import Testing

struct SQLTokenizerTests {
    private func tokens(_ sql: String) throws -> [(SQLToken.Kind, String)] {
        var tokenizer = SQLTokenizer(sql)
        let tokens = try tokenizer.all()
        return tokens.map { ($0.kind, String(decoding: tokenizer.bytes[$0.range], as: UTF8.self)) }
    }

    private func expect(_ sql: String, _ kind: SQLToken.Kind, location: SourceLocation = #_sourceLocation) throws {
        let tokens = try tokens(sql)
        #expect(tokens.map(\.0) == [kind], sourceLocation: location)
        #expect(tokens.map(\.1) == [sql], sourceLocation: location)
    }

    @Test(arguments: ["a", "_a1$", "été", "x", "xy", "X1", "naïve_列", "a\u{feff}b"])
    func bareNames(_ name: String) throws { try expect(name, .identifier) }

    @Test(arguments: ["\"a b\"", "\"a\"\"b\"", "\"\"", "[a\"b]", "[]", "`a``b`", "\"a\nb\""])
    func quotedNames(_ name: String) throws { try expect(name, .quotedIdentifier) }

    @Test(arguments: ["''", "'it''s'", "'--'", "'/*'", "'\"'", "'列'"])
    func texts(_ text: String) throws { try expect(text, .text) }

    @Test(arguments: ["x''", "X'00ff'", "x'AB'"])
    func blobs(_ blob: String) throws { try expect(blob, .blob) }

    @Test(arguments: [
        "0", "12", "1.5", ".5", "1.", "1e9", "1E-9", "1.5e+10", "0x1F", "0Xab", "1_000", "0x1_f", "1_0.0_1e1_0",
    ])
    func numbers(_ number: String) throws { try expect(number, .number) }

    @Test(arguments: ["?", "?12", ":a", "@a", "$a", "#a", "$a::b", "$a(b)", "$a::b(c)"])
    func parameters(_ parameter: String) throws { try expect(parameter, .parameter) }

    @Test(arguments: [
        "+", "-", "*", "/", "%", "=", "==", "!=", "<>", "<", "<=", ">", ">=", "<<", ">>", "|", "||", "&", "~", "->",
        "->>",
    ])
    func operators(_ text: String) throws { try expect(text, .operator) }

    @Test func everyKeywordInEveryCase() throws {
        for keyword in SQLKeyword.allCases {
            for spelling in [
                keyword.rawValue, keyword.rawValue.uppercased(),
                keyword.rawValue.prefix(1).uppercased() + keyword.rawValue.dropFirst(),
            ] {
                var tokenizer = SQLTokenizer(spelling)
                #expect(try tokenizer.next()?.keyword == keyword)
                #expect(try tokenizer.next() == nil)
            }
        }
        #expect(SQLKeyword.allCases.count == 147)
    }

    @Test func wordsThatAreAlmostKeywords() throws {
        for word in ["tables", "selec", "a", "current_timestamps", "nulL_", "sélect"] { try expect(word, .identifier) }
    }

    @Test func tokensWithoutSpaces() throws {
        #expect(
            try tokens("a.b(1,'x')||\"c\"->>2;--end").map(\.1)
                == ["a", ".", "b", "(", "1", ",", "'x'", ")", "||", "\"c\"", "->>", "2", ";"])
    }

    @Test func spacesAndComments() throws {
        #expect(
            try tokens(" \t\r\n\u{0c}a--x\nb/*y*/c/**/d/*/e*/f\u{feff}").map(\.1) == ["a", "b", "c", "d", "f\u{feff}"])
        #expect(try tokens("\u{feff}a").map(\.1) == ["a"])
    }

    @Test func aCommentThatNothingCloses() throws {
        #expect(try tokens("a /* b").map(\.1) == ["a"])
        #expect(try tokens("a -- b").map(\.1) == ["a"])
        #expect(try tokens("a /* ").map(\.1) == ["a"])
        var tokenizer = SQLTokenizer("a /* b")
        while try tokenizer.next() != nil {}
        #expect(tokenizer.endsInComment)
    }

    /// Without a character behind it SQLite takes the beginning of a comment for two operators, which nothing can end with.
    @Test(arguments: [
        ("a 'b", 2), ("\"", 0), ("`a", 0), ("[a", 0), ("x'1'", 0), ("x'0g'", 0), ("x'00", 0), ("12a", 0), ("0x", 0),
        ("a /*", 2), ("/*", 0),
        ("a ! b", 2), ("a \\", 2), ("{", 0), ("^", 0), (":", 0), ("$a(b c", 0), ("a\u{0}b", 1), ("/* a\u{0}*/ b", 4),
        ("列 '", 4), ("\u{0b}", 0),
    ])
    func whatSQLiteCannotRead(_ sql: String, _ offset: Int) {
        do {
            _ = try tokens(sql)
            Issue.record("\(sql) was read")
        } catch let error as CormorantError {
            #expect(error.code == .schema)
            #expect(error.offset == offset)
            #expect(error.sql == sql)
            #expect(error.message.hasPrefix("the SQL cannot be read at byte \(offset): near \""))
            #expect(!error.message.contains("\n"))
        } catch {
            Issue.record("\(error)")
        }
    }
}
