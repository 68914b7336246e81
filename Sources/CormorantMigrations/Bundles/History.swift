import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The table `corm_migrations` of a file: which steps it has.
struct History {
    static let table = "corm_migrations"

    enum State: String {
        case applied
        /// Begun outside a transaction and not finished.
        case running
    }

    struct Row {
        var id: String
        var sha256: String
        var schemaBefore: String
        var schemaAfter: String
        var started: String
        var finished: String?
        var state: State
        /// How many statements of one that is under way are done, on a server, where it goes on.
        var done: Int64 = 0
        /// The schema that it left, in parts, of a server: no statement says what tables are there.
        var parts = ""
    }

    let connection: Connection
    private var isOnServer: Bool { connection.dialect == .postgres }

    /// In the order of their ids; empty where the table is not there.
    func rows() throws -> [Row] {
        if connection.dialect == .postgres, try !connection.hasTable(Self.table) { return [] }
        let statement: Statement
        do {
            statement = try Statement(
                connection,
                "SELECT id, sha256, schema_before, schema_after, started, finished, state\(isOnServer ? ", done, parts" : "") FROM \(Self.table)"
            )
        } catch let error as CormorantError where contains(error.plainMessage, "no such table") {
            return []
        } catch let error as CormorantError where error.code == .sql {
            throw CormorantError(
                .migration, "the table \(Self.table) of the file is another program's: \(error.plainMessage)",
                hint: "rename it", table: Self.table)
        }
        var rows: [Row] = []
        while try statement.step() {
            let row = CormorantSQLite.Row(statement)
            rows.append(
                Row(
                    id: row.cell(0).string ?? "", sha256: row.cell(1).string ?? "",
                    schemaBefore: row.cell(2).string ?? "", schemaAfter: row.cell(3).string ?? "",
                    started: row.cell(4).string ?? "", finished: try row.value(5) == .null ? nil : row.cell(5).string,
                    state: row.cell(6).string.flatMap(State.init) ?? .running,
                    done: isOnServer ? row.cell(7).int64 : 0, parts: isOnServer ? row.cell(8).string ?? "" : ""))
        }
        return rows.sorted { precedes($0.id, $1.id) }
    }

    func create() throws {
        if isOnServer {
            // To find out first keeps the notice of one that is there from the log.
            guard try !connection.hasTable(Self.table) else { return }
            try connection.script(
                """
                CREATE TABLE \(Self.table) (
                  id text COLLATE "C" PRIMARY KEY, sha256 text NOT NULL, schema_before text NOT NULL,
                  schema_after text NOT NULL, started text NOT NULL, finished text,
                  state text NOT NULL CHECK (state IN ('applied', 'running')), done bigint NOT NULL DEFAULT 0,
                  parts text NOT NULL DEFAULT ''
                )
                """)
            return
        }
        try connection.script(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
              id TEXT PRIMARY KEY NOT NULL,
              sha256 TEXT NOT NULL,
              schema_before TEXT NOT NULL,
              schema_after TEXT NOT NULL,
              started TEXT NOT NULL,
              finished TEXT,
              state TEXT NOT NULL CHECK (state IN ('applied', 'running'))
            ) WITHOUT ROWID
            """)
    }

    func insert(_ step: MigrationStep, schemaBefore: String, schemaAfter: String, started: String, _ state: State)
        throws
    {
        let statement = try Statement(
            connection,
            """
            INSERT\(isOnServer ? "" : " OR REPLACE") INTO \(Self.table)
            (id, sha256, schema_before, schema_after, started, finished, state)
            VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN \(state == .applied) THEN \(now) END, ?6)
            """
                + (isOnServer
                    ? """
                     ON CONFLICT (id) DO UPDATE SET sha256 = excluded.sha256, schema_before = excluded.schema_before,
                    schema_after = excluded.schema_after, started = excluded.started, finished = excluded.finished,
                    state = excluded.state, done = 0
                    """ : ""))
        for (index, text) in [step.id, step.sha256, schemaBefore, schemaAfter, started, state.rawValue].enumerated() {
            try statement.bind(.text(text), Int32(index + 1))
        }
        _ = try statement.step()
    }

    /// Refuses that a step has changed the history itself.
    func check(_ past: [Row], _ id: String) throws {
        func identity(_ row: Row) -> [String] {
            [row.id, row.sha256, row.schemaBefore, row.schemaAfter, row.state.rawValue]
        }
        guard try rows().map(identity) == past.map(identity) else {
            throw CormorantError(
                .migration, "step \(id) changes the table \(Self.table), which keeps the history",
                hint: "leave it alone; squash, adopt and resolve change the history", table: Self.table)
        }
    }

    func delete(_ id: String) throws {
        let statement = try Statement(connection, "DELETE FROM \(Self.table) WHERE id = ?1")
        try statement.bind(.text(id), 1)
        _ = try statement.step()
    }

    /// The time as the table holds it, in UTC.
    func time() throws -> String {
        let statement = try Statement(connection, "SELECT \(now)")
        return try statement.step() ? CormorantSQLite.Row(statement).cell(0).string ?? "" : ""
    }

    private var now: String {
        isOnServer
            ? "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')"
            : "strftime('%Y-%m-%d %H:%M:%f', 'now')"
    }

    /// Keeps what a step has left, so that drift can be told.
    func note(_ id: String, left schema: Schema) throws {
        guard isOnServer else { return }
        let statement = try Statement(connection, "UPDATE \(Self.table) SET parts = ?2 WHERE id = ?1")
        try statement.bind(.text(id), 1)
        try statement.bind(.text(SchemaParts(schema).text), 2)
        _ = try statement.step()
    }

    /// How many statements of a step are done; nil: it is not under way.
    func done(_ id: String) throws -> Int? {
        try number("SELECT done FROM \(Self.table) WHERE id = \(textLiteral(id)) AND state = 'running'", connection)
            .map { Int(clamping: $0) }
    }

    /// Notes that so many statements of a step under way are done.
    func note(_ id: String, done: Int) throws {
        let statement = try Statement(connection, "UPDATE \(Self.table) SET done = ?2 WHERE id = ?1")
        try statement.bind(.text(id), 1)
        statement.bind(Int64(done), 2)
        _ = try statement.step()
    }
}

extension Schema {
    /// Without the tables that the library keeps for itself.
    package var withoutOwnTables: Schema {
        var schema = self
        schema.removeTable(History.table)
        schema.removeTable(ModelRegistry.table)
        schema.removeTable(keyValueTable)
        return schema
    }
}
