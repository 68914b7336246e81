import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What models declare, as a server has it.
struct DeclaredTables {
    /// By folded table name.
    private(set) var schemas: [String: Schema] = [:]

    /// Inside a transaction: the tables are made as temporary ones, read, and taken back.
    init(_ models: [ModelDescriptor], _ connection: Connection) throws {
        for model in models {
            let statements = try Self.statements(model)
            var schema = try ServerSchema.made(by: Self.scratch(statements), connection)
            for sql in statements where sql.hasPrefix("CREATE ") && !sql.hasPrefix("CREATE TABLE") {
                guard
                    let place = schema.indexes.firstIndex(where: { contains(sql, " \(quoteIdentifier($0.name)) ON ") })
                else { continue }
                schema.indexes[place].sql = sql
            }
            if let place = schema.tables.firstIndex(where: { sameIdentifier($0.name, model.table) }) {
                schema.tables[place].constraints += Self.foreignKeys(model.schema.foreignKeys, of: model.table)
            }
            schemas[foldIdentifier(model.table)] = schema
        }
    }

    /// What makes the model's tables there, foreign keys last.
    private static func statements(_ model: ModelDescriptor) throws -> [String] {
        try model.requireOwnFile()
        return try SQLCompiler.createTables([model.schema], .postgres).map(\.sql)
    }

    /// The text by which `corm_models` keeps it, and by which it can be made again.
    static func scratch(_ model: ModelDescriptor) throws -> String { scratch(try statements(model)) }

    private static func scratch(_ statements: [String]) -> String {
        statements.filter { !$0.hasPrefix("ALTER ") }.map { sql in
            let prefix = "CREATE TABLE "
            return (sql.hasPrefix(prefix) ? "CREATE TEMPORARY TABLE " + sql.dropFirst(prefix.count) : sql) + ";\n"
        }.joined()
    }

    /// What a model declared that was brought to the server before.
    static func former(_ record: ModelRegistry.Record, of table: String, _ connection: Connection) throws -> Schema {
        // What a newer server reads otherwise is as if it had never been declared.
        guard var schema = try? ServerSchema.made(by: record.made, connection) else { return Schema() }
        guard let place = schema.tables.indices.first,
            let said = try? Schema(script: record.sql).tables.first
        else { return schema }
        schema.tables[place].constraints += TableShape(said).foreignKeys.map { key, _ in
            ConstraintDefinition(name: nil, kind: .foreignKey(key), sql: key.sql)
        }
        return schema
    }

    private static func foreignKeys(_ keys: [ForeignKeySchema], of table: String) -> [ConstraintDefinition] {
        keys.map { key in
            let definition = ForeignKeyDefinition(
                columns: key.columns, table: key.table, tableColumns: key.tableColumns, onDelete: key.onDelete,
                onUpdate: key.onUpdate, match: nil, isDeferred: false)
            let name = "\(table)_\(key.columns.joined(separator: "_"))_fkey"
            return ConstraintDefinition(
                name: name, kind: .foreignKey(definition), sql: "CONSTRAINT \(quoteIdentifier(name)) \(definition.sql)")
        }
    }
}

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

    /// nil where another has the lock.
    private func attempt<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result? {
        try database.inTransaction {
            // What was committed by whoever had the lock before is seen by each statement.
            try connection.script("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            guard try rows("SELECT CAST(pg_try_advisory_xact_lock(\(Self.lock)) AS integer)", connection) == 1 else {
                return nil
            }
            // Everybody else who wants the table waits behind us: not for long.
            try connection.script("SET LOCAL lock_timeout = \(Self.patience)")
            return try body()
        }
    }

    private static let patience = 500

    /// Runs a step that has no transaction, or one of its own, beside which no other migration runs.
    func runApart(_ step: MigrationPlan.Step, _ connection: Connection) throws {
        let isConcurrent = step.sql.contains { contains($0, " CONCURRENTLY ") }
        guard isConcurrent else {
            return try serverTransaction(connection) { for sql in step.sql { try connection.script(sql) } }
        }
        try withSessionLock(connection) { for sql in step.sql { try concurrently(sql, connection) } }
    }

    /// What makes an index while others write. One that was cut off goes.
    func concurrently(_ sql: String, _ connection: Connection) throws {
        do {
            try connection.script(sql)
        } catch let error as CormorantError {
            if let name = madeConcurrently(sql) {
                try? connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(quoteIdentifier(name))")
            }
            throw error
        }
    }

    func withSessionLock(_ connection: Connection, _ body: () throws -> Void) throws {
        let end = time(after: max(Int(connection.busyTimeout), 1_000))
        while try rows("SELECT CAST(pg_try_advisory_lock(\(Self.lock)) AS integer)", connection) != 1 {
            guard time(after: 0) < end else { throw anotherMigration() }
            try waitForOthers()
        }
        defer { _ = try? rows("SELECT CAST(pg_advisory_unlock(\(Self.lock)) AS integer)", connection) }
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

extension Connection {
    /// A number that is another as soon as any table, column, constraint or index that is found without the name of its schema is.
    func serverVersion() throws -> Int64 {
        let catalog = ServerCatalog(connection: self)
        var version: Int64 = 0
        try catalog.forEach(catalog.version) { version = $0.int(0) }
        return version
    }

    /// The count of changes of the schema, of whichever engine.
    func schemaVersion() throws -> Int64 { try dialect == .sqlite ? pragma("schema_version") : serverVersion() }

    /// Whether the server has a table of the name.
    func hasTable(_ name: String) throws -> Bool {
        try rows(
            "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass(\(textLiteral(quoteIdentifier(name))))",
            self) == 1
    }
}
