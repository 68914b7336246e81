// Transactions, and what errors say.
import Cormorant

enum Transactions {
    struct NoQuin: Error {}

    static func show(_ database: Database) async throws {
        try commit(database)
        refuse(database)
        misspell(database)
        try await later(database)
    }

    /// Committed when the closure returns, rolled back when it throws; one inside another is a savepoint.
    static func commit(_ database: Database) throws {
        try database.transaction {
            _ = try database.inserted(Artist(name: "Pia"))
            do {
                try database.transaction {
                    _ = try database.inserted(Artist(name: "Quin"))
                    throw NoQuin()
                }
            } catch is NoQuin {
                print("no Quin")
            }
        }
        print(try database.fetchAll(Artist.order { $0.name }).map(\.name))
    }

    /// What the database refuses is an error that names the place and says what to do.
    static func refuse(_ database: Database) {
        do {
            _ = try database.inserted(Artist(name: "Nina"))
        } catch let error as CormorantError where error.code == .unique {
            print(error.code, error.table ?? "", error.columns, error.constraint ?? "", error.sqliteCode)
            print(error.message)
            print(error.hint ?? "")
        } catch {
            print(error)
        }
        do {
            var two = [Artist(name: "Rae"), Artist(name: "Otto")]
            try database.insert(contentsOf: &two)
        } catch {
            print((error as? CormorantError)?.recordIndex ?? -1)
        }
    }

    /// SQL that does not compile, and names that a model does not have.
    static func misspell(_ database: Database) {
        do {
            _ = try database.query("SELECT title, yaer FROM album")
        } catch {
            print((error as? CormorantError)?.offset ?? -1, error)
        }
        do {
            _ = try database.fetchAll(Album.self, Query(order: ["yaer"]))
        } catch {
            print(error)
        }
    }

    /// The same for `async` code: the body is plain code that is given the database.
    static func later(_ database: Database) async throws {
        let count = try await database.transaction { database in
            _ = try database.inserted(Artist(name: "Sam"))
            return try database.fetchCount(Artist.all)
        }
        print(count, "artists")
    }
}
