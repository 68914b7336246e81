import CormorantBase
import CormorantORM
import CormorantSQLite

extension KeyValueStore {
    /// Copies the entries of a table that YTKKeyValueStore made, whose columns are `id`, `json` and `createdTime`. The table
    /// stays as it is, and so do entries that the store has already: a second call copies what is new.
    /// - Returns: how many entries were copied.
    @available(*, noasync)
    @discardableResult
    public func adopt(table: String) throws -> Int {
        try database.requireSQLite("tables of YTKKeyValueStore")
        let source = quoteIdentifier(table)
        // It writes a time as seconds, and SQLite stores them as text for the column's sake.
        let adoption = """
            INSERT INTO main.\(keyValueTable) (store, key, version, created, updated, expires, json, value)
            SELECT ?1, id, random() | 1, time, time, NULL, valid, json FROM (
              SELECT id, json, CASE WHEN CAST(createdTime AS REAL) > 0 THEN CAST(CAST(createdTime AS REAL) * 1000 AS INTEGER)
              ELSE ?2 END AS time, typeof(json) = 'text' AND json_valid(json) AS valid
              FROM main.\(source) WHERE typeof(id) = 'text')
            WHERE true ON CONFLICT (store, key) DO UPDATE SET version = excluded.version, created = excluded.created,
            updated = excluded.updated, expires = NULL, json = excluded.json, value = excluded.value WHERE expires <= ?2
            """
        return try database.inTransaction {
            try checkSource(table, source)
            var copied = 0
            try perform(.probe, creates: true) { connection, _ in
                let statement = try Statement(connection, adoption)
                try statement.bind(.text(name), 1)
                statement.bind(now(), 2)
                _ = try statement.step()
                copied = Int(connection.changes)
            }
            return copied
        }
    }

    private func checkSource(_ table: String, _ source: String) throws {
        try database.withConnection { connection in
            guard !table.utf8.contains(0) else { throw nulInName() }
            let statement = try Statement(connection, "PRAGMA main.table_xinfo(\(source))")
            var names = Set<String>()
            while try statement.step() { names.insert(foldIdentifier(Row(statement).cell(1).string ?? "")) }
            guard names.isSuperset(of: ["id", "json", "createdtime"]) else {
                throw CormorantError(
                    .schema,
                    names.isEmpty
                        ? "there is no table \"\(table)\""
                        : "the table \"\(table)\" has no columns id, json, createdTime",
                    hint: "name a table that YTKKeyValueStore made", table: table)
            }
            // A key that is no text would be left behind.
            let others = try Statement(connection, "SELECT 1 FROM main.\(source) WHERE typeof(id) <> 'text' LIMIT 1")
            guard try !others.step() else {
                throw CormorantError(
                    .type, "the table \"\(table)\" has an id that is no text", hint: "mend or delete that row",
                    table: table, columns: ["id"])
            }
        }
    }

    private func nulInName() -> CormorantError {
        CormorantError(.encoding, "the table's name holds a NUL character", hint: "give another name")
    }
}
