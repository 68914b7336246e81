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

    private func names(_ query: Query) throws -> [String] { try database.fetchAll(Person.self, query).map(\.name) }

    @Test func byAttributesOrderAndPage() throws {
        #expect(try database.fetchAll(Person.self).count == 4)
        #expect(try names(Query(["city": "London"], order: ["-age"])) == ["Alan", "Ada"])
        let age: Int? = 36
        #expect(try names(Query(["city": "London", "age": Value(age)])) == ["Ada"])
        #expect(try names(Query(["city": .null])) == ["Edsger"])
        #expect(try names(Query(order: ["name"], limit: 2, offset: 1)) == ["Alan", "Edsger"])
        #expect(try names(Query(order: ["name"], limit: 0)) == [])
        #expect(expectError(.misuse) { try names(Query(["shoeSize": 42])) }?.message.contains("shoeSize") == true)
        expectError(.type) { try names(Query(["age": "old"])) }
    }

    @Test func byASelectOfOnesOwn() throws {
        let query = Query(sql: "SELECT age, name, 1 AS extra, city, id FROM person WHERE age > ? ORDER BY age", [50])
        #expect(try names(query) == ["Edsger", "Grace"])
        #expect(try database.fetchOne(Person.self, query)?.name == "Edsger")
        #expect(try database.fetchCount(Person.self, query) == 2)
        #expect(try names(Query(sql: "SELECT * FROM person WHERE name = :name", ["name": "Ada"])) == ["Ada"])
        let error = expectError(.schema) { try names(Query(sql: "SELECT id, name FROM person")) }
        #expect(error?.columns == ["city"])
    }

    @Test func oneCountAndPages() throws {
        #expect(try database.fetchOne(Person.self, Query(order: ["-age"]))?.name == "Grace")
        #expect(try database.fetchOne(Person.self, Query(["name": "Nobody"])) == nil)
        #expect(try database.fetchCount(Person.self) == 4)
        #expect(try database.fetchCount(Person.self, Query(["city": "London"])) == 2)
        #expect(try database.fetchPageCount(Person.self, pageSize: 3) == 2)
        expectError(.misuse) { try database.fetchPageCount(Person.self, pageSize: 0) }
        #expect(try database.fetchCount("SELECT DISTINCT city FROM person WHERE age > ?", [30]) == 3)
        #expect(try database.fetchPageCount("SELECT 1 FROM person -- all", pageSize: 4) == 1)
        expectError(.sql) { try database.fetchCount("DELETE FROM person") }
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
        let sql = "SELECT 1 AS a, NULL AS b, 'x\"\u{1}\n' AS c, x'00ff10' AS d, 9e999 AS e, 1.5 AS f"
        let rows = try database.query(sql)
        #expect(rows.map(\.json) == [#"{"a":1,"b":null,"c":"x\"\u0001\n","d":"AP8Q","e":9e999,"f":1.5}"#])
        // SQLite reads it as JSON, and finds the text in it again.
        #expect(try database.fetchValues("SELECT json_extract(?, '$.c')", Bindings(rows[0].json)) == ["x\"\u{1}\n"])
    }

    @Test func statementsAndBindings() throws {
        #expect(
            try database.execute(
                "UPDATE person SET age = age + :more WHERE city = :city", ["more": 1, ":city": "London"]) == 2)
        #expect(try database.fetchValues("SELECT @a || $b", ["@a": "x", "b": "y"]) == ["xy"])
        let error = expectError(.binding) { try database.execute("SELECT ?, ?", [1]) }
        #expect(error?.message == "the statement has 2 parameters, 1 value was given")
        expectError(.binding) { try database.execute("SELECT ?", [1, 2]) }
        expectError(.binding) { try database.query("SELECT :a", ["b": 1]) }
        expectError(.binding) { try database.query("SELECT :a, :b", ["b": 1]) }
        #expect(database.changes == 2)
        try database.executeScript("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2);")
        #expect(database.lastInsertID == 2)
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
