import CormorantBase
import CormorantQuery
import CormorantSQLite

// Steps of a bundle on a server.
extension Applier {
    /// Runs what stands in no transaction of a step, each statement by itself, from where it was cut off on: what is done is noted
    /// behind each. A statement that can be in a transaction is in one with its note; what makes an index concurrently is looked for.
    /// Another process may be at it, too: what is next is asked for each, with no other migration beside it.
    /// - Parameter begun: how many statements this call has noted; nil: another began the step, which may have been cut off.
    func runOutside(_ step: MigrationStep, _ connection: Connection, index: Int, begun: Int?, _ history: History) throws
    {
        let sql = step.up.sql(for: .postgres) ?? ""
        guard let first = try history.done(step.id) else { return }
        var noted = begun
        func next(_ place: Int, _ body: (_ wasCutOff: Bool) throws -> Void) throws {
            guard let done = try history.done(step.id), done <= place else { return }
            try body(done != noted)
            try history.note(step.id, done: place + 1)
            noted = place + 1
        }
        let session = try Session(connection, sql)
        let temporaries = try temporaries(connection)
        defer {
            try? session.restore()
            try? dropTemporaries(but: temporaries, connection)
        }
        do {
            try monitored(connection, step: step.id, index: index, count: index + 1, total: 0) {
                for (place, statement) in serverStatements(sql).enumerated() where place >= first {
                    do {
                        if needsSession(statement.sql) {
                            try withSessionLock(connection) {
                                try next(place) { try runAlone(statement.sql, connection, wasCutOff: $0) }
                            }
                        } else {
                            try serverTransaction(connection) {
                                try next(place) { _ in
                                    try refusingLosses(step.id, connection) { try connection.script(statement.sql) }
                                }
                            }
                        }
                    } catch let error as CormorantError {
                        throw error.placed(after: statement.offset, of: sql, "up")
                    }
                }
            }
        } catch let error as CormorantError {
            throw error.ofMigration.outsideTransaction.prefixed("step \(step.id): ")
        }
    }

    private func runAlone(_ sql: String, _ connection: Connection, wasCutOff: Bool) throws {
        guard isConcurrent(sql) else { return try connection.script(sql) }
        try changeIndex(sql, connection, wasCutOff: wasCutOff)
    }

    /// Refuses what a step that stands in no transaction could not go on with.
    func refuseOutside(_ step: MigrationStep, _ connection: Connection) throws {
        let sql = step.up.sql(for: .postgres) ?? ""
        for statement in serverStatements(sql) {
            try refuseOnServer(statement.sql, sql)
            try refuseNameless(statement.sql, sql)
            if needsSession(statement.sql) { try requireSession(connection) }
        }
    }

    private func needsSession(_ sql: String) -> Bool { isConcurrent(sql) || isAlone(sql) }

    private func isConcurrent(_ sql: String) -> Bool {
        let words = serverWords(sql, 5)
        return words.contains("concurrently") && words.contains("index")
    }

