import Cormorant
import Testing

/// Related records are loaded with one statement for each relation and level.
struct RelationLoadingTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func statements(_ body: () throws -> Void) throws -> Int {
        nonisolated(unsafe) var count = 0
        try database.setTrace { sql, _ in if sql.contains("FROM") { count += 1 } }
        try body()
        try database.setTrace(nil)
        return count
    }

    @Test func toManyOfMany() throws {
        var artists = try database.fetchAll(Artist.order { $0.id })
        #expect(try statements { try database.load(\.albums, of: &artists) } == 1)
        #expect(
            try artists.map { try $0.albums.records.map(\.title).sorted() } == [
                ["Back in Black", "High Voltage"], ["Arrival", "Waterloo"], ["Fugues"], [],
            ])
    }

    @Test func filteredOrderedAndLimitedForEach() throws {
        var artists = try database.fetchAll(Artist.order { $0.id })
        try database.load(\.albums, of: &artists) { $0.where { $0.price > 6 }.order { $0.price.desc() }.limit(1) }
        #expect(
            try artists.map { try $0.albums.records.map(\.title) } == [["Back in Black"], ["Arrival"], ["Fugues"], []])
        try database.load(\.albums, of: &artists) { $0.limit(0) }
        #expect(try artists.allSatisfy { try $0.albums.records.isEmpty })
        expectError(.misuse) { try database.load(\.albums, of: &artists) { $0.limit(-1) } }
    }

    @Test func severalLevels() throws {
        var artists = try database.fetchAll(Artist.order { $0.id })
        let count = try statements {
            try database.load(\.albums, of: &artists) { albums in
                albums.order { $0.id }.load(\.tags) { $0.order { $0.word } }.load(\.artist)
            }
        }
        #expect(count == 3)
        let first = try #require(try artists[0].albums.records.first)
        #expect(try first.tags.records.map(\.word) == ["loud", "old"])
        #expect(try first.artist.record?.name == "AC/DC")
        #expect(try artists[1].albums.records.map { try $0.tags.records.count } == [1, 0])
    }

    @Test func toOne() throws {
        var albums = try database.fetchAll(Album.where { $0.id >= 5 }.order { $0.id })
        try database.load(\.artist, of: &albums)
        #expect(albums.map(\.artist) == [.loaded(Artist(id: 3, name: "Bach", country: nil)), .loaded(nil)])
        var employee = try #require(try database.fetchOne(Employee.where { $0.name == "Dot" }))
        try database.load(\.boss, of: &employee) { $0.load(\.boss) }
        #expect(try employee.boss.record?.boss.record?.name == "Ann")
    }

    @Test func ofOneAndOfNone() throws {
        var artist = try #require(try database.fetchOne(Artist.where { $0.name == "Nobody" }))
        try database.load(\.albums, of: &artist)
        #expect(try artist.albums.records == [])
        var unsaved = Artist(name: "New")
        try database.load(\.albums, of: &unsaved)
        #expect(try unsaved.albums.records == [])
        var none: [Artist] = []
        try database.load(\.albums, of: &none)
    }
}
