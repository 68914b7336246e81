import Cormorant
import Foundation
import Testing

/// Functions and collations of the program's, which SQL calls.
@Suite struct FunctionTests {
    private func value(_ database: Database, _ sql: String) throws -> Value {
        try #require(try database.fetchValues(SQL(text: sql)).first)
    }

    @Test func valuesComeInTheirTypes() throws {
        let database = try Database(path: ":memory:")
        try database.registerFunction("named") { (name: String, age: Int?, time: Timestamp, id: UUIDBytes) in
            "\(name) \(age.map(String.init) ?? "-") \(time) \(id)"
        }
        let id = "00000000-0000-0000-0000-000000000007"
        #expect(
            try value(database, "SELECT named('Ada', NULL, '2024-01-02 03:04:05', '\(id)')")
                == .text("Ada - 2024-01-02 03:04:05 \(id)"))
        let error = #expect(throws: CormorantError.self) {
            try value(database, "SELECT named(NULL, 1, '2024-01-02 03:04:05', '\(id)')")
        }
        #expect(error?.message.contains("the function named: argument 1") == true)
        #expect(error?.code == .nullValue)
        try database.registerFunction("half") { (number: Double) in number / 2 }
        try database.registerFunction("absent") { () -> Int? in nil }
        #expect(try value(database, "SELECT half(3)") == .real(1.5))
        #expect(try value(database, "SELECT absent()") == .null)
    }

    @Test func anyNumberOfArguments() throws {
        let database = try Database(path: ":memory:")
        try database.registerFunction("counted", ofAny: { .integer(Int64($0.count)) })
        #expect(try value(database, "SELECT counted() * 10 + counted(1, 'a', x'00')") == .integer(3))
        try database.registerFunction("last", ofAny: { $0.last ?? .null })
        #expect(try value(database, "SELECT last(1, 'a long text that is kept')") == .text("a long text that is kept"))
        let error = #expect(throws: CormorantError.self) { try value(database, "SELECT last(1, CAST(x'ff' AS TEXT))") }
        #expect(error?.code == .encoding)
        #expect(error?.message == "argument 2 is text that is not UTF-8")
        try database.registerFunction("same") { (text: String) in text }
        #expect(throws: CormorantError.self) { try value(database, "SELECT same(CAST(x'ff' AS TEXT))") }
    }

    private struct Refused: Error, Equatable { let reason: String }

    @Test func whatItThrowsIsTheCause() throws {
        let database = try Database(path: ":memory:")
        try database.registerFunction("refuse") { (reason: String) throws -> Int in throw Refused(reason: reason) }
        let error = #expect(throws: CormorantError.self) { try value(database, "SELECT refuse('x')") }
        #expect(error?.cause as? Refused == Refused(reason: "x"))
        #expect(error?.code == .callback)
        #expect(error?.sql == "SELECT refuse('x')")
    }

    @Test func itMayNotUseItsDatabase() throws {
        let database = try Database(path: ":memory:")
        try database.registerFunction("inward") { [unowned database] () -> Int in
            try database.fetchCount("SELECT 1")
        }
        let error = #expect(throws: CormorantError.self) { try value(database, "SELECT inward()") }
        #expect(error?.code == .misuse)
        #expect(try value(database, "SELECT 1") == .integer(1))
    }

    @Test func aggregatesOverGroupsAndWindows() throws {
        let database = try Database(path: ":memory:")
        try database.registerAggregate(
            "product", initial: 1, step: { (product: inout Int, factor: Int) in product *= factor },
            inverse: { $0 /= $1 }, value: { $0 })
        try database.executeScript("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (2), (3), (4)")
        #expect(try value(database, "SELECT product(n) FROM t") == .integer(24))
        #expect(try value(database, "SELECT product(n) FROM t WHERE 0") == .integer(1))
        let window = "SELECT group_concat(p) FROM (SELECT product(n) OVER (ORDER BY n ROWS 1 PRECEDING) AS p FROM t)"
        #expect(try value(database, window) == .text("2,6,12"))
        try database.removeFunction("product", argumentCount: 1)
        #expect(throws: CormorantError.self) { try value(database, "SELECT product(n) FROM t") }
    }

    @Test func collations() throws {
        let database = try Database(path: ":memory:")
        try database.registerCollation("bySize") { $0.utf8.count < $1.utf8.count }
        let sql = """
            SELECT group_concat(v) FROM (SELECT value AS v FROM json_each('["ccc","a","bb"]') ORDER BY v COLLATE bySize)
            """
        #expect(try value(database, sql) == .text("a,bb,ccc"))
        try database.removeCollation("bySize")
        let error = #expect(throws: CormorantError.self) { try value(database, sql + " LIMIT 1") }
        #expect(error?.message.contains("bySize") == true)
        #expect(error?.hint != nil)
    }

    @Test func collationThatFailsInTheLastComparison() throws {
        struct NoOrder: Error {}
        let database = try Database(path: ":memory:")
        try database.registerCollation("bad") { _, _ in throw NoOrder() }
        try database.executeScript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'kept')")
        for sql in [
            "DELETE FROM t WHERE id = 1 AND name = 'other' COLLATE bad RETURNING id", "SELECT 'a' = 'b' COLLATE bad",
        ] {
            let error = #expect(throws: CormorantError.self) { try value(database, sql) }
            #expect(error?.code == .callback && error?.cause is NoOrder)
        }
        #expect(try value(database, "SELECT count(*) FROM t") == .integer(1))
    }
}
