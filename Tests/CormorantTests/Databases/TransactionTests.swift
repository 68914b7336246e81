import Cormorant
import Foundation
import Testing

struct TransactionTests {
    private let database: Database

    init() throws { database = try memoryDatabase(City.self) }

    private func names() throws -> [String] { try database.fetchAll(City.self, Query(order: ["name"])).map(\.name) }

    @Test func aTransactionIsKeptOrForgotten() throws {
        struct Stop: Error {}
        let id = try database.transaction { try database.inserted(City(name: "kept")).id }
        #expect(id == 1)
        #expect(throws: Stop.self) {
            try database.transaction {
                _ = try database.inserted(City(name: "forgotten"))
                #expect(try names() == ["forgotten", "kept"])
                throw Stop()
            }
        }
        #expect(try names() == ["kept"])
        #expect(database.transactionDepth == 0)
    }

    @Test func aBodyEndsNothingButWhatItBegins() throws {
        struct Stop: Error {}
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"))
        try database.createTables(City.self)
        let leaving: [(Database) throws -> Void] = [
            { try $0.begin() },
            {
                try $0.begin()
                throw Stop()
            },
            { try $0.commit() },
            { try $0.rollback() },
            {
                try $0.rollback()
                try $0.begin()
            },
        ]
        for leave in leaving {
            #expect(throws: (any Error).self) {
                try database.write { database in
                    _ = try database.inserted(City(name: "lost"))
                    try leave(database)
                    _ = try database.inserted(City(name: "lost, too"))
                }
            }
            #expect(database.transactionDepth == 0)
        }
        #expect(throws: CormorantError.self) {
            try database.transaction(.read) { try database.begin(.read) }
        }
        #expect(throws: CormorantError.self) {
            try database.transaction(.read) { try database.commit() }
        }
        #expect(database.transactionDepth == 0)
        try database.write { _ = try $0.inserted(City(name: "kept")) }
        let other = try Database(path: folder.file("test.db"))
        #expect(try other.fetchAll(City.self).map(\.name) == ["kept"])
    }

    /// SQLite waits for no lock while a statement of the connection reads, so that a write would fail for who only waits for its turn.
    @Test func whoReadsAlreadyWritesBeforeItsTurn() throws {
        let folder = try TemporaryFolder()
        var options = OpenOptions()
        options.readerCount = 0
        let database = try Database(path: folder.file("test.db"), options: options)
        try database.createTables(City.self)
        for name in ["a", "b"] { _ = try database.inserted(City(name: name)) }
        let cursor = try database.cursor(City.self)
        #expect(try cursor.next()?.name == "a")
        // One place in the queue, number 0 of 1, of somebody who says that he waits (WriteTurns.swift).
        let alive = UInt16(truncatingIfNeeded: (Int64(Date().timeIntervalSince1970 * 1e9) >> 24) + 8)
        let index = try #require(FileHandle(forUpdatingAtPath: folder.file("test.db-shm")))
        try index.seek(toOffset: 120)
        try index.write(contentsOf: Data([0, 1, UInt8(truncatingIfNeeded: alive), UInt8(alive >> 8)]))
        try index.close()
        #expect(try database.inserted(City(name: "c")).id == 3)
        #expect(try cursor.next()?.name == "b")
        cursor.close()
        #expect(try database.fetchCount(City.all) == 3)
    }

    @Test func endsWithoutBeginAreRefused() throws {
        #expect(expectError(.transaction) { try database.commit() }?.hint != nil)
        expectError(.transaction) { try database.rollback() }
    }
}
