import Cormorant
import Testing

@Model
struct Artist: Equatable, Sendable {
    @Key var id: Int64?
    var name: String
    var country: String?
    @Relation(removed: .delete) var albums = ToMany<Album>.notLoaded
}

@Model
struct Album: Equatable, Sendable {
    @Key var id: Int64?
    var title: String
    @References("artist", onDelete: .cascade) var artistID: Int64?
    var year: Int?
    var price: Double
    @Relation var artist = ToOne<Artist>.notLoaded
    @Relation(through: AlbumTag.self, removed: .delete) var tags: ToMany<Tag> = .notLoaded
}

@Model
struct Tag: Equatable, Sendable {
    @Key var id: Int64?
    @Column(unique: true) var word: String
    @Relation(through: AlbumTag.self) var albums: ToMany<Album> = .notLoaded
}

@Model
struct AlbumTag: Equatable {
    @Key @References("album", onDelete: .cascade) var albumID: Int64
    @Key @References("tag", onDelete: .cascade) var tagID: Int64
}

@Model
struct Employee: Equatable {
    @Key var id: Int64?
    var name: String
    @References("employee") var bossID: Int64?
    @Relation var boss: ToOne<Employee> = .notLoaded
    @Relation var reports = ToMany<Employee>.notLoaded
}

/// What some queries select: no table has it.
@Model
struct Summary: Equatable {
    var title: String
    var count: Int
}

/// The rows of a recursive query.
@Model
struct Line: Equatable {
    var id: Int64?
    var name: String
    var level: Int
}

/// A few artists with their albums, and a company.
func musicDatabase() throws -> Database {
    let database = try memoryDatabase(Artist.self, Album.self, Tag.self, AlbumTag.self, Employee.self)
    var artists = [
        Artist(name: "AC/DC", country: "AU"), Artist(name: "Abba", country: "SE"),
        Artist(name: "Bach", country: nil), Artist(name: "Nobody", country: "SE"),
    ]
    try database.insert(contentsOf: &artists)
    var albums = [
        Album(title: "High Voltage", artistID: 1, year: 1976, price: 8),
        Album(title: "Back in Black", artistID: 1, year: 1980, price: 10),
        Album(title: "Waterloo", artistID: 2, year: 1974, price: 6),
        Album(title: "Arrival", artistID: 2, year: 1976, price: 7.5),
        Album(title: "Fugues", artistID: 3, year: nil, price: 12),
        Album(title: "Anonymous", artistID: nil, year: 2000, price: 1),
    ]
    try database.insert(contentsOf: &albums)
    var tags = [Tag(word: "loud"), Tag(word: "old")]
    try database.insert(contentsOf: &tags)
    var pairs = [AlbumTag(albumID: 1, tagID: 1), AlbumTag(albumID: 1, tagID: 2), AlbumTag(albumID: 3, tagID: 2)]
    try database.insert(contentsOf: &pairs)
    var employees = [
        Employee(name: "Ann", bossID: nil), Employee(name: "Bob", bossID: 1), Employee(name: "Cid", bossID: 1),
        Employee(name: "Dot", bossID: 2),
    ]
    try database.insert(contentsOf: &employees)
    return database
}

/// Expects a statement to have exactly this SQL and these bindings.
func expectSQL(
    _ statement: some SQLStatement, _ text: String, _ bindings: [Value] = [],
    location: SourceLocation = #_sourceLocation
) throws {
    let sql = try statement.sql
    #expect(sql.text == text, sourceLocation: location)
    #expect(sql.bindings == bindings, sourceLocation: location)
}
