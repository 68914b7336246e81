import CormorantBase

/// SQL of a model's own, its checks, defaults and the like: written for PostgreSQL where it is of what both engines have, and
/// refused otherwise.
enum PortableSQL {
    static func condition(_ sql: String, of table: TableReference) throws -> String {
        let place = "the scope of model \(table.model)"
        return try write(sql, of: table, place) { compiler, expression in
            try compiler.write(condition: expression, at: .any)
        }
    }

    static func condition(_ sql: String, of table: TableSchema, _ place: String) throws -> String {
        try write(sql, of: table.reference, place) { try $0.write(condition: $1, at: .any) }
    }

    static func value(_ sql: String, as type: PostgresType, of table: TableSchema, _ place: String) throws -> String {
        try value(sql, as: type, of: table.reference, place)
    }

    static func value(_ sql: String, as type: PostgresType, of table: TableReference, _ place: String) throws -> String
    {
        try write(sql, of: table, place) { compiler, expression in
            switch (expression.node, type) {
            // As the column would make it of what is written.
            case (.value(.real, nil), .numeric): compiler.sql += "CAST(\(quoteText(sql)) AS numeric)"
            case (.value(.text(let text), nil), _) where type.isInteger && Int64(text) != nil: compiler.sql += text
            default:
                let own = compiler.postgresType(of: expression)
                let isHere = own?.isInteger == true && type.isInteger
                try compiler.write(expression, as: isHere ? nil : type)
            }
        }
    }

    private static func write(
        _ sql: String, of table: TableReference, _ place: String,
        _ write: (StatementCompiler, Expression) throws -> Void
    ) throws -> String {
        var fault = (offset: 0, word: "")
        let parsed = PortableParser.parse(sql, names: { table.named($0, $1) }) { fault = ($0, $1) }
        guard let parsed else {
            throw CormorantError(
                .unsupported,
                "\(place) is SQL that PostgreSQL may have otherwise: at byte \(fault.offset), near \"\(fault.word)\"",
                hint: "write it of columns, values, operators and functions that both have", sql: sql,
                offset: fault.offset,
                table: table.name)
        }
        do {
            let compiler = StatementCompiler(writingOut: .postgres)
            try write(compiler, parsed)
            return compiler.sql.text
        } catch let error as CormorantError {
            throw error.prefixed("\(place): ")
        }
    }
}

extension TableReference {
    fileprivate func named(_ source: String?, _ name: String) -> Expression? {
        guard source.map({ sameIdentifier($0, self.name) }) ?? true else { return nil }
        return columns.firstIndex { sameIdentifier($0.name, name) }.map { .column(self, $0) }
    }
}

extension TableSchema {
    fileprivate var reference: TableReference {
        TableReference(
            model: name, name: name, columns: columns.map(\.reference),
            key: primaryKey.compactMap { name in columns.firstIndex { isSame($0.name, name) } }, hiddenKey: nil)
    }
}

extension StatementCompiler {
    /// The expression that a fragment of raw SQL is, where it is of what both engines have; else it is the server's own.
    func portable(_ sql: String, _ values: [Value]) -> Expression? {
        PortableParser.parse(
            sql, values: values,
            names: { source, name in
                for scope in self.scopes.reversed() {
                    let tables = scope.tables.filter { table in source.map { sameIdentifier($0, table.name) } ?? true }
                    // What has columns that only the server knows may have this one.
                    guard tables.allSatisfy({ self.knowsColumns(of: $0) }) else { return nil }
                    let found = tables.compactMap { self.column(name, of: $0) }
                    // RETURNING sees the table that is changed alone.
                    if !found.isEmpty { return found.count == 1 || !scope.canJoin ? found[0] : nil }
                    if source != nil, !tables.isEmpty { return nil }
                }
                return nil
            })
    }

    private func column(_ name: String, of table: Scope.Table) -> Expression? {
        guard let model = table.table else {
            return meaning(of: name, in: table) == nil ? nil : Expression(.name(source: table.name, name))
        }
        return model.columns.firstIndex { sameIdentifier($0.name, name) }.map { .column(model, $0, alias: table.name) }
    }

    private func knowsColumns(of table: Scope.Table) -> Bool {
        switch table.source {
        case .name(let known): common(named: known) != nil
        case .function(let call): sameIdentifier(call.name, "json_each")
        default: true
        }
    }

    /// A value as it stands in SQL that has no parameters.
    func writtenOut(_ value: Value, _ type: PostgresType?) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let integer):
            if type == .boolean { return integer != 0 ? "TRUE" : "FALSE" }
            return integer < 0 ? "(\(integer))" : String(integer)
        case .real(let real): return real < 0 ? "(\(real))" : "\(real)"
        // Without a time zone it would be of the session's.
        case .text(let text): return quoteText(type == .timestamptz ? text + "+00" : text)
        case .blob(let bytes):
            let digits = Array("0123456789abcdef".utf8)
            let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return "'\\x" + String(decoding: hex, as: UTF8.self) + "'"
        }
    }
}
