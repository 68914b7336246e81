import Cormorant
import Foundation
import Testing

private func waits(for semaphore: DispatchSemaphore) -> Bool { semaphore.wait(timeout: .now() + 10) == .success }

struct QueueTests {
    private struct Refusal: Error, Equatable { let reason: String }

    /// Keeps a queue's thread, so that what is added waits.
    private final class Hold: Sendable {
        private let entered = DispatchSemaphore(value: 0)
        private let mayGo = DispatchSemaphore(value: 0)

        init(_ queue: WriteQueue) throws {
            try queue.add { [entered, mayGo] _ in
                entered.signal()
                mayGo.wait()
            }
            entered.wait()
        }

        func end() { mayGo.signal() }
    }

    private let folder: TemporaryFolder
    private let database: Database
    private let queue: WriteQueue

    init() throws {
        folder = try TemporaryFolder()
        database = try openDatabase(path: folder.file("queue.db"))
        try database.createTables(Person.self)
        queue = try WriteQueue(database)
    }

    private func hold() throws -> Hold { try Hold(queue) }

    private func addNothing(_ queue: WriteQueue) throws { try queue.add { _ in } }

    @Test func writesOfManyTasksGiveEachItsResult() async throws {
        let keys = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for number in 0..<200 {
                group.addTask { [queue] in try await queue.perform { try $0.inserted(Person(name: "\(number)")).id } }
            }
            return try await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
        }
        #expect(keys.count == 200)
        #expect(try await database.fetchCount(Person.self) == 200)
    }

    @Test func aWriteThatThrowsIsRolledBackAlone() async throws {
        await #expect(throws: Refusal(reason: "mine")) {
            try await queue.perform { database in
                _ = try database.inserted(Person(name: "gone"))
                throw Refusal(reason: "mine")
            }
        }
        try await queue.perform { _ = try $0.inserted(Person(name: "stays")) }
        await #expect(throws: CormorantError.self) { try await queue.perform { try $0.execute("COMMIT") } }
        #expect(try await database.fetchAll(Person.self).map(\.name) == ["stays"])
    }

    @Test func aWriteThatCannotBeRunOnceMoreThrowsWhy() async throws {
        let path = folder.file("queue.db")
        let database = try openDatabase(path: path, options: OpenOptions(busyTimeout: 50))
        let other = try openDatabase(path: path)
        try await database.executeScript("CREATE TABLE once (x UNIQUE); INSERT INTO once VALUES (1)")
        let queue = try WriteQueue(database)
        let held = try Hold(queue)
        // It goes with the group, and so what fails behind it is run once more.
        try await queue.add { try $0.execute("INSERT INTO once VALUES (2)") }
        let refused = Task { try await queue.perform { _ in throw Refusal(reason: "of the first run") } }
        while queue.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        try await queue.add { database in
            defer { _ = try? other.execute("BEGIN IMMEDIATE") }
            try database.execute("INSERT OR ROLLBACK INTO once VALUES (1)")
        }
        held.end()
        let outcome = await refused.result
        #expect { try outcome.get() } throws: { ($0 as? CormorantError)?.code == .busy }
    }

    @Test func threadsWaitForTheirWrites() throws {
        let queue = queue
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<25 {
                let key = try? queue.perform { try $0.inserted(Person(name: "\(thread) \(step)")).id }
                #expect(key != nil)
            }
        }
        #expect(try database.fetchCount(Person.self) == 200)
    }

    @Test func aWriteCannotWaitForItsOwnQueue() throws {
        let queue = queue
        try queue.perform { database in
            expectError(.misuse) { try queue.perform { _ in } }
            expectError(.misuse) { try queue.flush() }
            expectError(.misuse) { try queue.close() }
            expectError(.misuse) { try database.close() }
        }
        try database.transaction {
            expectError(.transaction) { try queue.perform { _ in } }
            try queue.add { _ = try $0.inserted(Person(name: "later")) }
        }
        try queue.flush()
        #expect(try database.fetchCount(Person.self) == 1)
    }

    @Test func aCancelledTaskTakesItsWriteBack() async throws {
        let hold = try hold()
        let task = Task { [queue] in try await queue.perform { _ = try $0.inserted(Person(name: "never")) } }
        while queue.count == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let number = try await queue.add { _ = try $0.inserted(Person(name: "never")) }
        #expect(queue.cancel(number))
        #expect(!queue.cancel(number))
        hold.end()
        try await queue.flush()
        #expect(try await database.fetchCount(Person.self) == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func aWriteThatIsCancelledByItsNumberEndsTheWaitForIt() async throws {
        let queue = queue
        let hold = try hold()
        let task = Task { try await queue.perform { _ = try $0.inserted(Person(name: "never")) } }
        while queue.count < 1 { await Task.yield() }
        let batch = queue.begin()
        batch.insert(Person(name: "never"))
        let commit = Task { _ = try await batch.commit() }
        while queue.count < 2 { await Task.yield() }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            expectError(.interrupted) { try queue.perform { _ = try $0.inserted(Person(name: "never")) } }
            ended.signal()
        }
        while queue.count < 3 { await Task.yield() }
        // The numbers behind the one that holds it.
        for number: Int64 in 2...4 { #expect(queue.cancel(number)) }
        for waiting in [task, commit] {
            let error = await #expect(throws: CormorantError.self) { try await waiting.value }
            #expect(error?.code == .interrupted)
        }
        #expect(await Task.detached { waits(for: ended) }.value)
        hold.end()
        try await queue.flush()
        #expect(try await database.fetchCount(Person.self) == 0)
    }

    @Test func aFullQueueIsBusyAtOnceOnItsOwnThread() throws {
        let small = try WriteQueue(database, capacity: 1)
        try small.perform { _ in
            try small.add { _ in }
            expectError(.busy) { try small.add { _ in } }
        }
        try small.close()
    }

    @Test func aFullQueueHoldsNoTaskUp() async throws {
        let small = try WriteQueue(database, capacity: 2)
        let hold = try Hold(small)
        async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { try await small.perform { _ = try $0.inserted(Person(name: "\(number)")) } }
            }
            try await group.waitForAll()
        }
        while small.count < 2 { await Task.yield() }
        hold.end()
        try await all
        #expect(try await database.fetchCount(Person.self) == 50)
        expectError(.misuse) { try WriteQueue(database, capacity: 0) }
    }

    private func filled() -> WriteBatch {
        let batch = queue.begin()
        var person = Person(name: "Ada", age: 36)
        batch.insert(person)
        batch.execute("INSERT INTO person (id, name) VALUES (?, ?)", [1, "Bob"])
        person.id = 7
        batch.save(person)
        person.city = "London"
        batch.update(person, properties: ["city"])
        person.id = 8
        batch.update(person)
        batch.delete(person)
        return batch
    }

    @Test func aBatchRollsBackOrGoesOn() async throws {
        let batch = filled()
        #expect(batch.count == 6)
        let error = await #expect(throws: CormorantError.self) { try await batch.commit() }
        #expect(error?.code == .unique)
        #expect(error?.recordIndex == 1)
        #expect(batch.count == 0)
        #expect(try await database.fetchCount(Person.self) == 0)
        let results = try await filled().commit(onError: .continue)
        #expect(results.map(\.changes) == [1, 0, 1, 1, 0, 0])
        #expect(results.map(\.generatedKey) == [1, nil, nil, nil, nil, nil])
        #expect(results.map(\.error?.code) == [nil, .unique, nil, nil, .noRecord, nil])
        #expect(try await database.find(Person.self, key: 7)?.city == "London")
        let emptyResults: [WriteResult] = try await queue.begin().commit()
        #expect(emptyResults.isEmpty)
    }

    @Test func aBatchThatWouldWaitForItselfIsAsItWas() throws {
        let batch = filled()
        try database.transaction { expectError(.transaction) { _ = try batch.commit() as [WriteResult] } }
        #expect(batch.count == 6)
    }

    @Test func aBatchThatTheQueueDidNotTakeIsAsItWas() async throws {
        let small = try WriteQueue(database, capacity: 1)
        let waiting = small.begin()
        waiting.insert(Person(name: "kept"))
        let hold = try Hold(small)
        try await small.add { _ in }
        let task = Task { try await waiting.commit() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(waiting.count == 1)
        hold.end()
        let results: [WriteResult] = try await waiting.commit()
        #expect(results.count == 1)
        try await small.close()
        waiting.insert(Person(name: "late"))
        await #expect(throws: CormorantError.self) { try await waiting.commit() }
        #expect(waiting.count == 1)
        #expect(try await database.fetchAll(Person.self).map(\.name) == ["kept"])
    }

    /// What waits for room holds up nobody who fills the batch, least of all the thread that makes the room.
    @Test(.timeLimit(.minutes(5)))
    func aBatchThatWaitsForRoomCanBeUsed() throws {
        let small = try WriteQueue(database, capacity: 1)
        let batch = small.begin()
        batch.insert(Person(name: "Ada"))
        let hold = try Hold(small)
        try small.add { _ in batch.insert(Person(name: "Bob")) }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            func commit() throws -> [WriteResult] { try batch.commit() }
            #expect((try? commit())?.count == 1)
            done.signal()
        }
        // It waits by now; else there is nothing to see.
        Thread.sleep(forTimeInterval: 0.2)
        #expect(waits(for: ended(of: batch)))
        hold.end()
        #expect(waits(for: done))
        #expect(batch.count == 1)
        try small.close()
    }

    /// Signalled when the batch has said how many parts it has.
    private func ended(of batch: WriteBatch) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = batch.count
            ended.signal()
        }
        return ended
    }

    @Test func listenersAreToldByTag() async throws {
        let listener = try queue.listen(tag: "save")
        let heard = DispatchSemaphore(value: 0)
        let counting = try queue.listen { _ in heard.signal() }
        try await filled().commit(tag: "save", onError: .continue) { completion in
            #expect(completion.error == nil)
            heard.signal()
        }
        try await queue.add(tag: "other") { _ in }
        try await queue.add(tag: "save") { try $0.executeScript("nonsense") }
        try await queue.close()
        var codes: [ErrorCode?] = []
        for try await completion in listener { codes.append(completion.error?.code) }
        #expect(codes == [nil, .sql])
        for _ in 0..<4 { #expect(heard.wait(timeout: .now() + 5) == .success) }
        counting.cancel()
        counting.cancel()
    }

    /// Whether it waits for its turn or for room, which there is none of before the tasks have ended.
    @Test(.timeLimit(.minutes(5)))
    func aCancelledTaskIsToldAtOnce() async throws {
        let database = try openDatabase(path: folder.file("queue.db"), options: OpenOptions(busyTimeout: 600_000))
        let queue = try WriteQueue(database, capacity: 1)
        let hold = try Hold(queue)
        let tasks = (0..<3).map { number in
            Task { try await queue.perform { _ = try $0.inserted(Person(name: "\(number)")) } }
        }
        try await Task.sleep(for: .milliseconds(50))
        for task in tasks {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        hold.end()
        try await queue.perform { _ = try $0.inserted(Person(name: "later")) }
        #expect(try await database.fetchAll(Person.self).map(\.name) == ["later"])
    }

    /// The first would wait for ever, the end of its listener included.
    @Test(.timeLimit(.minutes(5)))
    func eachLoopOverAListenerGetsAllCompletions() async throws {
        let listener = try queue.listen()
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let loops = (0..<2).map { _ in
            Task {
                var iterator = listener.makeAsyncIterator()
                begins.yield()
                var count = 0
                while try await iterator.next() != nil { count += 1 }
                return count
            }
        }
        var count = 0
        for await _ in begun {
            count += 1
            if count == loops.count { break }
        }
        for _ in 0..<30 { try await queue.perform { _ in } }
        // What waits is told before the end.
        try await queue.close()
        for loop in loops { #expect(try await loop.value == 30) }
    }

    /// In time that grows with their number alone.
    @Test func manyCompletionsAreTakenInTheirOrder() throws {
        let listener = try queue.listen()
        var added: [Int64] = []
        for _ in 0..<300_000 { added.append(try queue.add { _ in }) }
        try queue.flush()
        var taken: [Int64] = []
        let start = ContinuousClock.now
        while let completion = listener.next() { taken.append(completion.number) }
        #expect(taken == added)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func aListenerEndsWithItsQueue(isUsed: Bool) async throws {
        let listener: WriteListener
        do {
            let queue = try WriteQueue(database)
            listener = try queue.listen()
            if isUsed { try addNothing(queue) }
        }
        var count = 0
        for try await _ in listener { count += 1 }
        #expect(count == (isUsed ? 1 : 0))
    }

    @Test func closingRunsWhatWaits() throws {
        let hold = try hold()
        for number in 0..<50 { try queue.add { _ = try $0.inserted(Person(name: "\(number)")) } }
        hold.end()
        try database.close()
        expectError(.misuse) { try queue.add { _ in } }
        try queue.close()
        try queue.close()
        #expect(try openDatabase(path: folder.file("queue.db")).fetchCount(Person.self) == 50)
    }

    @Test func theLastReferenceRunsWhatWaits() throws {
        let done = DispatchSemaphore(value: 0)
        do {
            let short = try WriteQueue(database)
            let hold = try Hold(short)
            try short.add(told: { _ in done.signal() }) { _ = try $0.inserted(Person(name: "kept")) }
            hold.end()
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
        #expect(try database.fetchCount(Person.self) == 1)
    }
}
