// Being told of what is committed, and rows that are kept in memory.
import Cormorant

enum Observation {
    static func show(_ database: Database) async throws {
        try watch(database)
        try narrow(database)
        try follow(database)
        try await followAlong(database)
        try await reads(database)
        try remember(database)
    }

    /// Each transaction gives one event, once it is committed, with each row once.
    static func watch(_ database: Database) throws {
        let observer = try database.observe(Artist.self, values: true)
        try database.transaction {
            let pia = try database.inserted(Artist(name: "Pia"))
            try database.execute("UPDATE artist SET name = 'Pia K.' WHERE id = ?", [pia.id])
        }
        for change in try observer.next()?.changes ?? [] {
            print(change.kind, change.table ?? "", change.key, change.new?.name ?? "")
        }
    }

    /// One record, some columns, or what a query reads.
    static func narrow(_ database: Database) throws {
        let nina = try database.observe(Artist.self, key: 1)
        let prices = try database.observe([Region("album", columns: ["price"])])
        let offers = try database.observe(Album.where { $0.price < 10 }, latestOnly: true)
        try database.execute("UPDATE album SET title = title || '!'")
        print(try nina.next() == nil, try prices.next() == nil, try offers.next() != nil)
    }

    /// The new result, and what of it is new, on the thread that has committed.
    static func follow(_ database: Database) throws {
        let newer = Album.where { $0.year > 1970 }.order { $0.title }
        let observer = try database.observeLive(newer) { result in
            guard case .success(let event) = result else { return }
            print(event.rows.map(\.title), event.changes.map(\.kind))
        }
        try database.execute("UPDATE album SET year = year + 1")
        observer.cancel()
    }

    /// A sequence waits for events without holding a thread.
    static func followAlong(_ database: Database) async throws {
        for try await event in try await database.observeLive(sql: "SELECT count(*) FROM artist") {
            guard let count = event.rows.first?.first?.int64, count < 6 else { break }
            print(count, event.isForeign)
            try await database.execute("INSERT INTO artist (name) VALUES (?)", ["Artist \(count)"])
        }
    }

    /// Reads of any number of statements, made again when what they read has changed.
    static func reads(_ database: Database) async throws {
        let shelf = try await database.observe { reader in
            let cheap = try reader.fetchAll(Album.where { $0.price < 10 }.order { $0.title })
            return (cheap.map(\.title), try reader.fetchCount(Artist.all))
        }
        let shown = try await database.observe { try $0.fetchCount(Album.all) }
            .onMain { count in print((try? count.get()) ?? 0, "albums on the main actor") }
        for try await (titles, artists) in shelf {
            print(titles, artists)
            if artists > 6 { break }
            _ = try await database.inserted(Artist(name: "One more than \(artists)"))
        }
        shown.cancel()
    }

    /// Rows that are found again come from memory, unless anybody has changed them.
    static func remember(_ database: Database) throws {
        try database.setCache(Artist.self, maxCount: 1000, maxBytes: 1_000_000)
        for _ in 0..<3 { _ = try database.find(Artist.self, key: 1) }
        try database.execute("UPDATE artist SET name = 'Nina S.' WHERE id = 1")
        print(try database.find(Artist.self, key: 1)?.name ?? "", try database.cacheStatistics(Artist.self))
    }
}
