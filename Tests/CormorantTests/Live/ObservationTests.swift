import Cormorant
import Foundation
import Testing

@Suite struct ObservationTests {
    @Test func regionsKeysAndQueriesNarrowAWatch() throws {
        let database = try memoryDatabase(Person.self)
        try database.executeScript("INSERT INTO person (id, name, age) VALUES (1, 'a', 1), (2, 'b', 2)")
        let age = try database.observe([Region("person", columns: ["age"])], values: true)
        let second = try database.observe(Person.self, key: 2)
        let names = try database.observe(Person.select { $0.name })
        let raw = try database.observe(sql: "SELECT name FROM person WHERE id > ?", [0], latestOnly: true)
        try database.execute("UPDATE person SET name = 'n'")
        #expect(try age.next() == nil)
        #expect(try second.next()?.changes.map(\.key) == [[2]])
        #expect(try names.next()?.changes.count == 2)
        try database.execute("UPDATE person SET age = 9 WHERE id = 1")
        #expect(try age.next()?.changes.map(\.old) == [[1, "n", .null, 1]])
        #expect(try second.next() == nil)
        #expect(try names.next() == nil)
        #expect(try raw.next()?.changes.count == 2)
    }

    @Test func aLiveQueryIsAnAsyncSequence() async throws {
        let database = try memoryDatabase(Person.self)
        let live = try await database.observeLive(
            Person.where { $0.age > parameter("least") }.order { $0.age }, ["least": 1])
        let task = Task {
            var seen: [[String]] = []
            var kinds: [[ChangeKind]] = []
            for try await event in live {
                seen.append(event.rows.map(\.name))
                kinds.append(event.changes.map(\.kind))
                if seen.last == ["b", "a"] { break }
            }
            return (seen, kinds)
        }
        try await Task.sleep(for: .milliseconds(20))
        try await database.execute("INSERT INTO person (name, age) VALUES ('a', 3)")
        try await Task.sleep(for: .milliseconds(20))
        try await database.execute("INSERT INTO person (name, age) VALUES ('b', 2), ('c', 0)")
        let (seen, kinds) = try await task.value
        #expect(seen == [[], ["a"], ["b", "a"]])
        #expect(kinds == [[], [.insert], [.insert]])
    }

    @Test func whatWaitsForALoopThatRestsBecomesOne() async throws {
        let database = try memoryDatabase(Person.self)
        let live = try await database.observeLive(Person.order { $0.id })
        let latest = try await database.observe(Person.self, latestOnly: true)
        let all = try await database.observe(Person.self)
        var (fast, slow) = (live.makeAsyncIterator(), live.makeAsyncIterator())
        var (fastLatest, slowLatest) = (latest.makeAsyncIterator(), latest.makeAsyncIterator())
        var (fastAll, slowAll) = (all.makeAsyncIterator(), all.makeAsyncIterator())
        _ = try await fast.next()
        for number in 1...1500 {
            try await database.execute("INSERT INTO person (id, name, age) VALUES (\(number), 'n', 1)")
            if number > 1 { try await database.execute("DELETE FROM person WHERE id = \(number - 1)") }
            #expect(try await fast.next()?.rows.count == 1)
            _ = try await fastLatest.next()
            for _ in 0..<min(number, 2) { _ = try await fastAll.next() }
        }
        let event = try #require(try await slow.next())
        #expect(
            event.rows.map(\.id) == [1500] && event.changes.map(\.kind) == [.insert] && event.changes[0].position == 0)
        #expect(try await slowLatest.next()?.changes.map(\.key) == [[1500]])
        var count = 1
        while try await slowAll.next()?.changes.contains(where: { $0.key == [1500] }) == false { count += 1 }
        #expect(count == 1000)
    }

    @Test func theSequenceEndsWithItsDatabaseAndItsTask() async throws {
        let database = try memoryDatabase(Person.self)
        let observer = try await database.observe(Person.self)
        let ended = Task { for try await _ in observer {} }
        let cancelled = try await database.observe(Person.self)
        let task = Task { for try await _ in cancelled {} }
        task.cancel()
        try await task.value
        try database.close()
        try await ended.value
        expectError(.misuse) { try database.observe(Person.self) }
    }

    @Test func observersOutliveADatabaseThatIsNotClosed() throws {
        let folder = try TemporaryFolder()
        var database: Database? = try Database(path: folder.file("test.db"))
        try database?.createTables([Person.model])
        let observer = try #require(try database?.observe(Person.self))
        let live = try #require(try database?.observeLive(Person.all))
        try database?.setCache(Person.self, maxCount: 9, maxBytes: 9_000)
        _ = try database?.find(Person.self, key: 1)
        #expect(try database?.cacheStatistics(Person.self).misses == 1)
        database = nil
        #expect(try observer.next() == nil)
        #expect(try live.next() == nil)
        observer.cancel()
    }

    @Test func aCallbackIsToldOfOthers() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"))
        try await database.createTables([Person.model])
        let other = try Database(path: folder.file("test.db"))
        let (told, continuation) = AsyncStream.makeStream(of: (Bool, [String]).self)
        let live = try await database.observeLive(sql: "SELECT name FROM person") { result in
            guard case .success(let event) = result else { return }
            continuation.yield((event.isForeign, event.rows.map { $0.first.map { "\($0)" } ?? "" }))
        }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next()?.1 == [])
        try await other.execute("INSERT INTO person (name) VALUES ('x')")
        let second = await iterator.next()
        #expect(second?.0 == true)
        #expect(second?.1.count == 1)
        live.cancel()
    }

}
