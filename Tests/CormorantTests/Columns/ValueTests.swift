import Cormorant
import Testing

@Model
struct Everything: Equatable {
    @Key var id: Int64?
    var int: Int = 0
    var int32: Int32 = 0
    var int16: Int16 = 0
    var int8: Int8 = 0
    var uint64: UInt64 = 0
    var uint: UInt = 0
    var uint32: UInt32 = 0
    var uint16: UInt16 = 0
    var uint8: UInt8 = 0
    var flag = false
    var double = 0.0
    var float: Float = 0
    var text = ""
    @Column(length: 5) var code: String?
    var data: [UInt8] = []
    var time: Timestamp = Timestamp(microseconds: 0)
    var token: UUIDBytes = UUIDBytes(high: 0, low: 0)
    var price: DecimalText = "0"
    var extra: JSONText = "null"
}

@Model
struct Optionals: Equatable {
    @Key var id: Int64?
    var small: Int8?
    var large: UInt64?
    var flag: Bool?
    var double: Double?
    var float: Float?
    var text: String?
    var data: [UInt8]?
    var time: Timestamp?
    var token: UUIDBytes?
    var price: DecimalText?
    var extra: JSONText?
    var status: Ticket.Status?
    var color: Color?
}

/// Stored as one integer, 0xRRGGBB.
struct Color: CustomColumnValue, Equatable {
    struct TooBright: Error {}

    var red, green, blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    init(stored: Int) throws {
        guard (0...0xFFFFFF).contains(stored) else { throw TooBright() }
        self.init(
            red: UInt8(stored >> 16), green: UInt8(truncatingIfNeeded: stored >> 8),
            blue: UInt8(truncatingIfNeeded: stored))
    }

    var stored: Int {
        get throws {
            if red == 255 && green == 255 && blue == 255 { throw TooBright() }
            return Int(red) << 16 | Int(green) << 8 | Int(blue)
        }
    }
}

struct ValueTests {
    @Test func textsAreTheSameByTheirBytes() {
        #expect(Value.text("caf\u{E9}") != .text("cafe\u{301}"))
        #expect(Set<Value>([.text("caf\u{E9}"), .text("cafe\u{301}"), .text("caf\u{E9}")]).count == 2)
        #expect(Value.integer(1) != .real(1))
    }

    @Test func theLimitsOfEveryType() throws {
        let database = try memoryDatabase(Everything.self)
        var rows = [
            Everything(),
            Everything(
                int: .max, int32: .max, int16: .max, int8: .max, uint64: UInt64(Int64.max), uint: UInt(Int.max),
                uint32: .max, uint16: .max, uint8: .max, flag: true, double: .greatestFiniteMagnitude,
                float: .greatestFiniteMagnitude, text: "a\0b", code: "日本語🦤é", data: [0, 255],
                time: Timestamp(microseconds: 253_402_300_799_999_999), token: UUIDBytes(high: .max, low: .max),
                price: "99999999999999999999999999999999.990", extra: #"{"a":[1,null]}"#),
            Everything(
                int: .min, int32: .min, int16: .min, int8: .min, double: -.infinity, float: .infinity,
                text: "naïve 日本 🦤 e\u{301}", code: "", data: Array(repeating: 7, count: 100_000),
                time: Timestamp(microseconds: -1), price: "-0.10", extra: "[]"),
        ]
        try database.insert(contentsOf: &rows)
        #expect(try database.fetchAll(Everything.self, Query(order: ["id"])) == rows)
        #expect(
            try database.query(
                "SELECT typeof(int), typeof(double), typeof(time), typeof(price), time FROM everything WHERE id = 3"
            )
            .map(\.values) == [["integer", "real", "text", "text", "1969-12-31 23:59:59.999999"]])
    }

    @Test func integersHaveTheWidthAndSignOfTheirTypes() {
        func column<Number: ColumnValue>(_ type: Number.Type) -> String {
            let column = ColumnDescriptor("n", type)
            return "\(column.isUnsigned ? "u" : "")\(column.type)"
        }
        #expect([column(Int.self), column(Int64.self), column(UInt64?.self)] == ["int64", "int64", "uint64"])
        #expect([column(Int32.self), column(UInt32.self), column(UInt8.self)] == ["int32", "uint32", "uint32"])
    }

    @Test func nothingIsNull() throws {
        let database = try memoryDatabase(Optionals.self)
        let empty = try database.inserted(Optionals())
        #expect(try database.find(Optionals.self, key: empty.id) == empty)
        let full = try database.inserted(
            Optionals(
                small: 0, large: 0, flag: false, double: 0, float: 0, text: "", data: [],
                time: Timestamp(microseconds: 0),
                token: UUIDBytes(high: 0, low: 0), price: "0", extra: "0", status: .closed,
                color: Color(red: 1, green: 2, blue: 3)))
        #expect(try database.find(Optionals.self, key: full.id) == full)
        #expect(try database.fetchValues("SELECT color FROM optionals WHERE id = 2") == [0x010203])
    }

