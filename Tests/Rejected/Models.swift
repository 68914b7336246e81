// The models of the programs beside it, which must compile.
import Cormorant

@Model
struct Artist {
    @Key var id: Int64?
    var name: String
    @Relation var albums = ToMany<Album>.notLoaded
}

@Model
struct Album {
    enum Kind: String, ColumnValue { case studio, live }

    @Key var id: Int64?
    var title: String
    @References("artist") var artistID: Int64?
    var year: Int?
    var price: Double
    var kind: Kind
    var released: Timestamp?
    @Relation var artist = ToOne<Artist>.notLoaded
}

@Model
struct Summary {
    var title: String
    var count: Int
}

/// A record without columns of its own.
struct Plain: Record {
    var id: Int64?

    static let model = ModelDescriptor(name: "Plain", columns: [ColumnDescriptor("id", Int64?.self, primaryKey: true)])

    init(from reader: RecordReader) throws { id = try Int64?(from: reader, at: 0) }
    func write(to writer: inout RecordWriter) throws { try id.write(to: &writer, at: 0) }
    mutating func setGeneratedKey(_ key: Int64) { id = key }
    mutating func clearGeneratedKey() { id = nil }
}
