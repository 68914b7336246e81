// Models and records: keys, defaults, own conversions; one record at a time, and many.
import Cormorant

/// The file holds a word where the record has an enum.
enum Side: String, ColumnValue {
    case port
    case starboard
}

@Model(table: "members", keys: [.unique("club", "number")], checks: ["number > 0"])
struct Member {
    @Key var id: Int64!
    @Column(collate: "NOCASE") var club: String
    var number: Int
    @Column(default: "'guest'") var level: String?
    var side: Side = .port
    @Column(computed: "club || '-' || number") var badge: String?
}

enum Watch: String, ColumnValue, CaseIterable { case port, starboard }

/// A key of its own type.
struct SailID: RawRepresentable, ColumnValue, Hashable { var rawValue: Int64 }

/// The file holds a day, a time of day, microseconds and a word; the table refuses other words.
@Model
struct Sail {
    @Key var id: SailID!
    var day: LocalDate
    var begins: LocalTime
    var takes: Duration
    @Column(checksCases: true) var watch: Watch
}

@Model
struct Entry {
    @Key var id: Int64?
    var text: String
}

struct Refusal: Error { var reason: String }

func notNegative(_ value: Double) throws {
    if value < 0 { throw Refusal(reason: "\(value) is negative") }
}

@Model
struct Account {
    @Key var id: Int64?
    var owner: String
    @Column(validate: notNegative) var balance: Double = 0
}

extension Account: RecordHooks {
    mutating func willSave(in database: Database) throws { owner.removeAll { $0 == " " } }

    func didDelete(in database: Database) throws { _ = try database.inserted(Entry(text: "\(owner) is gone")) }

    func validate() throws {
        if owner.isEmpty { throw Refusal(reason: "it has no owner") }
    }
}

@Model
struct Call {
    @Key var id: Int64?
    var at: OffsetTimestamp  // as the caller's clock shows it
}

enum BoatKind: String, ColumnValue { case sail, motor }

/// All boats, with the columns of each kind.
@Model
struct Boat {
    @Key var id: Int64?
    var kind: BoatKind
    var name: String
    var masts: Int?
    var power: Double?
}

/// Those of one kind.
@Model(table: "boat")
struct Sailboat {
    @Key var id: Int64?
    @Column(discriminator: "sail") var kind: BoatKind = .sail
    var name: String
    var masts: Int
}

enum Models {
    static func show(_ database: Database) throws {
        try define(database)
        try sail(database)
        try call(database)
        try boats(database)
        try change(database)
        try meet(database)
        try account(database)
        try many(database)
    }

    /// The database fills in what it makes: the key, the default of a missing value, the computed column.
    static func define(_ database: Database) throws {
        try database.createTables(Member.self)
        let member = try database.inserted(Member(club: "Rowing", number: 7, side: .starboard))
        let key: Int64 = member.id
        print(key, member.level ?? "", member.badge ?? "", member.side)
    }

    static func sail(_ database: Database) throws {
        try database.createTables(Sail.self)
        guard let day = LocalDate(year: 2026, month: 1, day: 31), let begins = LocalTime("08:30") else { return }
        _ = try database.inserted(Sail(day: day, begins: begins, takes: .seconds(7200), watch: .starboard))
        let found = try database.fetchAll(Sail.where { $0.day >= day && $0.watch == .starboard })
        print(found[0].day, found[0].takes, found[0].watch)
    }

    /// A time comes back with its offset, and compares as the moment that it is.
    static func call(_ database: Database) throws {
        try database.createTables(Call.self)
        guard let at = OffsetTimestamp("2026-01-31T21:00:00+09:00") else { return }
        _ = try database.inserted(Call(at: at))
        let moment = OffsetTimestamp(at.timestamp, offsetSeconds: 0)
        print(try database.fetchAll(Call.where { $0.at == moment })[0].at)
    }

    /// One table has the boats of all kinds; each model is about its own.
    static func boats(_ database: Database) throws {
        try database.createTables(Boat.self, Sailboat.self)
        _ = try database.inserted(Sailboat(name: "Ann", masts: 2))
        _ = try database.inserted(Boat(kind: .motor, name: "Bob", power: 25.5))
        for boat in try database.fetchAll(Boat.order { $0.name }) { print(boat.kind, boat.name) }
        print(try database.fetchAll(Sailboat.where { $0.masts > 1 }).map(\.name))
    }

    /// Records are inserted, saved, updated, read anew and deleted, each with one statement.
    static func change(_ database: Database) throws {
        var album = Album(title: "Sketches", year: 2020, artistID: 1)
        try database.insert(&album)  // a row that is there already is an error
        album.year = 2021
        try database.save(&album)  // inserts, or updates the row with the record's key
        album.title = "Sketchbook"
        try database.update(&album, \.title)  // this property alone
        try database.refresh(&album)  // reads the row again
        let found = try database.find(Album.self, key: album.id)  // by key; nil where there is none
        print(found?.title ?? "", try database.delete(album))
    }

    /// By a unique key a record is written over the row that is there, or read where it is there.
    static func meet(_ database: Database) throws {
        var nina = Artist(name: "Nina")
        // Inserts, or updates the row with that name; it keeps what `keeping:` names.
        try database.upsert(&nina, on: \.name)
        var miles = Artist(name: "Miles")
        let isNew = try database.fetchOrInsert(&miles, on: \.name)
        print(nina.id!, miles.id!, isNew)
    }

    /// What a hook sets is written, what it writes is part of the transaction, and what it throws undoes all of it.
    static func account(_ database: Database) throws {
        try database.createTables(Entry.self, Account.self)
        let ada = try database.inserted(Account(owner: " Ada "))
        var others = [Account(owner: "Bo"), Account(owner: "Cy", balance: -1)]
        do {
            try database.insert(contentsOf: &others)
        } catch let error as CormorantError where error.code == .validation {
            print(error.message)
        }
        try database.delete(ada)
        print(try database.fetchAll(Entry.select { $0.text }))
    }

    /// A batch is one transaction: the first error takes all of it back.
    static func many(_ database: Database) throws {
        var albums = (1...5).map { Album(title: "Volume \($0)", year: 2000 + $0, artistID: 2) }
        try database.insert(contentsOf: &albums)
        for index in albums.indices { albums[index].year += 1 }
        try database.update(contentsOf: &albums, \.year)
        print(try database.delete(contentsOf: albums), "deleted; the last had the key", albums[4].id!)
    }
}
