import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The table `corm_models` of a file that was synced: what each model declared then. It tells a default that was taken
/// out of a model from one that somebody else put into the file, and lets a file that is up to date open at once.
struct ModelRegistry {
    static let table = "corm_models"

    let connection: Connection

    /// Whether nothing has changed since the models were last synced: neither they nor, by SQLite's own count, the schema.
    func isCurrent(_ models: [ModelDescriptor]) throws -> Bool {
        let version = try connection.pragma("schema_version")
        guard let rows = try rows("WHERE schema_version = \(version)") else { return false }
        return models.allSatisfy { rows[foldIdentifier($0.table)] == $0.createSQL }
    }

    /// What each model declared, by folded table name.
    func former() throws -> [String: Schema] {
        try (rows("") ?? [:]).mapValues { try Schema(script: $0) }
    }

    /// Keeps what the models declare.
    /// - Parameter former: the schema's count before the sync, if that changed no other tables: models that were up to date
    ///   then still are.
    func store(_ models: [ModelDescriptor], former: Int64?) throws {
        try connection.script(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
              name TEXT PRIMARY KEY NOT NULL, sql TEXT NOT NULL, schema_version INTEGER NOT NULL
            ) WITHOUT ROWID
            """)
        let version = try connection.pragma("schema_version")
        let statement = try Statement(
            connection, "INSERT OR REPLACE INTO \(Self.table) (name, sql, schema_version) VALUES (?1, ?2, ?3)")
        for model in models {
            try statement.bind(.text(foldIdentifier(model.table)), 1)
            try statement.bind(.text(model.createSQL), 2)
            statement.bind(version, 3)
            _ = try statement.step()
            statement.reset()
        }
        if let former {
            try connection.script(
                "UPDATE \(Self.table) SET schema_version = \(version) WHERE schema_version = \(former)")
        }
        // A model whose table is gone has nothing to say any more.
        try connection.script(
            "DELETE FROM \(Self.table) WHERE name NOT IN (SELECT lower(name) FROM sqlite_schema WHERE type = 'table')")
    }

    /// nil where the table is not there.
    private func rows(_ condition: String) throws -> [String: String]? {
        let statement: Statement
        do {
            statement = try connection.statement("SELECT name, sql FROM \(Self.table) \(condition)")
        } catch let error as CormorantError where contains(error.message, "no such table") {
            return nil
        } catch let error as CormorantError where error.code == .sql {
            throw CormorantError(
                .migration, "the table \(Self.table) of the file is another program's: \(error.message)",
                hint: "rename it", table: Self.table)
        }
        defer { connection.recycle(statement) }
        var found: [String: String] = [:]
        while try statement.step() {
            let row = Row(statement)
            if let name = row.cell(0).string, let sql = row.cell(1).string { found[name] = sql }
        }
        return found
    }
}
