import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

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
    /// Whether all of it can be taken back: not where rows have no key, or are too many to be kept.
    private(set) var isKept = true
    private var seen: Set<Place> = []

    private struct Place: Hashable {
        let table: String
        let key: [Value]
    }

    /// So many rows are kept for one edit.
    private static let most = 10_000

    init(of edit: Edit, _ shape: TableShape, _ tables: [TableMetadata], _ connection: Connection) throws {
        self.tables = tables
        self.connection = connection
        switch edit.kind {
        case .insert: break
        case .delete: try follow(shape, edit.key, changed: nil)
        case .update: try follow(shape, edit.key, changed: edit.new.map(\.column))
        }
    }

    /// - Parameter changed: the row's columns that get other values; nil: it is deleted.
    private mutating func follow(_ shape: TableShape, _ key: [Value], changed: [String]?) throws {
        guard isKept, !shape.key.isEmpty, seen.insert(Place(table: shape.table.name, key: key)).inserted else { return }
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
        for row in try rows(other, reference, to: columns, of: shape, key) {
            guard isKept else { return }
            if isDeleted, seen.contains(Place(table: other.table.name, key: row.key)) { continue }
            note(other.table.name, isDeleted)
            guard !other.key.isEmpty, undo.count < Self.most else { return isKept = false }
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

    private mutating func note(_ table: String, _ isDeleted: Bool) {
        let place = parts.firstIndex { $0.table == table } ?? parts.endIndex
        if place == parts.endIndex { parts.append(Part(table: table)) }
        if isDeleted { parts[place].deleted += 1 } else { parts[place].changed += 1 }
    }

    /// The rows that refer to one, and what they hold but for what is computed.
    private func rows(
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
                + "LIMIT \(Self.most + 1)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(key))
        var found: [(key: [Value], values: [(column: String, value: Value)])] = []
        while try statement.step() {
            let row = Row(statement)
            let count = other.key.count
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
