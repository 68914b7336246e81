// What must compile, and quickly: no expression here takes 200 ms.
import Cormorant

func tenConditions() -> SelectQuery<Album, Album.Columns> {
    Album.where {
        $0.year > 1970 && $0.year < 1980 && $0.title.hasPrefix("B") && $0.price >= 5 && $0.price != 7.5
            && ($0.artistID == 3 || $0.artistID == nil) && $0.kind == .live && !$0.title.contains("x")
            && $0.year.isIn([1971, 1975]) && $0.id > parameter("least")
    }
}

func tenConditionsWithArithmetic() -> SelectQuery<Album, Album.Columns> {
    Album.where {
        $0.year + 1 > 1970 && $0.year * 2 - 1 < 3980 && $0.title + "!" == "B!" && $0.price / 2 >= 5
            && $0.price * $0.price != 7.5 && $0.artistID == $0.id && $0.price - 1 < 4 && $0.year % 4 == 0
            && $0.title.length() > 3 && -$0.price < 0
    }
}

func optionalsAndOthers(_ year: Int?, _ kinds: [Album.Kind]) -> SelectQuery<(String, Int?), Album.Columns> {
    Album.where { $0.year == year && $0.kind.isIn(kinds) && $0.id == $0.artistID }
        .order { ($0.year.desc().nullsLast(), $0.title) }.limit(10).select { ($0.title, $0.year) }
}

func tuples() -> some RowQuery<(String, Int, Double?, Int?, String)> {
    Album.join(Artist.self) { album, artist in album.artistID == artist.id }
        .where { album, artist in artist.name == "AC/DC" && album.price > 3 && album.year < 1990 }
        .group { album, artist in (artist.name, album.year) }
        .having { album, artist in count() > 1 && album.price.sum() > 10 }
        .order { album, artist in (artist.name.desc(), album.year) }
        .select { album, artist in (artist.name, count(), album.price.sum(), album.year, artist.name.uppercased()) }
}

func changesByRelations(_ database: Database) throws {
    try database.execute(
        Artist.all.update {
            $0.name = $0.name + "!"; $0.id = $0.albums.max { $0.id }
        })
    try database.execute(Artist.all.update { $0.name = $0.albums.count().cast(to: String.self) })
    try database.execute(Album.where { $0.artist.name != "x" }.update { $0.year = $0.year + 1 })
    try database.execute(Album.join(along: \.artist).update { album, artist in album.title = artist.name })
}

func changes(_ database: Database) throws {
    try database.execute(
        Album.where { $0.year < 1980 && $0.kind == .live }.update {
            $0.price = $0.price * 2 + 1
            $0.title = $0.title + " (" + $0.title + ")"
            $0.year = nil
            $0.kind = .studio
        })
    try database.execute(
        Album.all.update {
            $0.year = ($0.year ?? 1900) + 1
            $0.artistID = when($0.price > 3, 1).otherwise(2)
        })
    let count: Int? = try database.fetchOne(Artist.select { $0.albums.count { $0.year == 1976 && $0.price > 3 } })
    print(count as Any)
}

func rows(_ database: Database) throws {
    let rows = Album.where {
        SQLRow($0.title, $0.year).isIn([("a", 1970), ("b", nil)]) && SQLRow($0.price, $0.id) > (5, 3)
            && !SQLRow($0.title, $0.year).isEqual(to: ("c", nil)) && $0.id.isIn(parameter: "ids")
    }
    let album: Album = try database.one(rows, ["ids": [1, 2]])
    let more = Artist.insert([album.title, "x"]) { row, name in row.name = name }
    let id: Int64? = try database.one(more.returning { $0.id })
    print(id as Any)
}

func fiveTables(_ database: Database) throws -> Bool {
    let rows = try database.fetchAll(
        Artist.join(Album.self) { artist, album in artist.id == album.artistID }
            .join(Artist.self, as: "b") { artist, album, b in b.id == artist.id && b.name != "x" }
            .leftJoin(Album.self, as: "c") { artist, album, b, c in c.artistID == b.id && c.year > 1970 }
            .join(along: \.1.artist, as: "d")
            .where { artist, album, b, c, d in artist.id > 2 && c.title == nil && d.name.hasPrefix("B") }
            .group { artist, album, b, c, d in (artist.id, d.name) }
            .order { artist, album, b, c, d in (count().desc(), d.name) }
            .select { artist, album, b, c, d in (artist.name, c.title, count(), d.id) })
    return try rows.map(\.1) == [nil, "x"] && database.fetchOne(Album.select { ($0.id, $0.price.total()) })?.1 == 3
}

@available(macOS 15, *)
@Model
struct Later {
    @Key var id: Int64?
    var number: Int
    var other: Int?
}

