import Cormorant

// The Chinook database, a shop for music: its tables as records.

@Model(table: "Artist")
struct Artist {
    @Key @Column("ArtistId") var id: Int64
    @Column("Name") var name: String?
    @Relation var albums = ToMany<Album>.notLoaded
}

@Model(table: "Album")
struct Album {
    @Key @Column("AlbumId") var id: Int64
    @Column("Title") var title: String
    @Column("ArtistId") @References("Artist") var artistID: Int64
    @Relation var artist = ToOne<Artist>.notLoaded
    @Relation var tracks = ToMany<Track>.notLoaded
}

@Model(table: "Genre")
struct Genre {
    @Key @Column("GenreId") var id: Int64
    @Column("Name") var name: String?
}

@Model(table: "MediaType")
struct MediaType {
    @Key @Column("MediaTypeId") var id: Int64
    @Column("Name") var name: String?
}

@Model(table: "Track")
struct Track {
    @Key @Column("TrackId") var id: Int64
    @Column("Name") var name: String
    @Column("AlbumId") @References("Album") var albumID: Int64?
    @Column("MediaTypeId") @References("MediaType") var mediaTypeID: Int64
    @Column("GenreId") @References("Genre") var genreID: Int64?
    @Column("Composer") var composer: String?
    @Column("Milliseconds") var milliseconds: Int64
    @Column("Bytes") var bytes: Int64?
    @Column("UnitPrice") var unitPrice: Double
    @Relation var album = ToOne<Album>.notLoaded
    @Relation var genre = ToOne<Genre>.notLoaded
    @Relation var lines = ToMany<InvoiceLine>.notLoaded
    @Relation(through: PlaylistTrack.self) var playlists = ToMany<Playlist>.notLoaded
}

@Model(table: "Playlist")
struct Playlist {
    @Key @Column("PlaylistId") var id: Int64
    @Column("Name") var name: String?
    @Relation(through: PlaylistTrack.self) var tracks = ToMany<Track>.notLoaded
}

@Model(table: "PlaylistTrack")
struct PlaylistTrack {
    @Key @Column("PlaylistId") @References("Playlist") var playlistID: Int64
    @Key @Column("TrackId") @References("Track") var trackID: Int64
    @Relation var track = ToOne<Track>.notLoaded
}

@Model(table: "Employee")
struct Employee {
    @Key @Column("EmployeeId") var id: Int64
    @Column("LastName") var lastName: String
    @Column("FirstName") var firstName: String
    @Column("Title") var title: String?
    @Column("ReportsTo") @References("Employee") var reportsTo: Int64?
    @Column("BirthDate") var birthDate: String?
    @Column("HireDate") var hireDate: String?
    @Column("City") var city: String?
    @Column("Country") var country: String?
    @Column("Email") var email: String?
    @Relation var manager = ToOne<Employee>.notLoaded
    @Relation var customers = ToMany<Customer>.notLoaded
}

@Model(table: "Customer")
struct Customer {
    @Key @Column("CustomerId") var id: Int64
    @Column("FirstName") var firstName: String
    @Column("LastName") var lastName: String
    @Column("Company") var company: String?
    @Column("City") var city: String?
    @Column("State") var state: String?
    @Column("Country") var country: String?
    @Column("Email") var email: String
    @Column("SupportRepId") @References("Employee") var agentID: Int64?
    @Relation var agent = ToOne<Employee>.notLoaded
    @Relation var invoices = ToMany<Invoice>.notLoaded
}

@Model(table: "Invoice")
struct Invoice {
    @Key @Column("InvoiceId") var id: Int64
    @Column("CustomerId") @References("Customer") var customerID: Int64
    @Column("InvoiceDate") var date: String
    @Column("BillingCountry") var country: String?
    @Column("Total") var total: Double
    @Relation var customer = ToOne<Customer>.notLoaded
    @Relation var lines = ToMany<InvoiceLine>.notLoaded
}

@Model(table: "InvoiceLine")
struct InvoiceLine {
    @Key @Column("InvoiceLineId") var id: Int64
    @Column("InvoiceId") @References("Invoice") var invoiceID: Int64
    @Column("TrackId") @References("Track") var trackID: Int64
    @Column("UnitPrice") var unitPrice: Double
    @Column("Quantity") var quantity: Int64
    @Relation var invoice = ToOne<Invoice>.notLoaded
    @Relation var track = ToOne<Track>.notLoaded
}
