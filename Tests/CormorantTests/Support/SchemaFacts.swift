import CormorantBase
import CormorantQuery

// What PRAGMAs tell of a table, in lines that can be compared: once from its definition, once from SQLite.

func facts(of table: TableDefinition) -> [String] {
    let keys = (table.columns.flatMap(\.constraints) + table.constraints).compactMap(\.foreignKey)
    return table.columns.map { columnFacts($0, table) } + indexFacts(table) + keys.map(keyFacts).sorted()
}

/// - Parameters:
///   - definition: what the parser says of it.
///   - rows: runs a query.
func facts(
    ofTable name: String, _ definition: TableDefinition, _ rows: (String) throws -> [[String]]
) throws -> [String] {
    let table = quoteText(name)
    let columns = try rows(
        "SELECT name, type, \"notnull\", dflt_value, dflt_value IS NULL, pk, hidden FROM pragma_table_xinfo(\(table))"
    ).enumerated().map { index, row in
        let declared = index < definition.columns.count ? definition.columns[index].type : ""
        let value = row[4] == "1" ? "" : defaultFacts(row[3])
        return
            "column \(foldIdentifier(row[0])) \(typeFacts(row[1], declared: declared)) \(row[2]) \(value) \(row[5]) \(row[6])"
    }
    let indexes = try rows("SELECT name, origin FROM pragma_index_list(\(table)) WHERE origin <> 'c'").map { row in
        let terms = try rows(
            "SELECT name, \"desc\", coll FROM pragma_index_xinfo(\(quoteText(row[0]))) WHERE key ORDER BY seqno"
        ).map { "\(foldIdentifier($0[0]))/\($0[1])/\(foldIdentifier($0[2]))" }
        return "index \(row[1]) \(terms.joined(separator: " "))"
    }
    let keys = Dictionary(grouping: try rows("SELECT * FROM pragma_foreign_key_list(\(table)) ORDER BY id, seq")) {
        $0[0]
    }
    let keyFacts = keys.values.map { rows in
        let from = rows.map { foldIdentifier($0[3]) }.joined(separator: " ")
        let to = rows.map { foldIdentifier($0[4]) }.joined(separator: " ")
        return "key \(from) -> \(foldIdentifier(rows[0][2])) \(to) \(rows[0][5])/\(rows[0][6])"
    }
    return columns + indexes.sorted() + keyFacts.sorted()
}

private func columnFacts(_ column: ColumnDefinition, _ table: TableDefinition) -> String {
    var value = ""
    var hidden = 0
    for constraint in column.constraints {
        if case .defaultValue(let fragment) = constraint.kind { value = fragment.canonical }
        if case .generated(_, let stored) = constraint.kind { hidden = stored ? 3 : 2 }
    }
    let key = table.primaryKeyTerms
    var position = 0
    for (index, term) in key.enumerated() where position == 0 && sameIdentifier(term.column ?? "", column.name) {
        position = index + 1
    }
    var notNull = column.constraints.contains { if case .notNull = $0.kind { true } else { false } }
    let isRowID = key.count == 1 && sameIdentifier(column.type, "INTEGER") && !key[0].descending
    if position > 0, table.withoutRowID || (table.strict && !isRowID) { notNull = true }
    return
        "column \(foldIdentifier(column.name)) \(typeFacts(column.type, declared: column.type)) \(notNull ? 1 : 0) \(value) \(position) \(hidden)"
}

