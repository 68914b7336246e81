import Cormorant
import CormorantFoundation
import Dispatch
import Foundation
import Testing

/// Tasks that share a database: findings swift.md, bugs 2 to 6.
struct TaskTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("test.db"))
        try database.createTables(City.self)
    }

    private func names() throws -> [String] { try database.fetchAll(City.self, Query(order: ["name"])).map(\.name) }

    /// Runs `body` while a write has the writer.
    private func whileWriting(_ body: () async throws -> Void) async throws {
        let (entered, holding) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let database = database
        async let written: Void = database.write { database in
            _ = try database.inserted(City(name: "held"))
            holding.yield()
            release.wait()
        }
        for await _ in entered { break }
        defer { release.signal() }
        try await body()
        release.signal()
        try await written
    }

    /// finding code.md 6: it was queued as a write
    @Test func rawSQLThatReadsWaitsForNoWriter() async throws {
        try await whileWriting {
            let rows = try await database.query("SELECT count(*) FROM city")
            #expect(rows.map(\.values) == [[0]])
        }
        #expect(try names() == ["held"])
    }

    @Test func aCancelledWriteThatWaitsReturnsAtOnce() async throws {
        try await whileWriting {
            let database = database
            let task = Task { try await database.write { _ = try $0.inserted(City(name: "cancelled")) } }
            try await Task.sleep(for: .milliseconds(20))
            task.cancel()
            let result = await task.result
            let error = #expect(throws: CormorantError.self) { try result.get() }
            #expect(error?.code == .interrupted)
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await database.write { _ = try $0.inserted(City(name: "cancelled, too")) }
            }
            await #expect(throws: CormorantError.self) { try await early.value }
        }
        _ = try await database.write { try $0.inserted(City(name: "later")) }
        #expect(try names() == ["held", "later"])
    }

    @Test func aSecondLoopOverAnObserverThrows() async throws {
        let observer = try database.observe(City.self)
        let first = Task {
            var count = 0
            for try await event in observer { count += event.changes.count }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        let second = Task { for try await _ in observer {} }
        let error = await #expect(throws: CormorantError.self) { try await second.value }
        #expect(error?.code == .misuse && error?.hint != nil)
        for name in ["a", "b", "c"] { _ = try await database.write { try $0.inserted(City(name: name)) } }
        try await Task.sleep(for: .milliseconds(50))
        observer.cancel()
        #expect(try await first.value == 3)
        // The place of one that has ended is free.
        let again = try database.observe(City.self)
        for _ in 0..<2 {
            _ = try await database.write { try $0.inserted(City(name: "\($0.fetchCount(City.self))")) }
            for try await event in again {
                #expect(event.changes.count == 1)
                break
            }
        }
    }

    @Test func rawSQLEndsNoTransactionOfACall() throws {
        for word in ["COMMIT", "ROLLBACK", "SAVEPOINT a"] {
            let error = #expect(throws: CormorantError.self) {
                try database.write { database in
                    _ = try database.inserted(City(name: "lost"))
                    try database.execute(word)
                }
            }
            #expect(error?.code == .transaction && error?.message.contains(word.prefix { $0 != " " }) == true)
        }
        #expect(try names() == [])
    }

    @Test func errorsAreWhatFoundationShows() throws {
        let error = #expect(throws: CormorantError.self) { try database.query("SELECT") }
        let shown: any Error = try #require(error)
        #expect(shown.localizedDescription == error?.message)
        #expect((shown as NSError).localizedRecoverySuggestion == error?.hint)
    }

    @Test func aTransactionIsLeftInItsTask() async throws {
        let database = database
        let task = Task.detached {
            try database.beginQuietly()
            do {
                for number in 0..<20 { try await database.insertedAfterAWhile("mine \(number)") }
                try database.commitQuietly()
            } catch {
                try? database.rollbackQuietly()
                throw error
            }
        }
        // Whichever thread it goes on with: all of it is there, or nothing.
        do {
            try await task.value
            #expect(try names().count == 20)
        } catch let error as CormorantError {
            #expect([.transaction, .busy].contains(error.code))
            #expect(try names().count < 20)
        }
    }

    @Test(arguments: 0..<4)
    func aThousandInterleavings(_ seed: Int) async throws {
        let database = try Database(path: folder.file("\(seed).db"), options: quick)
        try database.createTables(City.self)
        let told = await withTaskGroup(of: String?.self) { group in
            for number in 0..<250 {
                group.addTask {
                    let name = "\(number)"
                    do {
                        switch number % 5 {
                        case 0: _ = try await database.write { try $0.inserted(City(name: name)) }
                        case 1:
                            try await database.write {
                                _ = try $0.inserted(City(name: name))
                                throw CancellationError()
                            }
                        case 2: try database.inOneBody(name)
                        default:
                            try database.beginQuietly()
                            do {
                                _ = try await database.insertedAfterAWhile(name)
                                try database.commitQuietly()
                            } catch {
                                try? database.rollbackQuietly()
                                throw error
                            }
                        }
                        return name
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
        }
        let rows = try await database.fetchAll(City.self)
        #expect(Set(rows.map(\.name)) == told)
        // How many were in time for one another is the machine's affair.
        #expect(!told.isEmpty)
        // Nothing is left open.
        _ = try await database.write { try $0.inserted(City(name: "later")) }
    }
}

private let quick: OpenOptions = {
    var options = OpenOptions()
    // These wait on the threads that all tests share.
    options.busyTimeout = 10
    return options
}()

extension Database {
    fileprivate func beginQuietly() throws { try begin() }
    fileprivate func commitQuietly() throws { try commit() }
    fileprivate func rollbackQuietly() throws { try rollback() }

    fileprivate func inOneBody(_ name: String) throws {
        try transaction { _ = try inserted(City(name: name)) }
    }

    fileprivate func insertedAfterAWhile(_ name: String) async throws {
        func insert() throws { _ = try inserted(City(name: name)) }
        try insert()
        await Task.yield()
    }
}
