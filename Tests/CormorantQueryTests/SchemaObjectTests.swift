import CormorantBase
import CormorantQuery
import Testing

/// What indexes, views, triggers and virtual tables say.
struct SchemaObjectTests {
    private func index(_ sql: String) throws -> IndexDefinition {
        guard case .index(let index) = try SchemaParser.object(sql) else { throw CormorantError(.misuse, "no index") }
        return index
    }

    @Test func anIndexWithEverything() throws {
        let index = try index(
            "CREATE UNIQUE INDEX IF NOT EXISTS main.\"i j\" ON t(a COLLATE nocase DESC, lower(b), 'c') WHERE a IS NOT NULL;"
        )
        #expect(index.name == "i j")
        #expect(index.table == "t")
        #expect(index.isUnique)
        #expect(index.terms.map(\.column) == ["a", nil, "c"])
        #expect(index.terms.map(\.collation) == ["nocase", nil, nil])
        #expect(index.terms.map(\.descending) == [true, false, false])
        #expect(index.terms[1].expression.text == "lower(b)")
        #expect(index.condition?.text == "a IS NOT NULL")
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

    /// COLLATE about the last operand alone is part of the expression.
    @Test func collationsOfOperands() throws {
        #expect(try index("CREATE INDEX i ON t(a || b COLLATE x)").terms[0].collation == nil)
        #expect(try index("CREATE INDEX i ON t((a || b) COLLATE x)").terms[0].collation == "x")
        #expect(try index("CREATE INDEX i ON t(a || b COLLATE x)").terms[0].expression.text == "a || b COLLATE x")
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

    @Test func aTrigger() throws {
        let body = """
            INSTEAD OF UPDATE OF "a", b ON main.v FOR EACH ROW WHEN new.begin > 1 AND (begin) BEGIN
              UPDATE t SET a = CASE WHEN new.a THEN 1 ELSE CASE 2 WHEN 2 THEN 3 END END;
              SELECT RAISE(ABORT, 'END;');
            END
            """
        guard case .trigger(let trigger) = try SchemaParser.object("CREATE TRIGGER x.\"r\" \(body);") else {
            throw CormorantError(.misuse, "no trigger")
        }
        #expect(trigger.name == "r")
        #expect(trigger.table == "v")
        #expect(trigger.body.text == body)
    }

    @Test(arguments: [
        ("USING fts5", []), ("USING fts5()", []), ("USING fts5(a, , \"B\" UNINDEXED)", ["a", "\"B\" UNINDEXED"]),
        ("USING rtree(id, +x TEXT)", ["id", "+x TEXT"]),
        ("USING m(f(a, b), tokenize = 'x, y')", ["f(a, b)", "tokenize = 'x, y'"]),
    ])
    func virtualTables(_ sql: String, _ arguments: [String]) throws {
        guard case .virtualTable(let table) = try SchemaParser.object("CREATE VIRTUAL TABLE IF NOT EXISTS v \(sql)")
        else {
            throw CormorantError(.misuse, "no virtual table")
        }
        #expect(table.name == "v")
        #expect(table.arguments.map(\.text) == arguments)
    }
}
