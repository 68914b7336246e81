import CormorantFoundation
import Foundation
import Testing

struct Place: Codable, Equatable {
    var name: String
    var floor: Int
}

@Model
struct Event: Equatable {
    @Key var id: UUID
    var day: Date
    var price: Decimal
    var poster: Data
    var place: JSON<Place>
    var later: Date?
    var tags: JSON<[String]>?
}

struct Address: JSONColumnValue, Equatable {
    var street: String
    var number: Int
}

@Model
struct Customer: Equatable {
    @Key var id: Int64?
    var address: Address
    var former: Address?
    var addresses: [Address] = []
    var tags: [String] = []
    var marks: Set<Int> = []
    var counts: [String: Int] = [:]
    var photo: [UInt8] = []
}

struct FoundationTests {
    private let database: Database
    private let event = Event(
        id: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!,
        day: Date(timeIntervalSince1970: 1_700_000_000.123456), price: Decimal(string: "12.5")!,
        poster: Data([0, 255]),
        place: JSON(Place(name: "Hall/1", floor: 2)))

    init() throws { database = try memoryDatabase(Event.self) }

    private func set(_ sql: String) throws { try database.execute(SQL(text: "UPDATE event SET \(sql)")) }

    @Test func everyTypeComesBack() throws {
        var full = event
        full.id = UUID()
        full.later = Date(timeIntervalSince1970: -0.000001)
        full.tags = JSON(["a", "b"])
        var events = [event, full]
        try database.insert(contentsOf: &events)
        #expect(try database.find(Event.self, key: event.id) == event)
        #expect(try database.find(Event.self, key: full.id) == full)
        #expect(
            try database.query("SELECT id, day, price, place FROM event WHERE later IS NULL").map(\.values) == [
                [
                    "00112233-4455-6677-8899-aabbccddeeff", "2023-11-14 22:13:20.123456", "12.5",
                    #"{"floor":2,"name":"Hall/1"}"#,
                ]
            ])
        #expect(
            try database.fetchAll(Event.self, Query(["day": Value(event.day), "price": "12.5", "later": .null])) == [
                event
            ])
    }

    @Test func datesAreExactOrRefused() throws {
        _ = try database.inserted(event)
        for text in [
            "0001-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2100-06-01 12:00:00.000001",
            "9999-12-31 23:59:59",
        ] {
            try set("day = '\(text)'")
            var record = try #require(try database.fetchOne(Event.self))
            try database.update(&record)
            #expect(try database.fetchValues("SELECT day FROM event").map(\.string) == [text])
        }
        try set("day = '9999-12-31 23:59:59.999999'")
        #expect(expectError(.range) { try database.fetchAll(Event.self) }?.columns == ["day"])
        var distant = event
        distant.day = Date(timeIntervalSince1970: 1e12)
        #expect(expectError(.range) { try database.update(&distant) }?.columns == ["day"])
        distant.day = Date(timeIntervalSince1970: .nan)
        expectError(.range) { try database.update(&distant) }
        expectError(.range) { try Value(Date(timeIntervalSince1970: -1e300)) }
    }

    @Test func decimalsAreExactOrRefused() throws {
        _ = try database.inserted(event)
        for text in [
            "0", "-0.000000000000000000001", "12345678901234567890123456789012345678", "1e100", "100.00", "+5",
        ] {
            try set("price = '\(text)'")
            #expect(try database.fetchOne(Event.self)?.price == Decimal(string: text), "\(text)")
        }
        let bad: [(String, ErrorCode)] = [
            ("12345678901234567890123456789012345678.12", .range), ("1e9999", .range), ("12abc", .type), ("", .type),
        ]
        for (text, code) in bad {
            try set("price = '\(text)'")
            #expect(expectError(code) { try database.fetchAll(Event.self) }?.columns == ["price"], "\(text)")
        }
        var unknown = event
        unknown.price = .nan
        #expect(expectError(.range) { try database.update(&unknown) }?.columns == ["price"])
        expectError(.range) { try Value(Decimal.nan) }
    }

    @Test func aDocumentOfAnotherShapeIsRefused() throws {
        _ = try database.inserted(event)
        try set(#"place = '{"name": "secret", "floor": "x"}'"#)
        let error = expectError(.callback) { try database.fetchAll(Event.self) }
        #expect(error?.columns == ["place"])
        #expect(error?.message.contains("it holds no Int at floor") == true)
        #expect(error?.message.contains("secret") == false)
        try set(#"place = '{"name": "x"}'"#)
        #expect(
            expectError(.callback) { try database.fetchAll(Event.self) }?.message.contains("it has no \"floor\"")
                == true)
    }

    @Test func aValueThatJSONHasNotIsRefused() throws {
        let value = JSON(["ratios": [1, Double.nan]])
        let error = #expect(throws: (any Error).self) { try value.stored }
        #expect(error.map { "\($0)" } == "it holds no value of JSON at ratios.Index 1")
    }

    @Test func aDocumentOfARecordHasTheContentItself() throws {
        struct Visit: Codable, Equatable {
            var place: JSON<Place>
            var tags: JSON<[String]>?
        }
        let visit = Visit(place: JSON(Place(name: "Hall", floor: 2)), tags: nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let document = try encoder.encode(visit)
        #expect(String(decoding: document, as: UTF8.self) == #"{"place":{"floor":2,"name":"Hall"}}"#)
        #expect(try JSONDecoder().decode(Visit.self, from: document) == visit)
    }

    @Test func uuidsKeepTheOrderOfTheirBytes() throws {
        let bytes = UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
        #expect(UUID(bytes) == event.id)
        #expect(UUIDBytes(event.id) == bytes)
    }

    @Test func codableValuesAreColumnsWithoutAWrapper() throws {
        let database = try memoryDatabase(Customer.self)
        var full = Customer(
            address: Address(street: "Main/1", number: 2), former: Address(street: "\"", number: 0),
            addresses: [Address(street: "a", number: 1)], tags: ["b", "a"], marks: [10, 9, 1],
            counts: ["z": 1, "a": 2], photo: [0, 255])
        try database.insert(&full)
        #expect(try database.fetchOne(Customer.self) == full)
        let stored = try database.fetchOne(
            "SELECT address, tags, marks, counts, hex(photo) FROM customer", as: String.self, String.self, String.self,
            String.self, String.self)
        let row = try #require(stored)
        #expect(row.0 == #"{"number":2,"street":"Main/1"}"# && row.1 == #"["b","a"]"#)
        #expect(row.2 == "[1,10,9]" && row.3 == #"{"a":2,"z":1}"# && row.4 == "00FF")
        #expect(try database.fetchAll(Customer.where { $0.tags == ["b", "a"] }).count == 1)
        try database.execute(#"UPDATE customer SET address = '{"street":1}'"#)
        let error = expectError(.callback) { try database.fetchAll(Customer.self) }
        #expect(error?.columns == ["address"])
        try database.execute("UPDATE customer SET address = \(full.address), tags = '[1]'")
        #expect(expectError(.callback) { try database.fetchAll(Customer.self) }?.columns == ["tags"])
    }
}
