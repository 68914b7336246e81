import CormorantBase
import CormorantEngine

/// What a transaction did.
public enum ChangeKind: Int32, Sendable {
    /// Something, perhaps: rows are not told of what others write, of virtual tables and of changed schemas.
    case unknown = 0
    /// The row was inserted.
    case insert = 1
    /// The row was updated.
    case update = 2
    /// The row was deleted.
    case delete = 3
}

/// One row that a transaction changed.
package struct RowChange: Sendable {
    package var kind: ChangeKind
    package let table: TrackedTable
    package let rowID: Int64
    package let rowKey: RowKey
    private let keyValues: [Value]
    /// Which columns an update changed, the 64th standing for all after it.
    package var mask: UInt64
    /// The columns that the table had then.
    package let columns: TrackedColumns
    /// Where somebody wants them.
    package var old: StoredRow?
    package var new: StoredRow?

    /// The table itself.
    package init(unknown table: TrackedTable) {
        kind = .unknown
        self.table = table
        rowID = 0
        rowKey = .none
        keyValues = []
        mask = .max
        columns = table.columns
        old = nil
        new = nil
    }

    package init(
        _ kind: ChangeKind, _ table: TrackedTable, rowID: Int64, _ rowKey: RowKey, _ keyValues: [Value],
        mask: UInt64,
        old: StoredRow?, new: StoredRow?
    ) {
        self.kind = kind
        self.table = table
        self.rowID = table.hasRowID ? rowID : 0
        self.rowKey = rowKey
        self.keyValues = keyValues
        self.mask = mask
        columns = table.columns
        self.old = old
        self.new = new
    }
}

extension RowChange {
    /// The values of the primary key, in its order; the rowid where there is none, or it is the key. Empty for unknown.
    package var key: [Value] {
        if case .integer(let integer) = rowKey { return [.integer(integer)] }
        return keyValues
    }
}

/// A table whose changes are logged. Guarded by its connection's lock.
package final class TrackedTable: @unchecked Sendable {
    /// "main", "temp", or the name of an attached file.
    package let schema: String
    package let name: String
    package var columns = TrackedColumns()
    /// By which each column of the key is compared, in lower case; empty where all are by bytes.
    package var keyCollations: [String?] = []
    package var hasRowID = true
    /// Another one when the table is not what it was; empty where it is gone.
    package var signature = ""
    /// Whether it has been another one since `describeAgain` was last called.
    var isAltered = false
    /// A virtual table, whose rows lie in tables that are its own.
    package internal(set) var isVirtual = false
    /// The virtual tables that keep, or may keep, their rows in this one, which may be watched itself, too.
    var owners: [TrackedTable] = []
    /// How many want its changes, and how many of these the values.
    package var watchers = 0
    package var valueWatchers = 0
    /// Told at once of each row's key, before anything is committed; none: of the whole table.
    var listeners: [ObjectIdentifier: (RowKey) -> Void] = [:]
    let nameBytes: [CChar]
    let schemaBytes: [CChar]

    package init(_ schema: String, _ name: String) {
        self.schema = schema
        self.name = name
        nameBytes = Array(name.utf8CString)
        schemaBytes = Array(schema.utf8CString)
    }

    /// There is no such table. What was known of it is kept.
    func isGone() {
        isAltered = isAltered || signature != ""
        signature = ""
    }

    /// Whether somebody wants its own changes.
    var isTracked: Bool { watchers > 0 || !listeners.isEmpty }

    func touch(_ key: RowKey) {
        if listeners.isEmpty { return }
        for listener in listeners.values { listener(key) }
    }
}

/// What a transaction did to the tables that are tracked.
package struct CommittedChanges: Sendable {
    package var changes: [RowChange]
    /// Whether tables may have come, gone or changed their columns.
    package var changedSchema = false
    /// Whether another connection committed.
    package var isForeign = false
    /// Whether nothing is known but that something may have changed.
    package var isUnknown = false

    package static let foreign = CommittedChanges(changes: [], isForeign: true, isUnknown: true)

    package init(changes: [RowChange], changedSchema: Bool = false, isForeign: Bool = false, isUnknown: Bool = false) {
        self.changes = changes
        self.changedSchema = changedSchema
        self.isForeign = isForeign
        self.isUnknown = isUnknown
    }
}
