// Written by scripts/check-abi --update from cormorant/base.h: do not edit.

/// What kind of error happened; the same numbers and meanings as `CORM_E_*` in `cormorant/base.h`.
public enum ErrorCode: Int32, Sendable, CaseIterable {
    /// A closed or wrong kind of handle, or an argument that can never be right.
    case misuse = -1
    /// Memory could not be had: for texts, blobs and arrays that the caller gives or reads, of more than a megabyte,
    /// and for what SQLite needs.
    case noMemory = -2
    /// A defect of this library.
    case `internal` = -3
    /// The operating system refused a read, a write or a lock.
    case io = -4
    /// The file cannot be opened: missing, unreadable, a directory.
    case cannotOpen = -5
    /// The file is no SQLite database, or it is encrypted.
    case notADatabase = -6
    /// The file, or this handle, may only be read.
    case readOnly = -7
    /// Another connection held a lock for longer than the busy timeout.
    case busy = -8
    /// The file is damaged.
    case corrupt = -9
    /// The disk is full.
    case full = -10
    /// `interrupt` stopped the call.
    case interrupted = -11
    /// The SQL does not compile; `offset` says where.
    case sql = -12
    /// Too few, too many or unknown bindings.
    case binding = -13
    /// A constraint that is none of the four below, or a trigger, refused the write.
    case constraint = -14
    /// A UNIQUE or PRIMARY KEY constraint refused the write.
    case unique = -15
    /// A NOT NULL constraint refused the write.
    case notNull = -16
    /// A FOREIGN KEY constraint refused the write.
    case foreignKey = -17
    /// A CHECK constraint refused the write.
    case check = -18
    /// A value is of another type than its column.
    case type = -19
    /// A number or text does not fit into its field, or is NaN, which SQLite cannot store.
    case range = -20
    /// Text is not UTF-8, or holds a NUL where the field cannot.
    case encoding = -21
    /// The file holds NULL where the field cannot.
    case nullValue = -22
    /// The descriptor of a model cannot work.
    case model = -23
    /// The file's tables are not what the model says.
    case schema = -24
    /// Transactions out of order: none is open on this thread, or SQLite has already rolled it back.
    case transaction = -25
    /// A text, blob or statement is longer than SQLite takes.
    case tooBig = -26
    /// A callback of the host program reported failure.
    case callback = -27
    /// update or refresh of a record that is not in the table.
    case noRecord = -28
    /// Any other SQLite error; `sqliteCode` says which.
    case sqlite = -29
    /// The text is no JSON, or not of the form that the model has; the message names the path.
    case json = -30
    /// A migration would lose something it was not told to, or cannot be made; the message lists what is in the way.
    case migration = -31
    /// A step was changed after it was applied, or differs from its bundle's manifest.
    case migrationModified = -32
    /// A step that the file or the manifest knows is not there.
    case migrationMissing = -33
    /// A step that is not applied stands before one that is.
    case migrationOrder = -34
    /// A step began outside a transaction and did not finish.
    case migrationDirty = -35
    /// The file has steps, or a version, later than this program knows.
    case migrationNewer = -36
    /// The file's schema is not what its last step left.
    case migrationDrift = -37
    /// The key does not open the file, or it was encrypted with another cipher or other settings.
    case wrongKey = -38
    /// The file is encrypted and no key was given.
    case keyMissing = -39
    /// A key was given for a file that is not encrypted.
    case notEncrypted = -40
    /// A page of an encrypted file is not what was written; the message says which.
    case altered = -41
    /// An encrypted file was cut off.
    case truncated = -42
    /// libcrypto cannot be loaded, or a codec fails.
    case cipher = -43

    /// The name that all faces share, such as `CORM_E_UNIQUE`.
    public var name: StaticString {
        switch self {
        case .misuse: "CORM_E_MISUSE"
        case .noMemory: "CORM_E_NO_MEMORY"
        case .internal: "CORM_E_INTERNAL"
        case .io: "CORM_E_IO"
        case .cannotOpen: "CORM_E_CANNOT_OPEN"
        case .notADatabase: "CORM_E_NOT_A_DATABASE"
        case .readOnly: "CORM_E_READ_ONLY"
        case .busy: "CORM_E_BUSY"
        case .corrupt: "CORM_E_CORRUPT"
        case .full: "CORM_E_FULL"
        case .interrupted: "CORM_E_INTERRUPTED"
        case .sql: "CORM_E_SQL"
        case .binding: "CORM_E_BINDING"
        case .constraint: "CORM_E_CONSTRAINT"
        case .unique: "CORM_E_UNIQUE"
        case .notNull: "CORM_E_NOT_NULL"
        case .foreignKey: "CORM_E_FOREIGN_KEY"
        case .check: "CORM_E_CHECK"
        case .type: "CORM_E_TYPE"
        case .range: "CORM_E_RANGE"
        case .encoding: "CORM_E_ENCODING"
        case .nullValue: "CORM_E_NULL_VALUE"
        case .model: "CORM_E_MODEL"
        case .schema: "CORM_E_SCHEMA"
        case .transaction: "CORM_E_TRANSACTION"
        case .tooBig: "CORM_E_TOO_BIG"
        case .callback: "CORM_E_CALLBACK"
        case .noRecord: "CORM_E_NO_RECORD"
        case .sqlite: "CORM_E_SQLITE"
        case .json: "CORM_E_JSON"
        case .migration: "CORM_E_MIGRATION"
        case .migrationModified: "CORM_E_MIGRATION_MODIFIED"
        case .migrationMissing: "CORM_E_MIGRATION_MISSING"
        case .migrationOrder: "CORM_E_MIGRATION_ORDER"
        case .migrationDirty: "CORM_E_MIGRATION_DIRTY"
        case .migrationNewer: "CORM_E_MIGRATION_NEWER"
        case .migrationDrift: "CORM_E_MIGRATION_DRIFT"
        case .wrongKey: "CORM_E_WRONG_KEY"
        case .keyMissing: "CORM_E_KEY_MISSING"
        case .notEncrypted: "CORM_E_NOT_ENCRYPTED"
        case .altered: "CORM_E_ALTERED"
        case .truncated: "CORM_E_TRUNCATED"
        case .cipher: "CORM_E_CIPHER"
        }
    }
}
