import CormorantBase
import CormorantQuery

/// The rows of a table that is made anew, as they will be, as SQL over the rows that are there.
struct FutureRows {
    struct Column {
        let before: TableShape.Column?
        let after: TableShape.Column
        let affinity: Affinity
        let isRetyped: Bool
        /// Whether convert_sql makes its values.
        let isConverted: Bool
        /// The default that takes the place of NULLs, as SQL.
        let filling: String?
        /// What it holds and what it will hold, as names within `source`.
        let old: String
        let value: String
        /// What is written into it, as SQL over the rows that are there; nil: nothing.
        let written: String?

        var name: String { after.name }
    }

    let name: String
    let before: TableShape
    let after: TableShape
    let columns: [Column]
    /// The rows that are there, for a FROM clause.
    private let rows: String
    /// What a question can name, its folded name first, and what it is of those rows.
    private let selected: [(key: ExactText, name: String, sql: String)]
    /// Whether values become others, so that the table's other constraints must be looked at, too.
    let isChanged: Bool

    /// - Parameters:
    ///   - rows: the rows that are there, for a FROM clause.
    ///   - conversion: convert_sql of a column.
    ///   - onServer: what a value is as another type, on a server.
    init(
        _ table: TableDefinition, _ difference: TableDifference, rows: String, conversion: (String) -> String?,
        onServer: ((_ value: String, _ from: String, _ to: String) -> String)? = nil
    ) {
        let (before, after) = (difference.before, difference.after)
        name = table.name
        self.before = before
        self.after = after
        self.rows = rows
        var selected: [(key: ExactText, name: String, sql: String)] = []
        var isChanged = false
        let formerColumns = Dictionary(
            before.columns.map { (nameKey($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        columns = after.columns.enumerated().map { index, column in
            let quoted = quoteIdentifier(column.name)
            let key = nameKey(column.name)
            let old = formerColumns[key]
            let isRetyped = old.map { !sameIdentifier($0.definition.type, column.definition.type) } ?? false
            let isTightened = old.map { column.notNull != nil && $0.notNull == nil } ?? false
            let given = column.computed == nil ? conversion(column.name) : nil
            let made = old == nil || isRetyped || isTightened ? given : nil
            let isRowID = before.rowIDColumn.map { sameIdentifier($0.name, column.name) } ?? false
            let standing = column.expressedDefault
            let hasValue = standing.map { $0.canonical != "null" } ?? false
            let filling = made == nil && isTightened && !isRowID && hasValue ? standing?.text : nil
            let kind = affinity(column, in: after)
            let written: String?
            if column.computed != nil {
                written = nil
            } else if let made {
                written = "(\(made))"
            } else if let filling {
                written = "coalesce(\(quoted), \(filling))"
            } else {
                written = old == nil ? nil : quoted
            }
            // Where nothing happens to its values, the column itself also keeps its collation and affinity.
            let differs = old.map { isRetyped || affinity($0, in: before) != kind } ?? true
            let isSame = written == quoted && !differs
            let collation = column.collation.map { " COLLATE \(quoteIdentifier($0))" } ?? ""
            let sameCollation = old?.collation.map(nameKey) == column.collation.map(nameKey)
            var name = quoted
            if column.computed != nil, let old {
                if old.computed != nil { selected.append((key, quoted, quoted)) } else { name = "corm_old_\(index)" }
            } else if column.computed != nil {
                // A condition that names it cannot be asked of the rows that are there.
            } else if isSame && sameCollation {
                selected.append((key, quoted, quoted))
            } else {
                let value = written ?? standing.map { "(\($0.text))" } ?? "NULL"
                if let onServer {
                    let type = column.definition.type
                    let from = made == nil ? old?.definition.type ?? type : type
                    selected.append((key, quoted, onServer(value, from, type)))
                } else {
                    selected.append((key, quoted, "\(isSame ? value : applied(value, kind))\(collation)"))
                }
                name = "corm_old_\(index)"
                isChanged = isChanged || !isSame && (old != nil || value != "NULL")
            }
            if name != quoted, old != nil { selected.append((ExactText(name), name, quoted)) }
            return Column(
                before: old, after: column, affinity: kind, isRetyped: isRetyped, isConverted: made != nil,
                filling: filling, old: name, value: quoted, written: written)
        }
        self.isChanged = isChanged
        self.selected = selected
    }

    /// For a FROM clause: the new columns by their names, and what those that change hold now. Of both those alone that
    /// `sql` names: SQLite takes a few thousand columns.
    func source(for sql: [String]) -> String {
        if selected.allSatisfy({ $0.name == $0.sql }) { return rows }
        let names = Set(SQLScript.words(sql.joined(separator: " "), .max).map(nameKey))
        var columns: [String] = []
        for (key, name, value) in selected where names.contains(key) {
            columns.append(name == value ? name : "\(value) AS \(name)")
        }
        let list = columns.isEmpty ? "1" : columns.joined(separator: ", ")
        return "(SELECT \(list) FROM \(rows)) AS \(quoteIdentifier(name))"
    }

    /// Whether its values, or what counts as equal among them, become others.
    func isChanged(_ name: String) -> Bool {
        guard let column = columns.first(where: { sameIdentifier($0.name, name) }) else { return false }
        return column.before == nil || column.old != column.value
    }

    /// Whether NULL may not be in it and may be in what is copied.
    func isTightened(_ column: Column) -> Bool {
        if column.after.computed != nil { return false }
        let isRowID = after.isRowID(column.name)
        if isRowID { return false }
        // The key of a table without rowids takes no NULL, whatever its columns say.
        let needs = column.after.notNull != nil || after.withoutRowID && after.isKey(column.after)
        guard needs else { return false }
        if column.isConverted { return true }
        if column.filling != nil { return false }
        guard let old = column.before else { return false }
        return old.notNull == nil && !(before.withoutRowID && before.isKey(old))
            && !(before.rowIDColumn.map { sameIdentifier($0.name, old.name) } ?? false)
    }

    /// Whether an ordinary column becomes SQLite's rowid.
    func isNewRowID(_ column: Column) -> Bool {
        guard let key = after.rowIDColumn, sameIdentifier(key.name, column.name), let old = column.before else {
            return false
        }
        return before.rowIDColumn.map { !sameIdentifier($0.name, old.name) } ?? true
    }

    /// The only type of values that the column takes, where it did not do so before.
    func newStrictType(_ column: Column) -> String? {
        guard after.strict, column.after.computed == nil, !before.strict || column.isConverted || column.isRetyped,
            column.isConverted || !column.isRetyped || column.affinity == .blob
        else { return nil }
        switch foldIdentifier(column.after.definition.type) {
        case "int", "integer": return "integer"
        case "real": return "real"
        case "text": return "text"
        case "blob": return "blob"
        default: return nil
        }
    }
}
