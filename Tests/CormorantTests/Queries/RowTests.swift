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
        _ parameters: QueryParameters = .none, _ condition: (Visit.Columns) -> SQLExpression<Bool>
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
        #expect(try ids(["pages": [first]]) { $0.page.isIn(parameter: "pages") } == [1])
        #expect(try ids(["days": [nil as Date?]]) { $0.at.isIn(parameter: "days") } == [2])
        #expect(try ids(["days": [nil, noon]]) { $0.at.isIn(parameter: "days") } == [1, 2])
        #expect(try ids(["prices": ["10.00"]]) { $0.price.isIn(parameter: "prices") } == [2, 3])
        #expect(
            try ids(["rows": [try Value(second), 3]]) { SQLRow($0.page, $0.id).isIn(parameter: "rows") } == [3])
        expectError(.binding) { try ids(["ids": 1]) { $0.id.isIn(parameter: "ids") } }
        expectError(.binding) { try ids(["id": [1]]) { $0.id == parameter("id") } }
        expectError(.binding) { try ids(["rows": [1]]) { SQLRow($0.page, $0.id).isIn(parameter: "rows") } }
    }

    @Test func parametersAreOfAnyColumnsType() throws {
        let page: UUID? = first, price = Decimal(10), none: Date? = nil
        #expect(try ids(["page": page]) { $0.page == parameter("page") } == [1])
        #expect(
            try ids(["at": noon, "price": price]) { $0.at > parameter("at") && $0.price == parameter("price") } == [3])
        #expect(try ids(["at": none]) { $0.at.isNotDistinct(from: parameter("at", Date?.self)) } == [2])
        #expect(try ids(["pages": Set([first, second])]) { $0.page.isIn(parameter: "pages") } == [1, 2, 3])
        #expect(try ids(["prices": [price]]) { $0.price.isIn(parameter: "prices") } == [2, 3])
        #expect(try ids(["pages": [] as [UUID]]) { $0.page.isIn(parameter: "pages") } == [])
        let many = ["low": 1, "high": 3]
        #expect(try ids(QueryParameters(many)) { $0.id > parameter("low") && $0.id < parameter("high") } == [2])
        #expect(try database.fetchAll(Visit.self, Query(["page": page, "at": noon])).map(\.id) == [1])
        #expect(try database.fetchCount(Visit.self, Query(["at": none, "price": price])) == 1)
        #expect(try database.fetchCount(Visit.self, Query(["price": .null, "at": nil])) == 0)
    }

    @Test func listsAndNullsAreWhatTheyAreOfAnyType() throws {
        func given(_ value: some ParameterConvertible) -> QueryParameters { ["list": value] }
        func dated(_ parameters: QueryParameters) throws -> [Int64?] {
            try ids(parameters) { $0.at.isIn(parameter: "list") }
        }
        let dates: [(any BindableValue)?] = [noon, nil], days: [Date]? = [noon], anything: [Any?] = [noon, nil]
        #expect(try dated(["list": dates]) == [1, 2])
        #expect(try dated(["list": anything]) == [1, 2])
        #expect(try dated(["list": [nil]]) == [2])
        #expect(try dated(given(days)) == [1])
        #expect(try dated(["list": .list([.null])]) == [2])
        #expect(try ids(["id": .value(2)]) { $0.id == parameter("id") } == [2])
        let numbers: [Int]? = [1, 3], existential: any ParameterConvertible = numbers
        #expect(try ids(given(numbers)) { $0.id.isIn(parameter: "list") } == [1, 3])
        #expect(try ids(["list": existential]) { $0.id.isIn(parameter: "list") } == [1, 3])
        #expect(try ids(["list": [3, nil, 2.0]]) { $0.id.isIn(parameter: "list") } == [2, 3])
        let attributes: KeyValuePairs<String, Value> = ["id": 2]
        #expect(try database.fetchAll(Visit.self, Query(attributes)).map(\.id) == [2])
    }

    @Test func numbersOfAnyTypeGoWithThoseThatMayBeMissing() throws {
        func sum<N: SQLNumber>(_ left: SQLExpression<N>, _ right: SQLExpression<N?>) -> SQLExpression<N?> {
            left + right
        }
        let sums = try database.fetchAll(Visit.order { $0.id }.select { sum($0.id ?? 0, $0.id) })
        #expect(sums == [2, 4, 6])
    }

    @Test func decimalsGoWithThoseThatMayBeMissing() throws {
        let sums: [Decimal?] = try database.fetchAll(Visit.order { $0.id }.select { $0.price.optional * 2 - $0.price })
        #expect(sums == [9.5, 10, 10])
    }

    @Test func aValueThatCannotBeStoredIsNamed() throws {
        let wrong = Decimal.nan
        func message(_ call: () throws -> Void) -> String { expectError(.range, call)?.message ?? "" }
        let said = "a decimal is not a number"
        #expect(message { _ = try database.query("SELECT ?, ?", [1, wrong]) } == "parameter 2: \(said)")
        #expect(message { _ = try database.query("SELECT :p", ["p": wrong]) } == "parameter \"p\": \(said)")
        #expect(message { _ = try database.query("SELECT \(1), \(wrong)") } == "interpolated value 2: \(said)")
        let condition = { (visit: Visit.Columns) in visit.price == parameter("p") }
        #expect(message { _ = try ids(["p": wrong], condition) } == "parameter \"p\": \(said)")
        #expect(message { _ = try ids(["p": [wrong]], condition) } == "parameter \"p\": \(said)")
        #expect(message { _ = try database.fetchAll(Visit.self, Query(["price": wrong])) } == "\"price\": \(said)")
        #expect(expectError(.type) { try ids(["p": "x"], condition) }?.message.hasPrefix("parameter \"p\": ") == true)
        #expect(expectError(.binding) { try ids(["p": 1, "p": 2], condition) } != nil)
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
