import CormorantBase

extension SchemaParser {
    /// Reads the next constraint of a column.
    /// - Parameters:
    ///   - earlier: the columns before this one.
    ///   - constraints: what the column has so far; DEFERRABLE changes the REFERENCES before it.
    /// - Returns: whether there was one.
    mutating func columnConstraint(
        of column: String, _ earlier: [ColumnDefinition], _ constraints: inout [ConstraintDefinition]
    ) throws(CormorantError) -> Bool {
        let start = index
        let name = try constraintName()
        let kind: ConstraintDefinition.Kind
        switch next?.keyword {
        case .default: kind = .defaultValue(try defaultValue())
        case .null:
            index += 1
            _ = try onConflict()
            kind = .null
        case .not where peek(1)?.keyword != .deferrable:
            index += 1
            try expect(.null, "NULL")
            kind = .notNull(onConflict: try onConflict())
        case .not, .deferrable:
            try deferral(start, earlier, &constraints)
            return true
        case .primary:
            index += 1
            try expect(.key, "KEY")
            let descending = direction()
            let onConflict = try onConflict()
            kind = .primaryKey(
                [term(column, descending: descending)], autoIncrement: accept(.autoincrement), onConflict: onConflict)
        case .unique:
            index += 1
            kind = .unique([term(column, descending: false)], onConflict: try onConflict())
        case .check:
            index += 1
            kind = .check(fragment(try group()))
        case .references:
            var key = try references([column])
            while let isDeferred = try deferrable() { key.isDeferred = isDeferred }
            kind = .foreignKey(key)
        case .collate:
            index += 1
            kind = .collate(try collationName())
        case .generated, .as: kind = try generated()
        default:
            // SQLite takes a name with no constraint behind it.
            guard name != nil else { return false }
            kind = .null
        }
        constraints.append(ConstraintDefinition(name: name, kind: kind, sql: text(start..<index)))
        return true
    }

    mutating func tableConstraint() throws(CormorantError) -> ConstraintDefinition {
        let start = index
        let name = try constraintName()
        let kind: ConstraintDefinition.Kind
        switch next?.keyword {
        case .primary:
            index += 1
            try expect(.key, "KEY")
            var inner = try group()
            let autoIncrement = tokens[inner].last?.keyword == .autoincrement
            if autoIncrement { inner = inner.dropLast() }
            let terms = try terms(inner)
            kind = .primaryKey(terms, autoIncrement: autoIncrement, onConflict: try onConflict())
        case .unique:
            index += 1
            let terms = try terms(try group())
            kind = .unique(terms, onConflict: try onConflict())
        case .check:
            index += 1
            kind = .check(fragment(try group()))
            // Read and ignored by SQLite.
            _ = try onConflict()
        case .foreign:
            index += 1
            try expect(.key, "KEY")
            var key = try references(try names())
            if let isDeferred = try deferrable() { key.isDeferred = isDeferred }
            kind = .foreignKey(key)
        default:
            guard name != nil else { throw unexpected("a constraint or \")\"") }
            kind = .null
        }
        return ConstraintDefinition(name: name, kind: kind, sql: text(start..<index))
    }

    /// Of several names the last one counts.
    private mutating func constraintName() throws(CormorantError) -> String? {
        var found: String?
        while accept(.constraint) { found = try name("a constraint's name") }
        return found
    }

    private func term(_ column: String, descending: Bool) -> IndexTerm {
        IndexTerm(expression: SQLFragment(name: column), column: column, collation: nil, descending: descending)
    }

    /// A literal, which may have a sign, a word, which is a text, or an expression in parentheses.
    private mutating func defaultValue() throws(CormorantError) -> SQLFragment {
        index += 1
        if next?.kind == .leftParenthesis {
            var inner = try group()
            while let expression = insideParentheses(inner) { inner = expression }
            return fragment(inner)
        }
        let start = index
        if let sign = next, sign.kind == .operator, text(sign) == "+" || text(sign) == "-" { index += 1 }
        guard let token = next else { throw unexpected("a value") }
        let isSigned = start < index
        switch token.kind {
        case .text, .blob, .number: break
        case .keyword where [.null, .currentDate, .currentTime, .currentTimestamp].contains(token.keyword): break
        case .identifier where !isSigned && ["true", "false"].contains(foldIdentifier(text(token))): break
        case .identifier where !isSigned, .quotedIdentifier where !isSigned:
            index += 1
            return SQLFragment(token: quoteText(unquoted(token)))
        case .keyword where !isSigned && (token.keyword?.canBeWord == true || token.keyword == .indexed):
            index += 1
            return SQLFragment(token: quoteText(text(token)))
        default: throw unexpected("a value")
        }
        index += 1
        return fragment(start..<index)
    }

