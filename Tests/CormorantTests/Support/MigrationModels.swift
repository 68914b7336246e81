import Cormorant

/// Tables as they were.
enum Former {
    @Model(
        seed: """
            INSERT INTO album (id, title, year, colour) VALUES
              (1, 'Help!', '1965', 'white'),
              (2, 'It''s "Live"; DROP TABLE album', NULL, NULL)
            """)
    struct Album: Equatable {
        @Key var id: Int64?
        var title: String
        var year: String?
        var colour: String?
    }

    @Model(seed: "INSERT INTO singer VALUES (7, 'Nina')")
    struct Singer: Equatable {
        @Key var id: Int64?
        var name: String
    }
}

/// The same tables as they became, with what a migration must be told.
enum Present {
    @Model(keys: [.index("-year")], allowDrop: ["colour"])
    struct Album: Equatable {
        @Key var id: Int64?
        @Column(renamedFrom: "title") var name: String
        @Column(convert: "CAST(year AS INTEGER)") var year: Int?
        @References("artist", onDelete: .cascade) var artistID: Int64?
        @Column(convert: "length(name)") var letters: Int
    }

    @Model(renamedFrom: "singer")
    struct Artist: Equatable {
        @Key var id: Int64?
        var name: String
    }

    static let albums = [
        Album(id: 1, name: "Help!", year: 1965, letters: 5),
        Album(id: 2, name: "It's \"Live\"; DROP TABLE album", year: nil, letters: 29),
    ]
}

/// The same again, without a word on how to get there.
enum Bare {
    @Model
    struct Album: Equatable {
        @Key var id: Int64?
        var title: String
        var year: Int?
        var letters: Int
    }
}

/// The same with conversions that lose values.
enum Emptied {
    @Model(allowDrop: ["colour"])
    struct Album: Equatable {
        @Key var id: Int64?
        var title: String
        @Column(convert: "nullif(CAST(year AS INTEGER), 1965)") var year: Int?
        @Column(convert: "length('allow_drop')") var letters: Int
    }
}

/// A database whose tables are the former ones, with their first rows.
func formerDatabase(path: String = ":memory:") throws -> Database {
    let database = try openDatabase(path: path)
    // A model that is gone by the time of the next one: a table is not taken from one that is there.
    let singer = ModelDescriptor(
        name: "Singer",
        columns: [ColumnDescriptor("id", Int64?.self, primaryKey: true), ColumnDescriptor("name", String.self)],
        migration: MigrationNotes(seedSQL: "INSERT INTO singer VALUES (7, 'Nina')"))
    try database.sync([Former.Album.model, singer])
    return database
}

/// Everything that a file holds: its schema, and the rows of the former tables.
struct Contents: Equatable {
    var sql: String
    var albums: [Former.Album]
    var singers: [Former.Singer]

    init(_ database: Database) throws {
        sql = try database.schema().sql
        albums = try database.fetchAll(Former.Album.self)
        singers = try database.fetchAll(Former.Singer.self)
    }
}
