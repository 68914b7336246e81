import Cormorant
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

    @Test func nestedTransactionsAreSavepoints() throws {
        try database.transaction(.exclusive) {
            _ = try database.inserted(City(name: "1"))
            try database.begin()
            _ = try database.inserted(City(name: "1.1"))
            #expect(database.transactionDepth == 2)
            try database.rollback()
            try database.transaction { _ = try database.inserted(City(name: "1.2")) }
        }
        #expect(try names() == ["1", "1.2"])
    }

    @Test func anErrorInsideLeavesTheTransactionUsable() throws {
        try database.transaction {
            var city = City(name: "a")
            try database.insert(&city)
            city.id = nil
            expectError(.unique) { try database.insert(&city) }
            var batch = [City(name: "b"), City(name: "a")]
            expectError(.unique) { try database.insert(contentsOf: &batch) }
            _ = try database.inserted(City(name: "c"))
        }
        #expect(try names() == ["a", "c"])
    }

    @Test func endsWithoutBeginAreRefused() throws {
        #expect(expectError(.transaction) { try database.commit() }?.hint != nil)
        expectError(.transaction) { try database.rollback() }
    }

    @Test func aTransactionThatSQLiteRolledBackCannotCommit() throws {
        var city = City(name: "a")
        try database.insert(&city)
        city.id = nil
        try database.begin()
        expectError(.unique) { try database.insert(&city, onConflict: .rollback) }
        expectError(.transaction) { try database.commit() }
        try database.rollback()
        #expect(try names() == ["a"])
    }
}
