import Cormorant
import CormorantFoundation
import Testing

/// What reads is given to functions, by those who read and those who write.
struct ReadingTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func titles(_ reader: Reader) throws -> [String] {
        try reader.fetchAll(Album.order { $0.title }.limit(2).select { $0.title })
    }

    @Test func aFunctionReadsForBoth() throws {
        let before = try database.read { reader in try titles(reader) }
        let (within, reader) = try database.write { database in
            _ = try database.inserted(Album(title: "A", price: 1))
            return (try titles(database), try database.read { try titles($0) })
        }
        #expect(within == reader && within == ["A", before[0]])
        #expect(try titles(database) == within)
    }

    @Test func cursorsAreLoopedOver() async throws {
        var records = (0..<300).map { Artist(name: "\($0)") }
        try await database.insert(contentsOf: &records)
        var count = 0
        for try await artist in try await database.cursor(Artist.where { $0.name != "150" }.order { $0.id }) {
            count += artist.name.isEmpty ? 0 : 1
        }
        #expect(try await database.fetchCount(Artist.self) == count + 1)
        var rows: [Value] = []
        for try await row in try await database.rowCursor("SELECT id FROM artist ORDER BY id DESC") {
            rows.append(try row[0])
            if rows.count == 3 { break }
        }
        #expect(rows.count == 3)
        for try await album in try await database.cursor(Album.self, Query(limit: 1)) { #expect(album.id != nil) }
        // The statement that was left is ended: nothing keeps tables from being changed.
        try await database.executeScript("DROP TABLE album_tag")
        let cursor = try await database.cursor(Artist.all)
        cursor.close()
        await #expect(throws: CormorantError.self) { for try await _ in cursor {} }
    }

    @Test func queriesLoadWhatTheirRecordsAreRelatedTo() async throws {
        let query = Artist.where { $0.name != "Bach" }.order { $0.id }
            .load(\.albums) { $0.order { $0.id }.limit(2).load(\.tags) { $0.order { $0.word } }.load(\.artist) }
        let artists = try await database.fetchAll(query)
        let titles = try artists.map { try $0.albums.records.map(\.title) }
        #expect(titles.map(\.count) == [2, 2, 0])
        let first = try #require(try artists[0].albums.records.first)
        #expect(try first.tags.records.map(\.word) == ["loud", "old"] && first.artist.record?.name == "AC/DC")
        #expect(first.tags.isLoaded && first.artist.isLoaded)
        #expect(try await database.fetchOne(query) == artists.first)
        #expect(try await database.fetchOne(Artist.where { $0.id < 0 }.load(\.albums)) == nil)
        let employees = try await database.fetchAll(Employee.load(\.boss).load(\.reports))
        #expect(employees.allSatisfy { $0.boss.isLoaded && $0.reports.isLoaded })
    }

    @Test func aRelationBeyondAnotherIsToldApart() throws {
        var employees = try database.fetchAll(Employee.all)
        let error = expectError(.misuse) { try database.load(\.boss.boss, of: &employees) }
        #expect(error?.hint?.contains(#"load(\.boss) { $0.load(\.boss) }"#) == true)
    }

    @Test func storesHoldCodableValues() async throws {
        let store = try await database.store("settings")
        try await store.put("window", content: Window(width: 3, title: "x"))
        #expect(try await store.content("window", as: Window.self) == Window(width: 3, title: "x"))
        #expect(try await store.entry("window")?.isJSON == true)
        #expect(try await store.content("other", as: Window.self) == nil)
        try await store.put("wrong", json: "{\"width\": true}")
        let read = Task { try await store.content("wrong", as: Window.self) }
        let error = await #expect(throws: CormorantError.self) { try await read.value }
        #expect(error?.code == .json && error?.message.contains("\"wrong\"") == true)
        try await store.put("number", 3)
        await #expect(throws: CormorantError.self) { try await store.content("number", as: Int.self) }
        let found = try await database.read { reader in try reader.store("settings").content("window", as: Window.self)
        }
        #expect(found?.width == 3)
    }
}

private struct Window: Codable, Equatable {
    var width: Int
    var title: String
}
