import Cormorant
import Foundation
import Testing

/// Models and files that a migration must not trip over.
struct HostileMigrationTests {
    private func model(
        _ name: String, _ columns: [ColumnDescriptor] = [], table: String? = nil, renamedFrom: String? = nil
    ) -> ModelDescriptor {
        ModelDescriptor(
            name: name, table: table, columns: [ColumnDescriptor("id", Int64?.self, primaryKey: true)] + columns,
            migration: MigrationNotes(renamedFrom: renamedFrom))
    }

    /// Syncs models that cannot be, and sees that nothing is done.
    @discardableResult
    private func refused(
        _ code: ErrorCode, _ models: [ModelDescriptor], _ database: Database? = nil,
        location: SourceLocation = #_sourceLocation
    ) throws -> CormorantError? {
        let database = try database ?? formerDatabase()
        let before = try Contents(database)
        let error = expectError(code, { try database.sync(models) }, location: location)
        #expect(try Contents(database) == before, sourceLocation: location)
        return error
    }

    @Test func aChainOfRenamesIsFollowed() throws {
        let database = try formerDatabase()
        let columns = [ColumnDescriptor("title", String.self)]
        try database.executeScript(
            "CREATE TABLE b (id INTEGER PRIMARY KEY, title TEXT NOT NULL); INSERT INTO b VALUES (9, 'b')")
        let models = [
            model("B", [ColumnDescriptor("name", String.self)], table: "b", renamedFrom: "singer"),
            model("C", columns, table: "c", renamedFrom: "b"),
        ]
        try database.sync(models)
        #expect(try database.query("SELECT id, name FROM b").map(\.values) == [[7, "Nina"]])
        #expect(try database.query("SELECT id, title FROM c").map(\.values) == [[9, "b"]])
        #expect(try database.sync(models).isEmpty)
    }

    @Test func aRenameOntoANameThatIsThereIsRefused() throws {
        let error = try refused(.migration, [model("Album", renamedFrom: "singer")])
        #expect(error?.table == "album")
        let title = ColumnDescriptor("title", String.self, renamedFrom: "colour")
        #expect(try refused(.migration, [model("Album", [title])])?.columns == ["colour", "title"])
    }

    @Test func namesFullOfQuotesAreMigrated() throws {
        let database = try Database(path: ":memory:")
        let names = ["a\"b", "c'd", "[e]", "`f`", "g;--", "h\n\t/*", "ü 😀", "select"]
        let former = ModelDescriptor(
            name: "Present", table: "t \"1\" ['`;",
            columns: names.map { ColumnDescriptor($0, String?.self, column: $0, unique: true) })
        let present = ModelDescriptor(
            name: "Present", table: "u \"2\" ['`;--",
            columns: names.map { ColumnDescriptor($0, Int?.self, column: $0 + "\"", renamedFrom: $0) },
            migration: MigrationNotes(renamedFrom: former.table))
        try database.sync([former])
        let row = names.indices.map { "'\($0)'" }.joined(separator: ", ")
        try database.execute("INSERT INTO \"t \"\"1\"\" ['`;\" VALUES (1, \(row))")
        let plan = try database.sync([present])
        #expect(plan.problems == [])
        #expect(
            try database.query("SELECT * FROM \"u \"\"2\"\" ['`;--\"").map(\.values)
                == [[1] + names.indices.map { .integer(Int64($0)) }])
        #expect(try database.schema() == Schema(models: [present]))
        #expect(try database.sync([present]).isEmpty)
        #expect(try Schema(script: database.schema().sql) == database.schema())
    }

    @Test func aModelNarrowerThanTheDataIsRefused() throws {
        let columns: [(ColumnDescriptor, String)] = [
            (ColumnDescriptor("title", Int.self), "2 values"),
            (ColumnDescriptor("title", String.self, length: 5), "1 row"),
            (ColumnDescriptor("title", String.self, checkSQL: "title < 'I'"), "1 row"),
        ]
        for (column, count) in columns {
            let rest = [ColumnDescriptor("year", String?.self), ColumnDescriptor("colour", String?.self)]
            let error = try refused(.migration, [model("Album", [column] + rest)])
            #expect(error?.message.contains(count) ?? false, "\(error?.message ?? "")")
        }
    }

    @Test func aVirtualTableWithoutItsModuleIsNotInTheWay() throws {
        let database = try formerDatabase()
        try database.executeScript(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING missing (a, b)');
            PRAGMA writable_schema = RESET;
            """)
        try database.sync(Present.Album.self, Present.Artist.self)
        #expect(try database.schema().sql.contains("CREATE VIRTUAL TABLE v USING missing (a, b);"))
        #expect(try database.sync(Present.Album.self, Present.Artist.self).isEmpty)
    }

    /// Every page but the first, which tells SQLite what file it is.
    @Test func aDamagedFileIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("albums.db")
        try formerDatabase(path: path).close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let database = try openDatabase(path: path)
        let error = #expect(throws: CormorantError.self) { try database.sync(Present.Album.self, Present.Artist.self) }
        // An encrypted page is found before SQLite looks at it.
        #expect(error?.code == (testKey == nil ? .corrupt : .altered))
        try database.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("text.db")
        try String(repeating: "no database\n", count: 1000).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: CormorantError.self) { try openDatabase(path: path).sync(Former.Album.self) }
        let database = try formerDatabase(path: folder.file("albums.db"))
        let before = try Contents(database)
        expectError(testKey == nil ? .notADatabase : .wrongKey) { try database.restore(path) }
        expectError(.cannotOpen) { try database.restore(folder.file("missing.db")) }
        #expect(try Contents(database) == before)
        try database.close()
    }
}
