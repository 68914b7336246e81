import Cormorant
import Testing

struct ColumnsTests {
    private let database: Database

    init() throws {
        database = try musicDatabase()
    }

    @Test func aQueryGivesColumnsOfItsModelsTypes() throws {
        let table = try database.fetchColumns(Album.all.order { $0.id })
        #expect(table.columnNames == ["id", "title", "artist_id", "year", "price"])
        #expect(table.rowCount == 6)
        #expect(try table.column("title", as: String.self).first == "High Voltage")
        #expect(try table.column("year", as: Int64.self) == [1976, 1980, 1974, 1976, nil, 2000])
        #expect(try table.column("PRICE", as: Double.self) == [8, 10, 6, 7.5, 12, 1])
        let listed = try database.fetchColumns(Album.where { $0.id < 0 }.select { ($0.title, $0.price * 2) })
        #expect(listed.rowCount == 0)
        #expect(try listed.column("title", as: String.self) == [])
        expectError(.type) { try listed.column("title", as: Double.self) }
    }

    @Test func rawSQLGivesColumnsOfTheDeclaredTypes() throws {
        try database.executeScript(
            """
            CREATE TABLE t (flag BOOLEAN, moment DATETIME, data BLOB, amount NUMERIC, absent);
            INSERT INTO t VALUES (1, '1970-01-01 00:00:01', x'00ff', 1, NULL), (0, NULL, x'', 0.5, NULL);
            """)
        let table = try database.fetchColumns("SELECT * FROM t WHERE ? = 1", [1])
        #expect(try table.column("flag", as: Bool.self) == [true, false])
        #expect(try table.column("moment", as: Timestamp.self) == [Timestamp(microseconds: 1_000_000), nil])
        #expect(try table.column("data", as: [UInt8].self) == [[0, 255], []])
        #expect(try table.column("amount", as: Double.self) == [1, 0.5])
        #expect(try table.column("absent", as: String.self) == [nil, nil])
        #expect(try table.column("absent", as: Int64.self) == [nil, nil])
    }

    @Test func whatDoesNotFitIsNamed() throws {
        let mixed = "SELECT column1 AS v FROM (VALUES (1), (2), ('three'))"
        let error = expectError(.type) { try database.fetchColumns(mixed) }
        #expect(error?.message == #"row 2 has text in column "v""#)
        let table = try database.fetchColumns(Artist.all.order { $0.id })
        #expect(expectError(.misuse) { try table.column("nam", as: String.self) }?.hint == "did you mean name?")
        #expect(
            expectError(.type) { try table.column("name", as: Int64.self) }?.message
                == "column \"name\" holds text, and integers were asked for")
    }

    @Test func rowsAsJSON() throws {
        #expect(
            try database.fetchJSON(Artist.where { $0.id < 3 }.order { $0.id }.select { ($0.name, $0.country) })
                == #"[{"name":"AC/DC","country":"AU"},{"name":"Abba","country":"SE"}]"#)
        #expect(try database.fetchJSON("SELECT ? AS a, NULL AS b", ["x\""]) == #"[{"a":"x\"","b":null}]"#)
        #expect(try database.fetchJSON("SELECT 1 WHERE 0") == "[]")
    }
}
