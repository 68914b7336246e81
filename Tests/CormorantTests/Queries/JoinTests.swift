import Cormorant
import Testing

struct JoinTests {
    private let database: Database

    init() throws { database = try musicDatabase() }

    @Test func innerJoinsGivePairs() throws {
        let query = Album.join(Artist.self) { album, artist in album.artistID == artist.id }
            .where { album, artist in artist.name == "AC/DC" && album.price > 8 }
        try expectSQL(
            query,
            #"SELECT "album"."id", "album"."title", "album"."artist_id", "album"."year", "album"."price", "#
                + #""artist"."id", "artist"."name", "artist"."country" FROM "album" "#
                + #"JOIN "artist" ON "album"."artist_id" = "artist"."id" "#
                + #"WHERE "artist"."name" = ? AND "album"."price" > ?"#, ["AC/DC", 8.0])
        let pairs = try database.fetchAll(query)
        #expect(pairs.map(\.0.title) == ["Back in Black"])
        #expect(pairs.map(\.1) == [Artist(id: 1, name: "AC/DC", country: "AU")])
        #expect(try database.fetchCount(query) == 1)
    }

    @Test func leftJoinsGiveOptionals() throws {
        let query = Album.leftJoin(Artist.self) { album, artist in album.artistID == artist.id }
            .order { album, artist in album.id.desc() }
        let pairs = try database.fetchAll(query.limit(2))
        #expect(pairs.map(\.1?.name) == [nil, "Bach"])
        let names: [String?] = try database.fetchAll(query.select { album, artist in artist.name })
        #expect(names == [nil, "Bach", "Abba", "Abba", "AC/DC", "AC/DC"])
        let orphans = query.where { album, artist in artist.id == nil }.select { album, artist in album.title }
        #expect(try database.fetchAll(orphans) == ["Anonymous"])
    }

    @Test func aTableTwiceByAnAlias() throws {
        let query = Employee.leftJoin(Employee.self, as: "boss") { employee, boss in employee.bossID == boss.id }
            .order { employee, boss in employee.id }
            .select { employee, boss in (employee.name, boss.name) }
        try expectSQL(
            query,
            #"SELECT "employee"."name", "boss"."name" FROM "employee" LEFT JOIN "employee" AS "boss" "#
                + #"ON "employee"."boss_id" = "boss"."id" ORDER BY "employee"."id""#)
        let rows = try database.fetchAll(query)
        #expect(rows.map(\.0) == ["Ann", "Bob", "Cid", "Dot"] && rows.map(\.1) == [nil, "Ann", "Ann", "Bob"])
        expectError(.misuse) { try Employee.join(Employee.self) { $0.bossID == $1.id }.sql }
        // A subquery that has the table of the query around it.
        let alone = Employee.where { employee in
            !Employee.alias("other").where { $0.bossID == employee.bossID && $0.id != employee.id }.exists()
        }
        #expect(try database.fetchAll(alone.order { $0.id }).map(\.name) == ["Ann", "Dot"])
    }

    @Test func threeTables() throws {
        let query = Employee.join(Employee.self, as: "boss") { employee, boss in employee.bossID == boss.id }
            .leftJoin(Employee.self, as: "grand_boss") { employee, boss, grandBoss in boss.bossID == grandBoss.id }
            .where { employee, boss, grandBoss in grandBoss.name == "Ann" }
        let rows = try database.fetchAll(query)
        #expect(rows.map(\.0.name) == ["Dot"] && rows.map(\.1.name) == ["Bob"] && rows.map(\.2?.name) == ["Ann"])
        #expect(try database.fetchCount(Employee.all.crossJoin(Artist.self).crossJoin(Album.self)) == 4 * 4 * 6)
    }

    @Test func subqueriesAreJoined() throws {
        let counted = Album.where { $0.artistID != nil }.group { $0.artistID }
            .select { Counted.Columns(artist: $0.artistID, albums: count()) }
        let query = Artist.join(Counted.self, from: counted) { artist, counted in artist.id == counted.artist }
            .where { artist, counted in counted.albums > 1 }.order { artist, counted in artist.name }
            .select { artist, counted in (artist.name, counted.albums) }
        let rows = try database.fetchAll(query)
        #expect(rows.map(\.0) == ["AC/DC", "Abba"] && rows.map(\.1) == [2, 2])
    }

    @Test func subqueriesInConditions() throws {
        let dear = Album.where { $0.price > 9 }.select { $0.artistID }
        let query = Artist.where { $0.id.isIn(dear) }.order { $0.id }.select { $0.name }
        try expectSQL(
            query,
            #"SELECT "name" FROM "artist" WHERE "id" IN (SELECT "album"."artist_id" FROM "album" "#
                + #"WHERE "album"."price" > ?) ORDER BY "id""#, [9.0])
        #expect(try database.fetchAll(query) == ["AC/DC", "Bach"])
        let without = Artist.where { artist in !Album.where { $0.artistID == artist.id }.exists() }
        #expect(try database.fetchAll(without).map(\.name) == ["Nobody"])
        let first = Artist.all.order { $0.id }.select { artist in
            (artist.name, Album.where { $0.artistID == artist.id }.select { $0.title.min() }.scalar())
        }
        #expect(try database.fetchAll(first).map(\.1) == ["Back in Black", "Arrival", "Fugues", nil])
    }

    @Test func aColumnOfATableThatIsNotReadFrom() throws {
        let artist = Artist.Columns(recordSource: TableSource())
        let error = expectError(.misuse) { try Album.where { $0.artistID == artist.id }.sql }
        #expect(error?.message.contains("Artist.id") == true)
    }
}

@Model
private struct Counted {
    var artist: Int64?
    var albums: Int
}
