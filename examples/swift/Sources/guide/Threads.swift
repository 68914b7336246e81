// Threads, tasks, snapshots.
import Cormorant

enum Threads {
    static func show(_ database: Database) async throws {
        try snapshot(database)
        try setUp()
        try await tasks(database)
        try await oneByOne(database)
        try await limit(database)
    }

    /// Reads that belong together see one state of the file, whoever writes meanwhile.
    static func snapshot(_ database: Database) throws {
        let (count, artists) = try database.read { reader in
            (try reader.fetchCount(Artist.all), try names(reader))
        }
        print(artists.count == count)
    }

    /// What reads is given a reader: a `read` body has one, and a database is one, in `write` and by itself.
    static func names(_ reader: Reader) throws -> [String] {
        try reader.fetchAll(Artist.order { $0.name }.select { $0.name })
    }

    /// Each connection that is opened is set up alike.
    static func setUp() throws {
        let options = OpenOptions(setUp: { connection in
            try connection.execute(script: "PRAGMA cache_size = -20000")
        })
        let tuned = try Database(path: ":memory:", options: options)
        print(try tuned.fetchAll("SELECT cache_size FROM pragma_cache_size", as: Int.self))
    }

    /// The body is plain code on a thread of the database's own; reads run beside a write.
    static func tasks(_ database: Database) async throws {
        async let written: Void = database.write { database in
            for name in ["Ida", "Jon"] { _ = try database.inserted(Artist(name: name)) }
        }
        async let count = database.read { try $0.fetchCount(Artist.all) }
        print(try await count > 0)
        try await written
    }

    /// Rows one by one, without a thread that waits for them.
    static func oneByOne(_ database: Database) async throws {
        for try await artist in try await database.cursor(Artist.order { $0.name }) {
            if artist.name > "K" { break }
            print(artist.name)
        }
    }

    /// A task that is cancelled has its statement stopped.
    static func limit(_ database: Database) async throws {
        let task = Task {
            try await database.query(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        do { _ = try await task.value } catch is CancellationError { print("cancelled") }
    }
}
