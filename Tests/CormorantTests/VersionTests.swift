import Cormorant
import Testing

/// Files whose schema has a number.
struct VersionTests {
    private let database: Database
    private let steps = [
        VersionStep(1, up: .sql("CREATE TABLE a (b); INSERT INTO a VALUES (1)"), down: .sql("DROP TABLE a")),
        VersionStep(2, up: .sql("ALTER TABLE a ADD COLUMN c"), down: .sql("ALTER TABLE a DROP COLUMN c")),
        VersionStep(
            3, up: .function { try $0.execute("UPDATE a SET c = b + 1") },
            down: .function { try $0.execute("UPDATE a SET c = NULL") }),
    ]

    init() throws { database = try Database(path: ":memory:") }

    @Test func stepsLeadUpAndDown() throws {
        #expect(try database.version() == 0)
        try database.setVersion(steps: steps)
        #expect(try database.version() == 3)
        #expect(try database.query("SELECT * FROM a").map(\.values) == [[1, 2]])
        try database.setVersion(1, steps: steps.reversed())
        #expect(try database.version() == 1)
        #expect(try database.query("SELECT * FROM a").map(\.values) == [[1]])
        try database.setVersion(2, steps: steps)
        #expect(try database.query("SELECT * FROM a").map(\.values) == [[1, .null]])
        try database.setVersion(0, steps: steps)
        #expect(try database.schema() == Schema())
        #expect(try database.version() == 0)
    }

    @Test func versionsThatCannotBeAreRefused() throws {
        try database.setVersion(steps: steps)
        expectError(.migrationNewer) { try database.setVersion(steps: Array(steps.prefix(2))) }
        for steps in [[steps[0], steps[2]], steps + [steps[0]], [VersionStep(-1, up: .sql("SELECT 1"))] + steps] {
            expectError(.migration) { try database.setVersion(steps: steps) }
        }
        expectError(.migration) { try database.setVersion(4, steps: steps) }
        expectError(.migration) { try database.setVersion(-1, steps: steps) }
        let oneWay = steps.map { VersionStep($0.version, up: $0.up, down: $0.version == 1 ? nil : $0.down) }
        expectError(.migration) { try database.setVersion(0, steps: oneWay) }
        try database.transaction {
            expectError(.transaction) { try database.setVersion(0, steps: steps) }
        }
        #expect(try database.schema().sql.contains("CREATE TABLE a"))
        try database.execute("PRAGMA user_version = -5")
        expectError(.migration) { try database.setVersion(steps: steps) }
    }

    @Test func cancelLeavesTheVersionBefore() throws {
        try database.setVersion(1, steps: steps)
        let options = MigrationOptions(progress: { $0.done > 0 || $0.step != "to version 3" })
        expectError(.interrupted) { try database.setVersion(steps: steps, options: options) }
        #expect(try database.version() == 2)
        #expect(try database.query("SELECT * FROM a").map(\.values) == [[1, .null]])
    }
}
