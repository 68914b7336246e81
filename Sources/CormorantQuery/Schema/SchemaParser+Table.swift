import CormorantBase

extension SchemaParser {
    mutating func table() throws(CormorantError) -> TableDefinition {
        page = "lang_createtable.html"
        index += 1
        let name = try objectName()
        if next?.keyword == .as {
            throw unexpected("the list of columns, which a SELECT cannot stand for,")
        }
        try expect(.leftParenthesis, "\"(\"")
        var columns = [try column([])]
        var constraints: [ConstraintDefinition] = []
        while accept(.comma) {
            guard !startsTableConstraint else {
                constraints = try tableConstraints()
                break
            }
            columns.append(try column(columns))
        }
        try expect(.rightParenthesis, "\",\" or \")\"")
        var table = TableDefinition(
            name: name, columns: columns, constraints: constraints, withoutRowID: false, strict: false, sql: "")
        try options(&table)
        table.constraints = table.constraints.map(table.withPlainRowID)
        table.sql = sql
        return table
    }

    private var startsTableConstraint: Bool {
        switch next?.keyword {
        case .constraint, .primary, .unique, .check, .foreign: true
        default: false
        }
    }

    /// They may stand with commas between them or without.
    private mutating func tableConstraints() throws(CormorantError) -> [ConstraintDefinition] {
        var constraints = [try tableConstraint()]
        while next != nil, next?.kind != .rightParenthesis {
            _ = accept(.comma)
            constraints.append(try tableConstraint())
        }
        return constraints
    }

    private mutating func options(_ table: inout TableDefinition) throws(CormorantError) {
        guard next != nil else { return }
        // SQLite takes a comma before the first one too.
        _ = accept(.comma)
        repeat {
            if accept(.without) {
                guard let token = next, sameIdentifier(text(token), "rowid") else { throw unexpected("ROWID") }
                table.withoutRowID = true
            } else {
                guard let token = next, sameIdentifier(text(token), "strict") else {
                    throw unexpected("WITHOUT ROWID, STRICT or the end of the statement")
                }
                table.strict = true
            }
            index += 1
        } while accept(.comma)
    }

    /// - Parameter earlier: the columns before it.
    private mutating func column(_ earlier: [ColumnDefinition]) throws(CormorantError) -> ColumnDefinition {
        let start = index
        let name = try name("a column")
        let type = try type()
        var constraints: [ConstraintDefinition] = []
        while try columnConstraint(of: name, earlier, &constraints) {}
        return ColumnDefinition(name: name, type: type, constraints: constraints, sql: text(start..<index))
    }

    /// Any number of words, then perhaps one or two numbers in parentheses. Quotes are part of it, unless there is but
    /// one word.
    private mutating func type() throws(CormorantError) -> String {
        let start = index
        var words: [String] = []
        while let token = next, isTypeWord(token) {
            if token.keyword == .generated, peek(1)?.keyword == .always { break }
            words.append(text(token))
            index += 1
        }
        guard next?.kind == .leftParenthesis || words.count != 1 else { return unquoted(tokens[start]) }
        var type = words.joined(separator: " ")
        if !words.isEmpty, accept(.leftParenthesis) {
            type += "(" + (try signedNumber())
            if accept(.comma) { type += "," + (try signedNumber()) }
            try expect(.rightParenthesis, "\")\"")
            type += ")"
        }
        return type
    }

    private func isTypeWord(_ token: SQLToken) -> Bool {
        switch token.kind {
        case .identifier, .quotedIdentifier, .text: true
        case .keyword: token.keyword?.canBeWord == true
        default: false
        }
    }

    private mutating func signedNumber() throws(CormorantError) -> String {
        let start = index
        if let sign = next, sign.kind == .operator, text(sign) == "+" || text(sign) == "-" { index += 1 }
        try expect(.number, "a number")
        return tokens[start..<index].map(text).joined()
    }
}

extension TableDefinition {
    /// A table's PRIMARY KEY of one INTEGER column is its row number whatever direction and collation it asks for; only
    /// one written at the column with DESC is not (https://www.sqlite.org/lang_createtable.html#rowid).
    fileprivate func withPlainRowID(_ constraint: ConstraintDefinition) -> ConstraintDefinition {
        guard case .primaryKey(let terms, let autoIncrement, let onConflict) = constraint.kind, terms.count == 1,
            var term = terms.first, let name = term.column,
            let column = columns.first(where: { sameIdentifier($0.name, name) }),
            sameIdentifier(column.type, "INTEGER")
        else { return constraint }
        term.collation = nil
        // A table without row numbers sorts by the direction, but again not by the collation.
        if !withoutRowID { term.descending = false }
        var plain = constraint
        plain.kind = .primaryKey([term], autoIncrement: autoIncrement, onConflict: onConflict)
        return plain
    }
}
