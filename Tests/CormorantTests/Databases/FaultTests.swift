import Cormorant
import Foundation
import Testing

/// Faults that threads, queues and observers must get over.
@Suite struct FaultTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try openDatabase(path: folder.file("faults.db"))
        try database.createTables(Person.self)
    }

    private let big = String(repeating: "x", count: 40_000)

    @Test func aFullDiskIsToldToEachWriteAndTheQueueGoesOn() async throws {
        let queue = try WriteQueue(database)
        guard case .integer(let pages)? = try await database.query("PRAGMA page_count").first?.values[0] else {
            Issue.record("no count of pages")
            return
        }
        try await database.executeScript(SQL(text: "PRAGMA max_page_count = \(pages + 2)"))
        for (name, isTooMuch) in [("a", false), (big, true), ("b", false), (big, true)] {
            do {
                try await queue.perform { _ = try $0.inserted(Person(name: name)) }
                #expect(!isTooMuch)
            } catch let error as CormorantError {
                #expect(isTooMuch && error.code == .full)
            }
        }
        try await database.executeScript("PRAGMA max_page_count = 1000000")
        try await queue.perform { [big] in _ = try $0.inserted(Person(name: big)) }
        try await queue.close()
        try await queue.close()
        #expect(try await database.fetchAll(Person.self).map(\.name.count) == [1, 1, 40_000])
    }

    @Test func whatAThreadLeftOpenIsTold() throws {
        let database = database
        let ended = semaphore()
        Thread {
            try? database.begin(.immediate)
            _ = try? database.inserted(Person(name: "gone"))
            ended.signal()
        }.start()
        ended.wait()
        usleep(100_000)
        expectError(.transaction) { try database.inserted(Person(name: "told")) }
        _ = try database.inserted(Person(name: "stays"))
        #expect(try database.fetchAll(Person.self).map(\.name) == ["stays"])
    }

    @Test func aSlowReaderHoldsNobodyUpAndTheLogEnds() throws {
        let (reading, mayEnd, ended) = (semaphore(), semaphore(), semaphore())
        let database = database
        Thread {
            try? database.read { database in
                let before = try database.fetchCount(Person.self)
                reading.signal()
                mayEnd.wait()
                #expect(try database.fetchCount(Person.self) == before)
            }
            ended.signal()
        }.start()
        reading.wait()
        for _ in 0..<40 {
            try database.transaction {
                for _ in 0..<25 { _ = try database.inserted(Person(name: String(repeating: "x", count: 4000))) }
            }
        }
        mayEnd.signal()
        ended.wait()
        #expect(try database.fetchCount(Person.self) == 1000)
        #expect(try database.checkpoint(.truncate).log == 0)
    }

    private func semaphore() -> DispatchSemaphore { DispatchSemaphore(value: 0) }

    @Test func aCallbackMayUseTheDatabase() throws {
        let database = database
        let told = DispatchSemaphore(value: 0)
        let observer = try database.observe(Person.self) { _ in
            if let count = try? database.fetchCount(Person.self), count < 3 {
                _ = try? database.inserted(Person(name: "another"))
            }
            told.signal()
        }
        _ = try database.inserted(Person(name: "first"))
        for _ in 0..<3 { #expect(told.wait(timeout: .now() + 10) == .success) }
        observer.cancel()
        #expect(try database.fetchCount(Person.self) == 3)
    }

    @Test func anObserverIsCancelledWhileItsEventIsOnTheWay() throws {
        let database = database
        let isOver = semaphore()
        let ended = semaphore()
        Thread {
            while isOver.wait(timeout: .now()) == .timedOut { _ = try? database.inserted(Person(name: "x")) }
            ended.signal()
        }.start()
        for _ in 0..<100 {
            let observer = try database.observe(Person.self) { _ in }
            usleep(1000)
            observer.cancel()
        }
        isOver.signal()
        ended.wait()
        #expect(try database.fetchCount(Person.self) > 0)
    }

    @Test func tenThousandFilesWith64Open() throws {
        let users = try Registry(limit: 64, options: OpenOptions(journalMode: .delete, synchronous: .off))
        for number in 0..<10_000 { try users.register("user \(number)", path: folder.file("\(number).db")) }
        for number in stride(from: 0, to: 10_000, by: 20) {
            try users.use("user \(number)") { try $0.executeScript("CREATE TABLE t (x)") }
            #expect(users.openCount <= 64)
        }
        #expect(users.openCount == 64)
        #expect(try users.allNames().count == 10_000)
        try users.close()
    }
}
