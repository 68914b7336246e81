import Cormorant
import Testing

struct QueryTests {
    private let database: Database

    init() throws {
        database = try memoryDatabase(Person.self)
        var people = [
            Person(name: "Ada", city: "London", age: 36), Person(name: "Alan", city: "London", age: 41),
            Person(name: "Grace", city: "New York", age: 85), Person(name: "Edsger", city: nil, age: 72),
        ]
        try database.insert(contentsOf: &people)
    }

    @Test func cursorsStream() throws {
        let cursor = try database.cursor(Person.self, Query(order: ["id"]))
        #expect(try cursor.next()?.name == "Ada")
        var rest: [String] = []
        try cursor.forEach { rest.append($0.name) }
        #expect(rest == ["Alan", "Grace", "Edsger"])
        #expect(try cursor.next() == nil)
        cursor.close()
        expectError(.misuse) { try cursor.next() }
    }

    /// SQLite would take it for none, and give all.
    @Test func aNegativeLimitOrOffsetIsRefused() throws {
        expectError(.misuse) { try database.fetchAll(Person.limit(-1)) }
        expectError(.misuse) { try database.fetchAll(Person.all.offset(-1)) }
        expectError(.misuse) { try database.fetchAll(Person.self, Query(limit: -1)) }
        expectError(.misuse) { try database.fetchCount(Person.self, Query(offset: -1)) }
    }

    @Test func aCursorEndsWithItsLastReference() throws {
        try database.execute("CREATE TABLE other (id)")
        func readOne() throws -> String? { try database.cursor(Person.self).next()?.name }
        #expect(try readOne() == "Ada")
        // A statement still running would lock the table.
        try database.execute("DROP TABLE person")
    }

    @Test func aCursorEndsWithItsDatabase() throws {
        let cursor = try database.cursor(Person.self)
        let rows = try database.rowCursor("SELECT 1")
        #expect(try cursor.next() != nil)
        try database.close()
        expectError(.misuse) { try cursor.next() }
        expectError(.misuse) { try rows.next() }
        cursor.close()
    }

    @Test func rowsOfRawSQL() throws {
        let rows = try database.query(
            "SELECT id, name AS Name, age / 2.0 AS half, city FROM person WHERE id IN (?, ?2)", [1, 4])
        #expect(rows.map(\.values) == [[1, "Ada", 18.0, "London"], [4, "Edsger", 36.0, .null]])
        let row = try #require(rows.first)
        #expect(row.columnNames == ["id", "Name", "half", "city"])
        #expect(try row[0].int64 == 1)
        #expect(try row["name"].string == "Ada")
        #expect(try row["half"].double == 18)
        #expect(try rows[1]["city"].isNull)
        #expect(row.dictionary == ["id": 1, "Name": "Ada", "half": 18.0, "city": "London"])
        #expect(expectError(.misuse) { try row["age"] }?.hint == "its columns are id, Name, half, city")
        expectError(.misuse) { try row[4] }
        expectError(.misuse) { try row[-1] }
        #expect(
            try database.fetchValues("SELECT name FROM person ORDER BY age DESC").map(\.string) == [
                "Grace", "Edsger", "Alan", "Ada",
            ])
    }

    @Test func aRowAsJSON() throws {
        let sql: SQL = "SELECT 1 AS a, NULL AS b, 'x\"\u{1}\n' AS c, x'00ff10' AS d, 9e999 AS e, 1.5 AS f"
        let rows = try database.query(sql)
        #expect(rows.map(\.json) == [#"{"a":1,"b":null,"c":"x\"\u0001\n","d":"AP8Q","e":9e999,"f":1.5}"#])
        // SQLite reads it as JSON, and finds the text in it again.
        #expect(try database.fetchValues("SELECT json_extract(?, '$.c')", [rows[0].json]) == ["x\"\u{1}\n"])
    }

    @Test func statementsAreTraced() throws {
        nonisolated(unsafe) var seen: [String] = []
        nonisolated(unsafe) var longest: Int64 = -1
        try database.setTrace { sql, nanoseconds in
            seen.append(sql)
            longest = max(longest, nanoseconds)
        }
        _ = try database.find(Person.self, key: 1)
        #expect(seen == [#"SELECT "id", "name", "city", "age" FROM "person" WHERE "id" = ?1"#])
        #expect(longest > 0)
        try database.setTrace(nil)
        _ = try database.find(Person.self, key: 1)
        #expect(seen.count == 1)
    }
}
