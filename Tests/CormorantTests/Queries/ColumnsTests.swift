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

    @Test func whatDoesNotFitIsNamed() throws {
        let mixed: SQL = "SELECT column1 AS v FROM (VALUES (1), (2), ('three'))"
        let error = expectError(.type) { try database.fetchColumns(mixed) }
        #expect(error?.message == #"row 2 has text in column "v""#)
        let table = try database.fetchColumns(Artist.all.order { $0.id })
        #expect(expectError(.misuse) { try table.column("nam", as: String.self) }?.hint == "did you mean name?")
        #expect(
            expectError(.type) { try table.column("name", as: Int64.self) }?.message
                == "column \"name\" holds text, and integers were asked for")
    }
}
