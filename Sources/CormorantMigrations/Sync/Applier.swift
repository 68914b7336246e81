import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// Holds a database for a migration: alone, with foreign keys off, outside any transaction of the caller. Everything is
/// put back in the end.
final class Applier {
    let database: Database
    let options: MigrationOptions
    private var hasSnapshot = false
    /// Whether a step has changed the file that is not through: one outside of a transaction.
    var hasCommitted = false
    private var known: KnownSchema?
    /// Whether the time is over in which locked tables are tried again.
    var isOver = false

    init(_ database: Database, _ options: MigrationOptions) {
        self.database = database
        self.options = options
    }

    /// Runs `body` with the connection ready for migrations.
    func run<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try database.withConnectionAfterCursors { connection in
            try database.refuseTransaction()
            guard !connection.isReadOnly else {
                throw CormorantError(
                    .readOnly, "\"\(database.path)\" is open for reading only",
                    hint: "open it for writing to migrate it")
            }
            if connection.dialect == .postgres { return try runWithForeignKeys(connection, body) }
            let hadForeignKeys = try connection.pragma("foreign_keys") != 0
            // Otherwise dropping a table would delete the rows that refer to its own.
            try connection.setForeignKeys(false)
            defer { try? connection.setForeignKeys(hadForeignKeys) }
            return try runWithForeignKeys(connection, body)
        }
    }

    /// The same where foreign keys stay as they are, for steps that rebuild no table; inside the caller's transaction, too.
    func runWithForeignKeys<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
        try database.refuseRunningCursors()
        connection.setDoubleQuotedStrings(true)
        database.isMigrating = true
        defer {
            database.isMigrating = false
            connection.setDoubleQuotedStrings(false)
        }
        return try body(connection)
    }

    /// Runs `body` in a transaction that holds the write lock from its beginning, and waits for others no longer than the
    /// busy timeout in all.
    func transaction<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        if connection.dialect == .postgres { return try serverTransaction(connection, body) }
        let legacy = try connection.pragma("legacy_alter_table")
        try connection.script("PRAGMA legacy_alter_table = OFF")
        defer { try? connection.script("PRAGMA legacy_alter_table = \(legacy)") }
        let waiting = MigrationProgress(
            step: "waiting for another connection", index: 0, count: 0, done: 0, total: 0)
        return try connection.limitingWaits({ self.options.progress?(waiting) ?? true }) { limit in
            do {
                return try database.transaction(.immediate, body)
            } catch let error as CormorantError
                where error.code == .busy && limit.isOver && (limit.waited > 0 || limit.isCancelled)
            {
                throw limit.isCancelled ? cancelled() : timedOut(error, after: limit.waited)
            }
        }
    }

    private func timedOut(_ error: CormorantError, after waited: Int64) -> CormorantError {
        CormorantError(
            .busy, "another connection kept the database locked for \(waited / 1000).\(waited / 100 % 10) s",
            hint:
                "end what uses the file, try again, or give a longer busy timeout when opening; without WAL what only reads "
                + "is in the way, too", sqliteCode: error.sqliteCode, sql: error.sql)
    }

    /// The file's schema at the beginning of a step. Where that is the one that the step before has left, by SQLite's own count
    /// of its changes, it is not read again, which for each of hundreds of steps takes long.
    func schemaBefore(_ connection: Connection) throws -> KnownSchema {
        if let known, try connection.schemaVersion() == known.version { return known }
        return try schemaAfter(connection)
    }

    /// The file's schema at the end of a step.
    func schemaAfter(_ connection: Connection) throws -> KnownSchema {
        let schema = try KnownSchema(connection)
        known = schema
        return schema
    }

    /// Copies the file before it is changed; called under the write lock, so that the copy is of what is changed then.
    func takeSnapshot() throws {
        guard let path = options.snapshot else { return }
        try database.requireSQLite("snapshots of its files")
        guard let file = try database.withConnection({ $0.filePath }) else {
            throw CormorantError(
                .misuse, "a database in memory has no file to make a snapshot of", hint: "leave the snapshot out")
        }
        guard !fileExists(path) else {
            throw CormorantError(
                .migration, "the file \"\(path)\", where the snapshot is to be, is there already",
                hint: "name another; one that a migration left which failed half-way is for restoring the file")
        }
        try copy(file, to: path)
        hasSnapshot = true
    }

    /// Removes the copy after a success, where it is not to be kept, and after a failure that changed nothing.
    func dropSnapshot() {
        if hasSnapshot, let path = options.snapshot { removeFile(path) }
    }

    func keepOrDropSnapshot() {
        if !options.keepSnapshot { dropSnapshot() }
    }

    /// A connection of its own reads the file as it was last committed: SQLite copies no database from within its own write
    /// transaction.
    private func copy(_ file: String, to path: String) throws {
        var openOptions = OpenOptions()
        openOptions.mode = .readOnly
        // The copy of an encrypted file has its key.
        openOptions.codecs = try database.withConnection { $0.codecs }
        let source = try Connection(path: file, options: openOptions)
        defer { source.close() }
        try source.backup(toNew: path) { left, total in
            options.progress?(
                MigrationProgress(
                    step: "snapshot", index: 0, count: 0, done: total - left, total: total)) ?? true
        }
    }

    /// Runs a plan's steps, telling the progress.
    func execute(_ steps: [MigrationPlan.Step], _ connection: Connection) throws {
        if steps.contains(where: \.isOutside) { try requireSession(connection) }
        let start = time(after: 0)
        for (index, step) in steps.enumerated() where !step.isApart {
            // Who waits for a table that is locked by now waits for all steps that follow.
            if connection.dialect == .postgres, index > 0 {
                let spent = Int((time(after: 0) - start) / 1_000_000)
                try connection.script("SET LOCAL lock_timeout = \(max(Self.patience - spent, Self.patience / 10))")
            }
            try monitored(connection, step: step.summary, index: index, count: steps.count, total: step.rows ?? 0) {
                do {
                    let triggers = try step.rebuilt.flatMap { try temporaryTriggers(of: $0, connection) }
                    for sql in step.sql + triggers { try connection.script(sql) }
                } catch let error as CormorantError {
                    throw error.ofMigration.prefixed("\(step.summary): ")
                }
            }
        }
    }

    /// What makes the connection's own triggers on a table anew, which go with it.
    private func temporaryTriggers(of table: String, _ connection: Connection) throws -> [String] {
        let sql = "SELECT sql FROM temp.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE"
        return try connection.texts(sql, about: table).map {
            // SQLite keeps them as CREATE TRIGGER and what follows. One on a table of temp stays.
            "CREATE TEMP TRIGGER IF NOT EXISTS" + $0.dropFirst("CREATE TRIGGER".count)
        }
    }

    /// Runs `body` with the progress told, and cancelled when it is to be.
    func monitored(
        _ connection: Connection, step: String, index: Int, count: Int, total: Int64, _ body: () throws -> Void
    ) throws {
        guard let progress = options.progress else { return try body() }
        func tell(_ rows: Int64) -> Bool {
            progress(MigrationProgress(step: step, index: index, count: count, done: rows, total: total))
        }
        guard tell(0) else { throw cancelled() }
        let monitor = ProgressMonitor(tell)
        connection.setMonitor(monitor)
        defer { connection.setMonitor(nil) }
        do {
            try withExtendedLifetime(monitor) { try body() }
        } catch let error as CormorantError where error.code == .interrupted && monitor.isCancelled {
            throw cancelled()
        }
        guard tell(monitor.rows) else { throw cancelled() }
    }

    func cancelled() -> CormorantError {
        CormorantError(
            .interrupted, "the migration was cancelled", hint: "the step under way was rolled back; try again")
    }
}

