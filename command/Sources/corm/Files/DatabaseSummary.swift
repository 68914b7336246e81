import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What `inspect` knows of a file or of a server's database.
struct DatabaseSummary {
    /// What holds the tables.
    enum Place {
        case file(File)
        case server(Server)
    }

    struct Server {
        /// Such as `PostgreSQL 15.18`.
        var engine: String
        var database: String
        /// In which tables are found without their names, in that order.
        var schemas: [String]
        var size: Int64
    }

    struct File {
        var pages: Int64
        var pageSize: Int64
        var freePages: Int64
        var encoding: String
        var journalMode: String
        var autoVacuum: String
        var userVersion: Int64
        var applicationID: Int64
        var schemaVersion: Int64
        var sqliteVersion: String
        /// Such as `SQLCipher 4`; nil for a plain file.
        var encryption: String?
    }

    let place: Place
    let metadata: Metadata
    /// By the bytes of names: Swift takes an é for an e with an accent behind it.
    private var rows: [[UInt8]: Int64] = [:]
    private var sizes: [[UInt8]: Int64] = [:]
    private(set) var hasSizes = false
    /// What this user of a server may not read, indexes among it.
    private var unreadable: Set<[UInt8]> = []

    init(_ database: Database, encryption: String?, fast: Bool) throws {
        metadata = try database.metadata()
        place = try database.withConnection {
            try $0.dialect == .sqlite ? .file(File($0, encryption)) : .server(Server($0))
        }
        guard !fast else { return }
        let bar = ProgressBar()
        try database.withConnection { connection in
            bar.show("measuring", 0, of: 0, "")
            try measure(connection)
            for (place, table) in metadata.tables.enumerated() where table.kind != .view {
                bar.show("counting \(table.name)", Int64(place), of: Int64(metadata.tables.count), "tables")
                rows[Array(table.name.utf8)] = try count(table.name, connection)
            }
        }
    }

    var isServer: Bool { if case .server = place { true } else { false } }

    /// nil where it cannot be counted, such as in a virtual table whose module is not here, or a table that others may read.
    private func count(_ table: String, _ connection: Connection) throws -> Int64? {
        if unreadable.contains(Array(table.utf8)) { return nil }
        do {
            let schema = isServer ? "" : "main."
            let statement = try Statement(connection, "SELECT count(*) FROM \(schema)\(quoteIdentifier(table))")
            return try statement.step() ? Row(statement).cell(0).int64 : nil
        } catch let error as CormorantError where !isServer && [.sql, .sqlite].contains(error.code) {
            return nil
        }
    }

    /// https://www.sqlite.org/dbstat.html; of a server with what lies beside a table's own pages, and its partitions.
    private mutating func measure(_ connection: Connection) throws {
        let statement: Statement
        do {
            statement = try Statement(
                connection, isServer ? sizesOnServer : "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")
        } catch let error as CormorantError where error.code == .sql {
            return
        }
        hasSizes = true
        while try statement.step() {
            let row = Row(statement)
            let name = Array(row.cell(0).text)
            sizes[name] = row.cell(1).int64
            if isServer, row.cell(2).int64 == 0 { unreadable.insert(name) }
        }
    }

    /// nil where they were not or could not be counted.
    func rows(of table: TableMetadata) -> Int64? { rows[Array(table.name.utf8)] }

    /// Bytes of an index that has a name; SQLite's own are not told.
    func size(of index: IndexMetadata) -> Int64? { index.name.flatMap { sizes[Array($0.utf8)] } }

    /// The table's own pages, in bytes; of a virtual table those of the tables behind it.
    func size(of table: TableMetadata) -> Int64? {
        guard hasSizes, table.kind != .view else { return nil }
        guard table.kind == .virtual else { return sizes[Array(table.name.utf8)] }
        let named = Set(metadata.tables.map { Array($0.name.utf8) })
        let behind = sizes.filter { $0.key.starts(with: (table.name + "_").utf8) && !named.contains($0.key) }
        return behind.isEmpty ? nil : behind.values.reduce(0, +)
    }

    func table(_ name: String) throws -> TableMetadata {
        guard let table = metadata.tables.first(where: { sameIdentifier($0.name, name) }) else {
            throw CormorantError(
                .schema, "there is no table \"\(visible(name))\"",
                hint: nearestNames(to: name, metadata.tables.map(\.name)))
        }
        return table
    }

    /// `table (columns)` of each foreign key that leads here.
    func referring(to table: TableMetadata) -> [String] {
        metadata.tables.flatMap { other in
            other.foreignKeys.filter { sameIdentifier($0.table, table.name) }.map {
                "\(other.name) (\($0.columns.joined(separator: ", ")))"
            }
        }
    }

