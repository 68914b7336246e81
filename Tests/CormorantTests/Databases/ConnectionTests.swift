import Cormorant
import Foundation
import Synchronization
import Testing

/// Connections that are set up when they are opened, and lent.
struct ConnectionTests {
    private struct Refusal: Error, Equatable {}

    @Test func readersAreSetUpToo() async throws {
        let folder = try TemporaryFolder()
        let seen = Mutex<[Bool]>([])
        let options = OpenOptions(setUp: { connection in
            let isReader = connection.isReader
            seen.withLock { $0.append(isReader) }
            try connection.execute(script: "PRAGMA cache_size = -4321")
        })
        let database = try Database(path: folder.file("a.db"), options: options)
        let sizes = try await database.fetchAll("SELECT cache_size FROM pragma_cache_size", as: Int.self)
        #expect(sizes == [-4321])
        try database.close()
        #expect(seen.withLock { $0 }.first == false)
    }

    @Test func onlyTheChildOfAForkReopens() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("a.db"))
        let error = #expect(throws: CormorantError.self) { _ = try database.reopened() }
        #expect(error?.code == .misuse)
        #expect(error?.message.contains("has opened the database itself") == true)
        try database.execute("CREATE TABLE a (x)")
        try database.close()
    }

    @Test func whatItThrowsIsTheCause() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: CormorantError.self) {
            _ = try Database(path: folder.file("a.db"), options: OpenOptions(setUp: { _ in throw Refusal() }))
        }
        #expect(error?.cause is Refusal)
        #expect(error?.code == .callback)
    }

    @Test func theWriterIsLent() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("a.db"))
        try database.createTables(Person.self)
        let count = try database.useConnection { connection in
            try connection.execute(script: "INSERT INTO person (name) VALUES ('Ada')")
            #expect(connection.sqliteHandle != nil)
            return try database.fetchCount(Person.self)
        }
        #expect(count == 1)
        #expect(throws: Refusal.self) {
            try database.useConnection { connection in
                try connection.execute(script: "BEGIN; DELETE FROM person")
                throw Refusal()
            }
        }
        #expect(try database.fetchCount(Person.self) == 1)
    }

    @Test func whatItsBorrowerBeganByCallsIsRolledBack() throws {
        let database = try Database(path: ":memory:")
        try database.createTables(Person.self)
        func begin() throws {
            try database.begin()
            try database.execute("INSERT INTO person (name) VALUES ('Ada')")
        }
        let error = #expect(throws: CormorantError.self) { try database.useConnection { _ in try begin() } }
        #expect(error?.code == .misuse)
        #expect(throws: Refusal.self) {
            try database.useConnection { _ in
                try begin()
                throw Refusal()
            }
        }
        #expect(database.transactionDepth == 0)
        #expect(try database.fetchCount(Person.self) == 0)
    }

    @Test func aTaskIsLentTheWriter() async throws {
        let database = try Database(path: ":memory:")
        let isWriter = try await database.useConnection { !$0.isReader }
        #expect(isWriter)
    }
}
