import CormorantBase
import CormorantQuery
import Testing

struct SchemaTests {
    private let script = """
        -- A shop.
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT); ;
        CREATE VIEW names AS SELECT name FROM person /* all of them */;
        CREATE TRIGGER log AFTER INSERT ON person BEGIN
          INSERT INTO entry(text) SELECT CASE WHEN new.id THEN 'END;' END;
        END;
        CREATE UNIQUE INDEX by_name ON person(name);
        CREATE VIRTUAL TABLE words USING fts5(word);
        CREATE TABLE entry (text) -- the last
        """

    @Test func aScript() throws {
        let schema = try Schema(script: script)
        #expect(schema.objects.map(\.name) == ["person", "entry", "words", "by_name", "names", "log"])
        #expect(schema.table("PERSON")?.columns.count == 2)
        #expect(schema.virtualTable("Words")?.module == "fts5")
        #expect(schema.index("BY_NAME")?.isUnique == true)
        #expect(schema.view("names")?.sql == "CREATE VIEW names AS SELECT name FROM person /* all of them */")
        #expect(schema.trigger("log")?.table == "person")
        #expect(schema.table("names") == nil)
    }

    @Test func itsTextSaysTheSame() throws {
        let schema = try Schema(script: script)
        let again = try Schema(script: schema.sql)
        #expect(again.objects.map(\.canonical) == schema.objects.map(\.canonical))
        #expect(again.sql == schema.sql)
    }

    /// A view keeps the comment behind it.
    @Test(arguments: [
        "CREATE VIEW v AS SELECT 1 -- why", "CREATE VIEW v AS SELECT 1 /* why", "CREATE VIEW v AS SELECT 1",
    ])
    func aCommentAtTheEndTakesNothingIn(_ sql: String) throws {
        let view = try SchemaParser.object(sql)
        #expect(view.sql == sql)
        let script = Schema(objects: [view, view]).sql
        #expect(try Schema(script: script).views.count == 2)
    }

    @Test(arguments: [
        ("CREATE TABLE t(a); DROP TABLE t", 19), ("CREATE TEMP TABLE t(a)", 0),
        ("CREATE TABLE t(a) CREATE TABLE u(a)", 18),
        ("CREATE TABLE t(a);\nCREATE INDEX i ON t(a) WHERE;", 47), ("CREATE TABLE t(a); '", 19),
    ])
    func otherScripts(_ sql: String, _ offset: Int) {
        do {
            _ = try Schema(script: sql)
            Issue.record("\(sql) was read")
        } catch {
            #expect(error.code == .schema)
            #expect(error.offset == offset)
            #expect(error.sql == sql)
        }
    }

    @Test(arguments: [
        ("a INT NOT NULL UNIQUE", "\"A\"  int not /* */ null, unique([a])"),
        ("a CHECK (a > 'X')", "a, CHECK (\"a\">'X')"),
        ("a REFERENCES u(b) ON DELETE CASCADE", "a, FOREIGN KEY (a) REFERENCES \"u\" ('b') MATCH x ON DELETE CASCADE"),
        ("a PRIMARY KEY, b UNIQUE", "a, b UNIQUE ON CONFLICT ABORT, PRIMARY KEY (a ASC)"),
        ("a DEFAULT 'x' DEFAULT 5 NULL", "a DEFAULT (5) CONSTRAINT none"),
        ("a, UNIQUE (a), CHECK (1)", "a CHECK (1) UNIQUE UNIQUE"),
        ("a COLLATE nocase DEFAULT word", "a DEFAULT 'word' CONSTRAINT c COLLATE \"NOCASE\""),
        ("a AS (1)", "a GENERATED ALWAYS AS (1) VIRTUAL"),
    ])
    func twoWaysToWriteOneTable(_ one: String, _ other: String) throws {
        #expect(try table("CREATE TABLE t(\(one))").canonical == table("create table T (\(other));").canonical)
    }

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

    /// Names that only Unicode says are the same.
    @Test func bytesTellNamesApart() throws {
        let table = try table("CREATE TABLE t(\u{e9} UNIQUE, e\u{301} UNIQUE)")
        #expect(table.canonical.split(separator: "unique").count == 3)
        #expect(table.columns[0].constraints[0].kind != table.columns[1].constraints[0].kind)
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
