// What a query can give: records, tuples, types of one's own, numbers, a stream, columns, JSON.
import Cormorant

/// A record that a query makes; no table has it.
@Model
struct Line {
    var title: String
    var year: Int
}

enum Results {
    static func show(_ database: Database) throws {
        try forms(database)
        try numbers(database)
        try exactlyOne(database)
        try stream(database)
        try columns(database)
        try rawSQL(database)
    }

    /// Whole records; tuples of what is selected; rows by name; a record of one's own making.
    static func forms(_ database: Database) throws {
        let query = Album.order { $0.year }
        print(try database.fetchAll(query).map(\.title))
        print(try database.fetchAll(query.select { ($0.title, $0.year) }))
        print(try database.fetchRows(query.select { ($0.title, $0.year) }).map(\.json))
        print(try database.fetchAll(query.select { Line.Columns(title: $0.title, year: $0.year) }))
    }

    /// One row, how many, whether any, how many pages.
    static func numbers(_ database: Database) throws {
        let query = Album.where { $0.year > 2000 }
        let first = try database.fetchOne(query.order { $0.year })
        print(first?.title ?? "", try database.fetchCount(query), try database.exists(query))
        print(try database.fetchPageCount(query, pageSize: 10))
    }

    /// The only row, or an error of its own where there is none, or several.
    static func exactlyOne(_ database: Database) throws {
        print(try database.one(Album.where { $0.title == "First Light" }).year)
        print(try database.one("SELECT count(*) FROM album", as: Int.self))
        do {
            _ = try database.one(Album.where { $0.year > 2000 })
        } catch let error as CormorantError where error.code == .severalRows {
            print(error.message)
        }
    }

    /// Row by row in constant memory.
    static func stream(_ database: Database) throws {
        let albums = try database.cursor(Album.order { $0.id })
        while let album = try albums.next() { print(album.title, album.year) }
    }

    /// As columns, each an array of its type; and as JSON.
    static func columns(_ database: Database) throws {
        let query = Album.select { ($0.year, $0.price) }
        let table = try database.fetchColumns(query)
        print(try table.column("year", as: Int64.self), try table.column("price", as: Double.self))
        print(try database.fetchJSON(query))
    }

    /// SQL of one's own gives rows, or records where its columns are those of a model.
    static func rawSQL(_ database: Database) throws {
        let year = 2000
        let albums = try database.fetchAll(
            "SELECT year, count(*) FROM album WHERE year > \(year) GROUP BY 1", as: Int.self, Int.self)
        for (year, count) in albums { print(year, count) }
        print(try database.query("SELECT * FROM \(Artist.self) WHERE id = ?", [1]).map(\.json))
        let old = Query(sql: "SELECT * FROM album WHERE year < \(year)")
        print(try database.fetchAll(Album.self, old).map(\.title))
    }
}
