import CormorantBase
import CormorantEngine
import Testing

@testable import CormorantPostgres

/// Each type both ways, with the values at its edges.
@Suite(.enabled(if: TestServer.isThere, "no PostgreSQL server can be had")) struct ValueTests {
    let connection: PostgresConnection

    init() throws { connection = try TestServer.connect() }

    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let bound: Value
        /// What comes back; the same where nothing is said.
        let read: Value
        let declared: String

        init(_ type: String, _ bound: Value, _ declared: String) { self.init(type, bound, bound, declared) }

        init(_ type: String, _ bound: Value, _ read: Value, _ declared: String) {
            (self.type, self.bound, self.read, self.declared) = (type, bound, read, declared)
        }

        var testDescription: String { "\(type) \(bound)" }
    }

    static let cases: [Case] = [
        .init("boolean", .integer(1), "BOOLEAN"), .init("boolean", .integer(0), "BOOLEAN"),
        .init("smallint", .integer(-32_768), "INTEGER"), .init("integer", .integer(2_147_483_647), "INTEGER"),
        .init("bigint", .integer(.min), "INTEGER"), .init("bigint", .integer(.max), "INTEGER"),
        .init("oid", .integer(4_294_967_295), "INTEGER"), .init("bigint", .text("-12"), .integer(-12), "INTEGER"),
        .init("bigint", .real(12), .integer(12), "INTEGER"),
        .init("real", .real(1.5), "REAL"), .init("double precision", .real(0.1), "REAL"),
        .init("double precision", .real(.greatestFiniteMagnitude), "REAL"),
        .init("double precision", .real(-0.0), "REAL"),
        .init("double precision", .real(.infinity), "REAL"), .init("double precision", .integer(7), .real(7), "REAL"),
        .init("double precision", .text("1e3"), .real(1000), "REAL"),
        .init("text", .text("ä\u{1F600}'\"\\"), "TEXT"), .init("text", .text(""), "TEXT"),
        .init("text", .integer(5), .text("5"), "TEXT"),
        .init("varchar(20)", .text("abc"), "VARCHAR(20)"), .init("name", .text("abc"), "TEXT"),
        .init("char(4)", .text("ab"), .text("ab  "), "TEXT"), .init("\"char\"", .text("r"), "TEXT"),
        .init("bytea", .blob([0, 1, 255]), "BLOB"), .init("bytea", .blob([]), "BLOB"),
        .init("numeric", .text("0"), "DECIMAL_TEXT"), .init("numeric", .text("0.00"), "DECIMAL_TEXT"),
        .init("numeric", .text("-1234567890123456789012345678901234567890.000100"), "DECIMAL_TEXT"),
        .init("numeric", .text("0.00000000000000000001"), "DECIMAL_TEXT"),
        .init("numeric", .text("10000"), "DECIMAL_TEXT"),
        .init("numeric", .text("100000000"), "DECIMAL_TEXT"),
        .init("numeric", .text("1e3"), .text("1000"), "DECIMAL_TEXT"),
        .init("numeric(10,2)", .text("12.5"), .text("12.50"), "DECIMAL_TEXT"),
        .init("numeric", .integer(-5), .text("-5"), "DECIMAL_TEXT"),
        .init("numeric", .real(0.1), .text("0.1"), "DECIMAL_TEXT"),
        .init("numeric", .text("9999.9999"), "DECIMAL_TEXT"),
        .init("numeric", .text("+.5"), .text("0.5"), "DECIMAL_TEXT"),
        .init("jsonb", .text("{\"a\": [1, null]}"), "JSON_TEXT"), .init("json", .text("{ \"a\":1 }"), "JSON_TEXT"),
        .init("json", .text("\"a\""), "JSON_TEXT"), .init("jsonb", .integer(5), .text("5"), "JSON_TEXT"),
        .init("uuid", .text("00112233-4455-6677-8899-aabbccddeeff"), "UUID_TEXT"),
        .init(
            "uuid", .text("00112233445566778899AABBCCDDEEFF"), .text("00112233-4455-6677-8899-aabbccddeeff"),
            "UUID_TEXT"),
        .init("timestamptz", .text("2026-01-31 12:00:00"), "DATETIME"),
        .init("timestamptz", .text("2026-01-31 12:00:00.000001"), "DATETIME"),
        .init("timestamptz", .text("0001-01-01 00:00:00"), "DATETIME"),
        .init("timestamptz", .text("9999-12-31 23:59:59.999999"), "DATETIME"),
        .init("timestamptz", .text("2026-01-31T12:00:00+02:00"), .text("2026-01-31 10:00:00"), "DATETIME"),
        .init("timestamp", .text("1999-12-31 23:59:59.500000"), "DATETIME"),
        .init("date", .text("0001-01-01"), "DATE"), .init("date", .text("9999-12-31"), "DATE"),
        .init("date", .text("2000-01-01"), "DATE"),
        .init("time", .text("00:00:00"), "TIME"), .init("time", .text("23:59:59.999999"), "TIME"),
        .init("interval", .text("1 day 02:03:04"), "TEXT"), .init("int[]", .text("{1,2,NULL}"), "TEXT"),
        .init("mood", .text("happy"), "TEXT"), .init("inet", .text("127.0.0.1"), "TEXT"),
        .init("positive", .integer(5), "INTEGER"),
        .init("xml", .text("<a/>"), "TEXT"), .init("bit(3)", .text("101"), "TEXT"),
    ]

    private func makeTypes() throws {
        try connection.script(
            "CREATE TYPE pg_temp.mood AS ENUM ('happy', 'sad'); CREATE DOMAIN pg_temp.positive AS int CHECK (VALUE > 0); SET search_path TO pg_temp, public"
        )
    }

    @Test(arguments: cases)
    func valuesComeBack(_ value: Case) throws {
        try makeTypes()
        try connection.script("CREATE TEMP TABLE t (id int, v \(value.type))")
        _ = try connection.rows("INSERT INTO t VALUES (1, ?)", value.bound)
        _ = try connection.rows("INSERT INTO t VALUES (2, ?)", .null)
        let statement = try connection.prepare("SELECT v FROM t ORDER BY id")
        #expect(statement.declaredType(0) == value.declared)
        #expect(try connection.rows("SELECT v FROM t ORDER BY id") == [[value.read], [.null]])
        // The same in the server's texts, which a column of another type makes of all.
        #expect(
            try connection.rows("SELECT v, '1 day'::interval FROM t ORDER BY id").map { $0[0] } == [value.read, .null])
        // And as a condition.
        if !["json", "xml"].contains(value.type) {
            #expect(try connection.value("SELECT count(*) FROM t WHERE v = ?", value.bound) == .integer(1))
        }
    }

    @Test(
        arguments: cases.filter {
            !["interval", "int[]", "mood", "inet", "positive", "xml", "bit(3)"].contains($0.type)
        })
    func valuesAreCopied(_ value: Case) throws {
        try connection.script("CREATE TEMP TABLE t (id int, v \(value.type))")
        try connection.copy("t", ["v", "id"], [[value.bound, .integer(0)], [.null, .integer(1)]])
        #expect(connection.changes == 2)
        #expect(try connection.rows("SELECT v FROM t ORDER BY id") == [[value.read], [.null]])
    }

    @Test(arguments: [
        ("smallint", Value.integer(32_768), ErrorCode.range), ("integer", .integer(.max), .range),
        ("oid", .integer(-1), .range),
        ("boolean", .integer(2), .range), ("real", .real(1e300), .range), ("integer", .real(1.5), .type),
        ("integer", .text("x"), .type),
        ("numeric", .text("NaN"), .type), ("numeric", .real(.infinity), .range), ("uuid", .text("x"), .type),
        ("uuid", .integer(1), .type),
        ("date", .text("2026-02-30"), .type), ("date", .text("10000-01-01"), .type),
        ("timestamptz", .text("infinity"), .type),
        ("time", .text("24:00:00"), .type), ("bytea", .text("a"), .type), ("text", .blob([1]), .type),
        ("text", .text("a\0b"), .encoding),
        ("jsonb", .text("{"), .json), ("int[]", .text("{"), .type), ("double precision", .text("x"), .type),
        ("varchar(2)", .text("abc"), .range),
        ("inet", .text("secret"), .type), ("date", .integer(1), .type), ("jsonb", .real(.nan), .json),
    ])
    func whatCannotBeIsTold(_ type: String, _ value: Value, _ code: ErrorCode) throws {
        try connection.script("CREATE TEMP TABLE t (v \(type))")
        let error = connection.error("INSERT INTO t VALUES (:it)", value)
        #expect(error?.code == code, "\(String(describing: error))")
        if case .text(let text) = value, text.utf8.count > 1 {
            #expect(error?.message.contains("secret") == false)
        }
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(0))
    }

    @Test(arguments: [
        "'infinity'::timestamptz", "'4713-01-01 BC'::date", "'10000-01-01'::date", "'-infinity'::date",
        "'NaN'::numeric",
        "'24:00'::time", "'0044-03-15 BC'::timestamp",
    ])
    func whatNoCellHoldsIsTold(_ value: String) throws {
        for sql in ["SELECT \(value) AS it", "SELECT \(value) AS it, '1 day'::interval"] {
            let error = connection.error(sql)
            #expect(error?.code == .range, "\(String(describing: error))")
            #expect(error?.columns == ["it"])
        }
        #expect(try connection.value("SELECT 1") == .integer(1))
    }

    @Test(arguments: [
        ("'\"a\\n\\u00e4\\ud83d\\ude00\\\"\"'", Value.text("a\n\u{E4}\u{1F600}\"")), ("'12'", .integer(12)),
        ("'-1.5e3'", .real(-1500)),
        ("'9223372036854775808'", .real(9_223_372_036_854_775_808)), ("'true'", .integer(1)), ("'false'", .integer(0)),
        ("'null'", .null),
        ("'{\"a\":1}'", .text("{\"a\":1}")), ("' [1] '", .text("[1]")), ("'\"\"'", .text("")),
    ])
    func oneValueOutOfJSONHasItsClass(_ json: String, _ value: Value) throws {
        #expect(try connection.value("SELECT \(json)::json") == value)
        #expect(try connection.rows("SELECT \(json)::json, '1 day'::interval")[0][0] == value)
    }

    /// Decimals of all sizes against what the server writes of them, and back by COPY.
    @Test func decimalsAreExact() throws {
        let rows = try connection.rows(
            """
            SELECT v, v::text FROM (SELECT round((random()::numeric - 0.5) * 10::numeric ^ (i % 37) / 7, i % 23) AS v
            FROM generate_series(1, 3000) AS i) AS t
            """)
        try connection.script("CREATE TEMP TABLE t (v numeric, s text)")
        for row in rows { #expect(row[0] == row[1]) }
        try connection.copy("t", ["v", "s"], rows)
        #expect(try connection.value("SELECT count(*) FROM t WHERE v::text = s") == .integer(3000))
    }

    /// Each day of leap years and others, and the microseconds in them.
    @Test func timesAreExact() throws {
        let rows = try connection.rows(
            """
            SELECT v, to_char(v, 'YYYY-MM-DD HH24:MI:SS') || coalesce(nullif(to_char(v, '.US'), '.000000'), ''), v::date, v::date::text,
            v::time, v::time::text FROM (SELECT '0001-01-01 00:00:00Z'::timestamptz + i * interval '26 days 7 hours 0.2 seconds' AS v
            FROM generate_series(0, 138000) AS i WHERE i % 23 = 0) AS t
            """)
        #expect(rows.count > 5000)
        for row in rows {
            #expect(row[0] == row[1] && row[2] == row[3])
            guard case .text(let time) = row[4], case .text(let told) = row[5] else { continue }
            #expect(time.prefix(8) == told.prefix(8))
        }
        let count = try connection.prepare("SELECT ?::timestamptz = ?::text::timestamptz AND ?::date = ?::text::date")
        for row in rows.prefix(300) {
            try count.bindAll([row[0], row[1], row[2], row[3]])
            #expect(try count.step() && count.row.cells[0].int64 == 1)
            count.reset()
        }
    }

    @Test func manyColumnsKeepTheirBytes() throws {
        let columns = (0..<40).map { "'\($0).5'::numeric, gen_random_uuid()::uuid, 'text \($0)', '2026-01-31'::date" }
        let sql = "SELECT \(columns.joined(separator: ", "))"
        let statement = try connection.prepare(sql)
        #expect(try statement.step())
        for index in 0..<40 {
            #expect(statement.row.cells[4 * index].value == .text("\(index).5"))
            #expect(statement.row.cells[4 * index + 1].bytes.count == 36)
            #expect(statement.row.cells[4 * index + 2].value == .text("text \(index)"))
            #expect(statement.row.cells[4 * index + 3].value == .text("2026-01-31"))
            for cell in [0, 1, 2, 3].map({ statement.row.cells[4 * index + $0] }) {
                #expect(cell.bytes.baseAddress?.load(fromByteOffset: cell.bytes.count, as: UInt8.self) == 0)
            }
        }
    }
}
