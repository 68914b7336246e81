import CormorantBase
import CormorantQuery
import Testing

struct SchemaTests {
    @Test(arguments: [
        ("a CHECK (a > 'X')", "a CHECK (a > 'x')"), ("a", "b"), ("a, b", "b, a"), ("a INT", "a INTEGER"),
        ("a DEFAULT 'x'", "a DEFAULT 'X'"), ("a UNIQUE", "a PRIMARY KEY"),
        ("a NOT NULL", "a NOT NULL ON CONFLICT FAIL"),
        ("a REFERENCES u", "a REFERENCES u ON UPDATE CASCADE"),
        ("a REFERENCES u", "a REFERENCES u DEFERRABLE INITIALLY DEFERRED"),
        ("a CONSTRAINT x CHECK (1)", "a CONSTRAINT y CHECK (1)"), ("a AS (1)", "a AS (1) STORED"),
        ("a DEFAULT null", "a"),
        ("a DEFAULT \"current_date\"", "a DEFAULT current_date"),
        ("a CHECK (\"current_date\")", "a CHECK (current_date)"),
        ("a, UNIQUE (a)", "a, UNIQUE (a DESC)"), ("a, UNIQUE (a)", "a, UNIQUE (a COLLATE nocase)"),
    ])
    func tablesThatDiffer(_ one: String, _ other: String) throws {
        #expect(try table("CREATE TABLE t(\(one))").canonical != table("CREATE TABLE t(\(other))").canonical)
    }

    @Test func aTableUnderAnotherName() throws {
        let sql = "create  TEMP table if not exists main . \"t\" /* x */ ( a  ,b ) -- y"
        #expect(try table(sql).sql(named: "new \"t\"") == "CREATE TABLE \"new \"\"t\"\"\" /* x */ ( a  ,b ) -- y")
    }

    @Test func aTableOfItsParts() throws {
        var table = try table(
            "CREATE TABLE t(a INT /* one */, b TEXT CHECK(b), UNIQUE(a) CHECK(a)) STRICT, WITHOUT ROWID")
        table.columns.swapAt(0, 1)
        table.constraints.removeLast()
        #expect(
            table.rendered(name: "u") == """
                CREATE TABLE "u" (
                  b TEXT CHECK(b),
                  a INT,
                  UNIQUE(a)
                ) WITHOUT ROWID, STRICT
                """)
    }
}

struct SQLScriptTests {
    @Test func statementsAndWhereTheyAre() throws {
        let statements = try SQLScript.statements(
            """
            ; /* one */ insert into t values (';'); ;
            CREATE TEMP TRIGGER r DELETE ON t BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM u; END; commit -- x
            ; EXPLAIN QUERY PLAN CREATE TRIGGER r DELETE ON t BEGIN SELECT 1; END; Pragma x; (select 1)
            """)
        #expect(statements.map(\.keyword) == ["INSERT", "CREATE", "COMMIT", "EXPLAIN", "PRAGMA", ""])
        #expect(statements.map(\.offset) == [12, 42, 133, 147, 216, 226])
        #expect(statements[0].sql == "insert into t values (';')")
        #expect(statements[1].sql.hasSuffix("DELETE FROM u; END"))
        #expect(statements[2].sql == "commit -- x")
    }

    @Test func noStatements() throws {
        for sql in ["", " ;; ", "-- x", "/* x"] { #expect(try SQLScript.statements(sql).isEmpty) }
    }

    @Test func aScriptThatCannotBeRead() {
        #expect(throws: CormorantError.self) { try SQLScript.statements("SELECT 1; 'COMMIT") }
        #expect(throws: CormorantError.self) { try SQLScript.statements("SELECT 1\u{0}; COMMIT") }
    }
}