/// The indexes behind PRIMARY KEY and UNIQUE. SQLite makes one of two with the same columns and collations.
private func indexFacts(_ table: TableDefinition) -> [String] {
    var indexes: [(key: [String], origin: String, line: String)] = []
    func add(_ origin: String, _ terms: [IndexTerm]) {
        let parts = terms.map { term in
            let column = foldIdentifier(term.column ?? "")
            return (column, term.descending ? 1 : 0, foldIdentifier(term.collation ?? table.collation(of: column)))
        }
        let key = parts.map { "\($0.0)/\($0.2)" }
        if let same = indexes.firstIndex(where: { $0.key == key }) {
            if origin == "pk" { indexes[same].origin = origin }
        } else {
            indexes.append((key, origin, parts.map { "\($0.0)/\($0.1)/\($0.2)" }.joined(separator: " ")))
        }
    }
    for constraint in table.columns.flatMap(\.constraints) + table.constraints {
        switch constraint.kind {
        case .primaryKey(let terms, _, _) where !table.isRowID(terms): add("pk", terms)
        case .unique(let terms, _): add("u", terms)
        default: break
        }
    }
    // SQLite makes this one last.
    if table.withoutRowID, table.isRowID(table.primaryKeyTerms) { add("pk", table.primaryKeyTerms) }
    return indexes.map { "index \($0.origin) \($0.line)" }.sorted()
}

private func keyFacts(_ key: ForeignKeyDefinition) -> String {
    let from = key.columns.map(foldIdentifier).joined(separator: " ")
    let to = key.tableColumns.isEmpty ? key.columns.map { _ in "" } : key.tableColumns.map(foldIdentifier)
    let names: [ForeignKeyAction: String] = [
        .none: "NO ACTION", .restrict: "RESTRICT", .setNull: "SET NULL", .setDefault: "SET DEFAULT",
        .cascade: "CASCADE",
    ]
    let actions = "\(names[key.onUpdate] ?? "")/\(names[key.onDelete] ?? "")"
    return "key \(from) -> \(foldIdentifier(key.table)) \(to.joined(separator: " ")) \(actions)"
}

/// SQLite keeps spaces and comments inside a type, and takes one ALWAYS, or GENERATED ALWAYS, off the end of a long one. What
/// it makes of quotes among other words is its own affair.
private func typeFacts(_ type: String, declared: String) -> String {
    if declared.unicodeScalars.contains(where: { "\"'`[]".unicodeScalars.contains($0) }) { return "?" }
    var text = ""
    // What combines with what stands before it is no part of that.
    var rest = foldIdentifier(type).unicodeScalars[...]
    while let first = rest.first {
        if rest.starts(with: "/*".unicodeScalars) {
            rest = rest.dropFirst(2)
            while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest.removeFirst() }
            rest = rest.dropFirst(2)
        } else if rest.starts(with: "--".unicodeScalars) {
            rest = rest.drop { $0 != "\n" }
        } else {
            if !first.properties.isWhitespace, first != "\u{feff}" { text.unicodeScalars.append(first) }
            rest.removeFirst()
        }
    }
    while let suffix = ["always", "generated"].first(where: text.hasSuffix) { text.removeLast(suffix.count) }
    return text
}

/// Of what PRAGMA calls the default: the text of a literal, or an expression without its parentheses.
private func defaultFacts(_ sql: String) -> String {
    for text in ["\(sql)\n", "(\(sql)\n)"] {
        guard case .table(let table) = try? SchemaParser.object("CREATE TABLE t(a DEFAULT \(text))"),
            table.columns[0].constraints.count == 1,
            case .defaultValue(let value) = table.columns[0].constraints[0].kind
        else { continue }
        return value.canonical
    }
    return sql
}

extension TableDefinition {
    fileprivate var primaryKeyTerms: [IndexTerm] {
        for constraint in columns.flatMap(\.constraints) + constraints {
            if case .primaryKey(let terms, _, _) = constraint.kind { return terms }
        }
        return []
    }

    /// Whether these are the row number, were it a table with one.
    fileprivate func isRowID(_ terms: [IndexTerm]) -> Bool {
        guard terms.count == 1, let name = terms[0].column else { return false }
        let isInteger = columns.contains { sameIdentifier($0.name, name) && sameIdentifier($0.type, "INTEGER") }
        let atColumn = columns.contains { column in
            column.constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
        }
        return isInteger && !(atColumn && terms[0].descending)
    }

    fileprivate func collation(of column: String) -> String {
        for constraint in columns.first(where: { sameIdentifier($0.name, column) })?.constraints.reversed() ?? [] {
            if case .collate(let name) = constraint.kind { return name }
        }
        return "BINARY"
    }
}
