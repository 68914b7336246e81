import Cormorant
import Testing

@Model(keys: [.unique("code")])
private struct Scribe {
    @Key var id: Int64?
    var name: String
    @Column(computed: "lower(name)") var code: String?
    @Relation var seals: ToMany<Seal> = .notLoaded
}

@Model
private struct Scroll {
    @Key var id: Int64?
    var info: String
    @Column(computed: "CAST(info ->> '$.scribe' AS INTEGER)") var scribeID: Int64?
    @Relation("scribeID") var scribe: ToOne<Scribe> = .notLoaded
}

@Model
private struct Seal {
    @Key var id: Int64?
    @References("scribe", column: "code") var code: String
}

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

    @Test func byComputedColumns() throws {
        let database = try memoryDatabase(Scribe.self, Scroll.self, Seal.self)
        var scribe = try database.inserted(Scribe(name: "Ani"))
        var scroll = try database.inserted(Scroll(info: #"{"scribe": 1}"#))
        #expect(scroll.scribeID == 1 && scribe.code == "ani")
        try database.load(\.scribe, of: &scroll)
        #expect(try scroll.scribe.record?.name == "Ani")
        _ = try database.inserted(Seal(code: "ani"))
        try database.load(\.seals, of: &scribe)
        #expect(try scribe.seals.records.map(\.code) == ["ani"])
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
