import Cormorant
import Testing

/// A relation to one that is set says what the foreign key is, whatever writes the record.
struct AssignedRelationTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func album(_ title: String = "Tide", by artist: Artist? = Artist(name: "Pia")) -> Album {
        Album(title: title, price: 1, artist: .loaded(artist))
    }

    private func bach() throws -> Artist { try #require(try database.find(Artist.self, key: 3)) }

    private func written(_ album: Album) throws -> Int64? {
        try database.one(Album.where { $0.title == album.title }).artistID
    }

    @Test func eachWriteTakesTheKeyOfTheOther() throws {
        let writes: [(Database, inout Album) throws -> Void] = [
            { try $0.insert(&$1) },
            { try $0.save(&$1) },
            { try $0.upsert(&$1) },
            { $1 = try $0.inserted($1, onConflict: .replace) },
            { try $0.save(graph: &$1) },
            { try $1.insert(in: $0) },
            { database, album in
                var albums = [album]
                try database.insert(contentsOf: &albums)
                album = albums[0]
            },
            { database, album in
                var albums = [album]
                try database.upsert(contentsOf: &albums)
                album = albums[0]
            },
        ]
        for (index, write) in writes.enumerated() {
            var album = album("Tide \(index)", by: try bach())
            try write(database, &album)
            #expect(try written(album) == 3 && album.artistID == 3)
            #expect(try album.artist.record?.name == "Bach")
            // From now on the column counts, as beside a relation that was loaded.
            album.artistID = 2
            try database.update(&album)
            #expect(try written(album) == 2)
            guard index != 4 else { continue }
            var unsaved = self.album("Ebb")
            let error = expectError(.misuse) { try write(database, &unsaved) }
            #expect(error?.plainMessage == "Album.artist is set to a record of Artist that has no key yet")
            #expect(error?.table == "album" && error?.columns == ["artist_id"])
            #expect(try database.fetchCount(Album.where { $0.title == "Ebb" }) == 0)
            // It is as before.
            unsaved.artist = .loaded(try unsaved.artist.record.map { try database.inserted($0) })
            try write(database, &unsaved)
            #expect(try written(unsaved) == unsaved.artistID)
            try database.delete(unsaved)
        }
    }

    @Test func aBatchSaysWhichRecordItIs() throws {
        let known = try bach()
        var albums = [album("a", by: known), album("b")]
        #expect(expectError(.misuse) { try database.insert(contentsOf: &albums) }?.recordIndex == 1)
    }

    @Test func updates() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        let before = album
        album.artist = .loaded(try bach())
        try database.update(&album, \.title)
        #expect(try written(album) == 1)
        #expect(try database.updateChanges(of: &album, since: before) == ["artistID"])
        #expect(try written(album) == 3)
        album.artist = .loaded(Artist(name: "Pia"))
        let read = album
        try database.update(&album, \.title)
        expectError(.misuse) { try database.update(&album) }
        expectError(.misuse) { try database.update(&album, \.artistID) }
        expectError(.misuse) { try database.updateChanges(of: &album, since: read) }
        var albums = [album]
        expectError(.misuse) { try database.update(contentsOf: &albums) }
        #expect(try written(album) == 3)
        #expect(try database.delete(album))
    }

    @Test func nilIsAForeignKeyToo() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        album.artist = .loaded(nil)
        try database.update(&album)
        #expect(try album.artistID == nil && written(album) == nil)
        album.artist = .loaded(try bach())
        try database.save(graph: &album)
        album.artist = .loaded(nil)
        try database.save(graph: &album)
        #expect(try album.artistID == nil && written(album) == nil)
        // One that was found to be none says nothing.
        album.artistID = 2
        try database.update(&album)
        #expect(try written(album) == 2)
        var line = TuneLine(tuneID: 1, tune: .loaded(nil))
        let error = expectError(.misuse) { try database.insert(&line) }
        #expect(error?.plainMessage == "TuneLine.tune is set to nil, and tuneID cannot be nil")
    }

    @Test func aForeignKeyThatWasSetSinceIsNoGuess() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        album.artist = .loaded(try bach())
        album.artistID = 2
        let error = expectError(.misuse) { try database.update(&album) }
        #expect(
            error?.plainMessage == "Album.artistID is 2 where the row has 1, but the record of relation artist has 3")
        album.artistID = 1
        try database.update(&album)
        #expect(album.artistID == 3)
        album.artist = .loaded(nil)
        album.artistID = 2
        expectError(.misuse) { try database.update(&album) }
        var new = self.album(by: nil)
        new.artistID = 2
        expectError(.misuse) { try database.insert(&new) }
    }

    @Test func whatIsReadAnewIsNoLongerRelated() throws {
        var album = try #require(try database.find(Album.self, key: 1))
        try database.load(\.artist, of: &album)
        try database.refresh(&album)
        #expect(try album.artist.record?.id == 1)
        try database.execute("UPDATE album SET artist_id = 2 WHERE id = 1")
        try database.refresh(&album)
        #expect(!album.artist.isLoaded)
        try database.save(graph: &album)
        #expect(try written(album) == 2)
        album.artist = .loaded(try bach())
        try database.upsert(&album, keeping: \.artistID)
        #expect(album.artistID == 2 && !album.artist.isLoaded)
    }

    @Test func aRecordInAListIsOfThatList() throws {
        var artist = try bach()
        artist.albums = .loaded([album("a", by: artist), album("b", by: Artist(name: "a copy"))])
        try database.save(graph: &artist)
        #expect(try artist.albums.records.map(\.artistID) == [3, 3])
        artist.albums = .loaded([album("c", by: try database.find(Artist.self, key: 2))])
        let error = expectError(.misuse) { try database.save(graph: &artist) }
        #expect(error?.plainMessage.contains("two records") == true)
    }

    @Test func queuesAndTasks() async throws {
        let queue = try WriteQueue(database)
        let batch = queue.begin()
        batch.insert(album("a"))
        await #expect(throws: CormorantError.self) { try await batch.commit() }
        batch.insert(album("a", by: try bach()))
        try await batch.commit()
        #expect(try await database.one(Album.where { $0.title == "a" }).artistID == 3)
        try await queue.close()
        var album = album("b")
        await #expect(throws: CormorantError.self) { try await database.insert(&album) }
        album.artist = .loaded(try bach())
        try await database.insert(&album)
        let before = album
        album.artist = .loaded(try await database.find(Artist.self, key: 2))
        #expect(try await database.updateChanges(of: &album, since: before) == ["artistID"])
    }

    @Test func json() throws {
        let text = """
            [{"title": "a", "price": 1, "artist": {"name": "Pia"}},
             {"title": "b", "price": 1, "artist": {"id": 3, "name": "Bach"}}]
            """
        var albums = try Album.readJSON(text)
        #expect(expectError(.misuse) { try database.insert(contentsOf: &albums) }?.recordIndex == 0)
        try database.insert(&albums[1])
        #expect(try written(albums[1]) == 3)
        try database.save(graph: &albums[0])
        #expect(try written(albums[0]) == 5)
    }

    /// Half of it would refer to another record, or to none.
    @Test func aForeignKeyIsWrittenAsAWhole() throws {
        let database = try memoryDatabase(Writer.self, Chapter.self)
        var writers = [Writer(tenant: 1, id: 5), Writer(tenant: 1, id: 7), Writer(tenant: 2, id: 7)]
        try database.insert(contentsOf: &writers)
        var chapter = try database.inserted(Chapter(tenant: 1, author: 5))
        chapter.writer = .loaded(writers[2])
        var chapters = [chapter]
        for write in [
            { try database.update(&chapter, \.author) },
            { try database.update(&chapter, properties: ["text", "tenant"]) },
            { try database.update(contentsOf: &chapters, properties: ["author"]) },
        ] {
            let error = expectError(.misuse) { try write() }
            #expect(error?.plainMessage.contains("of its foreign key") == true && error?.table == "chapter")
        }
        #expect(chapter.tenant == 1 && chapter.author == 5)
        try database.update(&chapter, \.text)
        try database.update(&chapter, \.author, \.tenant)
        let found = try #require(try database.find(Chapter.self, key: 1))
        #expect((found.tenant, found.author) == (2, 7))
        // Of the same tenant nothing is left out.
        chapter.tenant = 1
        chapter.author = 5
        try database.update(&chapter)
        chapter.writer = .loaded(writers[1])
        try database.update(&chapter, \.author)
        #expect(try database.find(Chapter.self, key: 1)?.author == 7)
    }

    @Test func hooks() throws {
        try database.createTables(Tune.self, TuneLine.self)
        var line = TuneLine(tuneID: 0, tune: .loaded(Tune(name: "no")))
        expectError(.misuse) { try database.insert(&line) }
        // What a hook inserts is there in time.
        line.tune = .loaded(Tune(name: "inserted by the hook"))
        try database.insert(&line)
        #expect(line.tuneID == 1)
        line.text = "another song"
        try database.update(&line, \.text)
        #expect(try database.find(TuneLine.self, key: 1)?.tuneID == 2)
        var same = TuneLine(tuneID: 0, text: "other", tune: .loaded(try database.find(Tune.self, key: 2)))
        #expect(try !database.fetchOrInsert(&same, on: \.tuneID))
        #expect(same.text == "another song")
    }
}

@Model
private struct Writer: Equatable {
    @Key var tenant: Int64
    @Key var id: Int64
}

@Model
private struct Chapter: Equatable {
    @Key var id: Int64?
    var tenant: Int64
    var author: Int64
    var text = ""
    @Relation("tenant", "author") var writer: ToOne<Writer> = .notLoaded
}

@Model
struct Tune: Equatable {
    @Key var id: Int64?
    var name: String
}

@Model
struct TuneLine: Equatable {
    @Key var id: Int64?
    @References("tune") @Column(unique: true) var tuneID: Int64
    var text = ""
    @Relation var tune: ToOne<Tune> = .notLoaded
}

extension TuneLine: RecordHooks {
    mutating func willSave(in database: Database) throws {
        guard var related = try tune.isLoaded ? tune.record : nil else { return }
        if related.name == "inserted by the hook", related.id == nil {
            try database.insert(&related)
            tune = .loaded(related)
        }
        if text == "another song" { tune = .loaded(try database.inserted(Tune(name: "another"))) }
    }
}
