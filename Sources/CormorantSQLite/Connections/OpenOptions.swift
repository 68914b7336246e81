/// How to open a database; the defaults are those that do not surprise.
public struct OpenOptions: Sendable {
    /// Whether a database is made, written and read.
    public enum Mode: Int32, Sendable {
        /// Read and write; the file is made if it is not there.
        case create = 0
        /// Read and write; an error if the file is not there.
        case readWrite = 1
        /// Read only; an error if the file is not there.
        case readOnly = 2
    }

    /// https://www.sqlite.org/pragma.html#pragma_journal_mode
    public enum JournalMode: Int32, Sendable {
        /// WAL; left as it is when the file is opened read-only.
        case `default` = 0
        /// WAL: commits go into a log beside the file, and readers do not wait for them. Refused on network file systems.
        case wal = 1
        /// DELETE: a rollback journal that is deleted at each commit.
        case delete = 2
        /// TRUNCATE: a rollback journal that is emptied at each commit.
        case truncate = 3
        /// PERSIST: a rollback journal whose beginning is overwritten at each commit.
        case persist = 4
        /// MEMORY: a rollback journal in memory; a crash in a write can damage the file.
        case memory = 5
        /// OFF: no journal; a failed write or a crash in one can damage the file, and nothing can be rolled back.
        case off = 6
    }

    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    public enum Synchronous: Int32, Sendable {
        /// NORMAL in WAL mode, FULL with another journal, where with NORMAL a power failure can, rarely, damage the file.
        case `default` = 0
        /// OFF: nothing waits for the disk; a power failure can damage the file.
        case off = 1
        /// NORMAL: in WAL mode a power failure can take back the last commits, and damages nothing.
        case normal = 2
        /// FULL: what is committed survives a power failure.
        case full = 3
        /// EXTRA: as FULL, and the folder is written, too, after a journal is deleted.
        case extra = 4
    }

    /// Whether the file is made, written and read.
    public var mode: Mode
    /// A database file that is copied into place, atomically, when the file to open is not there.
    public var template: String?
    /// Milliseconds to wait for another connection's lock, or for other threads that use this database; 0 does not wait.
    public var busyTimeout: Int
    /// How commits are made atomic.
    public var journalMode: JournalMode
    /// How far a commit waits for the disk.
    public var synchronous: Synchronous
    /// Whether foreign keys are checked.
    public var foreignKeys: Bool
    /// How many prepared statements of raw SQL are kept.
    public var statementCacheSize: Int
    /// How many connections at most are opened to read beside the writer, when threads share the database; 0: none, so that
    /// calls run one at a time.
    public var readerCount: Int
    /// How many connections at most write at once, to a server, when threads share the database; each is a connection of the
    /// server's. A file has one that writes, whatever stands here.
    public var writerCount: Int
    /// Whether the file may have been made, or altered, to do harm. What its schema says then calls no function with effects
    /// beyond its result (trusted_schema = OFF, unless SQLite took its JSON functions for such, as 3.40 does), SQL cannot
    /// damage the file (SQLITE_DBCONFIG_DEFENSIVE: no writable_schema, no writes to what virtual tables keep, no journal mode
    /// OFF), pages are looked at before they are used (cell_size_check = ON), and statements have bounds: 1,000,000 bytes of
    /// SQL, depth 500 of expressions, 200 SELECTs in a compound one, 1,000,000 operations, depth 100 of triggers, 10,000 bytes
    /// of a pattern of LIKE. Foreign keys, checks and triggers run as ever.
    public var untrusted: Bool
    /// Is called with each connection that is opened to the file: first the one that writes, then, when threads need them, those
    /// that read beside it. For settings and attached files, which all connections must have alike:
    ///
    /// ```swift
    /// let database = try Database(path: "app.db", options: OpenOptions(setUp: { connection in
    ///     try connection.execute(script: "PRAGMA cache_size = -20000; ATTACH 'archive.db' AS archive")
    /// }))
    /// ```
    ///
    /// It runs after the other options but for the journal mode, on the thread whose call needs the connection, and must not
    /// use the database. Connections that read cannot write. What it throws is the error of opening the database or, for one
    /// that reads, of the call that needs it.
    public var setUp: (@Sendable (borrowing RawConnection) throws -> Void)?
    /// Is told of damage that statements meet while the database is open: errors `corrupt`, `altered`, `truncated` and
    /// `notADatabase`, each page's once, or each kind of error where the page is not known. It runs on a thread of the library's
    /// own and under none of its locks: it may use the database, and close it. Closing waits for it. `Database.repair`
    /// saves what is left.
    public var damaged: (@Sendable (Damage) -> Void)?
    /// Whether a copy of the schema is kept beside the file, as `PATH-corm-schema`, encrypted as the file is, for a repair that
    /// cannot read the file's own. It is brought up to date when the database is opened, migrated and closed, where it can be
    /// written; whoever removes the file removes it, too.
    public var keepsSchema: Bool
    /// Bytes of memory that SQLite may have in the whole process, as `sqlite3_hard_heap_limit64` says: what needs more throws
    /// `noMemory` and is undone. It is the process's, not the database's: the newest one counts. 0: no limit; nil: as it is.
    public var heapLimit: Int64?
    /// For a connection that reads beside another one.
    package var isReader = false
    /// Leaves a file's journal mode as it is, whatever `journalMode` says: for tools that look after the files of others.
    package var keepsJournalMode = false
    /// What makes the codec of an encrypted file.
    package var codecs: (any PageCodecSource)?
    /// Of one database, made of `damaged`.
    package var damageReports: DamageReports?
    /// What is done to models before they are first used: a `ModelPreparation` of the layer above.
    package var preparation: (any Sendable)?

    /// Options by name; what is left out has the value that stands here.
    public init(
        mode: Mode = .create, template: String? = nil, busyTimeout: Int = 5000,
        journalMode: JournalMode = .default, synchronous: Synchronous = .default, foreignKeys: Bool = true,
        statementCacheSize: Int = 64, readerCount: Int = 4, writerCount: Int = 4, untrusted: Bool = false,
        heapLimit: Int64? = nil, keepsSchema: Bool = false,
        damaged: (@Sendable (Damage) -> Void)? = nil,
        setUp: (@Sendable (borrowing RawConnection) throws -> Void)? = nil
    ) {
        self.mode = mode
        self.template = template
        self.busyTimeout = busyTimeout
        self.journalMode = journalMode
        self.synchronous = synchronous
        self.foreignKeys = foreignKeys
        self.statementCacheSize = statementCacheSize
        self.readerCount = readerCount
        self.writerCount = writerCount
        self.untrusted = untrusted
        self.heapLimit = heapLimit
        self.keepsSchema = keepsSchema
        self.damaged = damaged
        self.setUp = setUp
    }
}

extension OpenOptions.JournalMode {
    var keyword: String {
        switch self {
        case .default, .wal: "WAL"
        case .delete: "DELETE"
        case .truncate: "TRUNCATE"
        case .persist: "PERSIST"
        case .memory: "MEMORY"
        case .off: "OFF"
        }
    }
}

extension OpenOptions {
    var synchronousKeyword: String {
        switch synchronous {
        case .default: !keepsJournalMode && [.default, .wal].contains(journalMode) ? "NORMAL" : "FULL"
        case .off: "OFF"
        case .normal: "NORMAL"
        case .full: "FULL"
        case .extra: "EXTRA"
        }
    }
}
