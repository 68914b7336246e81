import CormorantBase

extension StatementCompiler {
    /// Writes a column, with its table's name where more than one table could have it.
    func write(_ reference: ColumnReference) throws {
        if reference.column.hasForm { noteForms(of: reference.path.last?.target ?? reference.table) }
        guard !scopes.isEmpty else { return sql += reference.column.quoted }
        if scopes.count == 1, !scopes[0].qualifies, scopes[0].only === reference.table, reference.alias == nil,
            reference.path.isEmpty, !reference.isOuter
        {
            return sql += reference.table.columns[reference.index].quoted
        }
        let (level, position) = try find(reference)
        guard reference.path.isEmpty else { return try write(path: reference, level, position) }
        // From inside a subquery, a bare name could be taken for one of the subquery's own.
        if scopes[level].qualifies || level < scopes.count - 1 {
            sql += quoteIdentifier(scopes[level].tables[position].written) + "."
        }
        sql += reference.column.quoted
    }

    /// What the SQL calls a table that is named without a model.
    func written(_ source: String) throws -> String {
        for scope in scopes.reversed() {
            if let table = scope.tables.first(where: { sameIdentifier($0.name, source) }) {
                return quoteIdentifier(table.written)
            }
        }
        // `excluded` of an upsert, or a name that raw SQL made.
        return quoteIdentifier(source)
    }

    private func find(_ reference: ColumnReference) throws -> (level: Int, position: Int) {
        let wanted = reference.alias ?? reference.table.name
        var level = scopes.count - (reference.isOuter ? 2 : 1)
        if let source = reference.source, let found = find(source, from: level) { return found }
        while level >= 0 {
            for position in scopes[level].tables.indices
            where scopes[level].tables[position].isNamed(wanted, reference.table) {
                return (level, position)
            }
            level -= 1
        }
        if let found = findScoped(reference, wanted) { return found }
        guard scopes.count > 1 || !reference.isOuter else {
            throw CormorantError(
                .misuse,
                "a relation of \(reference.table.model) is used where no row of it is there yet, as in an INSERT",
                hint: "give a value, or set it by an UPDATE of the row that is there then", table: reference.table.name)
        }
        let known = scopes.flatMap { $0.tables.map(\.name) }.filter { !$0.isEmpty }
        let what = reference.alias.map { "\(reference.table.model) as \"\($0)\"" } ?? reference.table.model
        throw CormorantError(
            .misuse, "\(what).\(reference.column.property) is used, but the query does not read from \(what)",
            hint: "join it; the query reads from \(known.isEmpty ? "nothing" : known.joined(separator: ", "))",
            table: reference.table.name, columns: [reference.column.name])
    }

    private func find(_ source: SourceIdentity, from level: Int) -> (level: Int, position: Int)? {
        var level = level
        while level >= 0 {
            if let position = scopes[level].tables.firstIndex(where: { $0.identity === source }) {
                return (level, position)
            }
            level -= 1
        }
        return nil
    }

    /// A column of a model where the same without its scope is read, or the other way round.
    private func findScoped(_ reference: ColumnReference, _ wanted: String) -> (level: Int, position: Int)? {
        for level in (0..<scopes.count - (reference.isOuter ? 1 : 0)).reversed() {
            let found = scopes[level].tables.firstIndex { table in
                (table.name == wanted || sameIdentifier(table.name, wanted))
                    && table.table?.isSame(as: reference.table) == true
            }
            if let found { return (level, found) }
        }
        return nil
    }

    /// A column at the end of to-one relations: a LEFT JOIN along each, once per SELECT.
    private func write(path reference: ColumnReference, _ level: Int, _ position: Int) throws {
        guard scopes[level].canJoin else {
            throw CormorantError(
                .misuse, "\(reference.table.model).\(reference.path[0].name) is followed where nothing can be joined",
                hint: "follow relations in the conditions of a statement that writes, or use a subquery")
        }
        guard scopes[level].qualifies else {
            needsNames = true
            return
        }
        var name = scopes[level].tables[position].written
        var table = reference.table
        for step in reference.path {
            let joined = "\(name).\(step.name)"
            if !scopes[level].paths.contains(where: { $0.name == joined }) {
                try refuseCommonTable(calledAs: step.target, isImplied: true)
                let (from, to) = (joinedName(name), joinedName(joined))
                // The key that is referred to first: its collation compares.
                let pairs = step.columns.map { pair in
                    let (there, here) = (step.target.columns[pair.to], table.columns[pair.from])
                    return dialect.matches(
                        "\(to).\(there.quoted)", "\(from).\(here.quoted)", collation: there.collation)
                }
                scopes[level].paths.append(
                    (joined, " LEFT JOIN \(try rows(of: step.target)) AS \(to) ON \(pairs.joined(separator: " AND "))"))
            }
            name = joined
            table = step.target
        }
        sql += joinedName(name) + "." + reference.column.quoted
    }

    /// Puts the joins that columns asked for behind the tables that are written there.
    func insertPaths(at end: Int) {
        let paths = scopes[scopes.count - 1].paths
        guard !paths.isEmpty else { return }
        sql.insert(paths.map(\.sql).joined(), at: end)
    }
}
