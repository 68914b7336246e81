import CSQLite
import CormorantBase
import CormorantEngine

/// A table that a statement reads, and which of its columns.
package struct TableRead: Sendable {
    package let schema: String
    package let name: String
    package var columns: Set<ExactText>

    package init(schema: String = "main", name: String, columns: Set<ExactText> = []) {
        self.schema = schema
        self.name = name
        self.columns = columns
    }

    /// The same for reads of one table.
    package var table: ExactText { tableKey(schema, name) }
}

/// One table of a connection. Its names may hold any character but the one between them.
func tableKey(_ schema: String, _ name: String) -> ExactText { nameKey(schema + "\0" + name) }

extension Connection {
    /// Begins to log what changes in a table.
    /// - Parameter listener: is told at once of the key of each row that is about to change, or of none for all rows;
    ///   nothing is logged for it.
    package func track(
        _ schema: String, _ name: String, values: Bool = false,
        listener: (id: ObjectIdentifier, call: (RowKey) -> Void)? = nil
    ) throws -> TrackedTable {
        try requireSQLite("notes of changed rows")
        if let changeLog { return try changeLog.track(schema, name, values: values, listener: listener) }
        let log = try ChangeLog(self)
        let table = try log.track(schema, name, values: values, listener: listener)
        changeLog = log
        log.install()
        return table
    }

    package func untrack(_ table: TrackedTable, values: Bool = false, listener: ObjectIdentifier? = nil) {
        guard let log = changeLog else { return }
        log.untrack(table, values: values, listener: listener)
        if log.isEmpty, isOpen {
            // SQLite's hooks are given up before the log is.
            changeLog = nil
            log.uninstall()
        }
    }

    /// A number that is another one after another connection has committed. Throws `busy` where one is doing so.
    package func dataVersion() throws -> Int64 {
        try requireSQLite("a number of its file's version")
        let statement = try versionStatement ?? Statement(self, "PRAGMA main.data_version")
        versionStatement = statement
        defer { statement.reset() }
        let version = try statement.step() ? Row(statement).cell(0).int64 : 0
        guard hasEncryptedFile, let file = VFS.database(handle, "main") else { return version }
        return version &- file.index.mistaken
    }

    /// The same; nil while a commit to an encrypted file is between its two steps (`LogIndex`), which would count twice.
    package func settledDataVersion() throws -> Int64? {
        guard hasEncryptedFile, let index = VFS.database(handle, "main")?.index else { return try dataVersion() }
        guard let before = index.settledHeader() else { return nil }
        let version = try dataVersion()
        return index.settledHeader() == before ? version : nil
    }

