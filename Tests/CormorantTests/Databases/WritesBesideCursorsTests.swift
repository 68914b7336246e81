import Cormorant
import Dispatch
import Foundation
import Testing

/// Writes on the one connection of a database, where a cursor of another thread is open on it and another connection has the lock:
/// SQLite refuses them at once.
struct WritesBesideCursorsTests {
    enum Way: CaseIterable {
        case record
        case statement
        case transaction
        case graph
    }

    /// The other thread, and the other connection, until a moment after they began.
    private final class Others: Sendable {
        private let goOn = DispatchSemaphore(value: 0)
        private let ended = DispatchGroup()

        init(_ database: Database, _ other: Database) {
            let begun = DispatchGroup()
            begin(begun) { begun in
                let cursor = try database.cursor(
                    Person.self, Query(sql: "SELECT a.* FROM person a, person b, person c, person d"))
                #expect(try cursor.next() != nil)
                begun()
                cursor.close()
            }
            begun.wait()
            begin(begun) { begun in
                try other.transaction {
                    _ = try other.inserted(Person(name: "theirs"))
                    begun()
                }
            }
            begun.wait()
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { for _ in 0..<2 { self.goOn.signal() } }
        }

        private func begin(_ begun: DispatchGroup, _ body: @escaping @Sendable (_ begun: () -> Void) throws -> Void) {
            begun.enter()
            ended.enter()
            Thread {
                do {
                    try body {
                        begun.leave()
                        self.goOn.wait()
                    }
                } catch { Issue.record(error) }
                self.ended.leave()
            }.start()
        }

        func wait() { ended.wait() }
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("cursors.db")
    }

    private func open(_ mode: OpenOptions.JournalMode) throws -> (Database, Others) {
        var options = OpenOptions(journalMode: mode)
        options.readerCount = 0
        let database = try openDatabase(path: path, options: options)
        try database.createTables(Person.self)
        var people = (0..<10).map { Person(name: "\($0)") }
        try database.insert(contentsOf: &people)
        return (database, Others(database, try openDatabase(path: path, options: options)))
    }

    private func expectBoth(in database: Database, since began: ContinuousClock.Instant) throws {
        #expect(began.duration(to: .now) > .milliseconds(200))
        #expect(try database.fetchCount(Person.where { $0.name == "mine" || $0.name == "theirs" }) == 2)
    }

    @Test(arguments: [OpenOptions.JournalMode.delete, .wal], Way.allCases)
    func oneOfAThreadWaits(_ mode: OpenOptions.JournalMode, _ way: Way) throws {
        let (database, others) = try open(mode)
        let began = ContinuousClock.now
        var mine = Person(name: "mine")
        switch way {
        case .record: try database.insert(&mine)
        case .statement: try database.execute("INSERT INTO person (name) VALUES ('mine')")
        case .transaction: try database.transaction { try database.insert(&mine) }
        case .graph: try database.save(graph: &mine)
        }
        others.wait()
        try expectBoth(in: database, since: began)
    }

    @Test(arguments: [OpenOptions.JournalMode.delete, .wal], Way.allCases)
    func oneOfATaskWaits(_ mode: OpenOptions.JournalMode, _ way: Way) async throws {
        let (database, others) = try open(mode)
        let began = ContinuousClock.now
        var mine = Person(name: "mine")
        switch way {
        case .record: try await database.insert(&mine)
        case .statement: try await database.execute("INSERT INTO person (name) VALUES ('mine')")
        case .transaction:
            try await database.transaction { database in _ = try database.inserted(Person(name: "mine")) }
        case .graph: try await database.save(graph: &mine)
        }
        others.wait()
        try expectBoth(in: database, since: began)
    }
}
