import Cormorant

extension Recipes {
    /// Writes that nobody waits for, in the order in which they came; what fails is told to the one who listens.
    static func log() async throws {
        let database = try tracks(1)
        let queue = try WriteQueue(database)
        let listener = try queue.listen(tag: "log") { completion in
            if let error = completion.error { print("not written:", error.code) }
        }
        for number in 1...100 {
            try await queue.add(tag: "log") { _ = try $0.inserted(Track(title: "Track \(number)", seconds: number)) }
        }
        try await queue.add(tag: "log") { try $0.execute("INSERT INTO track (title) VALUES (NULL)") }
        try await queue.close()  // runs what waits
        listener.cancel()
        print(try await database.fetchCount(Track.all))
    }
}
