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

    @Test func cancelLeavesTheVersionBefore() throws {
        try database.setVersion(1, steps: steps)
        let options = MigrationOptions(progress: { $0.done > 0 || $0.step != "to version 3" })
        expectError(.interrupted) { try database.setVersion(steps: steps, options: options) }
        #expect(try database.version() == 2)
        #expect(try database.query("SELECT * FROM a").map(\.values) == [[1, .null]])
    }
}