/// A file's schema without the tables that the library keeps for itself, and its hash.
struct KnownSchema {
    let version: Int64
    let schema: Schema
    let hash: String

    init(_ connection: Connection) throws {
        version = try connection.schemaVersion()
        schema = try Schema(present: connection)
        hash = schema.hash
    }
}

extension Schema {
    /// What is there now, of a file or a server, without the tables that the library keeps for itself.
    init(present connection: Connection) throws {
        self =
            try connection.dialect == .postgres
            ? ServerSchema(connection).schema : Schema(connection).withoutOwnTables
    }
}

extension Database {
    /// Puts the file back to what a snapshot or backup holds. A crash leaves the one or the other.
    @available(*, noasync)
    public func restore(_ snapshot: String) throws { try restore(snapshot) { _, _ in true } }

    /// - Parameters:
    ///   - codecs: what the copy is encrypted with; nil: what the database is.
    ///   - shouldContinue: asked after every few pages with those left and all; false changes nothing.
    package func restore(
        _ snapshot: String, codecs: (any PageCodecSource)? = nil,
        shouldContinue: (_ left: Int64, _ total: Int64) -> Bool
    ) throws {
        try withConnectionAfterCursors { connection in
            guard connection.transactionDepth == 0, !connection.isInTransaction else {
                throw CormorantError(
                    .transaction, "a snapshot cannot be restored inside a transaction", hint: "end it first")
            }
            try refuseRunningCursors()
            var options = OpenOptions()
            options.mode = .readOnly
            options.codecs = codecs ?? connection.codecs
            let source = try Connection(path: snapshot, options: options)
            defer { source.close() }
            guard try source.pragma("page_count") > 0 else {
                throw CormorantError(
                    .notADatabase, "\"\(snapshot)\" is empty", hint: "give a snapshot that a migration made")
            }
            let check = try Statement(source, "PRAGMA quick_check(1)")
            guard try check.step(), Row(check).cell(0).string == "ok" else {
                throw CormorantError(.corrupt, "\"\(snapshot)\" is damaged", hint: "nothing was changed; use another")
            }
            check.finalize()
            do {
                try source.backup(to: connection, shouldContinue: shouldContinue)
            } catch let error as CormorantError where [.altered, .truncated, .corrupt].contains(error.code) {
                // Pages that are written over are read first, so that a crash could put them back.
                throw CormorantError(
                    error.code, error.plainMessage,
                    hint:
                        "nothing was restored: close the database, put its file aside, and copy the snapshot to its place",
                    sqliteCode: error.sqliteCode)
            }
        }
    }
}
