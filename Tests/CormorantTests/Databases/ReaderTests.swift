import Cormorant
import Foundation
import Testing

/// Reads beside a writer, in one file.
struct ReaderTests {
    private let folder: TemporaryFolder
    private let database: Database
    /// Runs until it is interrupted.
    private static let forever: SQL = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("test.db"))
        try database.createTables(Person.self)
    }

    private func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let failures = Failures()
        let done = DispatchSemaphore(value: 0)
        Thread {
            do { try body() } catch { failures.add(error) }
            done.signal()
        }.start()
        done.wait()
        if let first = failures.first { throw first }
    }

    private func insert(_ name: String) throws { _ = try database.inserted(Person(name: name)) }

    @Test func readsDoNotWaitForAWriter() throws {
        try database.write { database in
            _ = try database.inserted(Person(name: "Ada"))
            try onThread {
                let people = try database.fetchAll(Person.self)
                #expect(people.isEmpty)
            }
            #expect(try database.fetchCount(Person.self) == 1)
        }
        try onThread { [database] in
            let count = try database.fetchCount(Person.self)
            #expect(count == 1)
        }
    }

    @Test func aReadSeesOneSnapshot() throws {
        let database = database
        try database.read { reader in
            try onThread { _ = try database.inserted(Person(name: "Ada")) }
            #expect(try reader.fetchCount(Person.self) == 0)
            try reader.read { reader in
                let found = try reader.find(Person.self, key: 1)
                #expect(found == nil)
            }
            #expect(reader.transactionDepth == 1)
        }
        #expect(try database.fetchCount(Person.self) == 1)
    }

    @Test func writingInAReadIsRefused() throws {
        try database.read { reader in
            expectError(.transaction) { try reader.query("DELETE FROM person RETURNING id") }
            expectError(.transaction) { try database.inserted(Person(name: "Ada")) }
            expectError(.transaction) { try database.write { _ in } }
            expectError(.transaction) { try database.execute("DELETE FROM person") }
        }
        try insert("Ada")
    }

    @Test func oneInsideAnother() throws {
        struct Stop: Error {}
        try database.write { database in
            try insert("Ada")
            try database.read { database in
                let count = try database.fetchCount(Person.self)
                #expect(count == 1)
            }
            #expect(throws: Stop.self) {
                try database.write { _ in
                    try insert("Ben")
                    throw Stop()
                }
            }
        }
        #expect(try database.fetchCount(Person.self) == 1)
    }

    @Test func asynchronousReadsRunBesideAWrite() async throws {
        let (entered, holding) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let database = database
        async let written: Void = database.write { database in
            _ = try database.inserted(Person(name: "Ada"))
            holding.yield()
            release.wait()
        }
        for await _ in entered { break }
        #expect(try await database.fetchAll(Person.self).isEmpty)
        let seen = try await database.read { try $0.fetchCount(Person.self) }
        #expect(seen == 0)
        release.signal()
        try await written
        #expect(try await database.fetchCount(Person.self) == 1)
    }

    @Test func aTaskThatIsCancelledEndsItsQuery() async throws {
        let database = database
        let task = Task {
            try await database.write { database in
                _ = try database.inserted(Person(name: "Ada"))
                _ = try database.query(ReaderTests.forever)
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await database.fetchCount(Person.self) == 0)
        try insert("Ben")
    }

    @Test func aTaskThatIsCancelledBeforeItsTurnDoesNothing() async throws {
        let database = database
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await database.write { _ = try $0.inserted(Person(name: "Ada")) }
        }
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await database.fetchCount(Person.self) == 0)
    }

    @Test func cancellingOneTaskLeavesTheOthers() async throws {
        let database = database
        try await withThrowingTaskGroup(of: Void.self) { group in
            let endless = Task { try await database.read { try $0.query(ReaderTests.forever).count } }
            for number in 0..<50 {
                group.addTask {
                    try await database.write { _ = try $0.inserted(Person(name: "\(number)")) }
                    #expect(try await database.fetchCount(Person.self) > 0)
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            endless.cancel()
            try await group.waitForAll()
            let result = await endless.result
            #expect(throws: CancellationError.self) { try result.get() }
        }
        #expect(try await database.fetchCount(Person.self) == 50)
    }

    @Test func moneyIsNeitherMadeNorLost() throws {
        try database.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
        for _ in 0..<10 { try database.execute("INSERT INTO account (balance) VALUES (100)") }
        let failures = Failures()
        let group = DispatchGroup()
        for thread in 0..<6 {
            group.enter()
            Thread { [database] in
                defer { group.leave() }
                do {
                    for round in 0..<60 {
                        if thread % 2 == 0 {
                            try database.write { database in
                                let change: SQL = "UPDATE account SET balance = balance + ? WHERE id = ?"
                                try database.execute(change, [.integer(-7), .integer(Int64(round % 10 + 1))])
                                try database.execute(change, [.integer(7), .integer(Int64((round + thread) % 10 + 1))])
                            }
                        } else {
                            let row = try database.query("SELECT sum(balance) FROM account")
                            #expect(try row[0][0] == .integer(1000))
                        }
                    }
                } catch { failures.add(error) }
            }.start()
        }
        group.wait()
        #expect(failures.first == nil)
    }
}
