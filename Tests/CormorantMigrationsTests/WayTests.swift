import Cormorant
import Testing

/// The cheapest way that SQLite has is taken, and leads to the target.
struct WayTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let change: Change
        let ways: [String]
        let allowDrop: [String]
        var testDescription: String { change.name }

        init(_ change: Change, _ ways: [String], allowDrop: [String] = []) {
            self.change = change
            self.ways = ways
            self.allowDrop = allowDrop
        }
    }

    static let columns = [
        Case(Change("a column", table: "a", to: "a, b TEXT"), ["ADD COLUMN"]),
        Case(Change("two columns", table: "a", to: "a, b TEXT, c REAL DEFAULT -1.5"), ["ADD COLUMN", "ADD COLUMN"]),
        Case(Change("NOT NULL with a default", table: "a", to: "a, b TEXT NOT NULL DEFAULT ''"), ["ADD COLUMN"]),
        Case(Change("a default with quotes", table: "a", to: "a, b TEXT DEFAULT 'it''s'"), ["ADD COLUMN"]),
        Case(Change("a default in parentheses", table: "a", to: "a, b DEFAULT (1 + 1)"), ["rebuild"]),
        Case(Change("a default without spaces", table: "a", to: "a, b DEFAULT (1+1)"), ["rebuild"]),
        Case(Change("a default that is now", table: "a", to: "a, b DEFAULT CURRENT_TIMESTAMP"), ["rebuild"]),
        Case(Change("a UNIQUE column", table: "a", to: "a, b UNIQUE"), ["rebuild"]),
        Case(Change("a checked column", table: "a", to: "a, b CHECK (b > 0)"), ["ADD COLUMN"]),
        Case(
            Change("a column that refers", table: "a PRIMARY KEY", to: "a PRIMARY KEY, b REFERENCES t"), ["ADD COLUMN"]),
        Case(
            Change(
                "a column that refers by default", table: "a PRIMARY KEY", to: "a PRIMARY KEY, b DEFAULT 1 REFERENCES t"
            ),
            ["rebuild"]),
        Case(Change("a VIRTUAL column", table: "a", to: "a, b AS (a * 2)"), ["ADD COLUMN"]),
        Case(Change("a STORED column", table: "a", to: "a, b AS (a * 2) STORED"), ["rebuild"]),
        Case(Change("a column dropped", table: "a, b", to: "a"), ["DROP COLUMN"], allowDrop: ["t.b"]),
        Case(
            Change("one dropped, one added", table: "a, b", to: "a, c"), ["DROP COLUMN", "ADD COLUMN"],
            allowDrop: ["t.b"]),
        Case(
            Change("many columns dropped", table: "a, b, c, d", to: "a"), ["rebuild"],
            allowDrop: ["t.b", "t.c", "t.d"]),
        Case(
            Change("a UNIQUE column dropped", table: "a, b UNIQUE", to: "a"), ["rebuild"], allowDrop: ["t.b"]),
        Case(
            Change("a checked column dropped", table: "a, b, CHECK (a > b)", to: "a"), ["rebuild"], allowDrop: ["t.b"]),
        Case(
            Change(
                "an indexed column dropped", from: "CREATE TABLE t (a, b); CREATE INDEX i ON t (b)",
                to: "CREATE TABLE t (a)"), ["DROP INDEX", "DROP COLUMN"], allowDrop: ["t.b"]),
    ]

    static let constraints = [
        Case(Change("a type", table: "a TEXT", to: "a INTEGER"), ["rebuild"]),
        Case(Change("NOT NULL", table: "a", to: "a NOT NULL"), ["rebuild"]),
        Case(Change("a default", table: "a DEFAULT 1", to: "a DEFAULT 2"), ["rebuild"]),
        Case(Change("a collation", table: "a TEXT", to: "a TEXT COLLATE NOCASE"), ["rebuild"]),
        Case(Change("a CHECK", table: "a", to: "a CHECK (a > 0)"), ["rebuild"]),
        Case(Change("a foreign key", table: "a PRIMARY KEY, b", to: "a PRIMARY KEY, b REFERENCES t"), ["rebuild"]),
        Case(Change("a key of two", table: "a PRIMARY KEY, b", to: "a, b, PRIMARY KEY (a, b)"), ["rebuild"]),
        Case(
            Change("AUTOINCREMENT", table: "a INTEGER PRIMARY KEY", to: "a INTEGER PRIMARY KEY AUTOINCREMENT"),
            ["rebuild"]),
        Case(Change("STRICT", from: "CREATE TABLE t (a INT)", to: "CREATE TABLE t (a INT) STRICT"), ["rebuild"]),
        Case(
            Change("many changes", table: "a, b TEXT, c, d", to: "a NOT NULL, b INTEGER, c CHECK (c > 0), e"),
            ["rebuild"],
            allowDrop: ["t.d"]),
    ]

    static let others = [
        Case(Change("a table", from: "", to: "CREATE TABLE t (a)"), ["CREATE TABLE"]),
        Case(Change("a table dropped", from: "CREATE TABLE t (a)", to: ""), ["DROP TABLE"], allowDrop: ["T"]),
        Case(
            Change(
                "the direction of an index", from: "CREATE TABLE t (a); CREATE INDEX i ON t (a)",
                to: "CREATE TABLE t (a); CREATE INDEX i ON t (a DESC)"), ["DROP INDEX", "CREATE INDEX"]),
        Case(
            Change(
                "the condition of an index", from: "CREATE TABLE t (a); CREATE INDEX i ON t (a) WHERE a > 1",
                to: "CREATE TABLE t (a); CREATE INDEX i ON t (a) WHERE a > 2"), ["DROP INDEX", "CREATE INDEX"]),
        Case(
            Change(
                "a view", from: "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t",
                to: "CREATE TABLE t (a); CREATE VIEW v AS SELECT a + 1 AS a FROM t"), ["DROP VIEW", "CREATE VIEW"]),
        Case(
            Change(
                "a trigger",
                from: "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 1; END",
                to: "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 2; END"),
            ["DROP TRIGGER", "CREATE TRIGGER"]),
        Case(
            Change(
                "a virtual table", from: "CREATE VIRTUAL TABLE t USING fts5 (a)",
                to: "CREATE VIRTUAL TABLE t USING fts5 (a, b)"), ["DROP TABLE", "CREATE VIRTUAL"], allowDrop: ["t"]),
    ]

    @Test(arguments: columns + constraints + others)
    func theCheapestWayIsTaken(_ test: Case) throws {
        #expect(try test.change.plan(allowDrop: test.allowDrop).steps.map(\.way) == test.ways)
    }

    @Test(arguments: columns + constraints + others)
    func thePlanLeadsToTheTarget(_ test: Case) throws {
        let file = try database(test.change.before)
        let plan = try test.change.plan(allowDrop: test.allowDrop, of: file)
        #expect(plan.problems == [])
        try file.apply(plan, options: MigrationOptions(allowDrop: test.allowDrop))
        let target = try test.change.schemas.after
        #expect(try file.schema() == target)
        #expect(try MigrationPlan(from: file.schema(), to: target, of: file).isEmpty)
        try file.close()
    }

    /// Indexes by other tools were made again on every diff (atlas 1597).
    @Test(
        arguments: [
            Change("spaces and comments", table: "a TEXT, b INT", to: "\n  a   TEXT , -- the name\n b /* 1 */ INT\n"),
            Change("quotes", table: "a TEXT, b INT", to: "\"a\" TEXT, [b] INT"),
            Change("letters of keywords and types", table: "a text not null", to: "a TEXT NOT NULL"),
            Change("the order of columns", table: "a, b", to: "b, a"),
            Change("where a key is written", table: "a INT PRIMARY KEY", to: "a INT, PRIMARY KEY (a)"),
            Change("where a UNIQUE is written", table: "a UNIQUE", to: "a, UNIQUE (a)"),
            Change("where a CHECK is written", table: "a CHECK (a > 0)", to: "a, CHECK (a>0)"),
            Change("the name of a CHECK", table: "a CHECK (a > 0)", to: "a, CONSTRAINT positive CHECK (a > 0)"),
            Change(
                "a reference to the key", table: "a PRIMARY KEY, b REFERENCES t",
                to: "a PRIMARY KEY, b REFERENCES t (a)"),
            Change("a bare NULL", table: "a NULL", to: "a"),
            Change("the binary collation", table: "a COLLATE binary", to: "a"),
            Change(
                "an index as written", from: "CREATE TABLE t (a); CREATE INDEX i ON t (a) WHERE a>1",
                to: "CREATE TABLE t (a); create index if not exists \"i\" on t(\"a\" ASC) where a > 1"),
        ])
    func whatMeansTheSameIsNoChange(_ change: Change) throws {
        let (before, after) = try change.schemas
        #expect(try change.plan().description == "nothing to do\n")
        #expect(before == after)
        #expect(before.hash == after.hash)
    }
}
