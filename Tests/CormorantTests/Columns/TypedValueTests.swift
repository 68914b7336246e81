import Cormorant
import CormorantFoundation
import Foundation
import Testing

@Model
private struct Happening: Equatable {
    enum Kind: String, ColumnValue { case talk, party }
    struct Place: Codable, Hashable { var city: String; var rooms: [Int] }

    @Key var id: UUID
    var at: Date
    var price: Decimal?
    var kind: Kind
    var place: JSON<Place>
    var ticket: TicketID?
}

/// Values of every type are compared as their columns hold them.
struct TypedValueTests {
    private let database: Database
    private let first = UUID(uuidString: "00000000-0000-0000-0000-0000000000AB")!
    private let day = Date(timeIntervalSince1970: 86_400)

    init() throws {
        database = try memoryDatabase(Happening.self)
        var events = [
            Happening(
                id: first, at: day, price: Decimal(9), kind: .talk,
                place: JSON(.init(city: "Rome", rooms: [1, 2])), ticket: TicketID(rawValue: 7)),
            Happening(
                id: UUID(), at: day.addingTimeInterval(1), price: Decimal(string: "10.50"), kind: .party,
                place: JSON(.init(city: "Oslo", rooms: [])), ticket: nil),
        ]
        try database.insert(contentsOf: &events)
    }

    private func cities(_ query: SelectQuery<Happening, Happening.Columns>) throws -> [String] {
        try database.fetchAll(query.order { $0.at }).map(\.place.content.city)
    }

    @Test func valuesAreBoundAsTheirColumnsHoldThem() throws {
        let query = Happening.where {
            $0.id == first && $0.at <= day && $0.kind == .talk && $0.ticket == TicketID(rawValue: 7)
        }
        #expect(
            try query.sql.bindings == [
                "00000000-0000-0000-0000-0000000000ab", "1970-01-02 00:00:00", "talk", 7,
            ])
        #expect(try cities(query) == ["Rome"])
        #expect(try cities(Happening.where { $0.kind.isIn([.party, .talk]) }) == ["Rome", "Oslo"])
    }

    @Test func parametersAreAsWell() throws {
        let later = Happening.where { $0.at > parameter("at") }.select { $0.kind }
        #expect(try database.fetchAll(later, ["at": day]) == [.party])
        #expect(try database.fetchAll(later, ["at": "1970-01-01"]) == [.talk, .party])
        expectError(.type) { try database.fetchAll(later, ["at": "soon"]) }
    }

    @Test func decimalsCompareAsNumbers() throws {
        #expect(try cities(Happening.where { $0.price > Decimal(9) }) == ["Oslo"])
        #expect(try database.fetchAll(Happening.all.order { $0.price.desc() }.select { $0.kind }) == [.party, .talk])
        #expect(try database.fetchOne(Happening.select { $0.price.max() }) == Decimal(string: "10.5"))
    }

    @Test func jsonPaths() throws {
        #expect(try cities(Happening.where { $0.place.jsonValue(at: "$.city", as: String.self) == "Oslo" }) == ["Oslo"])
        #expect(
            try database.fetchAll(
                Happening.all.order { $0.at }.select { $0.place.jsonValue(at: "$.rooms[1]", as: Int.self) })
                == [2, nil])
        #expect(
            try database.fetchAll(Happening.all.order { $0.at }.select { $0.place.json(at: "$.rooms") })
                == [JSONText("[1,2]"), JSONText("[]")])
    }

    @Test func aValueThatCannotBeStoredIsAnError() throws {
        expectError(.range) { try Happening.where { $0.at > Date.distantFuture.addingTimeInterval(1e13) }.sql }
        expectError(.range) { try SQLExpression(UInt64.max).sql }
        expectError(.range) { try SQLExpression(Decimal.nan).sql }
    }

    @Test func whatTheTypeCannotHoldIsAnErrorThatNamesTheColumn() throws {
        let error = expectError(.nullValue) {
            try database.fetchAll(
                Happening.select { $0.price.read(as: Decimal.self).named("cost") }.where { $0.ticket == nil }.union(
                    Happening.select { _ in raw("NULL", as: Decimal.self) }))
        }
        #expect(error?.columns == ["cost"])
    }

    /// finding python.md B4
    @Test func decimalsAreCalculatedExactly() throws {
        try database.execute("UPDATE happening SET price = '0.10'")
        let sum = try database.fetchOne(Happening.select { ($0.price * 3).sum() })
        #expect(sum == Decimal(string: "0.60"))
        #expect(
            try database.fetchOne(Happening.select { -($0.price + Decimal(string: "12345678901234567890.12")!) })
                == Decimal(string: "-12345678901234567890.22"))
        #expect(
            try database.fetchAll(
                Happening.group { $0.kind }.having { $0.price.sum() == Decimal(string: "0.1")! }.select { $0.kind }
            ).count == 2)
        #expect(try database.execute(Happening.all.update { $0.price = $0.price * 2 - Decimal(string: "0.05")! }) == 2)
        #expect(
            try database.query("SELECT DISTINCT price, typeof(price) FROM happening").map(\.values) == [
                [.text("0.15"), .text("text")]
            ])
        expectError(.type) { try database.fetchOne(Happening.select { call("avg", $0.price, as: Double?.self) }) }
        #expect(
            try database.fetchOne(
                Happening.select { call("avg", $0.price.cast(to: Double.self), as: Double?.self) }) == 0.15)
    }
}