    /// Runs `body` without waiting for other connections' locks.
    package func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        if handle == nil { return try body() }
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, busyTimeout) }
        return try body()
    }

    /// Whether it reads at a snapshot that others' commits do not reach.
    package var isReading: Bool { handle == nil ? isOpenOnServer : sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE }

    /// The tables that a SELECT reads, those behind views, triggers and the like among them.
    package func tablesRead(by sql: String) throws -> [TableRead] {
        try requireSQLite("a list of the tables that a statement reads")
        let reads = Reads()
        // Freed with the statement, not cached: a cached one would be prepared without the authorizer.
        try withExtendedLifetime(reads) {
            sqlite3_set_authorizer(
                handle, note, Unmanaged.passUnretained(reads).toOpaque())
            defer { restoreAuthorizer() }
            let statement = try Statement(self, sql)
            guard statement.isReadOnly, statement.columnCount > 0 else {
                throw CormorantError(
                    .misuse, "only a query can be watched", hint: "give a SELECT", sql: sql)
            }
        }
        return Array(reads.tables.values)
    }

    /// Fills in what SQLite knows of a table.
    package func describe(_ table: TrackedTable) throws {
        try requireSQLite("notes of changed rows")
        let schema = quoteIdentifier(table.schema)
        let catalog = sameIdentifier(table.schema, "temp") ? "sqlite_temp_schema" : "\(schema).sqlite_schema"
        let kind = try Statement(
            self, "SELECT type, sql, rootpage FROM \(catalog) WHERE type <> 'trigger' AND name = ?1 COLLATE NOCASE")
        try kind.bind(.text(table.name), 1)
        guard try kind.step(), Row(kind).cell(0).string == "table" else {
            throw CormorantError(
                .schema, "there is no table \"\(table.name)\"", hint: "create the table first", table: table.name)
        }
        let sql = Row(kind).cell(1).string ?? ""
        let signature = "\(Row(kind).cell(2).int64) \(sql)"
        guard signature != table.signature else { return }
        table.isAltered = true
        table.isVirtual = foldIdentifier(sql).hasPrefix("create virtual")
        kind.reset()
        let columns = try columns(of: table)
        let key = columns.indices.filter { columns[$0].keyPosition > 0 }
            .sorted { columns[$0].keyPosition < columns[$1].keyPosition }
        let indexes = try Statement(self, "PRAGMA \(schema).index_list(\(quoteIdentifier(table.name)))")
        var hasKeyIndex = false
        while try indexes.step() { hasKeyIndex = hasKeyIndex || Row(indexes).cell(3).string == "pk" }
        table.hasRowID =
            !hasKeyIndex
            || (try? Statement(self, "SELECT rowid FROM \(schema).\(quoteIdentifier(table.name)) LIMIT 0")) != nil
        // Without an index of its own the key is the rowid.
        let places = ColumnPlace.places(
            columns, key: key, keyIsRowID: !hasKeyIndex && !key.isEmpty, hasRowID: table.hasRowID)
        let isWhole = !places.contains { $0.isVirtual || $0.hasDefault }
        table.columns = TrackedColumns(
            columns.map(\.name), keyNames: key.map { columns[$0].name }, key: hasKeyIndex ? key : [], places: places,
            computed: isWhole ? nil : ComputedColumns(sql, table.name, columns, untrusted: isDistrustful))
        let collations = table.columns.key.map { index in
            collation(of: columns[index].name, in: table.name, of: table.schema).flatMap { $0 == "binary" ? nil : $0 }
        }
        table.keyCollations = collations.allSatisfy { $0 == nil } ? [] : collations
        // At the end: one that could not be described is so again.
        table.signature = signature
    }

    private func columns(of table: TrackedTable) throws -> [ColumnInfo] {
        let sql = "PRAGMA \(quoteIdentifier(table.schema)).table_xinfo(\(quoteIdentifier(table.name)))"
        let statement = try Statement(self, sql)
        var columns: [ColumnInfo] = []
        while try statement.step() {
            let row = Row(statement)
            columns.append(
                ColumnInfo(
                    name: row.cell(1).string ?? "", type: row.cell(2).string ?? "", defaultSQL: row.cell(4).string,
                    keyPosition: row.cell(5).int64, isVirtual: row.cell(6).int64 == 2,
                    isGenerated: row.cell(6).int64 == 3))
        }
        return columns
    }

    /// By which texts of a column are compared, in lower case; nil where there is no such column, or it is a view's.
    /// - Parameter schema: nil: the first that has such a table.
    package func collation(of column: String, in table: String, of schema: String?) -> String? {
        var name: UnsafePointer<CChar>?
        let status = sqlite3_table_column_metadata(handle, schema, table, column, nil, &name, nil, nil, nil)
        return status == SQLITE_OK ? name.map { foldIdentifier(String(cString: $0)) } : nil
    }

    /// The tables in which a virtual table keeps its rows, by their names; those of a module that is not known are all whose names
    /// begin with its own. To ask `PRAGMA table_list` would take the time of working out every view.
    func shadowTables(of table: TrackedTable) throws -> [String] {
        let catalog = "\(quoteIdentifier(table.schema)).sqlite_schema"
        let statement = try Statement(
            self,
            """
            SELECT substr(name, length(?1) + 2), name, (
                SELECT sql FROM \(catalog) WHERE type = 'table' AND name = ?1 COLLATE NOCASE)
            FROM \(catalog) WHERE type = 'table' AND substr(name, 1, length(?1) + 1) = ?1 || '_' COLLATE NOCASE
            """)
        try statement.bind(.text(table.name), 1)
        var names: [String] = []
        while try statement.step() {
            let row = Row(statement)
            guard let part = row.cell(0).string, let name = row.cell(1).string else { continue }
            let parts = row.cell(2).string.flatMap(module).flatMap(shadowParts)
            if parts?.contains(foldIdentifier(part)) ?? true { names.append(name) }
        }
        return names
    }
}

/// As SQLite keeps it: CREATE VIRTUAL TABLE name USING module.
private func module(_ sql: String) -> String? {
    sql.withCString { sql in
        var lexer = SQLLexer(sql)
        for _ in 0..<5 { _ = lexer.next() }
        return lexer.next().map { lexer.unquoted($0) }
    }
}

private final class Reads {
    var tables: [ExactText: TableRead] = [:]
}

private func note(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ table: UnsafePointer<CChar>?,
    _ column: UnsafePointer<CChar>?, _ schema: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    guard action == SQLITE_READ, let context, let table else { return SQLITE_OK }
    let reads = Unmanaged<Reads>.fromOpaque(context).takeUnretainedValue()
    let name = String(cString: table)
    let schema = schema.map { String(cString: $0) } ?? "main"
    let column = column.map { String(cString: $0) } ?? ""
    reads.tables[tableKey(schema, name), default: TableRead(schema: schema, name: name)]
        .columns.insert(ExactText(column))
    return SQLITE_OK
}
