import CormorantBase

extension SQLCompiler {
    /// `CREATE TABLE`; with one integer key column as SQLite's rowid
    /// (https://www.sqlite.org/lang_createtable.html#rowid).
    package func createTable(_ table: TableSchema) -> String {
        if let module = table.module { return dialect.virtualTable(table, by: module) }
        let isInline = table.primaryKey.count == 1
        var lines = table.columns.map { column(of: table, $0, isKey: isInline && table.primaryKey.has($0.name)) }
        if !isInline { lines.append("PRIMARY KEY (\(quotedNames(table.primaryKey)))") }
        for key in table.foreignKeys where key.columns.count > 1 {
            lines.append("FOREIGN KEY (\(quotedNames(key.columns))) \(references(key))")
        }
        for check in table.checks where check.column == nil { lines.append(constraint(check)) }
        return "CREATE TABLE \(quoteIdentifier(table.name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
            + dialect.options(of: table)
    }

    package func createIndex(_ index: IndexSchema, on table: String) -> String {
        let columns = index.columns.map {
            quoteIdentifier($0.name) + dialect.direction(descending: $0.descending, nullsFirst: nil)
        }
        var sql = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(quoteIdentifier(index.name))"
        sql += " ON \(quoteIdentifier(table)) (\(columns.joined(separator: ", ")))"
        if let condition = index.whereSQL { sql += " WHERE \(condition)" }
        return sql
    }

    private func column(of table: TableSchema, _ column: ColumnSchema, isKey: Bool) -> String {
        // STRICT tables take no type with parentheses.
        let scale = table.strict ? nil : column.scale.map { "(\($0))" }
        let type = dialect.typeName(column.type, strict: table.strict) + (scale ?? "")
        var parts = [quoteIdentifier(column.name), type]
        if isKey { parts.append(dialect.key(neverReused: column.autoIncrement)) }
        let isNeverNull = isKey && dialect.isNeverNull(key: column, of: table)
        if !isNeverNull && (column.notNull || table.primaryKey.has(column.name)) { parts.append("NOT NULL") }
        if let value = column.defaultSQL { parts.append("DEFAULT \(isLiteral(value) ? value : "(\(value))")") }
        if let collation = column.collation { parts.append("COLLATE \(quoteIdentifier(collation))") }
        if let expression = column.computedSQL { parts.append("GENERATED ALWAYS AS (\(expression)) STORED") }
        for check in table.checks where check.column.map({ isSame($0, column.name) }) ?? false {
            parts.append(constraint(check))
        }
        for key in table.foreignKeys where key.columns.count == 1 && key.columns.has(column.name) {
            parts.append(references(key))
        }
        return parts.joined(separator: " ")
    }

    private func constraint(_ check: CheckSchema) -> String {
        "CONSTRAINT \(quoteIdentifier(check.name)) CHECK (\(check.condition))"
    }

    func references(_ key: ForeignKeySchema) -> String {
        var sql = "REFERENCES \(quoteIdentifier(key.table))"
        if !key.tableColumns.isEmpty { sql += " (\(quotedNames(key.tableColumns)))" }
        if let action = key.onDelete.keyword { sql += " ON DELETE \(action)" }
        if let action = key.onUpdate.keyword { sql += " ON UPDATE \(action)" }
        if key.isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
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
