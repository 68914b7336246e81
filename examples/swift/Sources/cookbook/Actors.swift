import Cormorant

/// An actor is for state beside the database; the database itself may be shared by all tasks as it is.
actor Playlists {
    private let database: Database
    private var current: Int64?

    init(path: String) throws {
        database = try Database(path: path)
        try database.sync(Track.self)
    }

    /// The body runs on a thread of the database's own, not on the actor: what it needs goes in, what it makes comes out.
    func play(_ title: String) async throws -> Track {
        let track = try await database.write { database in
            if let track = try database.fetchOne(Track.where { $0.title == title }) { return track }
            return try database.inserted(Track(title: title, seconds: 0))
        }
        current = track.id
        return track
    }

    func show() async throws {
        async let first = play("Tide")
        async let second = play("Tide")
        print(try await first.id == second.id, current ?? 0)
    }
}
