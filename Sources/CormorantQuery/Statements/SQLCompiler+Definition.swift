extension SQLCompiler {
    /// `CREATE TABLE`; with one integer key column as SQLite's rowid
    /// (https://www.sqlite.org/lang_createtable.html#rowid).
    package func createTable(_ table: TableSchema) -> String {
        if let module = table.module {
            let parts = table.columns.map { dialect.identifier($0.name) } + module.arguments
            return "CREATE VIRTUAL TABLE \(dialect.identifier(table.name)) USING \(dialect.identifier(module.name))"
                + " (\(parts.joined(separator: ", ")))"
        }
        let inlineKey = table.primaryKey.count == 1 ? table.primaryKey[0] : nil
        var lines = table.columns.map { column(of: table, $0, isKey: $0.name == inlineKey) }
        if inlineKey == nil { lines.append("PRIMARY KEY (\(dialect.list(table.primaryKey)))") }
        for key in table.foreignKeys where key.columns.count > 1 {
            lines.append("FOREIGN KEY (\(dialect.list(key.columns))) \(references(key))")
        }
        for check in table.checks where check.column == nil { lines.append(constraint(check)) }
        var sql = "CREATE TABLE \(dialect.identifier(table.name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
        let options = [table.strict ? "STRICT" : nil, table.withoutRowID ? "WITHOUT ROWID" : nil].compactMap { $0 }
        if !options.isEmpty { sql += " \(options.joined(separator: ", "))" }
        return sql
    }

    package func createIndex(_ index: IndexSchema, on table: String) -> String {
        let columns = index.columns.map { dialect.identifier($0.name) + ($0.descending ? " DESC" : "") }
        var sql = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(dialect.identifier(index.name))"
        sql += " ON \(dialect.identifier(table)) (\(columns.joined(separator: ", ")))"
        if let condition = index.whereSQL { sql += " WHERE \(condition)" }
        return sql
    }

    private func column(of table: TableSchema, _ column: ColumnSchema, isKey: Bool) -> String {
        var parts = [dialect.identifier(column.name), column.type.declaration(strict: table.strict)]
        if isKey { parts.append(column.autoIncrement ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY") }
        // SQLite lets a key that is not the rowid be NULL unless it is told otherwise.
        let isRowID = isKey && column.type.isInteger && !table.withoutRowID
        if !isRowID && (column.notNull || table.primaryKey.contains(column.name)) { parts.append("NOT NULL") }
        if let value = column.defaultSQL { parts.append("DEFAULT \(isLiteral(value) ? value : "(\(value))")") }
        if let collation = column.collation { parts.append("COLLATE \(dialect.identifier(collation))") }
        if let expression = column.computedSQL { parts.append("GENERATED ALWAYS AS (\(expression)) STORED") }
        for check in table.checks where check.column == column.name { parts.append(constraint(check)) }
        for key in table.foreignKeys where key.columns == [column.name] { parts.append(references(key)) }
        return parts.joined(separator: " ")
    }

    private func constraint(_ check: CheckSchema) -> String {
        "CONSTRAINT \(dialect.identifier(check.name)) CHECK (\(check.condition))"
    }

    private func references(_ key: ForeignKeySchema) -> String {
        var sql = "REFERENCES \(dialect.identifier(key.table))"
        if !key.tableColumns.isEmpty { sql += " (\(dialect.list(key.tableColumns)))" }
        if let action = key.onDelete.keyword { sql += " ON DELETE \(action)" }
        if let action = key.onUpdate.keyword { sql += " ON UPDATE \(action)" }
        return sql
    }

    /// A number, a quoted text without quotes inside, or a keyword: what ADD COLUMN takes as a constant default.
    private func isLiteral(_ sql: String) -> Bool {
        if ["NULL", "TRUE", "FALSE", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"].contains(sql.uppercased()) {
            return true
        }
        if sql.count >= 2, sql.hasPrefix("'"), sql.hasSuffix("'") { return !sql.dropFirst().dropLast().contains("'") }
        var digits = Substring(sql)
        if let sign = digits.first, sign == "-" || sign == "+" { digits.removeFirst() }
        return !digits.isEmpty && digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }
}

extension ForeignKeyAction {
    package var keyword: String? {
        switch self {
        case .none: nil
        case .restrict: "RESTRICT"
        case .setNull: "SET NULL"
        case .setDefault: "SET DEFAULT"
        case .cascade: "CASCADE"
        }
    }
}
