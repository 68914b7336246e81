// Ten of the questions in GRDB, for docs/swift/chinook.md, and printed as chinook prints its own. What the query interface has
// not, windows and tables that only a query has, is SQL there.
import Foundation
import GRDB

let genre = TableAlias()
let artist = TableAlias()
let album = TableAlias()

let ledZeppelinRock =
    Track
    .joining(required: Track.genre.aliased(genre).filter(Genre.Columns.name == "Rock"))
    .joining(
        required: Track.album.aliased(album)
            .joining(required: Album.artist.aliased(artist).filter(Artist.Columns.name == "Led Zeppelin"))
    )
    .select(Track.Columns.name, album[Album.Columns.title], artist[Artist.Columns.name])
    .order(album[Album.Columns.title], Track.Columns.id)

let track = TableAlias()
let composers = count(distinct: track[Track.Columns.composer])
let albumsOfManyComposers =
    Album
    .joining(required: Album.tracks.aliased(track))
    .select(Album.Columns.title, composers, count(track[Track.Columns.id]))
    .group(Album.Columns.id)
    .having(composers >= 5)
    .order(composers.desc, Album.Columns.title)

let tracksLongForTheirGenre: SQLRequest<Row> = """
    SELECT Track.Name, Genre.Name, Milliseconds
    FROM Track JOIN Genre USING (GenreId)
    JOIN (SELECT GenreId, avg(Milliseconds) AS average FROM Track GROUP BY GenreId) USING (GenreId)
    WHERE Milliseconds > 2 * average
    ORDER BY TrackId
    """

let longestTracksOfEachGenre: SQLRequest<Row> = """
    SELECT genre, Name, Milliseconds
    FROM (SELECT Genre.Name AS genre, Track.Name, Milliseconds,
                 row_number() OVER (PARTITION BY GenreId ORDER BY Milliseconds DESC, TrackId) AS place
          FROM Track JOIN Genre USING (GenreId))
    WHERE place <= 3
    ORDER BY genre, place
    """

let averageOfThreeMonths: SQLRequest<Row> = """
    WITH months AS (SELECT strftime('%Y-%m', InvoiceDate) AS month, sum(Total) AS total FROM Invoice GROUP BY 1)
    SELECT month, round(avg(total) OVER (ORDER BY month ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), 2)
    FROM months
    ORDER BY month
    """

let revenue = SQL("round(sum(\(InvoiceLine.Columns.unitPrice) * \(InvoiceLine.Columns.quantity)), 2)").sqlExpression
let topTenArtists =
    InvoiceLine
    .joining(
        required: InvoiceLine.track
            .joining(required: Track.album.joining(required: Album.artist.aliased(artist)))
    )
    .select(artist[Artist.Columns.name], revenue)
    .group(artist[Artist.Columns.id])
    .order(revenue.desc, artist[Artist.Columns.name])
    .limit(10)

let tracksNeverSold = Track.having(Track.lines.isEmpty)
    .select(Track.Columns.id, Track.Columns.name)
    .order(Track.Columns.id)

let manager = TableAlias()
let employeesAndTheirManagers =
    Employee
    .joining(optional: Employee.manager.aliased(manager))
    .select(Employee.Columns.lastName, manager[Employee.Columns.lastName])
    .order(Employee.Columns.lastName)

let reportingChain: SQLRequest<Row> = """
    WITH RECURSIVE chain(id, level, path) AS (
        SELECT EmployeeId, 0, LastName FROM Employee WHERE ReportsTo IS NULL
        UNION ALL
        SELECT EmployeeId, level + 1, path || ' > ' || LastName FROM Employee JOIN chain ON ReportsTo = chain.id)
    SELECT id, level, path FROM chain ORDER BY path
    """

let metal = TableAlias()
let playlistsWithMetal =
    Playlist
    .joining(required: Playlist.tracks.joining(required: Track.genre.aliased(metal)))
    .filter(metal[Genre.Columns.name] == "Metal")
    .select(Playlist.Columns.id, Playlist.Columns.name)
    .distinct()
    .order(Playlist.Columns.id)

func show(_ name: String, _ rows: [Row]) throws {
    print("\"\(name)\"")
    for row in rows {
        let values = try row.databaseValues.map { value in
            switch value.storage {
            case .int64(let integer): String(integer)
            case .double(let real): String(real)
            case .string(let text): String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            case .blob, .null: "null"
            }
        }
        print("[\(values.joined(separator: ", "))]")
    }
}

try DatabaseQueue(path: CommandLine.arguments[1]).read { database in
    try show("led_zeppelin_rock", Row.fetchAll(database, ledZeppelinRock))
    try show("albums_of_many_composers", Row.fetchAll(database, albumsOfManyComposers))
    try show("tracks_long_for_their_genre", Row.fetchAll(database, tracksLongForTheirGenre))
    try show("longest_tracks_of_each_genre", Row.fetchAll(database, longestTracksOfEachGenre))
    try show("average_of_three_months", Row.fetchAll(database, averageOfThreeMonths))
    try show("top_ten_artists", Row.fetchAll(database, topTenArtists))
    try show("tracks_never_sold", Row.fetchAll(database, tracksNeverSold))
    try show("employees_and_their_managers", Row.fetchAll(database, employeesAndTheirManagers))
    try show("reporting_chain", Row.fetchAll(database, reportingChain))
    try show("playlists_with_metal", Row.fetchAll(database, playlistsWithMetal))
}
