import GRDB

// The tables of the Chinook database that the questions are about.

struct Artist: TableRecord {
    static let databaseTableName = "Artist"
    static let albums = hasMany(Album.self)
    enum Columns {
        static let id = Column("ArtistId")
        static let name = Column("Name")
    }
}

struct Album: TableRecord {
    static let databaseTableName = "Album"
    static let artist = belongsTo(Artist.self)
    static let tracks = hasMany(Track.self)
    enum Columns {
        static let id = Column("AlbumId")
        static let title = Column("Title")
    }
}

struct Genre: TableRecord {
    static let databaseTableName = "Genre"
    enum Columns {
        static let name = Column("Name")
    }
}

struct Track: TableRecord {
    static let databaseTableName = "Track"
    static let album = belongsTo(Album.self)
    static let genre = belongsTo(Genre.self)
    static let lines = hasMany(InvoiceLine.self)
    enum Columns {
        static let id = Column("TrackId")
        static let name = Column("Name")
        static let genreID = Column("GenreId")
        static let composer = Column("Composer")
        static let milliseconds = Column("Milliseconds")
    }
}

struct PlaylistTrack: TableRecord {
    static let databaseTableName = "PlaylistTrack"
    static let track = belongsTo(Track.self)
}

struct Playlist: TableRecord {
    static let databaseTableName = "Playlist"
    static let entries = hasMany(PlaylistTrack.self)
    static let tracks = hasMany(Track.self, through: entries, using: PlaylistTrack.track)
    enum Columns {
        static let id = Column("PlaylistId")
        static let name = Column("Name")
    }
}

struct Employee: TableRecord {
    static let databaseTableName = "Employee"
    static let manager = belongsTo(Employee.self, using: ForeignKey(["ReportsTo"]))
    enum Columns {
        static let lastName = Column("LastName")
    }
}

struct InvoiceLine: TableRecord {
    static let databaseTableName = "InvoiceLine"
    static let track = belongsTo(Track.self)
    enum Columns {
        static let unitPrice = Column("UnitPrice")
        static let quantity = Column("Quantity")
    }
}
