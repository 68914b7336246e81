import CormorantBase
import CormorantORM
import CormorantSQLite

/// What an observer is told of one transaction, or of several where it wants the latest only.
package struct ObservationEvent: Sendable {
    /// Whether others committed, whose rows are not known one by one.
    package var isForeign: Bool
    /// Each row once; of a live query the rows of its result that are others than before.
    package var changes: [ObservedChange]
    /// The new result of a live query.
    package var result: LiveResult?
}

/// A row that changed, of a table or of a live query's result.
package struct ObservedChange: Sendable {
    package let kind: ChangeKind
    /// Empty in a live query.
    package let table: String
    package let rowID: Int64
    /// The values of the primary key; in a live query of what tells its rows apart.
    package let key: [Value]
    package let old: StoredRow?
    package let new: StoredRow?
    /// Where the row stands in a live query's new result; -1 for one that left it.
    package let position: Int

    init(_ change: RowChange) {
        kind = change.kind
        table = change.table.name
        rowID = change.rowID
        key = change.key
        old = change.old
        new = change.new
        position = -1
    }

    init(_ kind: ChangeKind, key: [Value], old: StoredRow?, new: StoredRow?, position: Int) {
        self.kind = kind
        table = ""
        rowID = 0
        self.key = key
        self.old = old
        self.new = new
        self.position = position
    }
}

/// The rows of a query, and how to read them.
package struct LiveResult: Sendable {
    package let rows: [StoredRow]
    package let columnNames: [String]
    /// The row's column of each column of the model; of rows without one, as they come.
    package let columns: [Int32]
    package let model: ModelDescriptor?

    /// Calls `body` with a reader of each of the rows.
    package func read(_ row: StoredRow, _ body: (RecordReader) throws -> Void) throws {
        try columns.withUnsafeBufferPointer { columns in
            guard let base = columns.baseAddress else { return }
            try withExtendedLifetime(row) { try body(RecordReader(Row(row), columns: base, model: model)) }
        }
    }
}

/// Makes one change of what happened to a row, transaction after transaction.
struct ChangeFolder {
    private struct RowName: Hashable {
        let table: ObjectIdentifier
        let identity: [UInt8]
    }

    private var changes: [RowChange?] = []
    private var positions: [RowName: Int] = [:]

    var folded: [RowChange] { changes.compactMap { $0 } }

    mutating func add(_ change: RowChange) {
        let name = RowName(table: ObjectIdentifier(change.table), identity: change.identity)
        guard let position = positions[name] else {
            positions[name] = changes.count
            changes.append(change)
            return
        }
        guard let before = changes[position] else {
            changes[position] = change
            return
        }
        changes[position] = ChangeFolder.both(before, change)
    }

    /// nil: the row came and went.
    private static func both(_ first: RowChange, _ second: RowChange) -> RowChange? {
        var both = second
        both.old = first.old
        both.columns |= first.columns
        switch (first.kind, second.kind) {
        case (.insert, .update): both.kind = .insert
        case (.insert, .delete): return nil
        case (.delete, .insert): both.kind = .update
        default: break
        }
        return both
    }
}
