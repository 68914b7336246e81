// Relations: conditions along them, loading, saving together.
import Cormorant

enum Relations {
    static func show(_ database: Database) throws {
        try ask(database)
        try compare(database)
        try load(database)
        try loadTree(database)
        try save(database)
    }

    /// A condition and an aggregate along relations.
    static func ask(_ database: Database) throws {
        let query = Artist.where { $0.albums.contains { $0.year < 2000 } }.select { ($0.name, $0.albums.count()) }
        for (name, albums) in try database.fetchAll(query) { print("\(name): \(albums) albums") }
        print(try database.fetchAll(Album.where { $0.artist.name == "Otto" }).map(\.title))
    }

    /// With a record: the one that a relation leads to, or one of them.
    static func compare(_ database: Database) throws {
        for album in try database.fetchAll(Album.all) {
            let artist = try database.fetchOne(Artist.where { $0.albums.contains(album) })
            let count = try database.fetchCount(Album.where { $0.artist.is(artist) })
            print(album.title, artist?.name ?? "nobody", count)
        }
    }

    /// The related records of many, in one statement for each level.
    static func load(_ database: Database) throws {
        var artists = try database.fetchAll(Artist.order { $0.name })
        try database.load(\.albums, of: &artists) { $0.order { $0.year.desc() }.limit(1) }
        for artist in artists {
            for album in try artist.albums.records { print("the newest of \(artist.name): \(album.title)") }
        }
        if try !artists[0].albums.records[0].artist.isLoaded { print("its artist is not loaded") }
    }

    /// A whole tree with the query that it begins with, a statement for each relation, on one state of the file.
    static func loadTree(_ database: Database) throws {
        let query = Artist.where { $0.name != "Otto" }.load(\.albums) { $0.order { $0.year }.load(\.artist) }
        for artist in try database.fetchAll(query) {
            print(artist.name, try artist.albums.records.map(\.title), artist.albums.isLoaded)
        }
    }

    /// An artist and the albums go in together: keys and foreign keys are filled in.
    static func save(_ database: Database) throws {
        var pia = Artist(name: "Pia")
        pia.albums = .loaded([Album(title: "Tide", year: 2020), Album(title: "Ebb", year: 2022)])
        try database.save(graph: &pia)
        print(pia.id!, try pia.albums.records.map { "\($0.id!) of \($0.artistID ?? 0)" })
        pia.albums = .loaded([try pia.albums.records[0]])
        try database.save(graph: &pia)  // the relation says that removed albums are deleted
        print(try database.fetchCount(Album.where { $0.artistID == pia.id }))
    }
}
