// Databases by name: a file per user, a table per target, a fleet that is migrated together.
import Cormorant
import Foundation

enum Registries {
    static func show() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let users = try Registry("\(folder.path)/{name}.db", limit: 8)
        try use(users)
        try await task(users)
        try await users.use("ida") { try targets($0) }
        try across(users)
        try migrate(users)
        try await users.close()
    }

    /// Opened when it is first used, and held until the end of the block.
    static func use(_ users: Registry) throws {
        try users.use("ida") { database in
            try database.createTables(Artist.self)
            _ = try database.inserted(Artist(name: "Nina Simone"))
        }
        try users.setCurrent("ida")
        print(try users.use { try $0.fetchCount(Artist.all) })
    }

    /// In tasks no thread of Swift's pool waits for a file or for room.
    static func task(_ users: Registry) async throws {
        let count = try await users.use("ida") { database in try await database.read { try $0.fetchCount(Artist.all) } }
        print(count)
    }

    /// One record, and a table for each target.
    static func targets(_ database: Database) throws {
        let fans = try Artist.table(suffix: "42")
        try database.createTables([fans.model])
        _ = try database.inserted(Artist(name: "Miriam Makeba"), into: fans)
        print(fans.model.table, try database.fetchAll(fans.where { $0.name.hasPrefix("M") }))
    }

    /// The same table in another file.
    static func across(_ users: Registry) throws {
        let old = try Artist.table(attachedAs: "old")
        try users.use("jon") { database in
            try users.attach("ida", to: database, as: "old")
            print(try database.fetchAll(old.all.select { $0.name }))
        }
    }

    /// All files that are there, each in transactions of its own.
    static func migrate(_ users: Registry) throws {
        var bundle = MigrationBundle()
        try bundle.add(MigrationStep("0001_plays", up: .sql("CREATE TABLE play (id INTEGER PRIMARY KEY, artist TEXT)")))
        for (name, error) in try users.migrate(bundle) { print(name, error.message) }
    }
}
