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

    @Test func endsWithoutBeginAreRefused() throws {
        #expect(expectError(.transaction) { try database.commit() }?.hint != nil)
        expectError(.transaction) { try database.rollback() }
    }
}
