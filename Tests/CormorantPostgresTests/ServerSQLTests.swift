import CormorantBase
import Testing

@testable import CormorantPostgres

/// SQLite's parameters in PostgreSQL's SQL, without a server.
@Suite struct ServerSQLTests {
    @Test(arguments: [
        ("SELECT ?, ?", "SELECT $1, $2"),
        ("SELECT ?2, ?1, ?", "SELECT $1, $2, $3"),
        ("SELECT :a, @b, $c, :a", "SELECT $1, $2, $3, $1"),
        ("SELECT $2, $1", "SELECT $1, $2"),
        (
            "SELECT '?', \"?\", E'\\'?', $$?$$, $t$?$$ ?$t$, U&'?', B'1', ?",
            "SELECT '?', \"?\", E'\\'?', $$?$$, $t$?$$ ?$t$, U&'?', B'1', $1"
        ),
        ("SELECT 1 -- ?\n + /* ? /* ? */ ? */ ?", "SELECT 1 -- ?\n + /* ? /* ? */ ? */ $1"),
        ("SELECT ?::int, a::text, x[1:2], f(a := ?)", "SELECT $1::int, a::text, x[1:2], f(a := $2)"),
        ("SELECT j ?? 'a', j ??| ?, j ??& ?, j @?? ?", "SELECT j ? 'a', j ?| $1, j ?& $2, j @? $3"),
        (
            "SELECT a@>?, a<@b, a @@ b, @ x, a=@a, a>=:b, a||?||?",
            "SELECT a@>$1, a<@b, a @@ b, @ x, a=$2, a>=$3, a||$4||$5"
        ),
        ("SELECT a$b, 1e5, .5, ?-1, -?", "SELECT a$b, 1e5, .5, $1-1, -$2"),
        ("SELECT 'it''s ?', ?;  -- end", "SELECT 'it''s ?', $1;"),
    ])
    func parametersAreRewritten(_ source: String, _ text: String) throws {
        #expect(try ServerSQL(source).text == text)
    }

    @Test func numbersAreSQLites() throws {
        let sql = try ServerSQL("SELECT ?3, ?, :name, ?1, @other")
        #expect(sql.parameterCount == 6)
        #expect(sql.numbers == [3, 4, 5, 1, 6])
        #expect(sql.names == [5: ":name", 6: "@other"])
        #expect(error { _ = try ServerSQL("SELECT ?0") }?.code == .sql)
        #expect(error { _ = try ServerSQL("SELECT ?99999999999999999999") }?.code == .sql)
    }

    @Test(arguments: ["", " ; -- nothing", "/* open"])
    func nothingIsRefused(_ source: String) {
        #expect(error { _ = try ServerSQL(source) }?.plainMessage == "the SQL holds no statement")
    }

    @Test func severalAreRefused() throws {
        #expect(
            error { _ = try ServerSQL("SELECT 1; SELECT 2") }?.plainMessage == "the SQL holds more than one statement")
        #expect(try ServerSQL(" ; SELECT 1; ; -- 2\n").words.first == "select")
        let body = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END"
        #expect(try ServerSQL(body).text == body)
        #expect(error { _ = try ServerSQL(body + "; SELECT 3") }?.code == .sql)
        #expect(error { _ = try ServerSQL("SELECT 'a\0b'") }?.code == .sql)
    }

    @Test(arguments: [
        ("SELECT 1", true), ("  (SELECT 1) UNION SELECT 2", true), ("VALUES (1)", true), ("TABLE t", true),
        ("SHOW x", true),
        ("WITH a AS (SELECT 1) SELECT * FROM a", true),
        ("WITH a AS (DELETE FROM t RETURNING 1) SELECT * FROM a", false),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", false),
        ("WITH a AS (SELECT 1) UPDATE t SET a = 1", false),
        ("SELECT update, \"delete\" FROM t", true), ("SELECT * INTO u FROM t", false), ("SELECT 1 FOR UPDATE", false),
        ("SELECT 1 FROM t FOR NO KEY UPDATE", false), ("SELECT 1 FROM t FOR KEY SHARE", false),
        ("SELECT nextval('s')", false), ("EXPLAIN DELETE FROM t", true), ("EXPLAIN ANALYZE DELETE FROM t", false),
        ("EXPLAIN (ANALYZE) SELECT 1", true), ("BEGIN", true), ("INSERT INTO t VALUES (1)", false),
        ("MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", false), ("CREATE TABLE t (a int)", false),
        ("SET x = 1", false),
        ("CALL p()", false), ("DO $$ BEGIN END $$", false),
    ])
    func readingIsTold(_ source: String, _ isReadOnly: Bool) throws {
        #expect(try ServerSQL(source).words.isReadOnly == isReadOnly)
    }

    @Test func wordsAreTold() throws {
        #expect(try ServerSQL("/* x */ start transaction").words.transactionWord == "BEGIN")
        #expect(try ServerSQL("Rollback To a").words.transactionWord == "ROLLBACK")
        #expect(try ServerSQL("SELECT 1").words.transactionWord == nil)
        #expect(try ServerSQL("CREATE TABLE t ()").words.changesSchema)
        #expect(try ServerSQL("SELECT 1 INTO t").words.changesSchema)
        #expect(try !ServerSQL("INSERT INTO t SELECT 1").words.changesSchema)
    }

    @Test(arguments: [
        ("INSERT INTO t VALUES (1)", ["\"t\""]),
        ("INSERT INTO Main.\"T\"\"x\" (a) VALUES (1)", ["\"main\"", "\"T\"\"x\""]),
        ("UPDATE ONLY t SET a = 1", ["\"t\""]), ("DELETE FROM ONLY s.t", ["\"s\"", "\"t\""]),
        ("WITH a AS (SELECT 1) DELETE FROM t", ["\"t\""]), ("SELECT 1", []),
        ("INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = 2", ["\"t\""]),
    ])
    func theTableIsFound(_ source: String, _ target: [String]) throws {
        #expect(try ServerSQL(source).words.target == target)
    }

    @Test func offsetsAreTheSources() throws {
        let sql = try ServerSQL("SELECT 'ä', ?10, ?11, ?12 FROM missing")
        let text = sql.text
        let place = text.distance(from: text.startIndex, to: text.firstIndex(of: "m")!) + 1
        let source = sql.source.utf8
        #expect(
            sql.offset(ofCharacter: place)
                == source.distance(from: source.startIndex, to: source.firstIndex(of: UInt8(ascii: "m"))!))
        #expect(sql.offset(ofCharacter: 1) == 0)
    }

    @Test func passwordsAreNotShown() throws {
        #expect(PostgresConnection.shown("postgres://a:b?c@h/d") == "postgres://a@h/d")
        #expect(
            PostgresConnection.shown("postgresql://h/d?password=x&sslmode=require")
                == "postgresql://h/d?sslmode=require")
        #expect(PostgresConnection.shown("postgresql://a@h/d") == "postgresql://a@h/d")
        #expect(try ServerURL("postgresql://a:b?c@h/d?prepare=never&x=y").text == "postgresql://a:b?c@h/d?x=y")
        #expect(try ServerURL("postgresql://h/d?prepare=never").text == "postgresql://h/d")
        #expect(error { _ = try ServerURL("postgresql://h/d?prepare=x") }?.code == .misuse)
        #expect(error { _ = try ServerURL("mysql://h/d") }?.code == .misuse)
    }
}
