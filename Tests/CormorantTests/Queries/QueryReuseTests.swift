import Cormorant
import Testing

/// A query is a value: it can be kept, shared and run again with other parameters.
struct QueryReuseTests {
    private static let older = Person.where { $0.age > parameter("age") && $0.city == parameter("city") }.order {
        $0.id
    }
    private let database: Database

    init() throws {
        database = try memoryDatabase(Person.self)
        var people = [
            Person(name: "Ada", city: "London", age: 36), Person(name: "Alan", city: "London", age: 41),
            Person(name: "Grace", city: "New York", age: 85),
        ]
        try database.insert(contentsOf: &people)
    }

    private func names(_ age: any ParameterConvertible, _ city: any ParameterConvertible) throws -> [String] {
        try database.fetchAll(Self.older, ["age": age, "city": city]).map(\.name)
    }

    @Test func parametersAreGivenWhenItRuns() throws {
        #expect(try names(40, "London") == ["Alan"])
        #expect(try names(30, "London") == ["Ada", "Alan"])
        #expect(try names(30, "New York") == ["Grace"])
        #expect(try database.fetchOne(Self.older, ["age": 30, "city": "London"])?.name == "Ada")
        #expect(try database.fetchCount(Self.older, ["age": 30, "city": "London"]) == 2)
        #expect(try database.exists(Self.older, ["age": 80, "city": "New York"]))
        #expect(try Self.older.sql.parameters == ["age", "city"])
    }

    @Test func parametersAreChecked() throws {
        expectError(.binding) { try database.fetchAll(Self.older, ["age": 1]) }
        expectError(.binding) { try database.fetchAll(Self.older) }
        let error = expectError(.binding) { try database.fetchAll(Self.older, ["age": 1, "city": "x", "cty": "x"]) }
        #expect(error?.hint?.contains("city") == true)
        expectError(.type) { try names("old", "London") }
    }

    @Test func copiesChangeAlone() throws {
        let first = Person.where { $0.age > 40 }
        _ = try first.sql
        let second = first.where { $0.city == "London" }
        #expect(try database.fetchCount(first) == 2)
        #expect(try database.fetchCount(second) == 1)
        #expect(try first.sql.bindings == [40])
    }

    @Test func itIsCompiledAndPreparedOnce() throws {
        let query = Person.where { $0.age > parameter("age") }
        let text = try query.sql.text
        let again = query
        // The same text in memory: the copy has what the first compiled.
        #expect(
            try text.utf8.withContiguousStorageIfAvailable(\.baseAddress)
                == again.sql.text.utf8.withContiguousStorageIfAvailable(\.baseAddress))
    }

    @Test func manyThreadsRunOneQuery() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for age in 0..<50 {
                let database = database
                group.addTask {
                    try await database.fetchAll(Self.older, ["age": .integer(Int64(age)), "city": "London"]).count
                }
            }
            var total = 0
            for try await count in group { total += count }
            #expect(total == 36 + 41)
        }
    }

    @Test func asynchronously() async throws {
        let query = Person.where { $0.age > 40 }
        #expect(try await database.fetchAll(query.select { $0.name }) == ["Alan", "Grace"])
        #expect(try await database.fetchOne(query)?.name == "Alan")
        #expect(try await database.fetchCount(query) == 2)
        #expect(try await database.exists(query))
        #expect(try await database.execute(query.update { $0.age = 1 }) == 2)
        #expect(try await database.execute(Person.insert { $0.name = "New" }) == 1)
        #expect(try await database.execute(Person.all.delete()) == 4)
    }
}