    /// An index that is there and whole was made before the step was cut off, one that is not there was dropped; what is not whole goes
    /// first.
    private func changeIndex(_ sql: String, _ connection: Connection, wasCutOff: Bool) throws {
        switch serverWords(sql, 1).first {
        case "drop":
            let name = textLiteral(droppedConcurrently(sql))
            if wasCutOff, try number("SELECT 1 WHERE to_regclass(\(name)) IS NOT NULL", connection) == nil { return }
        case "reindex" where wasCutOff:
            // https://www.postgresql.org/docs/current/sql-reindex.html#SQL-REINDEX-CONCURRENTLY
            let left = """
                SELECT CAST(CAST(indexrelid AS regclass) AS text) FROM pg_catalog.pg_index
                    JOIN pg_catalog.pg_class c ON c.oid = indexrelid
                WHERE NOT indisvalid AND relname ~ '_cc(new|old)[0-9]*$' AND pg_table_is_visible(c.oid)
                """
            var names: [String] = []
            try ServerCatalog(connection: connection).forEach(left) { names.append($0.string(0)) }
            for name in names { try connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(name)") }
        default:
            guard wasCutOff, let made = try indexMade(by: sql, connection) else { break }
            if made.isValid { return }
            try connection.script("DROP INDEX CONCURRENTLY \(made.name)")
        }
        try concurrently(sql, connection)
    }
}

/// What the server takes in no transaction, or what ends some of its own.
func isAlone(_ sql: String) -> Bool {
    let words = serverWords(sql, 5)
    return words.first == "vacuum" || words.contains("concurrently")
        || words.first == "alter" && words.dropFirst().first == "system"
        || words.first == "do" && contains(foldIdentifier(sql), "commit")
        || words.starts(with: ["alter", "table"]) && isDetachedConcurrently(serverWords(sql, .max))
}

private func isDetachedConcurrently(_ words: [String]) -> Bool {
    words.contains("detach") && words.last == "concurrently"
}

/// Refuses an index that is made concurrently and has no name, by which it would be known when it was cut off.
private func refuseNameless(_ statement: String, _ sql: String) throws {
    let words = serverWords(statement, 5)
    guard words.first == "create", words.contains("index"), words.contains("concurrently"),
        madeConcurrently(statement) == nil
    else { return }
    throw CormorantError(
        .migration, "a step may not hold \(oneLine(statement))",
        hint: "give the index a name, by which the step knows it when it was cut off", sql: sql)
}

/// The index of DROP INDEX CONCURRENTLY as SQL names it, with its schema where that is given.
private func droppedConcurrently(_ sql: String) -> String {
    var words = serverWords(sql, .max).drop { $0 != "concurrently" }.dropFirst()
    if words.first == "if" { words = words.dropFirst(2) }
    return words.prefix { $0 != "restrict" }.map { $0 == "." ? $0 : quoteIdentifier($0) }.joined()
}

/// The index that CREATE INDEX CONCURRENTLY makes; nil where SQL is another, or leaves the name to the server.
func madeConcurrently(_ sql: String) -> String? {
    let words = serverWords(sql, 8)
    guard words.first == "create", let place = words.firstIndex(of: "concurrently") else { return nil }
    var rest = words.dropFirst(place + 1)
    if rest.first == "if" { rest = rest.dropFirst(3) }
    return rest.first == "on" ? nil : rest.first
}

/// The table of it as SQL names it, with its schema where that is given.
func indexedConcurrently(_ sql: String) -> String {
    var words = serverWords(sql, .max).drop { $0 != "concurrently" }.drop { $0 != "on" }.dropFirst()
    if words.first == "only" { words = words.dropFirst() }
    let isQualified = words.dropFirst().first == "."
    return words.prefix(isQualified ? 3 : 1).map { $0 == "." ? $0 : quoteIdentifier($0) }.joined()
}

/// The table of which CREATE INDEX CONCURRENTLY or ALTER TABLE changes something; nil where SQL is another.
func changedOnline(_ sql: String) -> String? {
    let words = serverWords(sql, .max)
    var rest: ArraySlice<String>
    if words.starts(with: ["alter", "table"]) {
        rest = words.dropFirst(2)
    } else if words.first == "create", words.contains("concurrently") {
        rest = words.drop { $0 != "on" }.dropFirst()
    } else {
        return nil
    }
    if rest.first == "if" { rest = rest.dropFirst(2) }
    if rest.first == "only" { rest = rest.dropFirst() }
    return rest.dropFirst().first == "." ? rest.dropFirst(2).first : rest.first
}

/// Refuses a server that lacks tables or columns of what a step leaves. It is no comparison of all that they say: the step's schema is
/// a file's.
func refuseLack(of expected: Schema, in schema: Schema, _ id: String) throws {
    var lacking: [String] = []
    for table in expected.withoutOwnTables.tables {
        guard let present = schema.table(table.name) else {
            lacking.append("table \"\(table.name)\"")
            continue
        }
        for column in table.columns where !present.columns.contains(where: { sameIdentifier($0.name, column.name) }) {
            lacking.append("column \"\(table.name).\(column.name)\"")
        }
    }
    guard !lacking.isEmpty else { return }
    throw CormorantError(
        .migrationDrift, "the server lacks of the schema that \(id) leaves: \(lacking.joined(separator: "; "))",
        hint: "adopt up to an earlier step, or make what is lacking")
}

/// Refuses what would end a step's transaction.
func refuseOnServer(_ statement: String, _ sql: String) throws {
    let words: Set = [
        "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare", "attach",
    ]
    let found = serverWords(statement, 3)
    guard let word = found.first, words.contains(word), word != "prepare" || found.dropFirst().first == "transaction"
    else { return }
    throw CormorantError(
        .migration, "a step may not hold \(oneLine(statement))",
        hint:
            "each step has a transaction of its own; what can be in none stands in one whose SQL begins with the line "
            + "\"\(outsideTransaction)\"", sql: sql)
}

extension MigrationStep {
    /// Throws where it was generated for files: a server would take it, and make narrow integers, and keys that it does not make.
    func refuseSQLOfFiles() throws {
        guard modelsSQL != nil, case .sql(let sql) = up, !contains(sql, engineComment) else { return }
        throw CormorantError(
            .migration, "step \(id) was generated without a server, and its SQL is that of files",
            hint:
                "generate it with the option server; or, where its SQL is right for both engines, begin it with the line "
                + "\"\(engineComment)all\", which its checksum leaves out, and seal the bundle")
    }
}
