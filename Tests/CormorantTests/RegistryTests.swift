import Cormorant
import Foundation
import Testing

/// Databases by name.
struct RegistryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func registry(limit: Int = 64, timeout: Int = 5000) throws -> Registry {
        try Registry(folder.file("{name}.db"), limit: limit, options: OpenOptions(busyTimeout: timeout))
    }

    private let bundle: MigrationBundle = {
        var bundle = MigrationBundle()
        try! bundle.add(MigrationStep("1", up: .sql("CREATE TABLE t (x)")))
        try! bundle.add(MigrationStep("2", up: .sql("INSERT INTO t VALUES (1)")))
        return bundle
    }()

    @Test func aNameLeadsToAFile() throws {
        let users = try registry()
        let id = try users.use("ida") { database in
            try database.createTables(Person.self)
            return try database.inserted(Person(name: "Ida", age: 3)).id
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("ida.db")))
        let first = try users.use("ida")
        let second = try users.use("ida")
        #expect(first.database === second.database)
        #expect(try first.database.find(Person.self, key: id)?.name == "Ida")
        try first.release()
        expectError(.misuse) { try first.release() }
        #expect(try second.database.fetchCount(Person.self) == 1)
        try second.release()
        #expect(users.openCount == 1)
        #expect(try users.allNames() == ["ida"])
        try users.close()
        expectError(.misuse) { try users.use("ida") }
    }

    @Test func currentAndDefault() throws {
        let users = try registry()
        expectError(.misuse) { try users.use() }
        try users.setDefault("main")
        #expect(users.currentName == "main")
        try users.setCurrent("ida")
        #expect(users.defaultName == "main")
        #expect(try users.use { $0.path }.hasSuffix("/ida.db"))
        expectError(.misuse) { try users.setCurrent("../ida") }
        try users.setCurrent(nil)
        #expect(users.currentName == "main")
    }

    @Test func whatIsHeldStaysOpen() throws {
        let users = try registry(limit: 2, timeout: 100)
        let held = try users.use("held")
        try held.database.createTables(Person.self)
        for number in 0..<10 { try users.use("u\(number)") { _ in } }
        #expect(users.openCount == 2)
        let other = try users.use("other")
        let error = expectError(.busy) { try users.use("third") }
        #expect(error?.message.contains("all 2 databases") == true)
        expectError(.misuse) { try users.close() }
        #expect(try held.database.fetchCount(Person.self) == 0)
        try held.release()
        try other.release()
        try users.close()
    }

    @Test func aLeaseEndsWithItsLastReference() throws {
        let users = try registry(limit: 1, timeout: 0)
        func borrow() throws { _ = try users.use("a") }
        try borrow()
        try users.use("b") { _ in }
        #expect(users.openCount == 1)
    }

    @Test func givingBackRollsBack() throws {
        let users = try registry()
        let outer = try users.use("a")
        try outer.database.createTables(Person.self)
        let inner = try users.use("a")
        try inner.database.begin()
        _ = try inner.database.inserted(Person(name: "lost", age: 1))
        try inner.release()
        #expect(outer.database.transactionDepth == 0)
        #expect(try outer.database.fetchCount(Person.self) == 0)
    }

    @Test(arguments: ["", "..", "../x", "a/b", "a\\b", "x\0y", ".x", String(repeating: "x", count: 5000)])
    func aNameThatNoFileMayHave(_ name: String) throws {
        let users = try registry()
        expectError(.misuse) { try users.use(name) }
        #expect(users.openCount == 0)
    }

    @Test func registeredNames() throws {
        let files = try Registry()
        try files.register("people", path: folder.file("p.db"))
        let error = expectError(.misuse) { try files.use("poeple") }
        #expect(error?.hint == "did you mean people?")
        expectError(.misuse) { try files.register("people", path: folder.file("q.db")) }
        expectError(.misuse) { try files.register("others", path: folder.file("p.db")) }
        expectError(.misuse) { try files.register("memory", path: ":memory:") }
        try files.use("people") { #expect($0.path == folder.file("p.db")) }
        try files.closeFile("people")
        #expect(files.openCount == 0)
    }

    @Test func aFleetIsMigrated() throws {
        let users = try registry()
        for name in ["a", "b", "c"] { try users.use(name) { _ in } }
        try users.closeFile("b")
        try Data(repeating: 120, count: 9000).write(to: URL(fileURLWithPath: folder.file("b.db")))
        var told: [String] = []
        let failures = try users.migrate(bundle) { migration in
            told.append("\(migration.name) \((try? migration.result.get().count) ?? -1)")
            return true
        }
        #expect(told == ["a 2", "b -1", "c 2"])
        #expect(failures.mapValues(\.code) == ["b": .notADatabase])
        #expect(try users.migrate(bundle, ["a", "d"], upTo: "1").isEmpty)
        var dropping = bundle
        try dropping.add(MigrationStep("3", up: .sql("DROP TABLE t")))
        #expect(try users.migrate(dropping, ["a"]).mapValues(\.code) == ["a": .migration])
        #expect(try users.use("a") { try $0.query("SELECT x FROM t").map(\.values) } == [[1]])
        #expect(try users.migrate(dropping, ["a"], allowLossy: true).isEmpty)
        expectError(.interrupted) { try users.migrate(bundle) { _ in false } }
        expectError(.migration) { try users.migrate(bundle, upTo: "7") }
    }

    /// A task that holds a database goes on when a thread of Swift's pool takes it up, which is after the tests that were
    /// ready before it: up to the time of the whole run, which no wait for a place may be shorter than.
    @Test func tasksShareFewPlaces() async throws {
        let users = try registry(limit: 2, timeout: 600_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await users.use("u\(number % 5)") { database in
                        try await database.write { try $0.createTables(Person.self) }
                        try await database.write { _ = try $0.inserted(Person(name: "\(number)", age: number)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let total = try (0..<5).reduce(Int64(0)) { sum, number in
            try sum + users.use("u\(number)") { try $0.fetchCount(Person.self) }
        }
        #expect(total == 40)
    }

    /// There is none before the task has ended.
    @Test(.timeLimit(.minutes(5)))
    func aCancelledTaskWaitsForNoPlace() async throws {
        let files = try registry(limit: 1, timeout: 600_000)
        let lease = try files.use("held")
        let task = Task { try await files.use("other") { _ in } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        let error = await #expect(throws: CormorantError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        try lease.release()
        let rows = try await files.use("other") { try await $0.query("SELECT 1") }
        #expect(rows.count == 1)
    }
}

/// One record for many tables.
struct RecordTableTests {
    @Test func aSuffixHasATableOfItsOwn() throws {
        let database = try memoryDatabase(Artist.self, Album.self)
        let albums = try Album.table(suffix: "42")
        try database.createTables([albums.model])
        let artist = try database.inserted(Artist(name: "Ida"))
        var album = Album(title: "One", artistID: artist.id, year: 1999, price: 1)
        try database.insert(&album, into: albums)
        #expect(try database.fetchCount(Album.self) == 0)
        #expect(try database.fetchAll(albums.where { $0.year < 2000 }) == [album])
        #expect(try database.find(albums, key: album.id) == album)
        album.title = "Two"
        try database.save(&album, in: albums)
        #expect(try database.fetchAll(albums.all.select { $0.title }) == ["Two"])
        #expect(try database.execute(albums.where { $0.title == "Two" }.update { $0.year = $0.year + 1 }) == 1)
        try database.refresh(&album, from: albums)
        #expect(album.year == 2000)
        #expect(try database.fetchCount(albums.where { $0.artist.name == "Ida" }) == 1)
        #expect(try database.delete(album, from: albums))
        #expect(try database.fetchCount(albums.all) == 0)
    }

    @Test func suffixesThatTablesCouldShare() throws {
        for suffix in ["", "Ida", "a\0b", String(repeating: "x", count: 201)] {
            expectError(.model) { try Album.table(suffix: suffix) }
        }
        let first = try Album.table(suffix: "\"; drop table artist; --")
        #expect(try Album.table(suffix: "\"; drop table artist; --").model === first.model)
    }

    @Test func tablesOfAnAttachedFile() throws {
        let folder = try TemporaryFolder()
        let files = try Registry(folder.file("{name}.db"))
        for name in ["now", "archive"] {
            try files.use(name) { database in
                try database.createTables(Artist.self)
                for number in 1...3 { _ = try database.inserted(Artist(name: "\(name) \(number)")) }
            }
        }
        let old = try Artist.table(attachedAs: "old")
        try files.use("now") { database in
            try files.attach("archive", to: database, as: "old")
            let pairs = try database.fetchAll(
                Artist.all.join(Artist.self, as: "before", from: old.all) { $0.id == $1.id }
                    .where { $1.name != "archive 2" }.order { artist, _ in artist.id }
                    .select { ($0.name, $1.name) })
            #expect(pairs.map(\.0) == ["now 1", "now 3"])
            #expect(pairs.map(\.1) == ["archive 1", "archive 3"])
            #expect(try database.execute(old.where { $0.id == 2 }.update { $0.name = "changed" }) == 1)
            #expect(try database.find(old, key: 2)?.name == "changed")
            #expect(try database.find(Artist.self, key: 2)?.name == "now 2")
            expectError(.misuse) { try database.createTables([old.model]) }
        }
        _ = try files.use("now") { database in expectError(.schema) { try database.find(old, key: 2) } }
    }
}
