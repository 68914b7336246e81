import CormorantBase
import Testing

struct IdentifierTests {
    @Test(
        arguments: [
            ("id", "id"), ("createdAt", "created_at"), ("homeURL", "home_url"), ("URLTable", "url_table"),
            ("URL", "url"), ("a1B2", "a1_b2"), ("houseNumber2", "house_number2"), ("already_snake", "already_snake"),
            ("Person", "person"), ("_private", "_private"), ("HTTPServerID", "http_server_id"), ("x", "x"), ("", ""),
            ("überGröße", "über_größe"), ("ÄrgerÖl", "ärger_öl"), ("snake_Case", "snake_case"),
        ])
    func snakeCaseOf(_ name: String, _ expected: String) {
        #expect(snakeCase(name) == expected)
    }

    @Test(
        arguments: [
            ("name", "\"name\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("", "\"\""), ("select", "\"select\""),
            ("[x] `y` 'z'; --", "\"[x] `y` 'z'; --\""), ("группа", "\"группа\""),
        ])
    func quotingDoublesQuotes(_ name: String, _ expected: String) {
        #expect(quoteIdentifier(name) == expected)
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
