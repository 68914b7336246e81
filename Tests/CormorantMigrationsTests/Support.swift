import Cormorant
import Testing

/// A database in memory that a script has filled.
func database(_ script: String) throws -> Database {
    let database = try Database(path: ":memory:")
    try database.executeScript(script)
    return database
}

/// A file's schema, and the one that it is to have.
struct Change: CustomTestStringConvertible, Sendable {
    let name: String
    let before: String
    let after: String
    var testDescription: String { name }

    init(_ name: String, from before: String, to after: String) {
        self.name = name
        self.before = before
        self.after = after
    }

    /// Between two tables `t` with these definitions.
    init(_ name: String, table before: String, to after: String) {
        self.init(name, from: "CREATE TABLE t (\(before))", to: "CREATE TABLE t (\(after))")
    }

    var schemas: (before: Schema, after: Schema) {
        get throws { (try Schema(script: before), try Schema(script: after)) }
    }

    func plan(allowDrop: [String] = [], of database: Database? = nil) throws -> MigrationPlan {
        let (before, after) = try schemas
        return try MigrationPlan(
            from: before, to: after, of: database, options: MigrationOptions(allowDrop: allowDrop))
    }
}

extension MigrationPlan.Step {
    /// What is done in two words: "ADD COLUMN", "CREATE INDEX", or "rebuild" for the four statements and more of one.
    var way: String {
        if sql.contains(where: { $0.hasPrefix("ALTER TABLE \"corm_new_") }) { return "rebuild" }
        let words = (sql.first ?? "").split(separator: " ").map(String.init)
        return (words.starts(with: ["ALTER", "TABLE"]) ? words[3...4] : words[0...1]).joined(separator: " ")
    }
}
