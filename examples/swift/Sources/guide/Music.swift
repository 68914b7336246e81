// Artists and their albums: the models of the guide's examples, and a few records of each.
import Cormorant

@Model
struct Artist: Sendable {
    @Key var id: Int64!
    @Column(unique: true) var name: String
    @Relation(removed: .delete) var albums = ToMany<Album>.notLoaded
}

@Model
struct Album: Sendable {
    @Key var id: Int64!
    var title: String
    var year: Int
    @References("artist", onDelete: .cascade) var artistID: Int64?
    var price: Double?
    var details: JSONText?
    var released: Timestamp?
    @Relation var artist = ToOne<Artist>.notLoaded
}

@main
struct Guide {
    /// Each page has a database of its own, with two artists and three albums.
    static func main() async throws {
        try Models.show(music())
        try Expressions.show(music())
        try Selecting.show(music())
        try Changing.show(music())
        try Results.show(music())
        try Relations.show(music())
        try await Transactions.show(music())
        try await Threads.show(music())
        try Functions.show(music())
        try await Registries.show()
        try await Queues.show(music())
        try Documents.show(music())
        try FileFacts.show(music())
        try Reliability.show()
        try KeyValue.show(music())
        try await Observation.show(music())
        try Migrations.show()
    }

    static func music() throws -> Database {
        let database = try Database(path: ":memory:")
        try database.createTables(Artist.self, Album.self)
        let nina = try database.inserted(Artist(name: "Nina"))
        let otto = try database.inserted(Artist(name: "Otto"))
        var albums = [
            Album(
                title: "First Light", year: 1998, artistID: nina.id, price: 7.5,
                details: #"{"tracks": 9, "label": "Sea"}"#),
            Album(
                title: "50% Off", year: 2004, artistID: nina.id, price: 12, details: #"{"tracks": 11}"#,
                released: Timestamp(microseconds: 1_083_369_600_000_000)),
            Album(title: "Lightness", year: 2011, artistID: otto.id),
        ]
        try database.insert(contentsOf: &albums)
        return database
    }
}
