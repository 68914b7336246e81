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
    /// The new rows of a live query.
    package var rows: [StoredRow]?
    /// How these are read.
    package var layout: RowLayout
    /// What it was made of.
    var source: Source

    enum Source: Sendable {
        /// By whose columns they are read.
        case tables([RowChange], ModelDescriptor?)
        /// - Parameter isRepeated: it is told though nothing has changed.
        case live(LiveQuery, before: LiveResult?, after: LiveResult, isRepeated: Bool)
    }

    init(isForeign: Bool, _ changes: [RowChange], _ layouts: TableLayouts) {
        self.isForeign = isForeign
        self.changes = changes.map { ObservedChange($0, layouts) }
        layout = .plain
        source = .tables(changes, layouts.model)
    }

    init(isForeign: Bool, _ changes: [ObservedChange], of result: LiveResult, _ source: Source) {
        self.isForeign = isForeign
        self.changes = changes
        rows = result.rows
        layout = result.layout
        self.source = source
    }

    /// One event of this and the next one; nil: together they changed nothing.
    package func merged(with next: ObservationEvent) throws -> ObservationEvent? {
        let isForeign = isForeign || next.isForeign
        switch (source, next.source) {
        case (.live(let query, let before, _, let isRepeated), .live(_, _, let after, _)):
            return try query.event(from: before, to: after, isRepeated: isRepeated, isForeign: isForeign)
        case (.tables(let first, let model), .tables(let second, _)):
            var folder = ChangeFolder()
            for change in first + second { folder.add(change) }
            return folder.folded.isEmpty
                ? nil : ObservationEvent(isForeign: isForeign, folder.folded, TableLayouts(model))
        default: return next
        }
    }
}

/// A row, and how it is read.
package struct ObservedRow: Sendable {
    package let row: StoredRow
    package let layout: RowLayout

    package init(row: StoredRow, layout: RowLayout) {
        self.row = row
        self.layout = layout
    }

    /// Calls `body` with a reader of the row.
    package func read<Result>(_ body: (RecordReader) throws -> Result) rethrows -> Result {
        try layout.read(row, body)
    }
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

/// How the rows of a table are read, by the columns that it had last.
final class TableLayouts {  // belongs to who takes events
    let model: ModelDescriptor?
    private var known: (columns: TrackedColumns, layout: RowLayout)?

    /// - Parameter model: by whose columns they are read, where the table has them all.
    init(_ model: ModelDescriptor?) { self.model = model }

    func row(_ row: StoredRow, _ columns: TrackedColumns) -> ObservedRow {
        ObservedRow(row: row, layout: layout(columns))
    }

    private func layout(_ columns: TrackedColumns) -> RowLayout {
        guard let model else { return .plain }
        if let known, known.columns === columns { return known.layout }
        let places = model.columns.compactMap { columns.index($0.column).map { Int32(truncatingIfNeeded: $0) } }
        let layout = places.count == model.columns.count ? RowLayout(model: model, columns: places) : .plain
        known = (columns, layout)
        return layout
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
    package let old: ObservedRow?
    package let new: ObservedRow?
    /// Where the row stands in a live query's new result; -1 for one that left it.
    package let position: Int

    init(_ change: RowChange, _ layouts: TableLayouts) {
        kind = change.kind
        table = change.table.name
        rowID = change.rowID
        key = change.key
        old = change.old.map { layouts.row($0, change.columns) }
        new = change.new.map { layouts.row($0, change.columns) }
        position = -1
    }

    init(_ kind: ChangeKind, key: [Value], old: ObservedRow?, new: ObservedRow?, position: Int) {
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
        /// The table's columns, which are others when it has been altered, so that its rows are others, too; of all of it, the table.
        let owner: ObjectIdentifier
        let key: RowKey
    }

    private var changes: [RowChange?] = []
    private var positions: [RowName: Int] = [:]

    var folded: [RowChange] { changes.compactMap { $0 } }

    mutating func add(_ change: RowChange) {
        let owner: AnyObject = change.kind == .unknown ? change.table : change.columns
        let name = RowName(owner: ObjectIdentifier(owner), key: change.rowKey)
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
        both.mask |= first.mask
        switch (first.kind, second.kind) {
        case (.insert, .update): both.kind = .insert
        case (.insert, .delete): return nil
        case (.delete, .insert): both.kind = .update
        default: break
        }
        return both
    }
}
