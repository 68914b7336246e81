import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What SQLite does along with an edit, as ON DELETE and ON UPDATE of the tables that refer to its row say: looked up before, so that
/// it can be told, and taken back.
struct EditCascade {
    /// How many rows of a table go along with an edit.
    struct Part {
        let table: String
        var deleted = 0
        var changed = 0
    }

    private let tables: [TableMetadata]
    private let connection: Connection
    /// What brings the rows back when the edit itself was taken back.
    private(set) var undo: [Edit] = []
    private(set) var parts: [Part] = []
    /// Whether all of it can be taken back: not where rows have no key, or are too many or too long to be kept, or take too long to be
    /// found. Then `parts` is not all of it.
    private(set) var isKept = true
    private var budget: Budget
    private var seen: Set<Place> = []
    private var depth = 0

    private struct Place: Hashable {
        let table: String
        let key: [Value]
    }

    /// What the edits of a set may take together.
    struct Budget {
        static let greatest = 16 << 20

        var rows = 10_000
        var bytes = Budget.greatest
        let end = time(after: 5000)

        var isSpent: Bool { rows < 0 || bytes < 0 || monotonicTime() > end }
    }

    init(
        of edit: Edit, _ shape: TableShape, _ tables: [TableMetadata], _ connection: Connection, _ budget: inout Budget
    ) throws {
        self.tables = tables
        self.connection = connection
        self.budget = budget
        defer { budget = self.budget }
        switch edit.kind {
        case .insert: return
        case .delete: seen.insert(Place(table: shape.table.name, key: edit.key))
        case .update: break
        }
        let changed = edit.kind == .delete ? nil : edit.new.map(\.column)
        try weigh(changed ?? shape.stored, shape, edit.key)
        try follow(shape, edit.key, changed: changed)
    }

    /// What the row itself would take to be kept.
    private mutating func weigh(_ columns: [String], _ shape: TableShape, _ key: [Value]) throws {
        guard !columns.isEmpty, !shape.key.isEmpty else { return }
        let sizes = columns.map { "length(\(quoteIdentifier($0)))" }.joined(separator: ", ")
        let statement = try connection.statement("SELECT \(sizes) FROM \(shape.name) WHERE \(shape.keyCondition)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(key))
        guard try statement.step() else { return }
        let row = Row(statement)
        budget.bytes -= (0..<row.count).reduce(0) { $0 + Int(row.cell(Int32($1)).int64) }
        isKept = !budget.isSpent
    }

    /// - Parameter changed: the row's columns that get other values; nil: it is deleted.
    private mutating func follow(_ shape: TableShape, _ key: [Value], changed: [String]?) throws {
        guard isKept, !shape.key.isEmpty else { return }
        // SQLite goes no deeper: https://www.sqlite.org/limits.html#max_trigger_depth
        guard depth < 1000 else { return isKept = false }
        depth += 1
        defer { depth -= 1 }
        for other in tables {
            for reference in other.foreignKeys where sameIdentifier(reference.table, shape.table.name) {
                let columns = reference.tableColumns.isEmpty ? shape.table.primaryKey : reference.tableColumns
                guard columns.count == reference.columns.count else { continue }
                let action = changed == nil ? reference.onDelete : reference.onUpdate
                if let changed {
                    // Rows whose reference follows the key do so again when that is taken back.
                    guard action != .cascade,
                        columns.contains(where: { name in changed.contains { sameIdentifier($0, name) } })
                    else { continue }
                }
                guard action == .cascade || action == .setNull || action == .setDefault else { continue }
                try take(TableShape(other), reference, to: columns, of: shape, key, isDeleted: action == .cascade)
            }
        }
    }

    private mutating func take(
        _ other: TableShape, _ reference: ForeignKeyMetadata, to columns: [String], of shape: TableShape,
        _ key: [Value], isDeleted: Bool
    ) throws {
        var found = try rows(other, reference, to: columns, of: shape, key)
        if isDeleted, !other.key.isEmpty {
            found.removeAll { !seen.insert(Place(table: other.table.name, key: $0.key)).inserted }
        }
        note(other.table.name, found.count, isDeleted)
        guard found.isEmpty || !other.key.isEmpty, !budget.isSpent else { return isKept = false }
        for row in found {
            if isDeleted {
                undo.append(Edit(kind: .insert, table: other.table.name, key: row.key, new: row.values))
                try follow(other, row.key, changed: nil)
            } else {
                let kept = row.values.filter { value in
                    reference.columns.contains { sameIdentifier($0, value.column) }
                }
                undo.append(Edit(kind: .update, table: other.table.name, key: row.key, new: kept))
            }
        }
    }

    private mutating func note(_ table: String, _ count: Int, _ isDeleted: Bool) {
        guard count > 0 else { return }
        let place = parts.firstIndex { isSame($0.table, table) } ?? parts.endIndex
        if place == parts.endIndex { parts.append(Part(table: table)) }
        if isDeleted { parts[place].deleted += count } else { parts[place].changed += count }
    }

    /// The rows that refer to one, and what they hold but for what is computed.
    private mutating func rows(
        _ other: TableShape, _ reference: ForeignKeyMetadata, to columns: [String], of shape: TableShape,
        _ key: [Value]
    ) throws -> [(key: [Value], values: [(column: String, value: Value)])] {
        let names = other.stored
        let selected = other.key + names.map(quoteIdentifier)
        // SQLite compares by the collation of what is referred to, which stands on the left.
        let pairs = zip(columns, reference.columns).map { "t.\(quoteIdentifier($0)) = c.\(quoteIdentifier($1))" }
        let place = shape.key.map { "t.\($0) = ?" }
        let statement = try connection.statement(
            "SELECT \(selected.map { "c.\($0)" }.joined(separator: ", ")) FROM \(shape.name) AS t "
                + "CROSS JOIN \(other.name) AS c WHERE \((place + pairs).joined(separator: " AND ")) "
                + "LIMIT \(budget.rows + 1)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(key))
        var found: [(key: [Value], values: [(column: String, value: Value)])] = []
        while !budget.isSpent, try statement.step() {
            let row = Row(statement)
            let count = other.key.count
            budget.rows -= 1
            budget.bytes -= (0..<row.count).reduce(0) { $0 + row.cell(Int32($1)).size }
            found.append(
                (
                    try (0..<count).map { try row.value(Int32($0)) },
                    try names.enumerated().map { ($1, try row.value(Int32(count + $0))) }
                ))
        }
        return found
    }
}

extension TableShape {
    /// The columns whose values stand in the file, and are written.
    var stored: [String] { table.columns.filter { $0.generatedSQL == nil && !$0.isHidden }.map(\.name) }
}

extension Cell {
    /// Bytes that it takes, about.
    fileprivate var size: Int {
        switch type {
        case StorageType.text: text.count
        case StorageType.blob: blob.count
        default: 8
        }
    }
}
