import Cormorant
import CormorantQuery
import Foundation
import Testing

/// What `Database.schema()` reads from a file.
struct SchemaReadingTests {
    private func schema(_ script: String) throws -> Schema {
        let database = try Database(path: ":memory:")
        try database.executeScript(script)
        return try database.schema()
    }

    @Test func everyKindOfObject() throws {
        let script = """
            CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE, c AS (a + 1));
            CREATE VIEW v AS SELECT a FROM t;
            CREATE INDEX i ON t(b DESC) WHERE c > 0;
            CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO t(b) VALUES (new.a); END;
            """
        let schema = try schema(script)
        #expect(schema.objects.map(\.name) == ["t", "i", "v", "r"])
        #expect(schema.objects.map(\.canonical) == (try Schema(script: script)).objects.map(\.canonical))
    }

    /// What ALTER TABLE and CREATE TABLE AS write into the file.
    @Test func whatSQLiteWrites() throws {
        let schema = try schema(
            """
            CREATE TABLE t(a, b /* gone */, c, CHECK (a > 0)); ALTER TABLE t ADD COLUMN d TEXT DEFAULT 'x' NOT NULL;
            ALTER TABLE t RENAME COLUMN a TO "new a"; ALTER TABLE t DROP COLUMN b; ALTER TABLE t RENAME TO [new "t"];
            CREATE TABLE copy AS SELECT "new a", CAST(c AS INT) AS "order", d, 1 AS one FROM [new "t"];
            """)
        #expect(
            schema.tables.map(\.canonical) == [
                "create table \"new \"\"t\"\"\" (\"new a\", c, d text not null default ('x'), check (\"new a\" > 0))",
                "create table copy (\"new a\", \"order\" int, d text, one)",
            ])
    }

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
            try database.execute(constraints == nil ? table.rendered() : table.sql)
            let keys = table.columns[0].constraints.compactMap(\.foreignKey)
            #expect(keys.allSatisfy(\.isDeferred) == (waits ?? false))
            try database.begin()
            let refused = (try? database.execute("INSERT INTO t VALUES (1)")) == nil
            #expect(refused == !(waits ?? false))
            try database.rollback()
        }
    }

    @Test func namesFullOfQuotes() throws {
        let name = "a \"b\" 'c' [d] `e` ; -- /*"
        let quoted = "\"a \"\"b\"\" 'c' [d] `e` ; -- /*\""
        let schema = try schema(
            "CREATE TABLE \(quoted)(\(quoted) INT UNIQUE REFERENCES \(quoted)(\(quoted))); CREATE INDEX i ON \(quoted)(\(quoted))"
        )
        #expect(schema.tables.map(\.name) == [name])
        #expect(schema.tables[0].columns.map(\.name) == [name])
        #expect(schema.tables[0].columns[0].constraints.compactMap(\.foreignKey).first?.tableColumns == [name])
        #expect(schema.indexes[0].terms.map(\.column) == [name])
    }

    /// The files in ../shared/data, where the checkout has them beside it.
    @Test func filesOfOthers() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
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
            try copy.executeScript(schema.sql)
            let same = try copy.schema()
            #expect(same.objects.map(\.canonical) == schema.objects.map(\.canonical), "\(name)")
            for table in schema.tables {
                let fresh = try Database(path: ":memory:")
                try fresh.execute(table.rendered())
                #expect(try fresh.schema().tables.map(\.canonical) == [table.canonical], "\(name)")
            }
            try database.close()
        }
    }
}
