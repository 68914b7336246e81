import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The table `corm_models` of a file that was synced: what each model declared then. It tells a default that was taken
/// out of a model from one that somebody else put into the file, and lets a file that is up to date open at once.
struct ModelRegistry {
    static let table = "corm_models"

    /// What the model of a table declared.
    struct Record: Equatable {
        var sql: String
        /// The folded name that the table had before; nil also in files of before that was kept.
        var renamedFrom: ExactText?
        /// The columns that take less than their SQL says, each as a comment before the SQL.
        var narrow: Set<String> = []
        /// What made it, on a server, as temporary tables.
        var made = ""

        init(kept text: String, renamedFrom: String?) {
            var sql = Substring(text)
            while sql.hasPrefix("-- "), let end = sql.firstIndex(of: "\n") {
                narrow.insert(String(sql[..<end]))
                sql = sql[sql.index(after: end)...]
            }
            self.sql = String(sql)
            self.renamedFrom = renamedFrom.map(nameKey)
        }

        init(_ model: ModelDescriptor) {
            sql = model.createSQL
            renamedFrom = model.migration.renamedFrom.map(nameKey)
            for column in model.columns where column.isNarrow {
                let note = column.narrowNote
                // A name that would end the comment.
                if !note.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { narrow.insert(note) }
            }
        }

        /// As the file keeps it.
        var text: String { narrow.sorted().map { $0 + "\n" }.joined() + sql }

        /// Whether the rows were looked at for all that the other declares. Programs whose types are wider, as those of
        /// another language, are no change.
        func covers(_ other: Record) -> Bool {
            isSame(sql, other.sql) && renamedFrom == other.renamedFrom && narrow.isSuperset(of: other.narrow)
        }
    }

    let connection: Connection

    /// Whether nothing has changed since the models were last synced: neither they nor, by SQLite's own count, the schema.
    func isCurrent(_ models: [ModelDescriptor]) throws -> Bool {
        if connection.dialect == .postgres, try !connection.hasTable(Self.table) { return models.isEmpty }
        let version = try connection.schemaVersion()
        let records = try records("WHERE schema_version = \(version)")
        return models.allSatisfy { records[nameKey($0.table)]?.covers(Record($0)) ?? false }
    }

    /// By folded table name; empty where the table is not there.
    func records(_ condition: String = "") throws -> [ExactText: Record] {
        if connection.dialect == .postgres {
            guard try connection.hasTable(Self.table) else { return [:] }
            return try read("SELECT name, sql, renamed_from, made FROM \(Self.table) \(condition)")
        }
        var isOld = false
        while true {
            let column = isOld ? "NULL" : "renamed_from"
            do {
                return try read("SELECT name, sql, \(column) FROM \(Self.table) \(condition)")
            } catch let error as CormorantError where contains(error.plainMessage, "no such table") {
                return [:]
            } catch let error as CormorantError
                where contains(error.plainMessage, "no such column: renamed_from") && !isOld
            {
                isOld = true
            } catch let error as CormorantError where error.code == .sql {
                throw CormorantError(
                    .migration, "the table \(Self.table) of the file is another program's: \(error.plainMessage)",
                    hint: "rename it", table: Self.table)
            }
        }
    }

    private func read(_ sql: String) throws -> [ExactText: Record] {
        let statement = try connection.statement(sql)
        defer { connection.recycle(statement) }
        var found: [ExactText: Record] = [:]
        while try statement.step() {
            let row = Row(statement)
            guard let name = row.cell(0).string, let sql = row.cell(1).string else { continue }
            found[ExactText(name)] = Record(
                kept: sql, renamedFrom: try row.value(2) == .null ? nil : row.cell(2).string)
            if connection.dialect == .postgres { found[ExactText(name)]?.made = row.cell(3).string ?? "" }
        }
        return found
    }

    /// Keeps what the models declare.
    /// - Parameter former: the schema's count before the sync, if that changed no other tables: models that were up to date
    ///   then still are.
    func store(_ models: [ModelDescriptor], former: Int64?) throws {
        if connection.dialect == .postgres { return try storeOnServer(models, former: former) }
        try makeTable()
        let version = try connection.pragma("schema_version")
        let statement = try Statement(
            connection,
            "INSERT OR REPLACE INTO \(Self.table) (name, sql, schema_version, renamed_from) VALUES (?1, ?2, ?3, ?4)")
        try store(models, by: statement, version, former: former)
        // A model whose table is gone has nothing to say any more.
        try connection.script(
            "DELETE FROM \(Self.table) WHERE name NOT IN (SELECT lower(name) FROM sqlite_schema WHERE type = 'table')")
    }

    /// A row for each model by an INSERT, which on a server also takes what makes the model's tables there.
    private func store(
        _ models: [ModelDescriptor], by statement: Statement, _ version: Int64, former: Int64?
    ) throws {
        for model in models {
            let record = Record(model)
            try statement.bind(.text(foldIdentifier(model.table)), 1)
            try statement.bind(.text(record.text), 2)
            statement.bind(version, 3)
            try statement.bind(record.renamedFrom.map { .text($0.text) } ?? .null, 4)
            if connection.dialect == .postgres { try statement.bind(.text(DeclaredTables.scratch(model)), 5) }
            _ = try statement.step()
            statement.reset()
        }
        guard let former else { return }
        try connection.script("UPDATE \(Self.table) SET schema_version = \(version) WHERE schema_version = \(former)")
    }

    private func storeOnServer(_ models: [ModelDescriptor], former: Int64?) throws {
        if try !connection.hasTable(Self.table) {
            try connection.script(
                """
                CREATE TABLE \(Self.table) (
                  name text COLLATE "C" PRIMARY KEY, sql text NOT NULL, schema_version bigint NOT NULL, renamed_from text,
                  made text NOT NULL
                )
                """)
        }
        let version = try connection.serverVersion()
        let statement = try Statement(
            connection,
            """
            INSERT INTO \(Self.table) AS t (name, sql, schema_version, renamed_from, made) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (name) DO UPDATE SET sql = excluded.sql, schema_version = excluded.schema_version,
            renamed_from = excluded.renamed_from, made = excluded.made
            """)
        defer { statement.finalize() }
        try store(models, by: statement, version, former: former)
        let names = try connection.catalog.names(in: nil).tables
        for name in try records().keys where !names.contains(name) {
            let gone = try Statement(connection, "DELETE FROM \(Self.table) WHERE name = ?1")
            try gone.bind(.text(name.text), 1)
            _ = try gone.step()
            gone.finalize()
        }
    }

    private func makeTable() throws {
        try connection.script(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
              name TEXT PRIMARY KEY NOT NULL, sql TEXT NOT NULL, schema_version INTEGER NOT NULL, renamed_from TEXT
            ) WITHOUT ROWID
            """)
        let columns = try Statement(
            connection, "SELECT 1 FROM pragma_table_info('\(Self.table)') WHERE name = 'renamed_from'")
        guard try !columns.step() else { return }
        columns.finalize()
        try connection.script("ALTER TABLE \(Self.table) ADD COLUMN renamed_from TEXT")
    }
}

extension Connection {
    /// What the synced model of a table says of its columns, each as in `-- age int32`; nil where there is none.
    package func modelNotes(of table: String) throws -> Set<String>? {
        let name = nameKey(table)
        do {
            return try ModelRegistry(connection: self).records()[name]?.narrow
        } catch let error as CormorantError where error.code == .migration {
            // Another program's table has this name.
            return nil
        }
    }
}
