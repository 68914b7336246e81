import Cormorant
import Foundation
import Testing

struct ThreadTests {
    /// Runs `body` on so many threads and waits for all.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failures = Failures()
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread {
                do { try body(number) } catch { failures.add(error) }
                group.leave()
            }.start()
        }
        group.wait()
        if let first = failures.first { throw first }
    }

    @Test func aDatabaseIsShared() throws {
        let folder = try TemporaryFolder()
        let database = try openDatabase(path: folder.file("shared.db"))
        try database.createTables(Person.self)
        try onThreads(8) { thread in
            for index in 0..<100 {
                var person = Person(name: "\(thread)", age: index)
                try database.insert(&person)
                let found = try database.find(Person.self, key: person.id)
                #expect(found == person)
                if index % 10 == 0 { _ = try database.fetchAll(Person.self, Query(["name": .text("\(thread)")])) }
            }
        }
        #expect(try database.fetchCount(Person.self) == 800)
        #expect(Set(try database.fetchAll(Person.self).map(\.id)).count == 800)
    }

    @Test func aTransactionBelongsToItsThread() throws {
        let database = try memoryDatabase(Person.self)
        try database.execute("INSERT INTO person (name, age) VALUES ('counter', 0)")
        try onThreads(4) { _ in
            for _ in 0..<50 {
                try database.transaction {
                    var counter = try #require(try database.find(Person.self, key: 1))
                    #expect(database.transactionDepth == 1)
                    counter.age = (counter.age ?? 0) + 1
                    try database.update(&counter)
                }
            }
        }
        #expect(try database.find(Person.self, key: 1)?.age == 200)
    }

    @Test func anotherThreadCannotEndATransaction() throws {
        let database = try memoryDatabase(Person.self)
        try database.transaction {
            try onThreads(1) { _ in
                #expect(throws: CormorantError.self) { try database.commit() }
                #expect(throws: CormorantError.self) { try database.close() }
                #expect(database.transactionDepth == 0)
            }
            _ = try database.inserted(Person(name: "Ada"))
        }
        #expect(try database.fetchCount(Person.self) == 1)
    }

    @Test func interruptStopsAStatement() throws {
        let database = try Database(path: ":memory:")
        let started = DispatchSemaphore(value: 0)
        Thread {
            started.wait()
            Thread.sleep(forTimeInterval: 0.05)
            database.interrupt()
        }.start()
        expectError(.interrupted) {
            started.signal()
            return try database.fetchValues(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
        }
        #expect(try database.fetchValues("SELECT 1") == [1])
    }
}

final class Failures: @unchecked Sendable {  // `lock` guards the list
    private let lock = NSLock()
    private var errors: [any Error] = []

    func add(_ error: any Error) { lock.withLock { errors.append(error) } }

    var first: (any Error)? { lock.withLock { errors.first } }
}
