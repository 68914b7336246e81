import Cormorant
import Testing

struct SchemaTests {
    private static let script = """
        CREATE TABLE "a" (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, CHECK (length(name) > 0)) STRICT;
        CREATE INDEX a_name ON a (name DESC) WHERE id > 3;
        CREATE VIEW v AS SELECT name FROM a;
        CREATE TRIGGER g AFTER INSERT ON a BEGIN UPDATE a SET name = 'x;y' WHERE id = new.id; END;

        """

    @Test func aFileAndItsTextHaveOneSchema() throws {
        let database = try Database(path: ":memory:")
        try database.executeScript(Self.script)
        let schema = try database.schema()
        #expect(try schema == Schema(script: Self.script))
        #expect(try schema == Schema(script: schema.sql))
        let copy = try Database(path: ":memory:")
        try copy.executeScript(schema.sql)
        #expect(try copy.schema() == schema)
        #expect(schema.hash.count == 64)
        #expect(try copy.schema().hash == schema.hash)
    }

    @Test func whatCannotBeReadIsRefusedWithItsPlace() throws {
        let error = expectError(.schema) { try Schema(script: "CREATE TABLE a (b); CREATE TABLE c (d e f g,);") }
        #expect(error?.offset == 44)
        expectError(.schema) { try Schema(script: "CREATE TABLE a (b); DROP TABLE a") }
        expectError(.schema) { try Schema(script: "CREATE TEMP TABLE a (b)") }
        expectError(.model) { try Schema(models: Former.Album.self, Present.Album.self) }
    }

    @Test func aPlanIsApplied() throws {
        let database = try Database(path: ":memory:")
        try database.executeScript("CREATE TABLE a (b); INSERT INTO a VALUES (1), (2)")
        let target = try Schema(script: "CREATE TABLE a (b NOT NULL, c TEXT)")
        let plan = try MigrationPlan(from: database.schema(), to: target, of: database)
        #expect(plan.steps.map(\.rows) == [2])
        try database.apply(plan)
        #expect(try database.schema() == target)
        #expect(try database.query("SELECT b, c FROM a").map(\.values) == [[1, .null], [2, .null]])
        expectError(.migrationDrift) { try database.apply(plan) }
    }

    @Test func aPlanIsToldToPeopleAndPrograms() throws {
        let plan = try MigrationPlan(
            from: Schema(script: "CREATE TABLE a (b)"), to: Schema(script: "CREATE TABLE a (b, c TEXT)"), of: nil)
        #expect(
            plan.description == """
                1. add column "a.c": c TEXT (safe)
                     ALTER TABLE "a" ADD COLUMN c TEXT

                """)
        #expect(
            plan.json.hasPrefix(
                #"{"risk": "safe", "steps": [{"summary": "add column \"a.c\": c TEXT", "risk": "safe", "rows": null"#))
    }
}
