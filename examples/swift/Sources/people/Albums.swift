// Artists and their albums: conditions, queries and relations without SQL text.
import Cormorant

@Model
struct Artist {
    @Key var id: Int64?
    @Column(unique: true) var name: String
    @Relation var albums = ToMany<Album>.notLoaded
}

@Model
struct Album {
    @Key var id: Int64?
    var title: String
    var year: Int
    @References("artist", onDelete: .cascade) var artistID: Int64?
    @Relation var artist = ToOne<Artist>.notLoaded
}

enum Albums {
    static func tour(_ database: Database) throws {
        try fill(database)
        try find(database)
        try count(database)
        try load(database)
        try change(database)
    }

    /// Creates the tables and puts a few records in.
    static func fill(_ database: Database) throws {
        try database.createTables(Artist.self, Album.self)
        let nina = try database.inserted(Artist(name: "Nina"))
        let otto = try database.inserted(Artist(name: "Otto"))
        var albums = [
            Album(title: "First Light", year: 1998, artistID: nina.id),
            Album(title: "50% Off", year: 2004, artistID: nina.id),
            Album(title: "Lightness", year: 2011, artistID: otto.id),
        ]
        try database.insert(contentsOf: &albums)
    }

    /// Conditions are made of typed columns; a query is a value that can be kept and used again.
    static func find(_ database: Database) throws {
        let query = Album.where { $0.year >= parameter("since") || $0.title.contains("50%") }  // % is no wildcard here
            .order { $0.year.desc() }
        print(try query.sql.text)
        for since in [2000, 2010] {
            let albums = try database.fetchAll(query, ["since": Value.integer(Int64(since))])
            print("  since \(since): \(albums.map(\.title).joined(separator: ", "))")
        }
    }

    /// Columns of one's own, and a condition and an aggregate along relations.
    static func count(_ database: Database) throws {
        let query = Artist.where { $0.albums.contains { $0.year < 2000 } }.select { ($0.name, $0.albums.count()) }
        for (name, albums) in try database.fetchAll(query) { print("  \(name): \(albums) albums") }
    }

    /// The related records of many, in one statement.
    static func load(_ database: Database) throws {
        var artists = try database.fetchAll(Artist.order { $0.name })
        try database.load(\.albums, of: &artists) { $0.order { $0.year.desc() }.limit(1) }
        for artist in artists {
            for album in try artist.albums.records { print("  the newest of \(artist.name): \(album.title)") }
        }
    }

    /// UPDATE by condition, along a relation.
    static func change(_ database: Database) throws {
        let changed = try database.execute(Album.where { $0.artist.name == "Nina" }.update { $0.year = $0.year + 1 })
        print("\(changed) albums changed")
    }
}
