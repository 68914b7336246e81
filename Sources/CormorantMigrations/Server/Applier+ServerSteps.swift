import CormorantBase
import CormorantQuery
import CormorantSQLite

// Steps of a bundle on a server.
extension Applier {
    /// Runs a step that stands in no transaction, each statement by itself, from where it was cut off on: what is done is noted behind
    /// each. A statement that can be in a transaction is in one with its note; what makes an index concurrently is looked for.
    func runOutside(_ step: MigrationStep, _ connection: Connection, index: Int, from done: Int, _ history: History)
        throws
    {
        let sql = step.up.sql(for: .postgres) ?? ""
        let statements = serverStatements(sql)
        for statement in statements { try refuseOnServer(statement.sql, sql) }
        do {
            try monitored(connection, step: step.id, index: index, count: index + 1, total: 0) {
                for (place, statement) in statements.enumerated() where place >= done {
                    do {
                        if isConcurrent(statement.sql) {
                            try withSessionLock(connection) { try makeIndex(statement.sql, connection) }
                            try history.note(step.id, done: place + 1)
                        } else if isAlone(statement.sql) {
                            try connection.script(statement.sql)
                            try history.note(step.id, done: place + 1)
                        } else {
                            try serverTransaction(connection) {
                                try connection.script(statement.sql)
                                try history.note(step.id, done: place + 1)
                            }
                        }
                    } catch let error as CormorantError {
                        throw error.placed(after: statement.offset, of: sql, "up")
                    }
                }
            }
        } catch let error as CormorantError {
            throw error.ofMigration.prefixed("step \(step.id): ")
        }
    }

    private func isConcurrent(_ sql: String) -> Bool {
        let words = serverWords(sql, 5)
        return words.contains("concurrently") && words.contains("index")
    }

    /// What the server takes in no transaction.
    private func isAlone(_ sql: String) -> Bool {
        let words = serverWords(sql, 5)
        return words.first == "vacuum" || words.contains("concurrently")
            || words.first == "alter" && words.dropFirst().first == "system"
    }

    /// An index that is there and whole was made before the step was cut off; one that is not whole goes first.
    private func makeIndex(_ sql: String, _ connection: Connection) throws {
        guard let name = madeConcurrently(sql) else { return try concurrently(sql, connection) }
        let quoted = quoteIdentifier(name)
        let isValid = try number(
            "SELECT CAST(x.indisvalid AS integer) FROM pg_catalog.pg_index x "
                + "WHERE x.indexrelid = to_regclass(\(textLiteral(quoted)))", connection)
        if isValid == 1 { return }
        if isValid == 0 { try connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(quoted)") }
        try concurrently(sql, connection)
    }
}

/// The index that CREATE INDEX CONCURRENTLY makes; nil where SQL is another, or leaves the name to the server.
func madeConcurrently(_ sql: String) -> String? {
    let words = serverWords(sql, 8)
    guard words.first == "create", let place = words.firstIndex(of: "concurrently") else { return nil }
    var rest = words.dropFirst(place + 1)
    if rest.first == "if" { rest = rest.dropFirst(3) }
    return rest.first == "on" ? nil : rest.first
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
