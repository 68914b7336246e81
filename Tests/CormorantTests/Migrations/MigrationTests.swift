import Cormorant
import Foundation
import Testing

struct MigrationTests {
    @Test func annotationsCarryTheRowsOver() throws {
        let database = try formerDatabase()
        let plan = try database.sync(Present.Album.self, Present.Artist.self)
        #expect(plan.risk == .lossy)
        #expect(plan.problems == [])
        #expect(try database.fetchAll(Present.Album.self, Query(order: ["id"])) == Present.albums)
        #expect(try database.fetchAll(Present.Artist.self) == [Present.Artist(id: 7, name: "Nina")])
        #expect(try database.schema() == Schema(models: Present.Album.self, Present.Artist.self))
        #expect(try database.sync(Present.Album.self, Present.Artist.self).isEmpty)
        #expect(try database.plan(Present.Album.self, Present.Artist.self).isEmpty)
    }

    @Test func withoutAnnotationsNothingIsDone() throws {
        let database = try formerDatabase()
        try database.execute("UPDATE album SET year = 'MCMLXV'")
        let before = try Contents(database)
        let error = expectError(.migration) { try database.sync(Bare.Album.self) }
        #expect(
            error?.message == """
                3 changes need a decision: \
                2 values of "album.year" would change by going from TEXT to INTEGER (give it convert, or mend the rows); \
                2 rows would have no value in "album.letters" (give it default or convert, or let it be NULL); \
                column "album.colour" would go with its 1 value \
                (allowDrop "colour", or renamedFrom "colour" where it has a new name)
                """)
        #expect(try Contents(database) == before)
    }

    @Test func aPlanIsInSwiftsWords() throws {
        let database = try formerDatabase()
        try database.execute("UPDATE album SET year = 'MCMLXV'")
        let plan = try database.plan(Bare.Album.self)
        #expect(
            plan.problems.map(\.annotation) == [
                "give it convert, or mend the rows", "give it default or convert, or let it be NULL",
                "allowDrop \"colour\", or renamedFrom \"colour\" where it has a new name",
            ])
        #expect(plan.description.contains(": give it default or convert, or let it be NULL\n"))
        #expect(!plan.description.contains("_sql") && !plan.description.contains("renamed_from"))
        // As every language has it.
        #expect(plan.json.contains("give it default_sql or convert_sql"))
    }

    @Test func whatAPlanLosesIsInSwiftsWordsAndItsSQLAsItRuns() throws {
        let database = try formerDatabase()
        let plan = try database.plan(Emptied.Album.self)
        let loss = "1 value of \"album.year\", which becomes NULL by convert"
        #expect(plan.steps.flatMap(\.losses).contains(loss))
        #expect(plan.description.contains(loss))
        #expect(plan.json.contains("becomes NULL by convert_sql"))
        #expect(plan.description.contains("length('allow_drop')") && plan.sql.contains("length('allow_drop')"))
    }

    /// Statements are kept prepared, and a prepared `SELECT *` knows the columns of its day.
    @Test func rowsHaveTheColumnsOfToday() throws {
        let database = try formerDatabase()
        let sql = "SELECT * FROM singer"
        #expect(try database.query(SQL(text: sql)).map(\.dictionary) == [["id": 7, "name": "Nina"]])
        try database.sync(Present.Album.self, Present.Artist.self)
        try database.executeScript(
            "ALTER TABLE artist RENAME TO singer; ALTER TABLE singer ADD COLUMN born DEFAULT 1933")
        #expect(try database.query(SQL(text: sql)).map(\.dictionary) == [["id": 7, "name": "Nina", "born": 1933]])
        try database.executeScript("ALTER TABLE singer DROP COLUMN name")
        #expect(try database.query(SQL(text: sql)).map(\.dictionary) == [["id": 7, "born": 1933]])
    }

}
