import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

// The SQL or the function of a step, and what it may not do.
extension Applier {
    /// Refuses SQL that drops what holds something, without leave.
    /// - Parameter end: where its transaction ends; nil: it is one as a whole.
    /// - Returns: what is to be looked for when the SQL has run; nil: nothing.
    func refuseLosses(
        of sql: String?, _ id: String, endsAt end: Int?, _ schema: Schema, _ connection: Connection
    ) throws -> StepLosses.Inventory? {
        guard let sql, !options.allowLossy else { return nil }
        var losses = StepLosses(schema, connection.dialect)
        let gone = losses.run(sql)
        // What ran outside a transaction is not taken back.
        let end = end ?? .max
        let found = try losses.counted(gone, outsideFrom: end, connection)
        guard found.isEmpty else { throw lost(found, id, "the step was not run") }
        return end == 0 ? nil : StepLosses.Inventory(losses.successors.filter { $0.drop < end })
    }

    /// Runs a step, and refuses it where it has left less than there was.
    func refusingLosses(
        _ inventory: StepLosses.Inventory?, _ id: String, _ connection: Connection, _ run: () throws -> Void
    ) throws {
        guard let inventory else { return try run() }
        try refusingLosses(id, connection) {
            inventory.clear()
            try run()
        }
        let found = try inventory.missing(connection)
        guard found.isEmpty else { throw lost(found, id, "the step was taken back") }
    }

    /// Runs a part of a step on a server, whose functions and blocks drop what no text shows. Where tables or columns are gone, it is
    /// taken back to count what they held; it runs again where that is there, or was nothing.
    func refusingLosses(_ id: String, _ connection: Connection, _ run: () throws -> Void) throws {
        guard connection.dialect == .postgres, !options.allowLossy else { return try run() }
        let before = try ServerRows(connection)
        let gone: [ServerRows.Part]
        try connection.begin(.immediate)
        do {
            try run()
            gone = try before.gone(connection)
            if gone.isEmpty { return try connection.commit() }
            try connection.rollback()
        } catch {
            try? connection.rollback()
            throw error
        }
        let found = try ServerRows.lost(gone, connection)
        guard found.isEmpty else { throw lost(found, id, "the step was taken back") }
        try run()
    }

    private func lost(_ found: [String], _ id: String, _ outcome: String) -> CormorantError {
        CormorantError(
            .migration, "step \(id) would lose \(found.joined(separator: " and "))",
            hint: "keep a copy, and allow it with the option allow_lossy; \(outcome)")
    }

    /// Sees that a step's SQL down leads to the schema before it, and undoes that.
    func checkWayBack(of step: MigrationStep, to before: Schema, _ connection: Connection) throws {
        guard let down = step.down, !step.isOutsideTransaction else { return }
        struct Undo: Error {}
        var left: SchemaChange?
        do {
            try transaction(connection) {
                try run(down, of: step.id, connection, index: 0, count: 1, isDown: true)
                left = SchemaDifference(from: try Schema(present: connection), to: before).changes.first
                throw Undo()
            }
        } catch is Undo {}
        guard let left else { return }
        throw CormorantError(
            .migration, "the way back of step \(step.id) does not lead to the schema before it: \(left)",
            hint: "mend its down.sql, or remove it", table: left.table)
    }

    /// Runs one way of a step inside its transaction.
    /// - Parameter end: where that ends on a server.
    func run(
        _ action: MigrationStep.Action, of id: String, _ connection: Connection, index: Int, count: Int,
        endsAt end: Int? = nil, inTransaction: Bool = true, isDown: Bool = false,
        inventory: StepLosses.Inventory? = nil
    ) throws {
        let invariants = try connection.dialect == .sqlite ? Invariants(connection) : nil
        let temporaries = try temporaries(connection)
        do {
            try monitored(connection, step: id, index: index, count: count, total: 0) {
                switch action {
                case .sql where connection.dialect == .postgres:
                    let sql = action.sql(for: .postgres) ?? ""
                    let statements = serverStatements(sql).filter { $0.offset < end ?? .max }
                    for statement in statements { try refuseOnServer(statement.sql, sql) }
                    // The way back is one transaction, in which what an engine does outside of one is done plainly.
                    let plain = isDown ? action.transactionEnd(.postgres) ?? .max : .max
                    let session = try Session(connection, sql)
                    for statement in statements {
                        do {
                            try inventory?.count(before: statement.offset, connection)
                            let isPlain = statement.offset > plain
                            let text = isPlain ? ServerReplay.inTransaction(statement.sql) : statement.sql
                            if let text { try connection.script(text) }
                        } catch let error as CormorantError {
                            throw error.placed(after: statement.offset, of: sql, isDown ? "down" : "up")
                        }
                    }
                    try session.restore()
                case .sql:
                    let sql = action.sql(for: .sqlite) ?? ""
                    for statement in try stepStatements(sql, inTransaction: inTransaction) {
                        do {
                            try inventory?.count(before: statement.offset, connection)
                            try connection.script(statement.sql)
                        } catch let error as CormorantError {
                            throw error.placed(after: statement.offset, of: sql, isDown ? "down" : "up")
                        }
                    }
                case .function(let function): try call(function, connection)
                }
            }
            if !inTransaction { try connection.setForeignKeys(false) }
            try dropTemporaries(but: temporaries, connection)
            try invariants?.check(connection)
        } catch let error as CormorantError {
            throw error.ofMigration.prefixed("step \(id): ")
        }
    }

