import Cormorant
import Foundation
import Testing

private let server = ProcessInfo.processInfo.environment["CORMORANT_POSTGRES"]

/// Tasks and threads that write to one database of a server at once.
@Suite(.serialized, .enabled(if: server != nil, "without CORMORANT_POSTGRES there is no server"))
struct WritersTests {
    private func open(_ count: Int) throws -> Database {
        let database = try Database(
            path: try #require(server), options: OpenOptions(busyTimeout: 5000, writerCount: count))
        try database.execute(
            script:
                "DROP TABLE IF EXISTS corm_writers1, corm_writers2; CREATE TABLE corm_writers1 (a int); CREATE TABLE corm_writers2 (a int)"
        )
        return database
    }

    /// Each goes on once the other stands in its transaction.
    @Test func transactionsOfTasksOverlap() async throws {
        let database = try open(2)
        let inside = Meeting()
        @Sendable func work(_ number: Int) async throws -> [Value] {
            try await database.transaction { database in
                try database.execute(SQL(stringLiteral: "INSERT INTO corm_writers\(number) VALUES (1)"))
                try #require(inside.meet())
                let count = SQL(stringLiteral: "SELECT count(*) FROM corm_writers\(number)")
                #expect(try database.fetchValues(count) == [.integer(1)])
                try #require(inside.meet())
                return try database.fetchValues("SELECT pg_backend_pid()")
            }
        }
        async let one = work(1)
        async let two = work(2)
        let backends = try await [one, two]
        #expect(backends[0] != backends[1])
        try await database.perform { try $0.execute(script: "DROP TABLE corm_writers1, corm_writers2") }
        try database.close()
    }

    @Test func moreThanThereAreWait() async throws {
        let database = try open(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await database.write { database in
                        try database.execute("INSERT INTO corm_writers1 VALUES (\(number))")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.fetchValues("SELECT count(*) FROM corm_writers1") == [.integer(20)])
        try await database.perform { try $0.execute(script: "DROP TABLE corm_writers1, corm_writers2") }
        try database.close()
    }
}

/// Where two threads meet, again and again.
private final class Meeting: @unchecked Sendable {
    private let condition = NSCondition()
    private var arrived = 0

    /// - Returns: false when the other does not come.
    func meet() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        arrived += 1
        let wanted = (arrived + 1) / 2 * 2
        condition.broadcast()
        let end = Date(timeIntervalSinceNow: 20)
        while arrived < wanted {
            if !condition.wait(until: end) { return false }
        }
        return true
    }
}
