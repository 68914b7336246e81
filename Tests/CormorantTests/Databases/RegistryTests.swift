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

    @Test func aNameHasNoNUL() throws {
        let users = try registry()
        expectError(.misuse) { try users.use("x\0y") }
        #expect(users.openCount == 0)
    }

    @Test func aLeaseEndsWithItsLastReference() throws {
        let users = try registry(limit: 1, timeout: 0)
        func borrow() throws { _ = try users.use("a") }
        try borrow()
        try users.use("b") { _ in }
        #expect(users.openCount == 1)
    }

    /// Closing may throw, too, and leave the file open.
    @Test func aFileThatCannotBeClosedStaysOpen() throws {
        let files = try registry(limit: 1, timeout: 0)
        let queue = try WriteQueue(files.use("a").database)
        try queue.perform { _ in
            expectError(.busy) { try files.use("b") }
            #expect(files.openCount == 1)
            expectError(.misuse) { try files.closeFile("a") }
            #expect(files.openCount == 1)
        }
        try files.closeFile("a")
        #expect(files.openCount == 0)
        let closed = try files.use("a")
        try closed.database.close()
        try closed.release()
        try files.use("b") { _ in }
        #expect(files.openCount == 1)
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
        let total = try (0..<5).reduce(0) { sum, number in
            try sum + users.use("u\(number)") { try $0.fetchCount(Person.self) }
        }
        #expect(total == 40)
    }

    /// There is none before the task has ended.
    @Test(.timeLimit(.minutes(5)))
    func aCancelledTaskWaitsForNoPlace() async throws {
        let files = try registry(limit: 1, timeout: 600_000)
        let lease = try await files.use("held")
        let task = Task { try await files.use("other") { _ in } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
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
