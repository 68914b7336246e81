import CormorantBase

/// WITH: which tables stand in it, and what they may be called.
extension StatementCompiler {
    /// Has the definition of a common table stand in the outermost WITH.
    func bring(_ table: CommonTable) throws {
        let known = (met + commonTables).filter { sameIdentifier($0.name, table.name) }
        if known.contains(where: { $0.identity !== table.identity }) {
            throw CormorantError(
                .misuse, "two common tables of a statement are called \"\(table.name)\"",
                hint: "give one of them another name")
        }
        if known.isEmpty { met.append(table) }
    }

    func write(_ tables: [CommonTable]) throws {
        guard !tables.isEmpty else { return }
        commonTables += tables
        ends.append(commonTables.count)
        // What follows is meant, not these.
        let meant = (resultTypes, inserted)
        (resultTypes, inserted) = (nil, nil)
        defer { (resultTypes, inserted) = meant }
        let isRecursive = tables.contains { $0.select.reads(from: $0.name) }
        sql += isRecursive ? "WITH RECURSIVE " : "WITH "
        let outer = scopes
        scopes = []
        defer { scopes = outer }
        for (index, table) in tables.enumerated() {
            if index > 0 { sql += ", " }
            sql += try given(table.name)
            if !table.columns.isEmpty { sql += " (\(quotedNames(table.columns)))" }
            sql += " AS "
            try write(subquery: table.select)
        }
        sql += " "
    }

    /// The one that a name means here, and a compiler to which names mean what they mean in it: not what a WITH further in calls so.
    func common(named name: String) -> (table: CommonTable, inner: StatementCompiler)? {
        guard let index = commonTables.lastIndex(where: { sameIdentifier($0.name, name) }) else { return nil }
        let end = ends.first { $0 > index } ?? commonTables.count
        guard end < commonTables.count else { return (commonTables[index], self) }
        let inner = StatementCompiler(within: self)
        inner.nesting = nesting
        inner.commonTables.removeSubrange(end...)
        inner.ends.removeAll { $0 > end }
        return (commonTables[index], inner)
    }

    /// A common table of the name of a model's table is read in its place, also by the model's scope. That may be meant of a WITH that
    /// was written out where the model is read from, and of nothing else.
    /// - Parameter isImplied: whether a relation leads to the table.
    func refuseCommonTable(calledAs table: TableReference, isImplied: Bool) throws {
        guard !commonTables.isEmpty else { return }
        try refuseCommonTable(inScopeOf: table)
        let common = commonTables.first {
            (isImplied || $0.identity != nil) && sameIdentifier($0.name, table.name)
        }
        guard let common else { return }
        throw CormorantError(
            .misuse, "the common table \"\(common.name)\" is called as the table of \(table.model)",
            hint: "give it another name", table: table.name)
    }

    /// PostgreSQL's scopes read from no tables.
    func refuseCommonTable(inScopeOf table: TableReference) throws {
        guard !commonTables.isEmpty, dialect == .sqlite, let scope = table.scope else { return }
        let read = try SQLTokenizer.tablesRead(in: scope)
        guard let common = commonTables.first(where: { read.contains(nameKey($0.name)) }) else { return }
        throw CormorantError(
            .misuse, "the scope of \(table.model) reads from \"\(common.name)\", as the common table is called",
            hint: "give the common table another name", table: table.name)
    }
}
