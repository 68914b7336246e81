import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// One transaction of a migration on a server, and what keeps two from each other. Who waits does so outside of a transaction: to one
/// that waits inside, whoever makes an index concurrently would wait in turn.
extension Applier {
    /// Of `pg_advisory_lock`: "corm" in ASCII, and a number of ours.
    private static let lock = "1668247149, 1"

    func serverTransaction<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        let end = time(after: max(Int(connection.busyTimeout), 1_000))
        while true {
            do {
                if let result = try attempt(connection, body) { return result }
                guard time(after: 0) < end else { throw anotherMigration() }
            } catch let error as CormorantError
                where [.busy, .conflict].contains(error.code) && connection.transactionDepth == 0
            {
                guard time(after: 0) < end, !isOver else { throw locked(error) }
            }
            try waitForOthers()
        }
    }

    private func waitForOthers() throws {
        let waiting = MigrationProgress(
            step: "waiting for another connection", index: 0, count: 0, done: 0, total: 0)
        guard options.progress?(waiting) ?? true else { throw cancelled() }
        sleepMilliseconds(50)
    }

    private func anotherMigration() -> CormorantError {
        CormorantError(
            .busy, "another migration of the database is under way",
            hint: "wait for it and try again, or give a longer busy timeout when opening")
    }

    private func locked(_ error: CormorantError) -> CormorantError {
        isOver = true
        guard error.code == .busy, contains(error.plainMessage, "locked by another transaction") else { return error }
        return CormorantError(
            .busy, "others kept a table locked that the migration changes: \(error.plainMessage)",
            hint:
                "nothing of this step was done; end what holds it, try again, or give a longer busy timeout when opening",
            sql: error.sql)
    }

    /// The same inside the caller's transaction, whose isolation is its own, and which waits for no other migration.
    func nested<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        guard connection.dialect == .postgres else { return try transaction(connection, body) }
        return try database.inTransaction {
            guard try isAlone(connection) else { throw anotherMigration() }
            return try body()
        }
    }

    /// Whether no other migration runs; then none does until the transaction ends.
    private func isAlone(_ connection: Connection) throws -> Bool {
        try number("SELECT CAST(pg_try_advisory_xact_lock(\(Self.lock)) AS integer)", connection) == 1
    }

    /// nil where another has the lock.
    private func attempt<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result? {
        try database.inTransaction {
            // What was committed by whoever had the lock before is seen by each statement.
            try connection.script("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            guard try isAlone(connection) else { return nil }
            // Everybody else who wants the table waits behind us: not for long.
            try connection.script("SET LOCAL lock_timeout = \(Self.patience)")
            return try body()
        }
    }

    static let patience = 500

    /// Runs a step that has no transaction, or one of its own, beside which no other migration runs.
    func runApart(_ step: MigrationPlan.Step, _ connection: Connection) throws {
        guard step.isOutside else {
            return try serverTransaction(connection) { for sql in step.sql { try connection.script(sql) } }
        }
        try withSessionLock(connection) { for sql in step.sql { try concurrently(sql, connection) } }
    }

    /// The index of that name which the table has that CREATE INDEX CONCURRENTLY names, as SQL names it, and whether it is whole.
    func indexMade(by sql: String, _ connection: Connection) throws -> (name: String, isValid: Bool)? {
        guard let name = madeConcurrently(sql) else { return nil }
        var found: (name: String, isValid: Bool)?
        let finding = """
            SELECT CAST(CAST(c.oid AS regclass) AS text), CAST(x.indisvalid AS integer)
            FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid
            WHERE c.relname = CAST(\(textLiteral(name)) AS name)
                AND x.indrelid = to_regclass(\(textLiteral(indexedConcurrently(sql))))
            """
        try ServerCatalog(connection: connection).forEach(finding) { found = ($0.string(0), $0.bool(1)) }
        return found
    }

    /// What makes an index while others write. One that was cut off goes; one that was there before, whole or not, is another's.
    func concurrently(_ sql: String, _ connection: Connection) throws {
        let isAnothers = try indexMade(by: sql, connection) != nil
        do {
            try connection.script(sql)
        } catch let error as CormorantError {
            if !isAnothers, let made = try? indexMade(by: sql, connection), !made.isValid {
                try? connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(made.name)")
            }
            throw error
        }
    }

    /// Refuses what holds a lock from one transaction to the next where each may have another server, which would keep the lock.
    func requireSession(_ connection: Connection) throws {
        guard connection.engine?.keepsSession ?? true else {
            throw CormorantError(
                .unsupported,
                "what a migration does outside of a transaction needs a session, which a pooler with prepare=never does not keep",
                hint: "migrate by a URL of the server itself, without prepare=never")
        }
    }

    func withSessionLock(_ connection: Connection, _ body: () throws -> Void) throws {
        try requireSession(connection)
        let end = time(after: max(Int(connection.busyTimeout), 1_000))
        while try number("SELECT CAST(pg_try_advisory_lock(\(Self.lock)) AS integer)", connection) != 1 {
            guard time(after: 0) < end else { throw anotherMigration() }
            try waitForOthers()
        }
        defer {
            let unlock = "SELECT CAST(pg_advisory_unlock(\(Self.lock)) AS integer)"
            // A cancellation may have been meant for what ran before.
            if (try? number(unlock, connection)) == nil { _ = try? number(unlock, connection) }
        }
        try body()
    }

    /// Runs steps of a plan that stand apart, in their order.
    func executeApart(_ steps: [MigrationPlan.Step], _ connection: Connection) throws {
        for (index, step) in steps.enumerated() where step.isApart {
            try monitored(connection, step: step.summary, index: index, count: steps.count, total: step.rows ?? 0) {
                do {
                    try runApart(step, connection)
                } catch let error as CormorantError {
                    throw error.ofMigration.prefixed("\(step.summary): ")
                }
            }
        }
    }
}

extension MigrationPlan.Step {
    /// Whether it makes an index concurrently, or ends a transaction after so many rows.
    var isOutside: Bool { isApart && sql.contains { contains($0, " CONCURRENTLY ") || $0.hasPrefix("DO ") } }
}
