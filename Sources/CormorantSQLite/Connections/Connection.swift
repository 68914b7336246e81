import CSQLite
import CormorantBase
import CormorantEngine
import CormorantThreads

/// What a feature keeps with a connection: those who conform are the kinds, one of each.
package protocol ConnectionAttachment: AnyObject {}

/// One connection with its prepared statements and transactions. Not safe to share: whoever owns it holds a lock. What is
/// SQLite's is here, its calls in line; another engine's connection is handed what comes: `engine`.
@usableFromInline
package final class Connection: ConnectionAttachment {
    package let path: String
    /// nil where it is another engine's.
    @usableFromInline let handle: OpaquePointer?
    /// nil where it is SQLite's.
    package let engine: (any EngineConnection)?
    var cache: StatementCache
    /// The file was opened as one that is not trusted.
    private(set) var isDistrustful = false
    var tracer: Tracer?
    /// While somebody wants to know what is run.
    var statementNotes: StatementNotes?
    /// While somebody watches.
    package internal(set) var changeLog: ChangeLog?
    var versionStatement: Statement?
    package let busyTimeout: Int32
    var savepoints = 0 { didSet { if savepoints == 0 { loss = nil } } }
    /// What is to be done where a transaction is rolled back, with its depth.
    var undoings: [(depth: Int, undo: () -> Void)] = []
    /// Why the transactions that are to be left yet were rolled back, where that was not SQLite's doing.
    package internal(set) var loss: CormorantError?
    /// Ends the statements that its owner has running.
    package var endReaders: (() -> Void)?
    /// Told of the SQL that a program has run on it by itself.
    package var scriptsRun: ((String) -> Void)?
    /// Told when the program begins to set it up once more, and when that has ended.
    package var setsUp: ((Bool) -> Void)?
    package private(set) var isOpen = true
    /// Pages in the write-ahead log after the last commit, once `watchLog` was called.
    package internal(set) var logPages = 0
    /// Grows with each statement of this connection that may change the schema, or take a change back.
    package internal(set) var schemaChanges = 0
    private var attachments: [ObjectIdentifier: any ConnectionAttachment] = [:]
    /// Whether rows are kept for lookups, each of which asks.
    package var keepsRows = false
    package var isReadOnly: Bool { engine?.isReadOnly ?? false || openedReadOnly }
    private let openedReadOnly: Bool
    package let capabilities: Capabilities
    /// Whether it reads beside another connection, which writes.
    var isReader = false
    /// Set by `interrupt`, which SQLite forgets where no statement runs at the moment. Who does more than run statements
    /// clears it first, and looks at it now and then.
    package let wasInterrupted = AtomicFlag()
    /// Whether its statements look for themselves whether their thread is cancelled.
    var watchesCancellation = false
    /// What the file is encrypted with; nil for a plain one.
    private var codec: (any PageCodec)?
    let faults: CodecFaults
    /// Told of damage; nil where nobody wants to know.
    private(set) var damage: DamageReports?
    /// What the codec said of the error that is being made.
    var alteredPage: (path: String, page: UInt32)?
    /// Once the program has brought a function.
    var hostCalls: HostCalls?
    /// Once one of them was a collation.
    var hasHostCollations = false
    /// Up to which it has those of the program.
    var broughtVersion = 0
    /// Whether it, or a file that was attached, is.
    var hasEncryptedFile = false

    /// Opens the file and applies the options.
    package init(path: String, options: OpenOptions) throws {
        let memory = path == ":memory:"
        try checkPath(path)
        guard !memory || options.codecs == nil else {
            throw CormorantError(.misuse, "a database in memory has no file to encrypt", hint: "open it without a key")
        }
        if options.codecs != nil { try refuseURI(path, encryptedByPath) }
        codec = try options.codecs?.makeCodec(path: path)
        if let limit = options.heapLimit { sqlite3_hard_heap_limit64(max(0, limit)) }
        if let template = options.template, !memory {
            try copyTemplate(template, to: path, mayBePlain: options.codecs?.hasPlainHeader ?? true, codec)
        }
        if !memory, !options.isReader { try refuseLeftoverLogs(of: path, codec) }
        // URIs whatever the build of SQLite does by itself.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI
        switch options.mode {
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | (memory ? SQLITE_OPEN_CREATE : 0)
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        }
        var opened: OpaquePointer?
        let faults = CodecFaults()
        self.faults = faults
        let status = try Handover.offering(codec.map { Handover.Offer($0, faults) }) {
            sqlite3_open_v2(path, &opened, flags, VFS.name)
        }
        self.path = path
        handle = opened
        engine = nil
        capabilities = Capabilities(tellsChangedRows: csqlite_has_preupdate_hook() != 0)
        cache = StatementCache(capacity: options.statementCacheSize)
        busyTimeout = Int32(clamping: max(0, options.busyTimeout))
        openedReadOnly = opened != nil && sqlite3_db_readonly(opened, "main") == 1
        do {
            guard status == SQLITE_OK else { throw error(status) }
            if let turns = VFS.turns(opened, "main") {
                turns.connection = opened
                if busyTimeout == 0 { turns.waits = false }
            }
            try apply(options)
            // What was wrong with the file before a journal put it right.
            faults.clear()
            damage = options.damageReports
        } catch let failure as SetUpFailure {
            close()
            throw failure
        } catch {
            defer { close() }
            throw openingFailure(path, error, isPlain: codec == nil, sqlite3_system_errno(handle))
        }
    }

    /// Takes over a connection of another engine.
    package init(engine: any EngineConnection, path: String, options: OpenOptions) {
        self.path = path
        handle = nil
        self.engine = engine
        capabilities = Capabilities(tellsChangedRows: false)
        faults = CodecFaults()
        cache = StatementCache(capacity: options.statementCacheSize)
        busyTimeout = Int32(clamping: max(0, options.busyTimeout))
        openedReadOnly = options.mode == .readOnly
        isReader = options.isReader
    }

    deinit { close() }

    private func apply(_ options: OpenOptions) throws {
        setDoubleQuotedStrings(false)
        csqlite_close_fts3_tokenizer(handle)
        try registerValueList()
        try registerDecimalCollation()
        try registerCaseFolding()
        try registerMomentCollation()
        try registerTimeFunction()
        try registerReadableFunction()
        try registerDecimalFunctions()
        try registerStoredFunctions()
        try registerRegularExpressions()
        sqlite3_busy_timeout(handle, busyTimeout)
        if options.untrusted { try distrust() }
        if let codec { try prepare(codec, schema: "main") }
        guard !isReadOnly || options.mode == .readOnly else {
            throw CormorantError(
                .readOnly, "\"\(path)\" is read-only",
                hint: readOnlyFileHint)
        }
        try script("PRAGMA foreign_keys = \(options.foreignKeys ? "ON" : "OFF")")
        try script("PRAGMA synchronous = \(options.synchronousKeyword)")
        // Some builds of SQLite have it on, which makes dropping and rebuilding a table write it to the disk once more.
        // An encrypted file has every page written: SQLCipher takes one that never was for an altered one.
        try script("PRAGMA secure_delete = \(codec == nil ? "FAST" : "ON")")
        // Reading the schema shows now, not at the first query, that a file is no database.
        try script("SELECT 1 FROM sqlite_schema LIMIT 1")
        try readyKeys("main")
        isReader = options.isReader
        // Before the journal mode, behind which a file's page size stays as it is.
        if let setUp = options.setUp { try run(setUp) }
        guard let file = filePath, !isReadOnly, !options.keepsJournalMode else { return }
        let wanted = options.journalMode.keyword
        if wanted == OpenOptions.JournalMode.wal.keyword { try refuseLogOnNetwork(file, shown: path) }
        let got = try setJournalMode(wanted, options.busyTimeout)
        guard !got.isEmpty else {
            throw CormorantError(
                .cannotOpen, "\"\(path)\" has no journal, without which it cannot be shared safely",
                hint: "open a file, or memory by its name: file:NAME?mode=memory&cache=shared")
        }
        guard sameIdentifier(wanted, got) else {
            throw CormorantError(
                .sqlite, "\"\(path)\" stays in journal mode \(got), \(wanted) was asked for",
                hint: "open it with a journal mode that its file system supports")
        }
    }

    /// Believes nothing of what stands in the file, before anything of it is read.
    private func distrust() throws {
        guard csqlite_distrust(handle, UntrustedSchemas.refuseJSON ? 1 : 0) == SQLITE_OK else {
            throw CormorantError(
                .unsupported, "this SQLite is too old for files that are not trusted",
                hint: "take SQLite 3.31 or later, or open the file as a trusted one")
        }
        try script("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
        isDistrustful = true
    }

    /// The switch to WAL does not use SQLite's busy handler, so it is tried again here until the timeout is over.
    func setJournalMode(_ wanted: String, _ timeout: Int) throws -> String {
        let got = try Statement(self, "PRAGMA journal_mode").firstText() ?? ""
        if sameIdentifier(got, wanted) { return got }
        // To and from WAL the first page is written with a rollback journal, of which a power cut may leave half with less.
        let synchronous = try pragma("synchronous")
        if synchronous < 2 { try script("PRAGMA synchronous = FULL") }
        defer { if synchronous < 2 { try? script("PRAGMA synchronous = \(synchronous)") } }
        var waited = 0
        while true {
            do {
                return try Statement(self, "PRAGMA journal_mode = \(wanted)").firstText() ?? ""
            } catch let error as CormorantError where error.code == .busy && waited < timeout {
                sleepMilliseconds(10)
                waited += 10
            }
        }
    }

    /// Closes the connection; an open transaction is rolled back. A second close does nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        attachments = [:]
        cache.removeAll()
        versionStatement = nil
        if let engine { return engine.close() }
        // SQLite had no memory for it.
        guard handle != nil else { return }
        setTrace(nil)
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_set_authorizer(handle, nil, nil)
        if let log = changeLog {
            changeLog = nil
            log.uninstall()
        }
        // Statements that are still out are finalised by their owners; SQLite keeps a zombie until then.
        sqlite3_close_v2(handle)
        // The connection may be kept for longer, its keys must not.
        codec = nil
    }

    /// Runs SQL text with any number of statements and no bindings. An error's offset counts from the start of the
    /// text.
    package func script(_ sql: String) throws {
        guard !sql.utf8.contains(0) else { throw StatementFault.nul(sql) }
        if let engine { return try script(sql, on: engine) }
        try sql.withCString { start in
            var next: UnsafePointer<CChar>? = start
            while let begin = next, begin.pointee != 0 {
                var statement: OpaquePointer?
                var status = waitingForSharedMemory { sqlite3_prepare_v2(handle, begin, -1, &statement, &next) }
                if status == SQLITE_INTERRUPT, StatementStart.transactionWord(begin) == "ROLLBACK" {
                    // SQLite upholds an interrupt until no statement runs, and does not even read this.
                    endReaders?()
                    status = sqlite3_prepare_v2(handle, begin, -1, &statement, &next)
                }
                if savepoints > 0, let word = transactionWordOf(statement) {
                    sqlite3_finalize(statement)
                    throw notForSQL(word, sql)
                }
                if changesSchema(statement) { schemaChanges &+= 1 }
                hostCalls?.forgetCollationFailure()
                while status == SQLITE_OK, statement != nil {
                    status = sqlite3_step(statement)
                    if status == lockedInSharedMemory {
                        status = waitingForSharedMemory {
                            sqlite3_reset(statement)
                            return sqlite3_step(statement)
                        }
                    }
                    if status == SQLITE_ROW { status = SQLITE_OK } else { break }
                }
                if let error = endIfCollationFailed(statement, sql) {
                    sqlite3_finalize(statement)
                    throw error
                }
                if status != SQLITE_OK, status != SQLITE_DONE {
                    let error = compileError(status, sql: sql, from: begin - start)
                    if statement != nil { changeLog?.statementFailed(statement) }
                    sqlite3_finalize(statement)
                    throw error
                }
                sqlite3_finalize(statement)
            }
        }
    }

    /// A prepared statement for raw SQL, from the cache where it is there. Give it back with `recycle`.
    package func statement(_ sql: String) throws -> Statement {
        let statement = try ownStatement(sql)
        guard savepoints > 0, let word = statement.transactionWord else { return statement }
        recycle(statement)
        throw notForSQL(word, sql)
    }

    /// The same, which may begin and end transactions.
    func ownStatement(_ sql: String) throws -> Statement {
        if let cached = cache.take(sql) { return cached }
        return try Statement(self, sql)
    }

    package func recycle(_ statement: Statement) {
        statement.reset()
        statement.clearBindings()
        if isOpen, !statement.changesSchema { cache.put(statement) } else { statement.finalize() }
    }

    /// What is kept of this kind, such as a feature's statements; released when the connection closes.
    package func attachment<Attachment: ConnectionAttachment>(_ type: Attachment.Type) -> Attachment? {
        attachments[ObjectIdentifier(type)].map { unsafeDowncast($0, to: type) }
    }

    package func setAttachment<Attachment: ConnectionAttachment>(_ attachment: Attachment?) {
        attachments[ObjectIdentifier(Attachment.self)] = attachment
    }
    /// What another connection to the same file, or to a copy of it, is opened with.
    package var codecs: (any PageCodecSource)? { codec?.shared }

    /// Of another engine, which tells keys by RETURNING alone, the key of the newest record.
    package var newestKey: Int64 = 0
    package var lastInsertID: Int64 { handle == nil ? newestKey : sqlite3_last_insert_rowid(handle) }
    package var changes: Int64 { handle == nil ? changesOfEngine : sqlite3_changes64(handle) }
    package var totalChanges: Int64 { handle == nil ? totalChangesOfEngine : sqlite3_total_changes64(handle) }

    /// Stops the running statements. The only call that needs no lock; the connection must be open.
    package func interrupt() {
        wasInterrupted.isSet = true
        if let engine { engine.interrupt() } else { sqlite3_interrupt(handle) }
    }
}

