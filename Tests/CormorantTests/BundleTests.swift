import Cormorant
import Foundation
import Testing

/// Versioned steps, in a folder and of the program.
struct BundleTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("migrations")
    }

    /// The two steps that lead to the former tables and to the present ones.
    private func generate() throws {
        try MigrationBundle.generate(path, name: "former", models: Former.Album.self, Former.Singer.self)
        try MigrationBundle.generate(path, name: "present", models: Present.Album.self, Present.Artist.self)
    }

    private func write(_ text: String, _ file: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(file)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
    }

    private let lossy = MigrationOptions(allowLossy: true)

    private func states(_ database: Database, _ bundle: MigrationBundle) throws -> [MigrationState.State] {
        try database.status(bundle).map(\.state)
    }

    @Test func generatedStepsLeadThereAndBack() throws {
        try generate()
        let bundle = try MigrationBundle(folder: path)
        #expect(bundle.steps.map(\.id) == ["0001_former", "0002_present"])
        let database = try Database(path: ":memory:")
        #expect(try states(database, bundle) == [.pending, .pending])
        #expect(try database.apply(bundle, upTo: "0001_former") == ["0001_former"])
        #expect(try states(database, bundle) == [.applied, .pending])
        let former = try Contents(database)
        #expect(former.albums.count == 2)
        expectError(.migration) { try database.apply(bundle) }
        #expect(try database.apply(bundle, options: lossy) == ["0002_present"])
        #expect(try database.fetchAll(Present.Album.self, Query(order: ["id"])) == Present.albums)
        #expect(try database.schema() == Schema(models: Present.Album.self, Present.Artist.self))
        #expect(try database.apply(bundle) == [])
        #expect(try database.drift(bundle).isEmpty)
        #expect(try database.status(bundle).allSatisfy { $0.started != nil && $0.finished != nil })
        #expect(try database.revert(bundle, downTo: "0001_former", options: lossy) == ["0002_present"])
        #expect(try database.schema() == Schema(models: Former.Album.self, Former.Singer.self))
        #expect(try database.fetchAll(Former.Album.self).map(\.title) == former.albums.map(\.title))
        #expect(try database.revert(bundle, downTo: nil, options: lossy) == ["0001_former"])
        #expect(try database.schema() == Schema())
        #expect(try database.apply(bundle, options: lossy) == ["0001_former", "0002_present"])
    }

    @Test func whatHasNotChangedMakesNoStep() throws {
        try generate()
        let plan = try MigrationBundle.generate(
            path, name: "again", models: [Present.Album.model, Present.Artist.model])
        #expect(plan.isEmpty)
        #expect(try MigrationBundle(folder: path).steps.count == 2)
        expectError(.migration) { try MigrationBundle.generate(path, name: "../up", models: Person.self) }
        expectError(.migration) { try MigrationBundle.generate(path, name: "bare", models: Bare.Album.self) }
        #expect(try MigrationBundle(folder: path).steps.count == 2)
    }

    @Test func aStepLeadsToAnySchema() throws {
        let schema = try Schema(script: "CREATE TABLE a (b CHECK (b > 0)); CREATE VIEW v AS SELECT b FROM a;")
        try MigrationBundle.generate(path, name: "other", to: schema)
        let database = try Database(path: ":memory:")
        try database.apply(MigrationBundle(folder: path))
        #expect(try database.schema() == schema)
    }

    @Test func stepsOfTheProgramRunAtTheirPlace() throws {
        var bundle = MigrationBundle()
        try bundle.add(MigrationStep("3", up: .sql("DELETE FROM person WHERE name = 'Ada'")))
        try bundle.add(
            MigrationStep(
                "2",
                up: .function { database in
                    var people = [Person(name: "Ada"), Person(name: "Alan")]
                    try database.insert(contentsOf: &people)
                    try database.transaction { try database.save(&people[1]) }
                },
                down: .function { _ = try $0.deleteAll(Person.self) }))
        try bundle.add(MigrationStep("1", up: .function { try $0.createTables(Person.self) }))
        #expect(bundle.steps.map(\.id) == ["1", "2", "3"])
        let database = try Database(path: ":memory:")
        #expect(try database.apply(bundle, upTo: "2") == ["1", "2"])
        #expect(try database.revert(bundle, downTo: "1", options: MigrationOptions(allowLossy: true)) == ["2"])
        #expect(try database.apply(bundle) == ["2", "3"])
        #expect(try database.fetchAll(Person.self).map(\.name) == ["Alan"])
        #expect(database.transactionDepth == 0)
    }

    @Test func aStepByHandIsSealed() throws {
        try generate()
        try write("CREATE TABLE extra (a); INSERT INTO extra VALUES (1)", "0003_extra/up.sql")
        expectError(.migrationModified) { try MigrationBundle(folder: path) }
        try MigrationBundle.seal(path)
        let bundle = try MigrationBundle(folder: path)
        let database = try Database(path: ":memory:")
        #expect(try database.apply(bundle, options: lossy).count == 3)
        #expect(try database.schema().sql.contains("CREATE TABLE extra (a);"))
        expectError(.migration) { try database.revert(bundle, downTo: nil) }
        #expect(try states(database, bundle) == [.applied, .applied, .applied])
    }

    @Test func joinedStepsAreOneToFilesThatHaveThem() throws {
        try generate()
        let database = try Database(path: ":memory:")
        try database.apply(MigrationBundle(folder: path), options: lossy)
        try MigrationBundle.squash(path)
        let bundle = try MigrationBundle(folder: path)
        #expect(bundle.steps.map(\.id) == ["0002_present"])
        #expect(try database.apply(bundle) == [])
        let fresh = try Database(path: ":memory:")
        try fresh.apply(bundle)
        #expect(try fresh.schema() == database.schema())
        #expect(try states(database, bundle) == [.applied])
    }

    /// Neither a missing semicolon nor a comment runs on into the next step.
    @Test func stepsThatEndInCommentsAreJoined() throws {
        for (index, end) in ["", ";", " -- the end", "; -- the end", " /* open", ";\n", ";\n\n/* c */"].enumerated() {
            try write("CREATE TABLE t\(index) (a)\(end)", "000\(index + 1)_t\(index)/up.sql")
        }
        try MigrationBundle.seal(path)
        let separate = try Database(path: ":memory:")
        #expect(try separate.apply(MigrationBundle(folder: path)).count == 7)
        try MigrationBundle.squash(path)
        let joined = try Database(path: ":memory:")
        #expect(try joined.apply(MigrationBundle(folder: path)).count == 1)
        #expect(try joined.schema() == separate.schema())
    }

    @Test func aFileMadeWithoutStepsIsAdopted() throws {
        try generate()
        let bundle = try MigrationBundle(folder: path)
        let database = try formerDatabase()
        expectError(.migrationDrift) { try database.adopt(bundle) }
        try database.adopt(bundle, upTo: "0001_former")
        #expect(try database.apply(bundle, options: lossy) == ["0002_present"])
        #expect(try database.fetchAll(Present.Album.self, Query(order: ["id"])) == Present.albums)
        expectError(.migration) { try database.adopt(bundle) }
    }

    @Test func driftIsSaidAndShown() throws {
        try generate()
        let bundle = try MigrationBundle(folder: path)
        let database = try Database(path: ":memory:")
        try database.apply(bundle, upTo: "0001_former")
        try database.execute("ALTER TABLE singer ADD COLUMN born")
        let error = expectError(.migrationDrift) { try database.apply(bundle) }
        #expect(error?.message.contains("add column \"singer.born\"") ?? false)
        let drift = try database.drift(bundle)
        #expect(drift.steps.flatMap(\.changes).map(\.kind) == [.dropColumn])
        #expect(drift.problems.count == 1)
    }

    @Test func aStepOutsideATransactionThatIsCutShortIsDirty() throws {
        let bundle = try {
            var bundle = MigrationBundle()
            try bundle.add(MigrationStep("1", up: .sql("CREATE TABLE a (b)")))
            try bundle.add(
                MigrationStep("2", up: .sql("-- outside transaction\nVACUUM; CREATE TABLE c (d); CREATE TABLE a (b)")))
            return bundle
        }()
        let database = try Database(path: ":memory:")
        expectError(.sql) { try database.apply(bundle) }
        #expect(try states(database, bundle) == [.applied, .dirty])
        expectError(.migrationDirty) { try database.apply(bundle) }
        expectError(.migrationDirty) { try database.revert(bundle, downTo: nil) }
        expectError(.migration) { try database.resolve(bundle, "1", applied: true) }
        try database.resolve(bundle, "2", applied: true)
        #expect(try database.apply(bundle) == [])
    }
}
