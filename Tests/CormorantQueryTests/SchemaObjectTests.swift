import CormorantBase
import CormorantQuery
import Testing

/// What indexes, views, triggers and virtual tables say.
struct SchemaObjectTests {
    private func index(_ sql: String) throws -> IndexDefinition {
        guard case .index(let index) = try SchemaParser.object(sql) else { throw CormorantError(.misuse, "no index") }
        return index
    }

    @Test(arguments: [
        ("a", "a"), ("(a)", "a"), ("((a) COLLATE x)", "a collate x"), ("a COLLATE x COLLATE y", "a collate y"),
        ("f(a, b) COLLATE x ASC", "f ( a , b ) collate x"), ("a || b COLLATE x", "a || b collate x"),
        ("(a || b) COLLATE x", "a || b collate x"), ("NOT (a) COLLATE x", "not ( a ) collate x"),
        ("-a COLLATE x", "- a collate x"),
        ("desc", "\"desc\""), ("key DESC", "\"key\" desc"), ("(a), b", "a; b"),
        ("(a, b) > (1, 2)", "( a , b ) > ( 1 , 2 )"),
        ("first", "\"first\""), ("current_date", "current_date"), ("(a) + (b)", "( a ) + ( b )"),
        ("f(a) COLLATE x COLLATE \"Y z\" DESC", "f ( a ) collate \"y z\" desc"),
        ("a IN (1) COLLATE x", "a in ( 1 ) collate x"),
    ])
    func terms(_ sql: String, _ canonical: String) throws {
        let index = try index("CREATE INDEX i ON t(\(sql))")
        #expect(index.terms.map(\.canonical).joined(separator: "; ") == canonical)
    }

    @Test func aView() throws {
        guard
            case .view(let view) = try SchemaParser.object(
                "CREATE TEMP VIEW v (\"A\", b) AS WITH x AS (SELECT 1) SELECT 1, ';' FROM \"x\" -- why\n;")
        else { throw CormorantError(.misuse, "no view") }
        #expect(view.name == "v")
        #expect(view.body.text == "(\"A\", b) AS WITH x AS (SELECT 1) SELECT 1, ';' FROM \"x\"")
        #expect(view.body.canonical == "( a , b ) as with x as ( select 1 ) select 1 , ';' from x")
        #expect(view.sql.hasSuffix("-- why"))
    }
}
