import Cormorant
import CormorantQuery
import Foundation
import Testing

/// What `Database.schema()` reads from a file.
struct SchemaReadingTests {
    /// SQLite tells whether a foreign key waits for the commit only by waiting.
    @Test(arguments: [
        ("REFERENCES u DEFERRABLE INITIALLY DEFERRED", true), ("REFERENCES u DEFERRABLE", false),
        ("REFERENCES u", false),
        ("REFERENCES u NOT DEFERRABLE INITIALLY DEFERRED", false),
        ("REFERENCES u DEFERRABLE INITIALLY IMMEDIATE", false),
        ("REFERENCES u NOT NULL DEFERRABLE INITIALLY DEFERRED", true),
        ("REFERENCES u DEFERRABLE INITIALLY DEFERRED NOT DEFERRABLE", false),
        ("REFERENCES u REFERENCES u(x) DEFERRABLE INITIALLY DEFERRED", nil),
    ])
    func foreignKeysThatWait(_ sql: String, _ waits: Bool?) throws {
        for constraints in [sql, nil] {
            let database = try Database(path: ":memory:")
            try database.executeScript("CREATE TABLE u(x INTEGER PRIMARY KEY)")
            // As written, and of the parsed parts.
            let written = try SchemaParser.object("CREATE TABLE t(a \(sql))")
            guard case .table(let table) = written else { return }
            try database.execute(SQL(text: constraints == nil ? table.rendered() : table.sql))
            let keys = table.columns[0].constraints.compactMap(\.foreignKey)
            #expect(keys.allSatisfy(\.isDeferred) == (waits ?? false))
            try database.begin()
            let refused = (try? database.execute("INSERT INTO t VALUES (1)")) == nil
            #expect(refused == !(waits ?? false))
            try database.rollback()
        }
    }

    /// The files in ../shared/data, where the checkout has them beside it.
    @Test func filesOfOthers() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("../../../shared/data").standardized
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            $0.hasSuffix(".sqlite")
        }
        if names.isEmpty { print("skipped: there is no file in \(folder.path)") }
        for name in names {
            let file = folder.appendingPathComponent(name).path
            let database = try openDatabase(path: file, options: OpenOptions(mode: .readOnly))
            let schema = try database.schema()
            #expect(!schema.tables.isEmpty, "\(name)")
            let copy = try Database(path: ":memory:")
            try copy.executeScript(SQL(text: schema.sql))
            let same = try copy.schema()
            #expect(same.objects.map(\.canonical) == schema.objects.map(\.canonical), "\(name)")
            for table in schema.tables {
                let fresh = try Database(path: ":memory:")
                try fresh.execute(SQL(text: table.rendered()))
                #expect(try fresh.schema().tables.map(\.canonical) == [table.canonical], "\(name)")
            }
            try database.close()
        }
    }
}
