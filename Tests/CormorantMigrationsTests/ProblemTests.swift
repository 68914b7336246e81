import Cormorant
import Testing

/// What rows have against a change is counted before anything is done.
struct ProblemTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let change: Change
        let rows: String
        /// The message of the one problem.
        let message: String
        var testDescription: String { change.name }

        init(_ change: Change, rows: String, _ message: String) {
            self.change = change
            self.rows = rows
            self.message = message
        }
    }

    static let cases = [
        Case(
            Change("NOT NULL", table: "a, b", to: "a, b NOT NULL"), rows: "(1, NULL), (2, NULL), (3, 3)",
            "2 rows hold NULL in \"t.b\""),
        Case(
            Change("a new NOT NULL", table: "a", to: "a, b NOT NULL"), rows: "(1)",
            "1 row would have no value in \"t.b\""),
        Case(
            Change("a narrower type", table: "a TEXT", to: "a INTEGER"), rows: "('1'), ('007'), ('x'), (NULL)",
            "2 values of \"t.a\" would change by going from TEXT to INTEGER"),
        Case(
            Change("a CHECK", table: "a", to: "a CHECK (a > 0)"), rows: "(-1), (0), (1), (NULL)",
            "2 rows of \"t\" do not meet CHECK (a > 0)"),
        Case(
            Change("a UNIQUE", table: "a, b", to: "a, b, UNIQUE (a, b)"),
            rows: "(1, 1), (1, 1), (1, NULL), (1, NULL), (2, 1)",
            "2 rows of \"t\" are alike in a, b, which is to be unique"),
        Case(
            Change(
                "a unique index", from: "CREATE TABLE t (a)",
                to: "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a COLLATE NOCASE) WHERE a <> 'z'"),
            rows: "('a'), ('A'), ('z'), ('z')",
            "2 rows of \"t\" are alike in a COLLATE \"NOCASE\", which is to be unique"),
        Case(
            Change("a key", table: "a, b", to: "a PRIMARY KEY, b"), rows: "(1, 1), (1, 2), (2, 2)",
            "2 rows of \"t\" are alike in \"a\", which is to be unique"),
        Case(
            Change(
                "a foreign key", table: "a INTEGER PRIMARY KEY, b", to: "a INTEGER PRIMARY KEY, b REFERENCES t"),
            rows: "(1, 1), (2, 3), (4, NULL)", "1 row of \"t\" refers to no row of \"t\""),
        Case(
            Change("a column dropped", table: "a, b", to: "a"), rows: "(1, 1)",
            "column \"t.b\" would go with its 1 value"),
        Case(
            Change("a table dropped", from: "CREATE TABLE t (a)", to: ""), rows: "(1), (2)",
            "table \"t\" would go with 2 rows"),
    ]

    @Test(arguments: cases)
    func rowsInTheWayAreCounted(_ test: Case) throws {
        let file = try database("\(test.change.before); INSERT INTO t VALUES \(test.rows)")
        let before = try file.query("SELECT * FROM t").map(\.values)
        let plan = try test.change.plan(of: file)
        #expect(plan.problems.map(\.message) == [test.message])
        let error = #expect(throws: CormorantError.self) { try file.apply(plan) }
        #expect(error?.code == .migration)
        #expect(error?.message.contains(test.message) ?? false)
        #expect(try file.query("SELECT * FROM t").map(\.values) == before)
        #expect(try file.schema() == test.change.schemas.before)
        try file.close()
    }

    @Test(arguments: cases.filter { !$0.change.name.hasSuffix("dropped") })
    func anEmptyTableHasNothingInTheWay(_ test: Case) throws {
        let file = try database(test.change.before)
        #expect(try test.change.plan(of: file).problems == [])
        try file.close()
    }

    @Test func rowsAreCountedUnderTheirFormerNames() throws {
        let old = ModelDescriptor(
            name: "New", table: "old",
            columns: [ColumnDescriptor("id", Int64.self, primaryKey: true), ColumnDescriptor("nick", String?.self)])
        let new = ModelDescriptor(
            name: "New", table: "new",
            columns: [
                ColumnDescriptor("id", Int64.self, primaryKey: true),
                ColumnDescriptor("name", String.self, renamedFrom: "nick"),
            ], migration: MigrationNotes(renamedFrom: "old"))
        let file = try Database(path: ":memory:")
        try file.sync([old])
        try file.execute("INSERT INTO old VALUES (1, 'x'), (2, NULL)")
        #expect(try file.plan([new]).problems.map(\.message) == ["1 row holds NULL in \"new.name\""])
        try file.close()
    }
}
