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
}