/// SQLITE_READONLY_DIRECTORY, https://www.sqlite.org/rescode.html: even who reads a file in WAL mode writes beside it, and a journal stands
/// there.
private let readOnlyDirectory: Int32 = 8 | 6 << 8

/// An error of opening, with the path, and without SQL that the caller never wrote.
/// - Parameter number: what the system said last.
func openingFailure(_ path: String, _ error: any Error, isPlain: Bool, _ number: Int32) -> any Error {
    guard let error = error as? CormorantError else { return error }
    if error.code == .cannotOpen, let hint = openingHint(number) {
        return CormorantError(
            .cannotOpen, "\"\(path)\" cannot be opened: \(systemMessage(number))", hint: hint,
            sqliteCode: error.sqliteCode)
    }
    if isPlain, error.code == .notADatabase { return plainFailure(path, error) }
    guard !contains(error.plainMessage, "\"\(path)\"") else { return error.withoutSQL() }
    if error.code == .cannotOpen && fileHead(path).isWAL || error.sqliteCode == readOnlyDirectory {
        let isWAL = fileHead(path).isWAL
        return CormorantError(
            error.code,
            isWAL
                ? "\"\(path)\" is in WAL mode and its folder cannot be written"
                : "the folder of \"\(path)\" cannot be written, where its journal or log would be",
            hint: isWAL
                ? "let the folder be written, or copy the file, with the -wal file beside it, to a folder of yours"
                : "let the folder be written, or open the file with the read-only mode", sqliteCode: error.sqliteCode)
    }
    guard error.code == .cannotOpen else { return error.withoutSQL().prefixed("\"\(path)\" cannot be opened: ") }
    return refusalOfURL(path, sqliteCode: error.sqliteCode)
        ?? CormorantError(
            .cannotOpen, "\"\(path)\" cannot be opened: \(pathProblem(path))",
            hint: "check the path, its folder and their permissions", sqliteCode: error.sqliteCode)
}

/// The hint of an error that `corm` has advice of its own for.
package let readOnlyFileHint = "open it with the read-only mode, or make the file writable"
