import Cormorant
import CormorantFoundation
import Dispatch
import Foundation
import Synchronization
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

    @TaskLocal private static var tenant = "nobody"

    /// In the bodies of awaited calls, in functions that their SQL runs and behind a wait for the turn.
    @Test func taskLocalValuesAreThoseOfTheTask() async throws {
        try await database.perform { database in
            try database.registerFunction("current_tenant") { () -> String in Self.tenant }
        }
        let database = database
        try await Self.$tenant.withValue("acme") {
            #expect(try await database.write { _ in Self.tenant } == "acme")
            #expect(try await database.read { _ in Self.tenant } == "acme")
            #expect(try await database.query("SELECT current_tenant()").map(\.values) == [["acme"]])
            let rows = try await database.rowCursor("SELECT current_tenant()")
            for try await row in rows { #expect(row.values == ["acme"]) }
        }
        #expect(try await database.write { _ in Self.tenant } == "nobody")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await Self.$tenant.withValue("\(number)") {
                        #expect(try await database.write { _ in Self.tenant } == "\(number)")
                        let row = try await database.query("SELECT current_tenant()").first
                        #expect(row?.values == [.text("\(number)")])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// More than there are readers, which those that wait for one would keep from going on.
    @Test func manyLoopsOverRowsGoOnBesideOtherCalls() async throws {
        var options = OpenOptions()
        // Beside other tests a loop may have to wait for a thread of Swift's for long.
        options.busyTimeout = 60_000
        let database = try Database(path: folder.file("rows.db"), options: options)
        try await database.createTables(City.self)
        var cities = (0..<1000).map { City(name: "\($0)") }
        try await database.insert(contentsOf: &cities)
        let writer = Task {
            while !Task.isCancelled { try await database.write { _ in Thread.sleep(forTimeInterval: 0.005) } }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    var count = 0
                    for try await _ in try await database.rowCursor("SELECT * FROM city") {
                        count += 1
                        if count.isMultiple(of: 100) { try await Task.sleep(for: .milliseconds(1)) }
                    }
                    return count
                }
                group.addTask { try await database.read { try $0.fetchCount(City.all) } }
            }
            for try await count in group { #expect(count == 1000) }
        }
        writer.cancel()
        do { try await writer.value } catch is CancellationError {}
    }

    /// Calls wait for readers as long as those are given back, and take the writer where loops keep them all.
    @Test func loopsThatRestKeepNoCallFromReading() async throws {
        var options = OpenOptions()
        options.busyTimeout = 200
        let database = try Database(path: folder.file("kept.db"), options: options)
        try await database.createTables(City.self)
        var cities = (0..<1000).map { City(name: "\($0)") }
        try await database.insert(contentsOf: &cities)
        var loops: [AsyncRows<ResultRow>.AsyncIterator] = []
        for _ in 0..<options.readerCount {
            var loop = try await database.rowCursor("SELECT * FROM city").makeAsyncIterator()
            _ = try await loop.next()
            loops.append(loop)
        }
        #expect(try await database.fetchCount(City.all) == 1000)
        #expect(try await database.read { try $0.fetchAll(City.self).count } == 1000)
        // One more would keep a connection that others write by.
        await #expect(throws: CormorantError.self) { _ = try await database.rowCursor("SELECT * FROM city") }
        try await database.write { _ = try $0.inserted(City(name: "new")) }
        for index in loops.indices {
            var count = 1
            while try await loops[index].next() != nil { count += 1 }
            #expect(count == 1000)
        }
        #expect(try await database.fetchCount(City.all) == 1001)
    }

    /// Calls that take long, more than there are readers, and longer than the busy timeout together.
    @Test func callsWaitForThoseThatEnd() async throws {
        var options = OpenOptions()
        (options.busyTimeout, options.readerCount) = (50, 1)
        let database = try Database(path: folder.file("slow.db"), options: options)
        try await database.createTables(City.self)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await database.read { database in
                        let count = try database.fetchCount(City.all)
                        Thread.sleep(forTimeInterval: 0.15)
                        return count
                    }
                }
            }
            for try await count in group { #expect(count == 0) }
        }
    }

    /// It may come when a task has just let a connection go, which is another's then.
    @Test func cancellingReachesNoOtherTask() async throws {
        var options = OpenOptions()
        // Beside other tests a loop may have to wait for a thread of Swift's for long.
        options.busyTimeout = 60_000
        let database = try Database(path: folder.file("test.db"), options: options)
        @Sendable func use(_ number: Int) async throws {
            switch number % 4 {
            case 0: _ = try await database.inserted(City(name: UUID().uuidString))
            case 1: _ = try await database.fetchCount(City.all)
            case 2: try await database.write { _ = try $0.inserted(City(name: UUID().uuidString)) }
            default: for try await _ in try await database.rowCursor("SELECT * FROM city LIMIT 5") {}
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 0..<24 {
                let isCancelled = place.isMultiple(of: 2)
                group.addTask {
                    for round in 0..<100 {
                        let task = Task { for number in 0..<8 { try await use(round + place + number) } }
                        if isCancelled {
                            try await Task.sleep(for: .microseconds((round + place) * 97 % 5000))
                            task.cancel()
                        }
                        do { try await task.value } catch is CancellationError where isCancelled {}
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// On one connection, whose statements SQLite interrupts all at once.
    @Test func cancellingAnEndlessStatementLeavesARunningCursor() async throws {
        let database = try memoryDatabase(City.self)
        var cities = (0..<500).map { City(name: "\($0)") }
        try await database.insert(contentsOf: &cities)
        @Sendable func cancelEndlessOnes() async throws {
            let endless: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            for isWriting in [false, true] {
                let task = Task {
                    if !isWriting { return try await database.query(endless).count }
                    return try await database.write { try $0.query(endless).count }
                }
                try await Task.sleep(for: .milliseconds(50))
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
        }
        var count = 0
        let rows = try await database.rowCursor("SELECT * FROM city")
        try await cancelEndlessOnes()
        for try await _ in rows {
            count += 1
            if count == 200 { try await cancelEndlessOnes() }
        }
        #expect(count == 500)
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

    /// Also where its body calls the database no more.
    @Test func aTaskThatIsCancelledBeforeItsCommitLeavesNothing() async throws {
        let (entered, holding) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let database = database
        let task = Task {
            try await database.write { database in
                _ = try database.inserted(City(name: "gone"))
                holding.yield()
                release.wait()
            }
        }
        for await _ in entered { break }
        task.cancel()
        release.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.fetchCount(City.all) == 0)
    }

    @Test func aReaderNamesTheKeyThatIsMissing() async throws {
        let database = database
        // From here on reads have a connection of their own.
        _ = try await Task.detached { try await database.fetchCount(City.all) }.value
        try refreshWithoutKey()
    }

    private func refreshWithoutKey() throws {
        var city = City(name: "none")
        let error = #expect(throws: CormorantError.self) { try database.refresh(&city) }
        #expect(error?.code == .noRecord)
        #expect(error?.plainMessage == "the record has no key, for City.id is NULL")
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
            let task = Task { try await database.write { _ = try $0.inserted(City(name: UUID().uuidString)) } }
            try await Task.sleep(for: .milliseconds(20))
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await database.write { _ = try $0.inserted(City(name: "cancelled, too")) }
            }
            await #expect(throws: CancellationError.self) { try await early.value }
        }
        _ = try await database.write { try $0.inserted(City(name: "later")) }
        #expect(try names() == ["held", "later"])
    }

    @Test(.timeLimit(.minutes(5)))
    func eachLoopOverAnObserverGetsAllEvents() async throws {
        let observer = try await database.observe(City.self, values: true)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let loops = (0..<3).map { _ in
            Task {
                var iterator = observer.makeAsyncIterator()
                begins.yield()
                var names: [String] = []
                while let event = try await iterator.next() { names += event.changes.compactMap(\.new?.name) }
                return names
            }
        }
        var count = 0
        for await _ in begun {
            count += 1
            if count == loops.count { break }
        }
        let written = (0..<200).map { "city \($0)" }
        for name in written { _ = try await database.write { try $0.inserted(City(name: name)) } }
        // One that ends early leaves the others theirs.
        let (joined, joins) = AsyncStream.makeStream(of: Void.self)
        let late = Task {
            var iterator = observer.makeAsyncIterator()
            joins.yield()
            return try await iterator.next() != nil
        }
        for await _ in joined { break }
        _ = try await database.write { try $0.inserted(City(name: "last")) }
        #expect(try await late.value)
        while try observer.next() != nil {}
        try await Task.sleep(for: .milliseconds(200))
        observer.cancel()
        for loop in loops { #expect(try await loop.value == written + ["last"]) }
    }

    @Test func loopsThatWaitLeaveTheProcessorAlone() async throws {
        let loops = Loops<Int>()
        let taken = Taken()
        let tasks = (0..<3).map { _ in
            let loop = loops.begin()
            return Task {
                var wakes = loop.wakes.makeAsyncIterator()
                let take: () -> Int? = {
                    taken.count.withLock { $0 += 1 }
                    return nil
                }
                return try await loop.next(&wakes, take, isOver: { false })
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(taken.count.withLock { $0 } < 20)
        for task in tasks {
            task.cancel()
            #expect(try await task.value == nil)
        }
    }

    @Test func aLoopCanFollowAnother() async throws {
        let again = try await database.observe(City.self)
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
                    try database.execute(SQL(text: word))
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
        try await database.createTables(City.self)
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

private final class Taken: Sendable {
    let count = Mutex(0)
}