    @Test func whatDoesNotFitIsRefusedOnTheWayIn() throws {
        let database = try memoryDatabase(Everything.self, Optionals.self)
        func refuse(_ code: ErrorCode, _ column: String, _ change: (inout Everything) -> Void) {
            var record = Everything()
            change(&record)
            let error = expectError(code) { try database.insert(&record) }
            #expect(error?.columns == [column])
            #expect(error?.table == "everything")
            #expect(error?.hint != nil)
        }
        refuse(.range, "uint64") { $0.uint64 = UInt64(Int64.max) + 1 }
        refuse(.range, "uint") { $0.uint = .max }
        refuse(.range, "double") { $0.double = .nan }
        refuse(.range, "float") { $0.float = .nan }
        refuse(.range, "time") { $0.time = Timestamp(microseconds: .max) }
        refuse(.type, "price") { $0.price = "12,50" }
        refuse(.check, "code") { $0.code = "123456" }
        refuse(.check, "extra") { $0.extra = "{broken" }
        var white = Optionals(color: Color(red: 255, green: 255, blue: 255))
        #expect(expectError(.callback) { try database.insert(&white) }?.columns == ["color"])
        var batch = [Everything(), Everything(double: .nan)]
        #expect(expectError(.range) { try database.insert(contentsOf: &batch) }?.recordIndex == 1)
        #expect(try database.fetchCount(Everything.self) == 0)
    }

    /// What SQL calculates and JSON gives goes past the properties.
    @Test func integersKeepTheirWidthAndSign() throws {
        let database = try memoryDatabase(Everything.self, Optionals.self)
        _ = try database.inserted(Optionals(small: 127, large: 0))
        let all = Optionals.all
        for (update, type) in [
            (all.update { $0.small = $0.small + 1 }, "int8"), (all.update { $0.large = $0.large - 1 }, "uint64"),
        ] {
            let error = expectError(.range) { try database.execute(update) }
            #expect(error?.message.contains("which its type \(type) cannot hold") == true)
        }
        expectError(.range) { try database.importJSON(Optionals.self, #"[{"small": 128}]"#) }
        expectError(.range) { try database.importJSON(Optionals.self, #"[{"large": -1}]"#) }
        expectError(.range) { try database.fetchAll(Optionals.self, Query(["small": 128])) }
        let row = try #require(try database.fetchOne(Optionals.self))
        #expect(row.small == 127 && row.large == 0)
    }

    @Test(
        arguments: [
            ("small", "128", ErrorCode.range), ("small", "'1'", .type), ("small", "1.5", .type),
            ("large", "-1", .range),
            ("flag", "2", .range), ("float", "1e39", .range), ("double", "9007199254740993", .range),
            ("double", "'x'", .type),
            ("text", "5", .type),
            ("text", "CAST(x'ff' AS TEXT)", .encoding), ("data", "'x'", .type), ("time", "'tomorrow'", .type),
            ("time", "5", .type), ("token", "'0123'", .type), ("status", "'lost'", .type), ("color", "-1", .callback),
        ])
    func whatDoesNotFitIsRefusedOnTheWayOut(_ column: String, _ sql: String, _ code: ErrorCode) throws {
        // Without the model's table nothing converts the value on its way in.
        let database = try Database(path: ":memory:")
        let names = Optionals.model.columns.map { $0.column == column ? "\(sql) AS \(column)" : "NULL AS \($0.column)" }
        let query = Query(sql: SQL(text: "SELECT \(names.joined(separator: ", "))"))
        let error = expectError(code) { try database.fetchAll(Optionals.self, query) }
        #expect(error?.columns == [column])
        #expect(error?.hint != nil)
    }

    @Test func nullWhereThePropertyCannotHoldIt() throws {
        let database = try Database(path: ":memory:")
        let error = expectError(.nullValue) {
            try database.fetchAll(Person.self, Query(sql: "SELECT 1 AS id, NULL AS name, 'Rome' AS city, 5 AS age"))
        }
        #expect(error?.columns == ["name"])
    }

    @Test func valuesForBindingsAndAttributes() throws {
        let database = try memoryDatabase(Optionals.self)
        let time = try #require(Timestamp("2024-02-29T12:00:00.5Z"))
        let token = try #require(UUIDBytes("00112233-4455-6677-8899-AABBCCDDEEFF"))
        var record = Optionals(large: 7, flag: true, text: "x", data: [1], time: time, token: token, status: .open)
        record.color = Color(red: 0, green: 1, blue: 0)
        try database.insert(&record)
        #expect(try Value(time) == "2024-02-29 12:00:00.500000")
        #expect(try Value(token) == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(try Value(nil as Int?) == .null)
        #expect(try Value(Ticket.Status.open) == "open")
        #expect(expectError(.range) { try Value(UInt64.max) }?.hint != nil)
        expectError(.range) { try Value(Timestamp(microseconds: .min)) }
        let sql = "SELECT count(*) FROM optionals WHERE time = ? AND token = ? AND large = ? AND flag = ? AND data = ?"
        #expect(try database.fetchValues(SQL(text: sql), [time, token, 7, true, [1] as [UInt8]]) == [1])
        for (property, value) in [
            ("time", try Value(time)), ("token", try Value(token)), ("flag", true), ("status", "open"),
            ("price", .null),
            ("color", try Value(record.color)), ("time", .integer(time.microseconds)),
        ] {
            var query = Query()
            query.attributes = [(property, value)]
            #expect(try database.fetchAll(Optionals.self, query) == [record], "\(property)")
        }
    }

    @Test func textForms() {
        #expect(Timestamp(microseconds: 1_700_000_000_123_456).description == "2023-11-14 22:13:20.123456")
        #expect(Timestamp("2023-11-14 22:13:20.123456") == Timestamp(microseconds: 1_700_000_000_123_456))
        #expect(Timestamp("yesterday") == nil)
        #expect(UUIDBytes("00112233445566778899aabbccddeeff")?.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(UUIDBytes("") == nil)
        #expect(JSONText("[1]").description + DecimalText("1.0").description == "[1]1.0")
    }
}