// finding swift.md bugs 7 and 8
func fromTheType(_ database: Database) throws {
    print(
        try database.fetchAll(
            Album.join(along: \.artist).where { album, artist in artist.name != "x" && album.year > 1970 }
                .group { album, artist in (album.id, artist.name) }
                .having { album, artist in count() > 1 }
                .order { album, artist in (artist.name, album.title.desc(), album.year, album.id) }
                .select { album, artist in (artist.name, count()) }.limit(3)))
    print(try database.fetchAll(Artist.leftJoin(along: \.albums)), try database.fetchAll(Artist.crossJoin(Album.self)))
    print(try database.fetchAll(Album.order { ($0.year, $0.title, $0.id) }), try database.fetchAll(Album.limit(3)))
    print(try database.fetchAll(Album.group { ($0.year, $0.title, $0.kind) }.select { ($0.year, count()) }))
    print(try database.fetchAll(Later.distinct().where { $0.number + $0.other > 3 && $0.other * $0.number < 9 }))
    let sums = Later.select { ($0.number + $0.other, $0.other - $0.number, $0.number / $0.number, $0.other + 1) }
    let rows: [(Int?, Int?, Int, Int?)] = try database.fetchAll(sums)
    print(rows)
}

func inATask(_ database: Database) async throws -> Int64? {
    try await database.write { database in
        let artist = try database.transaction { try database.inserted(Artist(name: "x")) }
        return artist.id
    }
}

/// Models beside the types that they use, as in SwiftData's versioned schemas.
enum Library {
    enum Kind: String, ColumnValue { case novel, lexicon }

    @Model
    struct Shelf {
        @Key var id: Int64?
        @Relation var volumes: ToMany<Volume> = .notLoaded
        @Relation(through: Loan.self) var readers: ToMany<Reader> = .notLoaded
    }

    @Model
    struct Volume {
        @Key var id: Int64?
        var kind: Kind
        var former: Kind?
        @References("shelf") var shelf: Int64
        @Relation var place: ToOne<Shelf> = .notLoaded
    }

    @Model
    public struct Reader {
        @Key var id: Int64?
    }
}

extension Library {
    @Model
    struct Loan {
        @Key var id: Int64?
        @References("shelf") var shelf: Int64
        @References("reader") var reader: Int64
    }
}

private enum Hidden {
    @Model
    struct Secret {
        @Key var id: Int64?
        var kind: Library.Kind
    }
}

func commonTables() -> some RowQuery<(Artist, Summary)> {
    let counted = Album.select { Summary.Columns(title: $0.title, count: $0.year.count()) }.cte("counted")
    let more = counted.where { $0.count > counted.select { $0.count.average() }.scalar().cast(to: Int.self) }
    return Artist.join(Summary.self, from: more.subquery("more")) { artist, more in more.title == artist.name }
        .where { artist, more in more.count > 3 && counted.where { $0.count > 9 }.exists() }
        .order { artist, more in (more.count.desc(), artist.name) }
}

func tableFunctions() -> some RowQuery<(String, Int?)> {
    Album.all.crossJoin { jsonEach($0.title) }
        .where { album, element in element.value(as: Int.self) > 3 && album.year > 1970 && element.type == "integer" }
        .select { album, element in (album.title, element.value(as: Int?.self)) }
}

func outerJoins() -> some RowQuery<(Artist?, Album?)> {
    Artist.fullJoin(Album.self) { artist, album in album.artistID == artist.id }
}

/// What reads, for those who read and for those who write.
nonisolated func reads(_ reader: Reader, _ page: Int) throws -> (Int, [Album], Int?) {
    let albums = try reader.fetchAll(Album.order { $0.id }.limit(20).offset(page * 20))
    let number: Int? = try reader.fetchOne(Artist.select { $0.albums.count() })
    return (try reader.fetchCount(Artist.self), albums, number)
}

func bodies(_ database: Database) async throws -> Int {
    let count = try await database.read { reader in try reads(reader, 1).0 }
    let value = try await database.store("settings").value("x")?.int64 ?? 0
    return try await database.write { database in
        try database.store("settings").put("x", .integer(value + 1))
        return try reads(database, 0).0 + count
    }
}

func observation(_ database: Database) async throws {
    let observer = try await database.observe { reader in
        (try reader.fetchAll(Artist.where { $0.id > 3 }.load(\.albums) { $0.order { $0.year }.load(\.artist) }), 1)
    }
    for try await (artists, _) in observer {
        print(artists.allSatisfy(\.albums.isLoaded))
        break
    }
    _ = try await database.observe { try $0.fetchCount(Album.all) }.onMain { print((try? $0.get()) ?? 0) }
    for try await album in try await database.cursor(Album.where { $0.year > 1970 }) { print(album.title) }
}
