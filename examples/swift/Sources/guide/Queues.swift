// Write queues: tasks that share commits, batches, listeners.
import Cormorant

enum Queues {
    static func show(_ database: Database) async throws {
        try await share(database)
        try await batch(database)
    }

    /// The writes of many tasks share commits; each has its own result.
    static func share(_ database: Database) async throws {
        let queue = try WriteQueue(database)
        let keys = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for number in 1...100 {
                group.addTask {
                    try await queue.perform { try $0.inserted(Artist(name: "artist \(number)")).id }
                }
            }
            return try await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
        }
        print(keys.count)
        do {
            try await queue.perform { _ = try $0.inserted(Artist(name: "artist 7")) }
        } catch let error as CormorantError {
            print(error.code)
        }
        try await queue.close()
    }

    /// Parts that are one write; a listener is told of all that have a tag.
    static func batch(_ database: Database) async throws {
        let queue = try WriteQueue(database)
        let listener = try queue.listen(tag: "import")
        let batch = queue.begin()
        batch.insert(Artist(name: "Sam"))
        batch.insert(Artist(name: "Nina"))  // is there already
        batch.execute("UPDATE artist SET name = upper(name) WHERE name = ?", ["Sam"])
        let results = try await batch.commit(tag: "import", onError: .continue)
        print(results.map(\.changes), listener.next()?.tag ?? "")
        try await queue.close()
    }
}
