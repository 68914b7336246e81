import Cormorant
import CormorantFoundation
import Foundation
import Testing

@Model
private struct Visit: Equatable {
    @Key var id: Int64?
    var page: UUID
    var at: Date?
    var price: Decimal
}

struct RowTests {
    private let database: Database
    private let first = UUID(), second = UUID()
    private let noon = Date(timeIntervalSince1970: 1_000_000)

    init() throws {
        database = try musicDatabase()
        try database.createTables(Visit.self)
        var visits = [
            Visit(page: first, at: noon, price: 9.5), Visit(page: second, at: nil, price: 10),
            Visit(page: second, at: noon.addingTimeInterval(60), price: 10),
        ]
        try database.insert(contentsOf: &visits)
    }

    private func ids(
        _ parameters: [String: ParameterValue] = [:], _ condition: (Visit.Columns) -> SQLExpression<Bool>
    ) throws -> [Int64?] {
        try database.fetchAll(Visit.where(condition).order { $0.id }.select { $0.id }, parameters)
    }

    @Test func rowsAreBoundAsTheirColumns() throws {
        #expect(try ids { SQLRow($0.page, $0.at).isIn([(first, noon), (second, noon), (second, nil)]) } == [1, 2])
        #expect(try ids { SQLRow($0.page, $0.at).isEqual(to: (second, nil)) } == [2])
        #expect(try ids { !SQLRow($0.page, $0.at).isEqual(to: (second, nil)) } == [1, 3])
        #expect(try ids { SQLRow($0.price, $0.id) > (Decimal(string: "9.50")!, 1) } == [2, 3])
        #expect(try ids { SQLRow($0.price, $0.id) <= (10, 2) } == [1, 2])
        #expect(try ids { SQLRow($0.price, $0.id).isBetween((9, 1), (10, 2)) } == [1, 2])
        #expect(try ids { SQLRow($0.price, $0.id) < SQLRow($0.price, $0.id) } == [])
        let third = Visit.where { $0.id == 3 }.select { ($0.page, $0.at) }
        #expect(try ids { SQLRow($0.page, $0.at).isEqual(to: third) } == [3])
        #expect(
            try ids { SQLRow($0.page, $0.at).isIn(Visit.where { $0.price > 9 }.select { ($0.page, $0.at) }) } == [1, 3])
        #expect(try ids { SQLRow($0.page, $0.at).isIn([]) } == [])
        #expect(try ids { SQLRow($0.page, $0.price, $0.id).isEqual(to: (second, 10, 2)) } == [2])
        #expect(try ids { SQLRow($0.price, $0.id, $0.price, $0.id) > SQLRow($0.price, $0.id, $0.price, $0.id) } == [])
    }

    @Test func oneValueIsNoRow() {
        expectError(.misuse) { try ids { SQLRow($0.id) > SQLRow($0.id) } }
    }

    @Test func listsAreParameters() throws {
        let list = try ParameterValue(list: [first])
        #expect(try ids(["pages": list]) { $0.page.isIn(parameter: "pages") } == [1])
        #expect(try ids(["days": .list([.null])]) { $0.at.isIn(parameter: "days") } == [2])
        #expect(try ids(["days": .list([.null, try Value(noon)])]) { $0.at.isIn(parameter: "days") } == [1, 2])
        #expect(try ids(["prices": ["10.00"]]) { $0.price.isIn(parameter: "prices") } == [2, 3])
        #expect(
            try ids(["rows": .list([try Value(second), 3])]) { SQLRow($0.page, $0.id).isIn(parameter: "rows") } == [3])
        expectError(.binding) { try ids(["ids": 1]) { $0.id.isIn(parameter: "ids") } }
        expectError(.binding) { try ids(["id": [1]]) { $0.id == parameter("id") } }
        expectError(.binding) { try ids(["rows": [1]]) { SQLRow($0.page, $0.id).isIn(parameter: "rows") } }
    }

    @Test func severalRowsGoInAtOnce() throws {
        let names = ["Dot", "Eve"]
        let insert = Artist.insert(names) { row, name in
            row.name = name
            row.country = nil
        }
        try expectSQL(
            insert, #"INSERT INTO "artist" ("name", "country") VALUES (?, ?), (?, ?)"#,
            [.text("Dot"), .null, .text("Eve"), .null])
        #expect(try database.fetchAll(insert.returning { $0.name }) == names)
        expectError(.misuse) { try database.execute(Artist.insert([] as [String]) { $0.name = $1 }) }
        expectError(.misuse) {
            try database.execute(
                Artist.insert([1, 2]) { row, number in
                    row.name = "x"
                    if number == 2 { row.country = "SE" }
                })
        }
        expectError(.tooBig) { try database.execute(Artist.insert(0..<300_000) { row, _ in row.name = "x" }) }
        #expect(try database.fetchCount(Artist.all) == 6)
    }

    @Test func exactlyOne() throws {
        #expect(try database.one(Artist.where { $0.name == "Abba" }).id == 2)
        #expect(try database.one(Artist.where { $0.id == 3 }.select { $0.country }) == nil)
        #expect(try database.one(Artist.self, Query(["name": "Bach"])).id == 3)
        #expect(try database.one("SELECT count(*) FROM artist", as: Int.self) == 4)
        #expect(try database.one("SELECT id, name FROM artist WHERE id = 1", as: Int.self, String.self) == (1, "AC/DC"))
        expectError(.noRows) { try database.one(Artist.where { $0.id == 9 }) }
        expectError(.severalRows) { try database.one(Artist.all) }
        expectError(.severalRows) { try database.one("SELECT id FROM artist", as: Int.self) }
        expectError(.noRows) { try database.one(Artist.self, Query(["name": "x"])) }
    }

    @Test func exactlyOneIsAwaited() async throws {
        #expect(try await database.one(Artist.where { $0.id == 1 }.select { ($0.id, $0.name) }) == (1, "AC/DC"))
        #expect(try await database.one("SELECT count(*) FROM artist", as: Int.self) == 4)
        #expect(try await database.one(Artist.self, Query(["name": "Bach"])).id == 3)
    }

    @Test func whatWasWrittenIsTakenBackWhereItIsNotOne() throws {
        expectError(.severalRows) { try database.one(Artist.all.update { $0.name = "x" }.returning()) }
        expectError(.severalRows) { try database.one("UPDATE artist SET name = 'x' RETURNING id", as: Int.self) }
        #expect(try database.fetchCount(Artist.where { $0.name == "x" }) == 0)
        #expect(try database.one(Artist.where { $0.id == 1 }.update { $0.name = "x" }.returning()).name == "x")
    }

    @Test func caseOfAllLettersIsIgnoredWhereAsked() throws {
        try database.execute(Artist.insert { $0.name = "Ärzte" })
        #expect(try database.fetchCount(Artist.where { $0.name.collate("corm_nocase").hasPrefix("ärz") }) == 1)
        #expect(try database.fetchCount(Artist.where { $0.name.collate("corm_nocase") == "ÄRZTE" }) == 1)
        #expect(try database.fetchCount(Artist.where { $0.name == "ÄRZTE" }) == 0)
    }
}
