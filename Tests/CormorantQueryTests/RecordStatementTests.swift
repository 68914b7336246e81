import CormorantQuery
import Testing

struct RecordStatementTests {
    private let compiler = SQLCompiler()
    private let columns = [SQLCompiler.WrittenColumn("id"), SQLCompiler.WrittenColumn("na\"me", defaultSQL: "'x'")]

    @Test(
        arguments: [
            (ConflictPolicy.abort, ""), (.ignore, "OR IGNORE "), (.replace, "OR REPLACE "), (.fail, "OR FAIL "),
            (.rollback, "OR ROLLBACK "),
        ])
    func insertUnderEveryPolicy(_ policy: ConflictPolicy, _ keyword: String) {
        #expect(
            compiler.insert(into: "t", columns, conflict: policy)
                == "INSERT \(keyword)INTO \"t\" (\"id\", \"na\"\"me\") VALUES (?1, ifnull(?2, ('x')))")
    }

    @Test func insertOfNothingAndReturning() {
        #expect(
            compiler.insert(into: "t", [], conflict: .abort, returning: ["a", "b"])
                == #"INSERT INTO "t" DEFAULT VALUES RETURNING "a", "b""#)
    }

    @Test func saveUpdatesAllButTheKey() {
        #expect(
            compiler.save(into: "t", columns, key: ["id"], returning: ["id"])
                == #"INSERT INTO "t" ("id", "na""me") VALUES (?1, ifnull(?2, ('x'))) ON CONFLICT ("id") "#
                + #"DO UPDATE SET "na""me" = excluded."na""me" RETURNING "id""#
        )
        #expect(
            compiler.save(into: "t", [.init("a"), .init("b")], key: ["a", "b"])
                == #"INSERT INTO "t" ("a", "b") VALUES (?1, ?2) ON CONFLICT ("a", "b") "#
                + #"DO UPDATE SET "a" = excluded."a", "b" = excluded."b""#
        )
    }

    @Test func updateBindsTheKeyLast() {
        #expect(
            compiler.update("t", set: [.init("x"), .init("y")], key: ["a", "b"], returning: ["x"])
                == #"UPDATE "t" SET "x" = ?1, "y" = ?2 WHERE "a" = ?3 AND "b" = ?4 RETURNING "x""#)
        #expect(compiler.update("t", set: [], key: ["a"]) == #"UPDATE "t" SET "a" = "a" WHERE "a" = ?1"#)
    }

    @Test func byKey() {
        #expect(compiler.delete(from: "t", key: ["a", "b"]) == #"DELETE FROM "t" WHERE "a" = ?1 AND "b" = ?2"#)
        #expect(compiler.deleteAll(from: "t") == #"DELETE FROM "t""#)
        #expect(compiler.select(["x", "y"], from: "t", key: ["a"]) == #"SELECT "x", "y" FROM "t" WHERE "a" = ?1"#)
        #expect(compiler.exists(in: "t", key: ["a"]) == #"SELECT 1 FROM "t" WHERE "a" = ?1"#)
        #expect(compiler.greatest("a", in: "t") == #"SELECT max("a") FROM "t""#)
    }

    @Test func byAttributes() {
        #expect(
            compiler.select(
                ["x"], from: "t", attributes: [OrderedColumn("a"), OrderedColumn("b")],
                order: [OrderedColumn("x"), OrderedColumn("y", descending: true)], limited: true)
                == #"SELECT "x" FROM "t" WHERE "a" IS ?1 AND "b" IS ?2 ORDER BY "x", "y" DESC LIMIT ?3 OFFSET ?4"#)
        #expect(compiler.select(["x"], from: "t", attributes: [], order: [], limited: false) == #"SELECT "x" FROM "t""#)
        #expect(compiler.count("SELECT 1 -- one") == "SELECT count(*) FROM (SELECT 1 -- one\n)")
    }
}
