import Cormorant

@Model
struct Person: Equatable {
    @Key var id: Int64?
    var name: String
    var city: String?
    var age: Int?
}

@Model(keys: [.unique("city", "name")])
struct Department: Equatable {
    @Key var id: Int64
    var name: String
    var city: String
}

@Model(keys: [.index("-since")])
struct Membership: Equatable {
    @Key var person: Int64
    @Key var club: String
    @Column(default: "2000") var since: Int?
    @Column(computed: "person * 10") var number: Int?
}

/// Without @Key: a hidden key.
@Model
struct Note: Equatable {
    var text: String
}

/// Made by hand, as `Record` documents it.
struct City: Equatable {
    var id: Int64?
    var name: String
}

extension City: Record {
    static let model = ModelDescriptor(
        name: "City",
        columns: [
            ColumnDescriptor("id", Int64?.self, primaryKey: true),
            ColumnDescriptor("name", String.self, unique: true),
        ])

    init(from reader: RecordReader) throws {
        id = try Int64?(from: reader, at: 0)
        name = try String(from: reader, at: 1)
    }

    func write(to writer: inout RecordWriter) throws {
        try id.write(to: &writer, at: 0)
        try name.write(to: &writer, at: 1)
    }

    mutating func setGeneratedKey(_ key: Int64) { id = key }
    mutating func clearGeneratedKey() { id = nil }
}

/// A key of a type of its own.
struct TicketID: RawRepresentable, ColumnValue, Hashable {
    var rawValue: Int64
}

@Model
struct Ticket: Equatable {
    enum Status: String, ColumnValue { case open, closed }

    @Key var id: TicketID?
    var status: Status
    var `class`: Int8
    var reader: String?
    @Ignored var isSelected = false

    var isOpen: Bool { status == .open }
}

@Cormorant.Model(table: "narrow")
struct Narrow: Equatable {
    @Cormorant.Key var key: Int8?
    var label: String = ""
}
