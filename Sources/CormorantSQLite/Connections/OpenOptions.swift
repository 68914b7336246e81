/// How to open a database; the defaults are those that do not surprise.
public struct OpenOptions: Sendable {
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
        case wal = 1
        case delete = 2
        case truncate = 3
        case persist = 4
        case memory = 5
        case off = 6
    }

    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    public enum Synchronous: Int32, Sendable {
        /// NORMAL.
        case `default` = 0
        case off = 1
        case normal = 2
        case full = 3
        case extra = 4
    }

    public var mode: Mode
    /// A database file that is copied into place, atomically, when the file to open is not there.
    public var template: String?
    /// Milliseconds to wait for another connection's lock, or for other threads that use this database; 0 does not wait.
    public var busyTimeout: Int
    public var journalMode: JournalMode
    public var synchronous: Synchronous
    public var foreignKeys: Bool
    /// How many prepared statements of raw SQL are kept.
    public var statementCacheSize: Int
    /// How many connections at most are opened to read beside the writer, when threads share the database; 0: none, so that
    /// calls run one at a time.
    public var readerCount: Int
    /// Leaves a file's journal mode as it is, whatever `journalMode` says: for tools that look after the files of others.
    package var keepsJournalMode = false
    /// What makes the codec of an encrypted file.
    package var codecs: (any PageCodecSource)?
    /// What is done to models before they are first used: a `ModelPreparation` of the layer above.
    package var preparation: (any Sendable)?

    public init(
        mode: Mode = .create, template: String? = nil, busyTimeout: Int = 5000,
        journalMode: JournalMode = .default, synchronous: Synchronous = .default, foreignKeys: Bool = true,
        statementCacheSize: Int = 64, readerCount: Int = 4
    ) {
        self.mode = mode
        self.template = template
        self.busyTimeout = busyTimeout
        self.journalMode = journalMode
        self.synchronous = synchronous
        self.foreignKeys = foreignKeys
        self.statementCacheSize = statementCacheSize
        self.readerCount = readerCount
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

extension OpenOptions.Synchronous {
    var keyword: String {
        switch self {
        case .off: "OFF"
        case .default, .normal: "NORMAL"
        case .full: "FULL"
        case .extra: "EXTRA"
        }
    }
}