    /// The temporary tables, views and triggers of the connection, those first that take others along, by what drops them.
    func temporaries(_ connection: Connection) throws -> [String] {
        if connection.dialect == .postgres {
            let statement = try Statement(
                connection,
                """
                SELECT CAST(CAST(oid AS regclass) AS text), relkind = 'v', relkind = 'S' FROM pg_catalog.pg_class
                WHERE relnamespace = pg_catalog.pg_my_temp_schema() AND relkind IN ('r', 'p', 'v', 'S')
                """)
            var found: [String] = []
            while try statement.step() {
                let row = Row(statement)
                let kind = row.cell(1).int64 == 1 ? "VIEW" : row.cell(2).int64 == 1 ? "SEQUENCE" : "TABLE"
                found.append("DROP \(kind) IF EXISTS \(row.cell(0).string ?? "") CASCADE")
            }
            return found
        }
        // To ask for what is not there would make the database for it.
        let isThere = try Statement(connection, "SELECT 1 FROM pragma_database_list WHERE name = 'temp'")
        guard try isThere.step() else { return [] }
        let statement = try Statement(
            connection,
            """
            SELECT type, name FROM sqlite_temp_schema WHERE type <> 'index' AND \(notInternal)
            ORDER BY type DESC, rootpage
            """)
        var found: [String] = []
        while try statement.step() {
            let row = Row(statement)
            guard let type = row.cell(0).string, let name = row.cell(1).string else { continue }
            found.append("DROP \(type) IF EXISTS temp.\(quoteIdentifier(name))")
        }
        return found
    }

    /// What is temporary ends with its step: the next may run by another connection.
    func dropTemporaries(but kept: [String], _ connection: Connection) throws {
        for drop in try temporaries(connection) where !kept.contains(drop) { try connection.script(drop) }
    }

    private func call(_ function: (Database) throws -> Void, _ connection: Connection) throws {
        let depth = connection.transactionDepth
        connection.setTransactionGuard(true)
        defer {
            connection.setTransactionGuard(false)
            // The step's own is then rolled back by who began it.
            while connection.transactionDepth > depth, (try? database.rollback()) != nil {}
        }
        do {
            try function(database)
        } catch let error as CormorantError where error.sqliteCode == notAuthorized {
            throw CormorantError(
                .migration, "a step may not begin or end transactions, nor attach files",
                hint: "nest with the transaction calls, which make savepoints; what reaches beyond the file is no step",
                sql: error.sql)
        }
        guard connection.transactionDepth == depth, connection.isInTransaction else {
            throw CormorantError(
                .migration, "the step's function has left transactions open or ended its own",
                hint: "end what it begins, and leave the step's own transaction alone")
        }
    }
}

/// The statements of a step, those refused that would end its transaction or reach beyond the file.
/// - Parameter inTransaction: false also lets VACUUM and every PRAGMA pass.
func stepStatements(_ sql: String, inTransaction: Bool = true) throws -> [SQLScript.Statement] {
    let statements = try SQLScript.statements(sql)
    for statement in statements {
        let isRefused: Bool
        switch statement.keyword {
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "ATTACH", "DETACH": isRefused = true
        case "VACUUM": isRefused = inTransaction
        case "PRAGMA": isRefused = try inTransaction && !isHarmless(pragma: statement.sql)
        default: isRefused = false
        }
        guard !isRefused else {
            throw CormorantError(
                .migration, "a step may not hold \(oneLine(statement.sql))",
                hint:
                    "each step has a transaction of its own; VACUUM and PRAGMAs can stand in one whose SQL begins with "
                    + "the line \"\(outsideTransaction)\"", sql: sql)
        }
    }
    return statements
}

private func isHarmless(pragma sql: String) throws -> Bool {
    var tokens = SQLTokenizer(sql)
    _ = try tokens.next()
    guard let name = try tokens.next() else { return false }
    let text = foldIdentifier(String(decoding: tokens.bytes[name.range], as: UTF8.self))
    return text == "legacy_alter_table" || text == "defer_foreign_keys"
}

/// SQLITE_AUTH, https://www.sqlite.org/rescode.html#auth
private let notAuthorized: Int32 = 23