    private mutating func generated() throws(CormorantError) -> ConstraintDefinition.Kind {
        if accept(.generated) { try expect(.always, "ALWAYS") }
        try expect(.as, "AS")
        let expression = fragment(try group())
        if let word = next, word.kind == .identifier, sameIdentifier(text(word), "stored") {
            index += 1
            return .generated(expression, stored: true)
        }
        _ = accept(.virtual)
        return .generated(expression, stored: false)
    }

    private mutating func references(_ columns: [String]) throws(CormorantError) -> ForeignKeyDefinition {
        try expect(.references, "REFERENCES")
        let table = try name("a table")
        var key = ForeignKeyDefinition(
            columns: columns, table: table, tableColumns: next?.kind == .leftParenthesis ? try names() : [],
            onDelete: .none, onUpdate: .none, match: nil, isDeferred: false)
        while true {
            if accept(.match) {
                key.match = try name("a kind of match")
            } else if accept(.on) {
                if accept(.delete) {
                    key.onDelete = try action()
                } else if accept(.update) {
                    key.onUpdate = try action()
                } else {
                    // Read and ignored by SQLite.
                    try expect(.insert, "DELETE or UPDATE")
                    _ = try action()
                }
            } else {
                return key
            }
        }
    }

    private mutating func action() throws(CormorantError) -> ForeignKeyAction {
        if accept(.cascade) { return .cascade }
        if accept(.restrict) { return .restrict }
        if accept(.no) {
            try expect(.action, "ACTION")
            return .none
        }
        try expect(.set, "SET NULL, SET DEFAULT, CASCADE, RESTRICT or NO ACTION")
        if accept(.default) { return .setDefault }
        try expect(.null, "NULL or DEFAULT")
        return .setNull
    }

    /// Whether [NOT] DEFERRABLE [INITIALLY ...] defers; nil where it is not there.
    private mutating func deferrable() throws(CormorantError) -> Bool? {
        let isNot = next?.keyword == .not
        guard isNot ? peek(1)?.keyword == .deferrable : next?.keyword == .deferrable else { return nil }
        index += isNot ? 2 : 1
        guard accept(.initially) else { return false }
        if accept(.deferred) { return !isNot }
        try expect(.immediate, "DEFERRED or IMMEDIATE")
        return false
    }

    /// DEFERRABLE apart from its REFERENCES: SQLite has it change the newest foreign key of the table, so it moves to
    /// that one's text.
    private mutating func deferral(
        _ start: Int, _ earlier: [ColumnDefinition], _ constraints: inout [ConstraintDefinition]
    ) throws(CormorantError) {
        if let position = constraints.lastIndex(where: { $0.foreignKey != nil }),
            var key = constraints[position].foreignKey
        {
            key.isDeferred = try deferrable() ?? false
            constraints[position].kind = .foreignKey(key)
            constraints[position].sql += " " + text(start..<index)
            return
        }
        // It would change another column's.
        guard !earlier.contains(where: { $0.constraints.contains { $0.foreignKey != nil } }) else {
            throw unexpected("REFERENCES before DEFERRABLE")
        }
        _ = try deferrable()
        constraints.append(ConstraintDefinition(name: nil, kind: .null, sql: text(start..<index)))
    }

    /// ABORT is what SQLite does without the clause, and read as none.
    private mutating func onConflict() throws(CormorantError) -> ConflictPolicy? {
        guard next?.keyword == .on, peek(1)?.keyword == .conflict else { return nil }
        index += 2
        let policies: [(SQLKeyword, ConflictPolicy?)] = [
            (.rollback, .rollback), (.abort, nil), (.fail, .fail), (.ignore, .ignore), (.replace, .replace),
        ]
        for (keyword, policy) in policies where accept(keyword) { return policy }
        throw unexpected("ROLLBACK, ABORT, FAIL, IGNORE or REPLACE")
    }

    /// Whether it is DESC; ASC is what it is without a word.
    private mutating func direction() -> Bool {
        if accept(.asc) { return false }
        return accept(.desc)
    }

    /// SQLite takes one in single quotes too.
    mutating func collationName() throws(CormorantError) -> String {
        guard next?.keyword == nil || next?.keyword?.canBeWord == true else { throw unexpected("a collation") }
        return try name("a collation")
    }
}

extension ConstraintDefinition {
    package var foreignKey: ForeignKeyDefinition? {
        if case .foreignKey(let key) = kind { return key }
        return nil
    }
}
