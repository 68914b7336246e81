import CormorantBase

/// Names that statements give, and functions that give rows.
extension StatementCompiler {
    /// A name that a statement gives to something, as it stands where it is given: a server would cut a longer one off.
    func given(_ name: String) throws -> String {
        if dialect == .postgres { try checkPostgresName(name) }
        return quoteIdentifier(name)
    }

    /// The name of what is joined along a path of relations, which may be longer than a server's names.
    func joinedName(_ path: String) -> String {
        guard dialect == .postgres, path.utf8.count > 63 else { return quoteIdentifier(path) }
        return quoteIdentifier("path_" + sha256(path.utf8).prefix(32))
    }

    func write(rowsOf call: Call, at position: Int) throws {
        let alias = scopes[scopes.count - 1].tables[position].written
        let name = foldIdentifier(call.name)
        guard name == "json_each", let document = call.arguments.first, call.arguments.count < 3 else {
            if name.hasPrefix("json_") || name.hasPrefix("pragma_") {
                throw lacksInPostgres("table function \(name)()", hint: "read what it gives in the program")
            }
            sql += call.name + "("
            for (index, argument) in call.arguments.enumerated() {
                if index > 0 { sql += ", " }
                try write(postgres: argument, at: .any)
            }
            return sql += ") AS " + (try given(alias))
        }
        var path = "$"
        if call.arguments.count == 2 {
            guard case .value(.text(let text), _) = call.arguments[1].node else {
                throw lacksInPostgres("json_each() of a path that is not known before", hint: "give the path as a text")
            }
            path = text
        }
        let json: Writer = { compiler in
            compiler.sql += "("
            if path == "$" {
                try compiler.write(document: document)
            } else {
                try compiler.write(json: document, at: .value(.text(path)), takesKeys: false)
            }
            compiler.sql += ")"
        }
        sql += "LATERAL ("
        try write(elements: path, key: #"to_jsonb("n" - 1)"#, fullkey: #"'[' || ("n" - 1) || ']'"#)
        sql += " FROM jsonb_array_elements(CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'array' THEN "
        try json(self)
        sql += #" END) WITH ORDINALITY AS "x" ("e", "n") UNION ALL "#
        try write(
            elements: path, key: #"to_jsonb("k")"#,
            fullkey: #"'.' || CASE WHEN "k" ~ '^[A-Za-z][A-Za-z0-9]*$' THEN "k" ELSE '"' || "k" || '"' END"#)
        sql += " FROM jsonb_each(CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'object' THEN "
        try json(self)
        sql += #" END) WITH ORDINALITY AS "x" ("k", "e", "n") UNION ALL "#
        try write(elements: path, key: "CAST(NULL AS jsonb)", fullkey: "''")
        sql += " FROM (SELECT "
        try json(self)
        sql += #" AS "e", CAST(0 AS bigint) AS "n") AS "x" WHERE jsonb_typeof("e") NOT IN ('array', 'object')"#
        sql += ") AS " + (try given(alias))
    }

    /// The columns that json_each() of SQLite has.
    private func write(elements path: String, key: String, fullkey: String) throws {
        let element: Writer = { $0.sql += #""e""# }
        sql += "SELECT \(key) AS \"key\", "
        try canonical(element)
        sql += " AS \"value\", "
        try write(typeOf: element)
        sql += #" AS "type", CASE WHEN jsonb_typeof("e") IN ('array', 'object') THEN NULL ELSE "#
        try canonical(element)
        sql += #" END AS "atom", "n" AS "id", CAST(NULL AS bigint) AS "parent", "#
        bind(.value(.text(path)), as: .text)
        sql += " || \(fullkey) AS \"fullkey\", "
        bind(.value(.text(path)), as: .text)
        sql += " AS \"path\""
    }

    func postgresType(named name: String, ofRowsOf call: Call) -> PostgresType? {
        guard sameIdentifier(call.name, "json_each") else { return nil }
        switch foldIdentifier(name) {
        case "key", "value", "atom": return .element
        case "type", "fullkey", "path": return .text
        case "id", "parent": return .bigint
        default: return nil
        }
    }

    /// What SQLite calls an element of JSON.
    func write(typeOf json: Writer) throws {
        sql += "CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'string' THEN 'text' WHEN 'boolean' THEN CAST("
        try json(self)
        sql += " AS text) WHEN 'number' THEN CASE WHEN strpos(CAST("
        try json(self)
        sql += " AS text), '.') > 0 THEN 'real' ELSE 'integer' END ELSE jsonb_typeof("
        try json(self)
        sql += ") END"
    }
}
