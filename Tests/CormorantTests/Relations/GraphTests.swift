import Cormorant
import Testing

/// A record is saved with what is loaded in it.
struct GraphTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func album(_ title: String, tags: ToMany<Tag> = .notLoaded) -> Album {
        Album(title: title, price: 1, tags: tags)
    }

    @Test func keysAreFilledInOnBothSides() throws {
        var artist = Artist(
            name: "Kraftwerk", country: "DE",
            albums: .loaded([album("Autobahn", tags: .loaded([Tag(word: "cars")])), album("Radio")]))
        try database.save(graph: &artist)
        #expect(artist.id == 5)
        #expect(try artist.albums.records.map(\.id) == [7, 8] && artist.albums.records.map(\.artistID) == [5, 5])
        var read = try #require(try database.find(Artist.self, key: 5))
        try database.load(\.albums, of: &read) { $0.order { $0.id }.load(\.tags) }
        #expect(try read.albums.records.map(\.title) == ["Autobahn", "Radio"])
        #expect(try read.albums.records[0].tags.records == [Tag(id: 3, word: "cars")])
        // Neither sets the way back.
        #expect(try (artist.albums.records + read.albums.records).allSatisfy { !$0.artist.isLoaded })
    }

    @Test func whatARecordRefersToGoesFirst() throws {
        var album = album("Violator")
        album.artist = .loaded(Artist(name: "Depeche Mode"))
        try database.save(graph: &album)
        #expect(album.artistID == 5)
        #expect(
            try database.fetchOne(Album.where { $0.title == "Violator" }.select { $0.artist.name }) == "Depeche Mode")
    }

    @Test func rowsThatAreThereAreUpdatedAndRemovedOnesDeletedWhereTheRelationSaysSo() throws {
        var artist = try #require(try database.find(Artist.self, key: 1))
        try database.load(\.albums, of: &artist) { $0.order { $0.id } }
        var albums = try artist.albums.records
        albums[1].title = "Back in Grey"
        artist.albums = .loaded([albums[1], album("New")])
        try database.save(graph: &artist)
        let titles = try database.fetchAll(Album.where { $0.artistID == 1 }.order { $0.id }.select { $0.title })
        #expect(titles == ["Back in Grey", "New"])
        // A tag keeps its albums: that relation does not say so.
        var tag = try #require(try database.find(Tag.self, key: 2))
        tag.albums = .loaded([])
        try database.save(graph: &tag)
        #expect(try database.fetchCount(AlbumTag.where { $0.tagID == 2 }) == 1)
    }

    @Test func whatIsNotLoadedIsLeftAlone() throws {
        var artist = try #require(try database.find(Artist.self, key: 1))
        artist.country = "GB"
        try database.save(graph: &artist)
        #expect(try database.fetchCount(Album.where { $0.artistID == 1 }) == 2)
    }

    @Test func theRecordItComesFromIsNotSavedAgain() throws {
        var artist = try #require(try database.find(Artist.self, key: 1))
        try database.load(\.albums, of: &artist) { $0.load(\.artist) }
        artist.name = "ACDC"
        try database.save(graph: &artist)
        #expect(try database.find(Artist.self, key: 1)?.name == "ACDC")
    }

    @Test func aForeignKeyThatWasChangedIsNotOverwritten() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        try database.load(\.artist, of: &album)
        album.artistID = 2
        let error = expectError(.misuse) { try database.save(graph: &album) }
        #expect(
            error?.plainMessage == "Album.artistID is 2 where the row has 1, but the record of relation artist has 1")
        #expect(error?.columns == ["artist_id"])
        album.artistID = nil
        expectError(.misuse) { try database.save(graph: &album) }
        album.artist = .notLoaded
        try database.save(graph: &album)
        #expect(try database.find(Album.self, key: 1)?.artistID == nil)
        album.artist = .loaded(try database.find(Artist.self, key: 3))
        try database.save(graph: &album)
        album.artist = .loaded(Artist(name: "New"))
        try database.save(graph: &album)
        #expect(album.artistID == 5)
        var artist = try #require(try database.find(Artist.self, key: 1))
        artist.albums = .loaded([album])
        try database.save(graph: &artist)
        #expect(try database.find(Album.self, key: 1)?.artistID == 1)
        album.artistID = 2
        artist.albums = .loaded([album])
        expectError(.misuse) { try database.save(graph: &artist) }
    }

    @Test func aForeignKeyThatWasWrittenIsNotTakenBackByWhatWasOnlyLoaded() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        try database.load(\.artist, of: &album)
        album.artistID = 2
        try database.update(&album)
        let error = expectError(.misuse) { try database.save(graph: &album) }
        #expect(
            error?.plainMessage == "Album.artistID is 2 where the row has 2, but the record of relation artist has 1")
        album.artistID = nil
        try database.update(&album)
        expectError(.misuse) { try database.save(graph: &album) }
        #expect(try database.find(Album.self, key: 1)?.artistID == nil)
        try database.load(\.artist, of: &album)
        try database.save(graph: &album)
        album.artist = .loaded(try database.find(Artist.self, key: 1))
        try database.save(graph: &album)
        #expect(try database.find(Album.self, key: 1)?.artistID == 1)
    }

    @Test func whatIsMissingFromAPartIsNotRemoved() throws {
        for limited in [true, false] {
            var artist = try #require(try database.find(Artist.self, key: 1))
            try database.load(\.albums, of: &artist) { limited ? $0.limit(1) : $0.where { $0.id == 1 } }
            let error = expectError(.misuse) { try database.save(graph: &artist) }
            #expect(
                error?.plainMessage
                    == "Artist.albums was loaded in part, so what is missing there is not removed")
            #expect(try database.fetchCount(Album.where { $0.artistID == 1 }) == 2)
            artist.albums = .loaded(Array(try artist.albums.records))
            try database.save(&artist)
        }
    }

    @Test func asynchronously() async throws {
        var artist = Artist(name: "Can", albums: .loaded([album("Tago Mago")]))
        try await database.save(graph: &artist)
        #expect(artist.id == 5)
    }

    @Test func aChainHasAnEnd() throws {
        let database = try openDatabase(path: ":memory:")
        try database.createTables(Node.self)
        func chain(_ length: Int) -> Node {
            (1..<length).reduce(Node()) { child, _ in
                var node = Node()
                node.children = .loaded([child])
                return node
            }
        }
        var node = chain(400)
        try database.save(graph: &node)
        #expect(try database.fetchCount(Node.all) == 400)
        var deep = chain(5_000)
        #expect(throws: CormorantError.self) { try database.save(graph: &deep) }
        #expect(try database.fetchCount(Node.all) == 400)
    }
}

@Model
private struct Node {
    @Key var id: Int64?
    @References("node") var parentID: Int64?
    @Relation var children = ToMany<Node>.notLoaded
}
