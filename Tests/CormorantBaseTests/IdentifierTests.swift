import CormorantBase
import Testing

struct IdentifierTests {
    @Test(
        arguments: [
            ("name", "\"name\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("", "\"\""), ("select", "\"select\""),
            ("[x] `y` 'z'; --", "\"[x] `y` 'z'; --\""), ("группа", "\"группа\""),
        ])
    func quotingDoublesQuotes(_ name: String, _ expected: String) {
        #expect(quoteIdentifier(name) == expected)
    }

    @Test(
        arguments: [
            ("name", "'name'"), ("it's", "'it''s'"), ("'", "''''"), ("", "''"), ("a\"b\\", "'a\"b\\'"),
            // With a combining mark it is one character.
            ("x'\u{301}; --", "'x''\u{301}; --'"),
        ])
    func textsDoubleQuotes(_ text: String, _ expected: String) {
        #expect(Array(textLiteral(text).utf8) == Array(expected.utf8))
    }

    @Test func onlyASCIILettersFold() {
        #expect(sameIdentifier("Person", "pERSON"))
        #expect(!sameIdentifier("Ärger", "ärger"))
        #expect(!sameIdentifier("a", "ab"))
        // The bytes around the letters: @ and `, [ and {.
        #expect(!sameIdentifier("@[", "`{"))
        #expect(foldIdentifier("AZ@[Ä") == "az@[Ä")
    }
}
