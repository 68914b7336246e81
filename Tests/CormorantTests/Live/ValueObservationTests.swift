import Cormorant
import Dispatch
import Synchronization
import Testing

/// Reads of the program's that are watched.
struct ValueObservationTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try openDatabase(path: folder.file("test.db"))
        try database.createTables([Person.model, Department.model])
    }

    private func insert(_ name: String, age: Int? = nil) throws {
        _ = try database.inserted(Person(name: name, age: age))
    }

    @Test func theFirstValueComesAtOnceAndEachIsAnotherOne() throws {
        let runs = Mutex(0)
        let observer = try database.observe { reader in
            runs.withLock { $0 += 1 }
            return try reader.fetchAll(Person.where { $0.age > 1 }.order { $0.id }).map(\.name)
        }
        #expect(try observer.value == [])
        #expect(runs.withLock { $0 } == 1)
        try insert("a", age: 2)
        #expect(try observer.value == ["a"])
        // What it does not read, and what is rolled back, runs nothing.
        let before = runs.withLock { $0 }
        _ = try database.inserted(Department(id: 1, name: "d", city: "c"))
        try? database.write { database in
            _ = try database.inserted(Person(name: "b", age: 3))
            throw CancellationError()
        }
        #expect(runs.withLock { $0 } == before)
        observer.cancel()
        try insert("c", age: 9)
        #expect(runs.withLock { $0 } == before)
    }

    /// The body goes on to a table that it did not read before.
    @Test func whatIsReadLaterIsWatchedFromThenOn() throws {
        let observer = try database.observe { reader in
            guard try reader.fetchCount(Person.self) > 0 else { return -1 }
            return try reader.fetchCount(Department.self)
        }
        #expect(try observer.value == -1)
        _ = try database.inserted(Department(id: 1, name: "d", city: "c"))
        #expect(try observer.value == -1)
        try insert("a")
        #expect(try observer.value == 1)
        _ = try database.inserted(Department(id: 2, name: "e", city: "c"))
        #expect(try observer.value == 2)
    }

    @Test func anyReadIsWatched() throws {
        try insert("a", age: 1)
        try database.store("settings").put("x", 1)
        let observer = try database.observe { reader in
            var found: [String] = []
            found += try reader.find(Person.self, key: 1).map { ["\($0.age ?? 0)"] } ?? []
            found += try reader.fetchOne("SELECT count(*) FROM person", as: Int.self).map { ["\($0)"] } ?? []
            found += try reader.store("settings")["x"].map { ["\($0.int64 ?? 0)"] } ?? []
            found += try reader.query("WITH d AS (SELECT name FROM department) SELECT * FROM d").map(\.json)
            return found
        }
        #expect(try observer.value == ["1", "1", "1"])
        try database.execute("UPDATE person SET age = 2")
        #expect(try observer.value == ["2", "1", "1"])
        try database.store("settings").put("x", 5)
        #expect(try observer.value == ["2", "1", "5"])
        _ = try database.inserted(Department(id: 1, name: "d", city: "c"))
        #expect(try observer.value == ["2", "1", "5", "{\"name\":\"d\"}"])
    }

    @Test func aValueThatIsEqualIsNotToldAgain() async throws {
        let database = database
        let observer = try await database.observe { try $0.fetchCount(Person.where { $0.age > 10 }) }
        let seen = Mutex<[Int]>([])
        _ = observer.onChange { result in
            if case .success(let count) = result { seen.withLock { $0.append(count) } }
        }
        while seen.withLock({ $0 }).isEmpty { await Task.yield() }
        _ = try await database.inserted(Person(name: "young", age: 1))
        _ = try await database.inserted(Person(name: "old", age: 11))
        while seen.withLock({ $0 }).count < 2 { await Task.yield() }
        #expect(seen.withLock { $0 } == [0, 1])
    }

    @Test func severalLoopsGoOverIt() async throws {
        let observer = try await database.observe { try $0.fetchCount(Person.self) }
        let database = database
        let loops = (0..<3).map { _ in
            Task {
                var newest = -1
                for try await count in observer {
                    #expect(count > newest)
                    newest = count
                    if count == 20 { break }
                }
                return newest
            }
        }
        for number in 0..<20 { _ = try await database.inserted(Person(name: "\(number)")) }
        for loop in loops { #expect(try await loop.value == 20) }
        // One that begins late has the newest at once.
        for try await count in observer {
            #expect(count == 20)
            break
        }
        let waiting = Task { for try await _ in observer {} }
        observer.cancel()
        try await waiting.value
        let cancelled = try await database.observe { try $0.fetchCount(Person.self) }
        let task = Task { for try await _ in cancelled {} }
        task.cancel()
        try await task.value
    }

    @Test @MainActor func valuesComeToTheMainActor() async throws {
        let seen = Seen()
        let database = database
        let observer = try await database.observe { try $0.fetchAll(Person.order { $0.id }).map(\.name) }
        _ = observer.onMain { result in
            MainActor.assertIsolated()
            seen.names = (try? result.get()) ?? []
            seen.count += 1
        }
        while seen.count == 0 { await Task.yield() }
        #expect(seen.names == [])
        _ = try await database.inserted(Person(name: "a"))
        while seen.count < 2 { await Task.yield() }
        #expect(seen.names == ["a"])
        observer.cancel()
    }

    @Test func valuesComeToAnExecutorOfChoice() async throws {
        let executor = OneThread()
        let told = DispatchSemaphore(value: 0)
        let database = database
        let observer = try await database.observe { try $0.fetchCount(Person.self) }.onChange(on: executor) { _ in
            executor.check()
            told.signal()
        }
        await Task.detached { told.waitForAWhile() }.value
        observer.cancel()
    }

    @Test func errorsAreTold() async throws {
        let database = database
        #expect(throws: Refused.self) { try database.observeQuietly { _ -> Int in throw Refused() } }
        expectError(.sql) { try database.observeQuietly { try $0.query("SELECT * FROM nothing").count } }
        expectError(.misuse) { try database.observeQuietly { _ in 1 } }
        expectError(.transaction) {
            try database.transactQuietly { try database.observeQuietly { try $0.fetchCount(Person.self) } }
        }
        let observer = try await database.observe { reader -> Int in
            let count = try reader.fetchCount(Person.self)
            if count == 1 { throw Refused() }
            return count
        }
        _ = try await database.inserted(Person(name: "a"))
        var iterator = observer.makeAsyncIterator()
        await #expect(throws: Refused.self) { _ = try await iterator.next() }
        _ = try await database.inserted(Person(name: "b"))
        // It goes on.
        #expect(try await iterator.next() == 2)
    }

    @Test func whatOthersCommitIsSeen() async throws {
        let other = try openDatabase(path: folder.file("test.db"))
        let observer = try await database.observe { try $0.fetchCount(Person.self) }
        var iterator = observer.makeAsyncIterator()
        #expect(try await iterator.next() == 0)
        _ = try await other.inserted(Person(name: "a"))
        #expect(try await iterator.next() == 1)
    }

    @Test func loopsEndWithTheDatabase() async throws {
        let database = try openDatabase(path: folder.file("other.db"))
        try await database.createTables(Person.self)
        let observer = try await database.observe { try $0.fetchCount(Person.self) }
        let task = Task { for try await _ in observer {} }
        try database.close()
        try await task.value
    }

    @Test func writersAreNotHeldUpAndNothingIsMissed() async throws {
        let database = database
        let observer = try await database.observe { reader in
            (try reader.fetchCount(Person.self), try reader.fetchCount(Person.self))
        }
        let loop = Task {
            for try await (first, second) in observer {
                // One snapshot.
                #expect(first == second)
                if first == 100 { return true }
            }
            return false
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { _ = try await database.inserted(Person(name: "\(number)")) }
            }
        }
        #expect(try await loop.value)
    }
}

private struct Refused: Error {}

@MainActor private final class Seen {
    var names: [String] = ["none"]
    var count = 0
}

private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func check() { dispatchPrecondition(condition: .onQueue(queue)) }
}

extension DispatchSemaphore {
    fileprivate func waitForAWhile() { #expect(wait(timeout: .now() + 20) == .success) }
}

extension Database {
    fileprivate func observeQuietly<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) throws -> ValueObserver<Value> {
        try observe(body)
    }

    fileprivate func transactQuietly<Value>(_ body: () throws -> Value) throws -> Value { try transaction(body: body) }

    private func transaction<Value>(body: () throws -> Value) throws -> Value { try transaction(.immediate, body) }
}
