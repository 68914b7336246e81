import CSQLite
import CormorantBase

extension Connection {
    /// The error of SQL that does not compile, with what the file and SQLite have instead, and where it stands.
    func compileError(_ status: Int32, sql: String, from start: Int = 0) -> CormorantError {
        let error = error(status, sql: sql, from: start)
        guard error.code == .sql, error.plainHint == nil else { return error }
        let isInTransaction = sqlite3_get_autocommit(handle) == 0
        let hint: String? = untraced { self.hint(for: error, sql) }
        // SQLite had no memory for what the hint is looked for with, and took the transaction back.
        if isInTransaction, sqlite3_get_autocommit(handle) != 0 {
            return sqliteError(SQLITE_NOMEM, "out of memory", sql: sql)
        }
        guard let hint else { return error }
        return CormorantError(
            error.code, error.plainMessage, hint: hint, sqliteCode: error.sqliteCode, sql: error.sql,
            offset: error.offset)
    }

    /// Texts of sqlite3LocateTable, lookupName and resolveExprStep in SQLite's build.c and resolve.c, and of parse.y.
    private func hint(for error: CormorantError, _ sql: String) -> String? {
        func name(after prefix: String) -> String? {
            error.plainMessage.hasPrefix(prefix) ? String(error.plainMessage.dropFirst(prefix.count)) : nil
        }
        if let table = name(after: "no such table: ") {
            return error.isMissingTableFunction
                ? "this SQLite has no table-valued function \(table): it may be an extension's" : hintForTable(table)
        }
        if let column = name(after: "no such column: ") { return hintForColumn(column, sql) }
        if error.plainMessage.hasPrefix("table "),
            let column = text(after: " has no column named ", in: error.plainMessage)
        {
            return nearNames(to: column, columns(of: sql))
        }
        if let function = name(after: "no such function: ") {
            return nearNames(to: function, texts("SELECT DISTINCT name FROM pragma_function_list"))
                ?? "register it with this database, if it is one of the program's"
        }
        if let collation = name(after: "no such collation sequence: ") {
            return nearNames(to: collation, texts("SELECT name FROM pragma_collation_list"))
                ?? "register it with this database, as the program did that made the table or index"
        }
        if error.plainMessage.hasPrefix("unsafe use of ") {
            return "a function in a schema runs for whoever opens the file: register it as one that schemas may call"
        }
        if error.plainMessage.hasPrefix("non-deterministic functions prohibited") {
            return "register the function as deterministic, if the same arguments always give the same value"
        }
        if error.plainMessage == "incomplete input" { return "the SQL ends where more of it is needed" }
        guard error.plainMessage.hasSuffix(": syntax error") || error.plainMessage.hasPrefix("unrecognized token")
        else {
            return nil
        }
        guard let offset = error.offset, offset <= sql.utf8.count else { return nil }
        let before = String(decoding: sql.utf8.prefix(offset), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return "it stands in line \(before.count) of the SQL, at character \((before.last?.count ?? 0) + 1)"
    }

    private func hintForTable(_ name: String) -> String {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            if !schemas().contains(where: { sameIdentifier($0, parts[0]) }) {
                return "no database is attached as \(parts[0]); attach it first"
            }
        }
        let tables = schemas().flatMap { schema in
            texts(
                """
                SELECT name FROM \(quoteIdentifier(schema)).sqlite_schema
                WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'
                """)
        }
        if tables.isEmpty { return "the database has no tables; create them, or check the path" }
        if let near = nearNames(to: parts.last ?? name, tables) { return near }
        return "the database has \(tables.prefix(20).joined(separator: ", "))"
    }

    private func hintForColumn(_ name: String, _ sql: String) -> String? {
        let parts = name.split(separator: ".").map(String.init)
        let columns = columns(of: sql)
        if contains(sql, "\"\(name)\""), nearNames(to: name, columns) == nil {
            return "a text stands in single quotes: '\(name)'"
        }
        guard let column = parts.last else { return nil }
        if parts.count > 1, columns.contains(where: { sameIdentifier($0, column) }) {
            return "name the table by the alias that it has here, and read from the one that has the column"
        }
        if let near = nearNames(to: column, columns) { return near }
        return columns.isEmpty ? nil : "the tables here have \(columns.prefix(20).joined(separator: ", "))"
    }

    /// Of the tables whose names stand somewhere in the SQL. Views are left out, because to work out the columns of views
    /// over views may take long.
    private func columns(of sql: String) -> [String] {
        var seen = Set<String>()
        return schemas().flatMap { schema in
            texts(
                """
                SELECT c.name FROM \(quoteIdentifier(schema)).sqlite_schema t CROSS JOIN pragma_table_xinfo(t.name, ?2) c
                WHERE t.type = 'table' AND instr(lower(?1), lower(t.name)) AND t.name NOT LIKE 'sqlite_%'
                """, sql, schema)
        }.filter { seen.insert($0).inserted }
    }

    /// The names of the main database, those that are attached, and the temporary one if there is one: to read it would make
    /// it.
    func schemas() -> [String] { texts("SELECT name FROM pragma_database_list") }

    /// The texts of a query of one column, as far as they can be read.
    private func texts(_ sql: String, _ bindings: String...) -> [String] {
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &pointer, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(pointer) }
        for (index, text) in bindings.enumerated() {
            sqlite3_bind_text(pointer, Int32(truncatingIfNeeded: index + 1), text, -1, transientBytes)
        }
        var texts: [String] = []
        while texts.count < 1000, sqlite3_step(pointer) == SQLITE_ROW, let text = sqlite3_column_text(pointer, 0) {
            texts.append(String(cString: text))
        }
        return texts
    }
}

private func text(after mark: String, in text: String) -> String? {
    text.utf8.indices.first { text.utf8[$0...].starts(with: mark.utf8) }.map {
        String(text.utf8[$0...].dropFirst(mark.utf8.count)) ?? ""
    }
}
