import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Compares what the parser says of a CREATE statement with what SQLite says of it. The fuzz target in ../Fuzz uses it
/// as well.
final class SchemaAgreement {
    struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    enum Outcome {
        /// The parser refuses it.
        case unread
        /// SQLite refuses it.
        case refused
        case agreed
    }

    private let connection: Connection

    init() throws {
        // A table that refers to itself by a key that fits nothing could not be dropped.
        connection = try Connection(path: ":memory:", options: OpenOptions(foreignKeys: false))
        try connection.script(
            "CREATE TABLE t(a, b, c); CREATE TABLE u(x INTEGER PRIMARY KEY, y, z); CREATE VIEW v AS SELECT 1 AS a;")
    }

    /// The file has the tables t(a, b, c) and u(x, y, z) and the view v(a). It is as it was afterwards.
    func check(_ sql: String) throws -> Outcome {
        // A script's statements are what they are alone.
        if let statements = try? SQLScript.statements(sql), let first = statements.first, statements.count == 1 {
            let alone = try? SchemaParser.object(first.sql).canonical
            let there = try? SchemaParser.object(sql).canonical
            try expect(alone == there, "alone it is \(alone ?? "-"), in a script \(there ?? "-")")
        }
        guard let object = try? SchemaParser.object(sql) else { return .unread }
        try checkScript(of: object)
        // Modules do as they like.
        if case .virtualTable = object { return .agreed }
        return try inTransaction {
            let before = try names()
            guard run(sql) else { return .refused }
            guard let created = Set(try names()).subtracting(before).first else { return .agreed }
            try check(object, created: created)
            return .agreed
        }
    }

    private func checkScript(of object: SchemaObject) throws {
        // SQLite's own, which a script does not make and a schema leaves out.
        if foldIdentifier(object.name).hasPrefix("sqlite_") { return }
        let script: Schema
        do {
            script = try Schema(script: Schema(objects: [object, object]).sql)
        } catch {
            return try expect(error.message.hasPrefix("what is temporary"), "a script of it: \(error)")
        }
        try expect(script.objects.map(\.canonical) == [object.canonical, object.canonical], "a script of it differs")
    }

    /// Whether SQLite accepts it.
    func accepts(_ sql: String) throws -> Bool { try inTransaction { run(sql) } }

    private func check(_ object: SchemaObject, created: String) throws {
        try expect(sameIdentifier(created, object.name), "SQLite calls it \(created), the parser \(object.name)")
        let stored = try text("SELECT sql FROM (\(everything)) WHERE name = \(quoteText(created))")
        let again = try SchemaParser.object(stored)
        try expect(again.canonical == object.canonical, "stored as \(again.canonical), not \(object.canonical)")
        guard case .table(let table) = object else { return }
        try compare(table, created, "as written")
        // What is temporary may have the name of what is not, and rendered it is not.
        if try names().contains(where: { $0 != created && sameIdentifier($0, created) }) { return }
        try run("DROP TABLE \(quoteIdentifier(created))", "dropping it")
        let rendered = table.rendered()
        try expect(try SchemaParser.object(rendered).canonical == table.canonical, "rendered it differs: \(rendered)")
        try run(rendered, "rendered")
        try compare(table, created, "rendered")
        // A CHECK may name the table.
        let renamed = table.sql(named: "other \"name\"")
        if run(renamed) {
            guard case .table(var other) = try SchemaParser.object(renamed) else { return }
            other.name = table.name
            try expect(other.canonical == table.canonical, "renamed it differs: \(renamed)")
        }
    }

    private func compare(_ table: TableDefinition, _ created: String, _ what: String) throws {
        let said = facts(of: table)
        let found = try facts(ofTable: created, table, rows)
        try expect(said == found, "\(what) the parser says \(said), SQLite \(found)")
    }

    private func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.script("BEGIN")
        do {
            let result = try body()
            try connection.script("ROLLBACK")
            return result
        } catch {
            try connection.script("ROLLBACK")
            throw error
        }
    }

    private func run(_ sql: String) -> Bool {
        do {
            let statement = try Statement(connection, sql)
            while try statement.step() {}
            return true
        } catch {
            return false
        }
    }

    private func run(_ sql: String, _ what: String) throws {
        do {
            let statement = try Statement(connection, sql)
            while try statement.step() {}
        } catch {
            throw Disagreement(description: "\(what) SQLite refuses it: \(error)")
        }
    }

    private let everything =
        "SELECT name, sql FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema) WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"

    private func names() throws -> [String] {
        try rows(everything).map { $0[0] }
    }

    private func text(_ sql: String) throws -> String { try rows(sql).first?.first ?? "" }

    func rows(_ sql: String) throws -> [[String]] {
        let statement = try Statement(connection, sql)
        var rows: [[String]] = []
        while try statement.step() {
            let row = Row(statement)
            rows.append(
                (0..<row.count).map { column in
                    // Taking quotes off a type, SQLite can cut its last character in two.
                    switch try? row.value(Int32(column)) {
                    case .text(let text): text
                    case .integer(let number): String(number)
                    default: ""
                    }
                })
        }
        return rows
    }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw SchemaAgreement.Disagreement(description: message()) }
}
