import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

/// What an observer is told of one transaction, or of several where it wants the latest only.
package struct ObservationEvent: Sendable {
    /// Whether others committed, whose rows are not known one by one.
    package var isForeign: Bool
    /// Each row once; of a live query the rows of its result that are others than before.
    package var changes: [ObservedChange]
    /// How its rows are read.
    package var layout: RowLayout
    /// The new rows of a live query.
    package var rows: [StoredRow]?
}

/// How rows are read: as records of a model, or column by column.
package struct RowLayout: Sendable {
    package let model: ModelDescriptor?
    /// The row's column of each column of the model; empty without one.
    package let columns: [Int32]

    static let plain = RowLayout(model: nil, columns: [])

    /// The row's columns in the model's order, or as they are.
    package func columns(of row: StoredRow) -> [Int32] {
        model == nil ? (0..<row.count).map { Int32(truncatingIfNeeded: $0) } : columns
    }

    /// Calls `body` with a reader of the row.
    package func read<Result>(_ row: StoredRow, _ body: (RecordReader) throws -> Result) rethrows -> Result {
        try columns(of: row).withUnsafeBufferPointer { columns in
            // There is no row without columns.
            try withExtendedLifetime(row) {
                try body(RecordReader(Row(row), columns: columns.baseAddress.unsafelyUnwrapped, model: model))
            }
        }
    }
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

/// Makes one change of what happened to a row, transaction after transaction.
struct ChangeFolder {
    private struct RowName: Hashable {
        let table: ObjectIdentifier
        let key: RowKey
    }

    private var changes: [RowChange?] = []
    private var positions: [RowName: Int] = [:]

    var folded: [RowChange] { changes.compactMap { $0 } }

    mutating func add(_ change: RowChange) {
        let name = RowName(table: ObjectIdentifier(change.table), key: change.rowKey)
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
