import Cormorant
import Testing

/// Models that are synced before they are first used; the scenarios say what each face does.
@Suite struct AutoSyncTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        var options = OpenOptions()
        #expect(!options.autoSync)
        options.autoSync = true
        database = try openDatabase(path: folder.file("auto.db"), options: options)
    }

    @Test func whatRelationsLeadToIsThere() throws {
        #expect(
            try database.fetchAll(Artist.where { $0.albums.contains { $0.tags.contains { $0.word == "x" } } }) == [])
        for model in [Artist.model, Album.model, Tag.model, AlbumTag.model] {
            #expect(try database.tableExists(model))
        }
        #expect(try !database.tableExists(Employee.model))
    }

    @Test func aRecordOfRawSQLNeedsNoTable() throws {
        let rows = try database.fetchAll(Summary.self, Query(sql: "SELECT 'a' AS title, 1 AS count"))
        #expect(rows == [Summary(title: "a", count: 1)])
        #expect(try !database.tableExists(Summary.model))
    }

    @Test func aBodyThatIsWatchedFirstAndReadsAnotherModelLater() throws {
        let observer = try database.observe { reader in
            let artists = try reader.fetchCount(Artist.self)
            return [artists, artists > 0 ? try reader.fetchCount(Employee.self) : -1]
        }
        #expect(try observer.value == [0, -1])
        #expect(try !database.tableExists(Employee.model))
        _ = try database.inserted(Artist(name: "Ada"))
        #expect(try observer.value == [1, 0])
        observer.cancel()
    }

    @Test func tasksThatComeAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { [database] in
                    if number.isMultiple(of: 2) {
                        _ = try await database.fetchAll(Employee.self)
                    } else {
                        _ = try await database.inserted(Artist(name: "\(number)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.fetchCount(Artist.self) == 10)
    }
}
