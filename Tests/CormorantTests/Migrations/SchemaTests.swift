import Cormorant
import Testing

struct SchemaTests {
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
