import Cormorant
import Testing

/// Conditions and aggregates along relations.
struct RelationQueryTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    private func titles(_ query: SelectQuery<Album, Album.Columns>) throws -> [String] {
        try database.fetchAll(query.order { $0.id }.select { $0.title })
    }

    @Test func toOne() throws {
        let query = Album.where { $0.artist.name == "Abba" }
        try expectSQL(
            query.select { $0.title },
            #"SELECT "album"."title" FROM "album" LEFT JOIN "artist" AS "album.artist" "#
                + #"ON "album.artist"."id" = "album"."artist_id" WHERE "album.artist"."name" = ?"#, ["Abba"])
        #expect(try titles(query) == ["Waterloo", "Arrival"])
        #expect(try titles(Album.where { $0.artist.name == nil }) == ["Anonymous"])
        let pairs = try database.fetchAll(Album.where { $0.id > 4 }.order { $0.id }.select { ($0, $0.artist) })
        #expect(pairs.map(\.1?.name) == ["Bach", nil])
        let names: [String?] = try database.fetchAll(
            Album.all.order { $0.artist.name.desc() }.select { $0.artist.name })
        #expect(names.first == "Bach" && names.last == .some(nil))
    }

    @Test func severalStepsAndSelfRelations() throws {
        let query = Employee.where { $0.boss.boss.name == "Ann" }
        #expect(try database.fetchAll(query).map(\.name) == ["Dot"])
        #expect(
            try database.fetchAll(Employee.where { $0.reports.contains { $0.name == "Dot" } }).map(\.name) == ["Bob"])
        #expect(try database.fetchAll(Employee.all.order { $0.id }.select { $0.reports.count() }) == [2, 1, 0, 0])
    }

    @Test func toMany() throws {
        func names(_ condition: (Artist.Columns) -> SQLExpression<Bool>) throws -> [String] {
            try database.fetchAll(Artist.where(condition).order { $0.id }.select { $0.name })
        }
        #expect(try names { $0.albums.contains { $0.price > 9 } } == ["AC/DC", "Bach"])
        #expect(try names { !$0.albums.contains { $0.price > 9 } } == ["Abba", "Nobody"])
        #expect(try names { $0.albums.isEmpty() } == ["Nobody"])
        #expect(try names { $0.albums.count() > 1 && $0.country == "SE" } == ["Abba"])
    }

    @Test func manyToMany() throws {
        #expect(try titles(Album.where { $0.tags.contains { $0.word == "old" } }) == ["High Voltage", "Waterloo"])
        #expect(
            try database.fetchAll(Album.where { $0.id <= 3 }.order { $0.id }.select { $0.tags.count() }) == [2, 0, 1])
        #expect(try database.fetchAll(Tag.order { $0.id }.select { $0.albums.max { $0.year } }) == [1976, 1976])
    }

    @Test func joinsAlongRelations() throws {
        let pairs = try database.fetchAll(
            Album.all.join(along: \.artist).where { album, artist in artist.country == "SE" }
                .order { album, artist in album.title })
        #expect(pairs.map(\.0.title) == ["Arrival", "Waterloo"] && pairs.map(\.1.name) == ["Abba", "Abba"])
        let titles = try database.fetchAll(
            Artist.all.leftJoin(along: \.albums).where { artist, album in artist.id > 2 }
                .order { artist, album in artist.id }.select { artist, album in (artist.name, album.title) })
        #expect(titles.map(\.0) == ["Bach", "Nobody"] && titles.map(\.1) == ["Fugues", nil])
        let words = try database.fetchAll(
            Artist.all.join(along: \.albums).join(along: \.1.tags)
                .order { artist, album, tag in (artist.id, tag.id) }.select { artist, album, tag in
                    (artist.name, tag.word)
                })
        #expect(words.map(\.0) == ["AC/DC", "AC/DC", "Abba"] && words.map(\.1) == ["loud", "old", "old"])
        let bosses = try database.fetchAll(
            Employee.all.join(along: \.boss, as: "boss").where { employee, boss in boss.name == "Ann" }
                .select { employee, boss in employee.name })
        #expect(bosses.sorted() == ["Bob", "Cid"])
        #expect(try database.fetchCount(Employee.all.leftJoin(along: \.boss, as: "boss")) == 4)
        expectError(.misuse) { try Employee.all.join(along: \.boss.boss, as: "boss").sql }
    }

    @Test func aggregatesAsAnnotations() throws {
        let rows = try database.fetchAll(
            Artist.all.order { $0.id }.select {
                (
                    $0.name, $0.albums.count(), $0.albums.count { $0.year == 1976 }, $0.albums.sum { $0.price },
                    $0.albums.max { $0.year }
                )
            })
        #expect(rows.map(\.1) == [2, 2, 1, 0] && rows.map(\.2) == [1, 1, 0, 0])
        #expect(rows.map(\.3) == [18, 13.5, 12, nil] && rows.map(\.4) == [1980, 1976, nil, nil])
        #expect(try database.fetchOne(Artist.select { $0.albums.average { $0.price } }) == 9)
        #expect(try database.fetchOne(Artist.select { $0.albums.min { $0.title } }) == "Back in Black")
        expectError(.misuse) { try Artist.select { $0.albums.sum { $0.price * 2 } }.sql }
        expectError(.misuse) { try Album.where { $0.artist.albums.isEmpty() }.sql }
    }

    @Test func whatIsNotLoadedIsNotEmpty() throws {
        let album = try #require(try database.fetchOne(Album.all))
        #expect(album.artist == .notLoaded)
        let error = expectError(.misuse) { try album.artist.record }
        #expect(error?.hint == "load the relation first, as by load(\\.books, of: &authors)")
        expectError(.misuse) { try Artist(name: "x").albums.records }
        #expect(try ToMany<Album>.loaded([]).records == [])
    }
}
