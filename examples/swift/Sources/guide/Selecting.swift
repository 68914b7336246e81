// SELECT: columns, joins, groups, windows, compounds, common table expressions, table functions, paging.
import Cormorant

/// The rows of a recursive query; no table has it.
@Model
struct Year {
    var year: Int
}

enum Selecting {
    static func show(_ database: Database) throws {
        try conditions(database)
        try chosen(database)
        try columns(database)
        try joins(database)
        try recordsSideBySide(database)
        try groups(database)
        try windows(database)
        try compounds(database)
        try commonTables(database)
        try tableFunctions(database)
        try pages(database)
    }

    /// A query is a value: it is kept, and run again with other parameters.
    static func conditions(_ database: Database) throws {
        let query = Album.where { $0.year >= parameter("since") || $0.title.contains("50%") }  // % is no wildcard here
            .order { $0.year.desc() }
        for since in [2000, 2010] {
            let albums = try database.fetchAll(query, ["since": since])
            print("since \(since):", albums.map(\.title).joined(separator: ", "))
        }
    }

    /// Columns and other expressions instead of whole records.
    static func chosen(_ database: Database) throws {
        let query = Album.where { $0.id.isIn(parameter: "ids") }.order { $0.id }.select { $0.title }
        for ids in [[1, 2], [3], []] as [[Int64]] {
            print(try database.fetchAll(query, ["ids": ids]))
        }
        // As one: a later year, or this one and a later title.
        let after = Album.where { SQLRow($0.year, $0.title) > (2000, "M") }.order { $0.year }
        print(try database.fetchAll(after).map(\.title))
    }

    static func columns(_ database: Database) throws {
        let query = Album.where { $0.price != nil }.order { $0.price.desc() }.select { ($0.title, $0.price * 2) }
        for (title, double) in try database.fetchAll(query) { print(title, double ?? 0) }
        print(try database.fetchAll(Album.all.order { $0.artistID }.select { $0.artistID }.distinct()))
    }

    /// On any condition, or along a relation; an alias where a table takes part twice.
    static func joins(_ database: Database) throws {
        let pairs = Album.join(Album.self, as: "later") { album, later in
            later.artistID == album.artistID && later.year > album.year
        }
        .join(along: \.0.artist)
        .where { album, later, artist in artist.name == "Nina" }
        .select { album, later, artist in (album.title, later.title) }
        print(try database.fetchAll(pairs))
        let allArtists = Artist.all.leftJoin(along: \.albums)
            .order { artist, album in (artist.name, album.year) }
            .select { artist, album in (artist.name, album.title) }
        print(try database.fetchAll(allArtists).map { "\($0): \($1 ?? "none")" })
    }

    /// Several records in a row, and values beside them; where a left join may find none the record is optional.
    static func recordsSideBySide(_ database: Database) throws {
        let both = Album.all.join(along: \.artist).order { album, artist in album.id }
            .select { album, artist in (album, artist) }
        for (album, artist) in try database.fetchAll(both) { print(album.title, artist.name) }
        let allArtists = Artist.all.leftJoin(along: \.albums)
            .order { artist, album in (artist.name, album.year) }
            .select { artist, album in (artist, album) }
        for (artist, album) in try database.fetchAll(allArtists) { print(artist.name, album?.year ?? 0) }
        let counted = Artist.all.leftJoin(along: \.albums).group { artist, album in artist.id }
            .select { artist, album in (artist, album.id.count()) }
        for (artist, count) in try database.fetchAll(counted) { print(artist.name, count) }
    }

    /// Aggregates, and groups that meet a condition.
    static func groups(_ database: Database) throws {
        let query = Album.group { $0.artistID }.having { _ in count() > 1 }
            .select { ($0.artist.name, count(), $0.year.max()) }
        print(try database.fetchAll(query))
    }

    /// A running total, and a rank within each part.
    static func windows(_ database: Database) throws {
        let query = Album.order { $0.id }.select {
            (
                $0.title, $0.price.sum().over(.order(by: $0.year)),
                call("row_number", as: Int.self).over(.partition(by: $0.artistID).order(by: $0.year.desc()))
            )
        }
        print(try database.fetchAll(query))
    }

    /// Rows of two queries; order and limit are those of the whole.
    static func compounds(_ database: Database) throws {
        let names = Artist.select { $0.name }.union(Album.select { $0.title }).order { $0.name }.limit(3)
        print(try database.fetchAll(names))
    }

    /// A query as a table of others; one that is given itself is recursive.
    static func commonTables(_ database: Database) throws {
        let years = Year.row(Year.Columns(year: SQLExpression(1998))).cte("years") { years in
            years.where { $0.year < 2010 }.select { Year.Columns(year: $0.year + 3) }
        }
        let query = years.leftJoin(Album.self) { year, album in album.year == year.year }
            .group { year, album in year.year }
            .select { year, album in (year.year, album.id.count()) }
        print(try database.fetchAll(query))
        let late = years.where { $0.year > 2000 }.cte("late")
        let albums = Album.join(Year.self, from: late) { album, late in late.year == album.year }
        print(try database.fetchAll(albums.select { album, late in album.title }))
    }

    /// A row for each element of JSON.
    static func tableFunctions(_ database: Database) throws {
        let parts = Album.all.crossJoin { jsonEach(call("json_array", $0.title, $0.year, as: String.self)) }
            .where { album, part in part.type == "text" }
            .select { album, part in (album.id, part.value(as: String.self)) }
        print(try database.fetchAll(parts))
    }

    /// The page after a record stays right when rows come and go, however far down it is.
    static func pages(_ database: Database) throws {
        let query = Album.order { ($0.year.desc(), $0.id) }.limit(2)
        var page = try database.fetchAll(query)
        while let last = page.last {
            print(page.map(\.title))
            page = try database.fetchAll(query.after(last))
        }
    }
}
