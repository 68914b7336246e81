import Cormorant
import Dispatch
import Testing

/// How far a migration is, and how it is stopped.
struct ProgressTests {
    /// Touched by the thread of the migration, and read when that is over.
    final class Calls: @unchecked Sendable {
        var all: [MigrationProgress] = []
    }

    /// A database with rows enough that copying them asks now and then.
    private func manyRows() throws -> Database {
        let database = try formerDatabase()
        try database.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
            INSERT INTO album (id, title, year) SELECT i, 'title', i FROM n
            """)
        return database
    }

    @Test func progressTellsStepsAndRows() throws {
        let database = try manyRows()
        let calls = Calls()
        let plan = try database.sync(
            Present.Album.self, Present.Artist.self,
            options: MigrationOptions(progress: {
                calls.all.append($0)
                return true
            }))
        #expect(Set(calls.all.map(\.step)) == Set(plan.steps.map(\.summary)))
        #expect(Set(calls.all.map(\.count)) == [plan.steps.count])
        let copying = calls.all.filter { $0.total == 150_000 }
        #expect(copying.first?.done == 0)
        #expect(copying.contains { $0.done > 0 && $0.done < 150_000 })
        #expect(copying.last?.done == 150_000)
    }

    @Test func migrationsHaveAsyncForms() async throws {
        let database = try formerDatabase()
        let plan = try await database.plan(Present.Album.self, Present.Artist.self)
        try await database.apply(plan)
        #expect(try await database.fetchAll(Present.Album.self, Query(order: ["id"])) == Present.albums)
        var bundle = MigrationBundle()
        try bundle.add(MigrationStep("1", up: .sql("CREATE TABLE a (b)"), down: .sql("DROP TABLE a")))
        #expect(try await database.apply(bundle) == ["1"])
        #expect(try await database.revert(bundle, downTo: nil, options: MigrationOptions(allowLossy: true)) == ["1"])
        try await database.setVersion(steps: [VersionStep(1, up: .sql("CREATE TABLE a (b)"))])
        #expect(try await database.version() == 1)
    }

    @Test func cancellingTheTaskCancelsTheMigration() async throws {
        let database = try manyRows()
        let before = try await database.schema()
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let goOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.sync(
                Present.Album.self, Present.Artist.self,
                options: MigrationOptions(progress: { _ in
                    continuation.yield()
                    goOn.wait()
                    return true
                }))
        }
        for await _ in begun { break }
        task.cancel()
        goOn.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.schema() == before)
    }

    @Test func aTaskThatIsCancelledAlreadyMigratesNothing() async throws {
        let database = try formerDatabase()
        let before = try await database.schema()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.sync(Present.Album.self, Present.Artist.self)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.schema() == before)
    }
}
