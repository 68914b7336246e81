// UPDATE, DELETE and INSERT by expressions.
import Cormorant

@Model
struct Counter {
    @Key var word: String
    var number = 0
}

enum Changing {
    static func show(_ database: Database) throws {
        try database.createTables(Counter.self)
        try change(database)
        try copy(database)
        try count(database)
        try several(database)
        try ignore(database)
    }

    /// By condition, also along a relation; what was written comes back where it is asked for.
    static func change(_ database: Database) throws {
        let changed = try database.execute(Album.where { $0.artist.name == "Nina" }.update { $0.year = $0.year + 1 })
        print(changed, "albums changed")
        let cheap = Album.where { $0.price > 10 }.update { $0.price = $0.price / 2 }
        for (title, price) in try database.fetchAll(cheap.returning { ($0.title, $0.price) }) {
            print(title, "costs", price ?? 0)
        }
        let gone = try database.fetchAll(Album.where { $0.price == nil }.delete().returning())
        print(gone.map(\.title))
    }

    /// The rows of a query go in without passing through the program.
    static func copy(_ database: Database) throws {
        let titles = Album.where { $0.year < 2000 }.select { $0.title }
        print(try database.execute(Artist.insert(\.name, from: titles)), "inserted")
    }

    /// An upsert: where the key is there already, that row is changed; `new` is the one that came too late.
    static func count(_ database: Database) throws {
        let upsert = Counter.insert {
            $0.word = "sea"
            $0.number = 2
        }.upsert(on: \.word) { row, new in row.number = row.number + new.number }
        for _ in 1...3 { try database.execute(upsert) }
        print(try database.fetchAll(Counter.all))
    }

    /// Several rows in one statement; what the database filled in comes back.
    static func several(_ database: Database) throws {
        let words = [("sun", 1), ("sky", 2), ("sun", 5)]
        let add = Counter.insert(words) { row, word in
            row.word = word.0
            row.number = word.1
        }.upsert(on: \.word) { row, new in row.number = row.number + new.number }
        print(try database.fetchAll(add.returning { ($0.word, $0.number) }))
    }

    /// A conflict policy says what becomes of a row that a constraint refuses.
    static func ignore(_ database: Database) throws {
        let again = Artist.insert(onConflict: .ignore) { $0.name = "Nina" }
        var nina = Artist(name: "Nina")
        print(try database.execute(again), "inserted;", try database.insert(&nina, onConflict: .ignore))
    }
}
