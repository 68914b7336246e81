import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What `inspect` knows of a file.
struct FileSummary {
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

    let file: File
    let metadata: Metadata
    /// By the bytes of names: Swift takes an é for an e with an accent behind it.
    private var rows: [[UInt8]: Int64] = [:]
    private var sizes: [[UInt8]: Int64] = [:]
    private(set) var hasSizes = false

    init(_ database: Database, encryption: String?, fast: Bool) throws {
        metadata = try database.metadata()
        file = try database.withConnection { try File($0, encryption) }
        guard !fast else { return }
        let bar = ProgressBar()
        try database.withConnection { connection in
            for (place, table) in metadata.tables.enumerated() where table.kind != .view {
                bar.show("counting \(table.name)", Int64(place), of: Int64(metadata.tables.count), "tables")
                rows[Array(table.name.utf8)] = try count(table.name, connection)
            }
            bar.show("measuring", 0, of: 0, "")
            try measure(connection)
        }
    }

    /// nil where it cannot be counted, such as in a virtual table whose module is not here.
    private func count(_ table: String, _ connection: Connection) throws -> Int64? {
        do {
            let statement = try Statement(connection, "SELECT count(*) FROM main.\(quoteIdentifier(table))")
            return try statement.step() ? Row(statement).cell(0).int64 : nil
        } catch let error as CormorantError where [.sql, .sqlite].contains(error.code) {
            return nil
        }
    }

    /// https://www.sqlite.org/dbstat.html
    private mutating func measure(_ connection: Connection) throws {
        let statement: Statement
        do {
            statement = try Statement(connection, "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")
        } catch let error as CormorantError where error.code == .sql {
            return
        }
        hasSizes = true
        while try statement.step() {
            let row = Row(statement)
            sizes[Array(row.cell(0).text)] = row.cell(1).int64
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
            $0.object("file", file.write)
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

extension FileSummary.File {
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