    func json(_ path: String) -> String {
        var out = JSONDocument()
        out.object {
            $0.member("path", path)
            switch place {
            case .file(let file): $0.object("file", file.write)
            case .server(let server): $0.object("server", server.write)
            }
            $0.array("sizes", metadata.tables) { out, table in
                out.object {
                    $0.member("table", table.name)
                    $0.member("rows", rows(of: table))
                    $0.member("bytes", size(of: table))
                    $0.array("indexes", table.indexes.filter { $0.name != nil }) { out, index in
                        out.object {
                            $0.member("name", index.name)
                            $0.member("bytes", size(of: index))
                        }
                    }
                }
            }
            $0.member("metadata", json: metadata.json)
        }
        return out.text
    }
}

private let sizesOnServer = """
    SELECT CAST(c.relname AS text), CAST(CASE c.relkind
        WHEN 'p' THEN (SELECT sum(pg_catalog.pg_table_size(t.relid)) FROM pg_catalog.pg_partition_tree(c.oid) t)
        WHEN 'I' THEN (SELECT sum(pg_catalog.pg_relation_size(t.relid)) FROM pg_catalog.pg_partition_tree(c.oid) t)
        WHEN 'i' THEN pg_catalog.pg_relation_size(c.oid)
        ELSE pg_catalog.pg_table_size(c.oid) END AS bigint), pg_catalog.has_table_privilege(c.oid, 'SELECT')
    FROM pg_catalog.pg_class c
    WHERE c.relkind IN ('r', 'p', 'i', 'I') AND c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace
        WHERE nspname = ANY (pg_catalog.current_schemas(false))) AND pg_catalog.pg_table_is_visible(c.oid)
    """

extension DatabaseSummary.Place: CustomStringConvertible {
    var description: String {
        switch self {
        case .file(let file): file.description
        case .server(let server): server.description
        }
    }
}

extension DatabaseSummary.Server: CustomStringConvertible {
    fileprivate init(_ connection: Connection) throws {
        let statement = try Statement(
            connection,
            """
            SELECT CAST(pg_catalog.current_database() AS text),
                pg_catalog.array_to_string(pg_catalog.current_schemas(false), E'\\x01'),
                CASE WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CONNECT')
                    THEN pg_catalog.pg_database_size(pg_catalog.current_database()) END
            """)
        defer { statement.finalize() }
        guard try statement.step() else { throw CormorantError(.internal, "a SELECT without a table gave no row") }
        let row = Row(statement)
        self.init(
            engine: connection.engineName, database: row.cell(0).string ?? "",
            schemas: (row.cell(1).string ?? "").split(separator: "\u{1}").map(String.init), size: row.cell(2).int64)
    }

    var description: String {
        let names = schemas.isEmpty ? "no schema" : "schema \(schemas.joined(separator: ", "))"
        return "\(byteCount(size)) in the database \(database); \(names); \(engine)"
    }

    fileprivate func write(_ out: inout JSONDocument) {
        out.member("engine", engine)
        out.member("database", database)
        out.array("schemas", schemas) { $0.value($1) }
        out.member("bytes", size)
    }
}

extension DatabaseSummary.File: CustomStringConvertible {
    var description: String {
        let free = freePages > 0 ? ", \(freePages) free" : ""
        return "\(byteCount(pages * pageSize)) in \(pages) pages of \(pageSize) bytes\(free); "
            + "\(encoding), journal \(journalMode), user_version \(userVersion), "
            + "application_id \(applicationID), auto_vacuum \(autoVacuum), SQLite \(sqliteVersion)"
            + (encryption.map { ", encrypted as \($0)" } ?? ", not encrypted")
    }

    fileprivate init(_ connection: Connection, _ encryption: String?) throws {
        func text(_ pragma: String) throws -> String {
            try Statement(connection, "PRAGMA \(pragma)").firstText() ?? ""
        }
        self.init(
            pages: try connection.pragma("page_count"), pageSize: try connection.pragma("page_size"),
            freePages: try connection.pragma("freelist_count"), encoding: try text("encoding"),
            journalMode: try text("journal_mode"),
            autoVacuum: ["none", "full", "incremental"][Int(clamping: try connection.pragma("auto_vacuum")) % 3],
            userVersion: try connection.pragma("user_version"),
            applicationID: try connection.pragma("application_id"),
            schemaVersion: try connection.pragma("schema_version"),
            sqliteVersion: CormorantSQLite.sqliteVersion().map { String(cString: $0) } ?? "", encryption: encryption)
    }

    fileprivate func write(_ out: inout JSONDocument) {
        out.member("page_count", pages)
        out.member("page_size", pageSize)
        out.member("free_pages", freePages)
        out.member("encoding", encoding)
        out.member("journal_mode", journalMode)
        out.member("auto_vacuum", autoVacuum)
        out.member("user_version", userVersion)
        out.member("application_id", applicationID)
        out.member("schema_version", schemaVersion)
        out.member("sqlite_version", sqliteVersion)
        out.member("encryption", encryption)
    }
}
