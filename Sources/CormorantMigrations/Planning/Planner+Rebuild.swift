import CormorantBase
import CormorantQuery

extension Planner {
    /// One step that makes the table anew and copies its rows. Create, copy, drop, rename, in this order: renaming the old
    /// table first would take the references of other tables along. The applier sees to it that foreign keys are off.
    /// Source: https://www.sqlite.org/lang_altertable.html#otheralter
    func rebuild(_ present: TableDefinition, to wanted: TableDefinition, _ difference: TableDifference) throws {
        let name = quoteIdentifier(present.name)
        let temporary = freeName(for: present.name)
        let future = future(present, difference)
        var sql = [wanted.sql(named: temporary)]
        var copied = future.columns.compactMap { column in
            column.written.map { (column: quoteIdentifier(column.name), value: $0) }
        }
        if let rowID = rowIDs(difference), !copied.contains(where: { sameIdentifier($0.column, rowID.column) }) {
            copied.insert(rowID, at: 0)
        }
        if !copied.isEmpty {
            let columns = copied.map(\.column).joined(separator: ", ")
            let values = copied.map(\.value).joined(separator: ", ")
            // OR ABORT: what a constraint says to do on a conflict must not leave rows out.
            sql.append(
                "INSERT OR ABORT INTO \(quoteIdentifier(temporary)) (\(columns))\nSELECT \(values)\nFROM \(name)")
        }
        if difference.before.autoIncrement, difference.after.autoIncrement {
            sql += keepSequence(of: present.name, for: temporary)
        }
        sql.append("DROP TABLE \(name)")
        // With it on, SQLite leaves views, triggers and references as they are: they name the table that comes back.
        sql.append("PRAGMA legacy_alter_table = ON")
        sql.append("ALTER TABLE \(quoteIdentifier(temporary)) RENAME TO \(name)")
        sql.append("PRAGMA legacy_alter_table = OFF")
        sql += current.indexes.filter { sameIdentifier($0.table, present.name) }.map(\.sql)
        sql += current.triggers.filter { sameIdentifier($0.table, present.name) }.map(\.sql)
        let judgement = try judge(difference.changes, of: present, difference, future, isCopied: true)
        let summary =
            difference.changes.count == 1
            ? difference.changes[0].description : "rebuild \"\(present.name)\" for \(difference.changes.count) changes"
        try add(
            summary, difference.changes, sql,
            risk: risk(difference.changes, judgement, isAnnotated: future.columns.contains(where: \.isConverted)),
            judgement, rebuilt: [present.name])
    }

    /// How a step treats the rows, by what they said and by what it does.
    func risk(_ changes: [SchemaChange], _ judgement: Judgement, isAnnotated: Bool = false) -> MigrationRisk {
        if changes.contains(where: { $0.kind == .dropColumn }) || !judgement.losses.isEmpty { return .lossy }
        if judgement.isOpen { return .unchecked }
        return isAnnotated || !judgement.notes.isEmpty ? .annotated : .safe
    }

    private func freeName(for table: String) -> String {
        var name = "corm_new_\(table)"
        while current.table(name) != nil || current.view(name) != nil || current.index(name) != nil
            || current.virtualTable(name) != nil
        {
            name = "corm_new_" + name
        }
        return name
    }

    /// Rows keep their rowid, also where no column shows it, no more or not yet.
    private func rowIDs(_ difference: TableDifference) -> (column: String, value: String)? {
        let (before, after) = (difference.before, difference.after)
        guard !before.withoutRowID, !after.withoutRowID else { return nil }
        guard let hidden = before.rowIDColumn.map({ quoteIdentifier($0.name) }) ?? hiddenRowID(before) else {
            return nil
        }
        if let column = after.rowIDColumn {
            // An ordinary column that becomes the key brings its own values.
            return before.column(column.name) == nil ? (quoteIdentifier(column.name), hidden) : nil
        }
        return hiddenRowID(after).map { ($0, hidden) }
    }

    /// The first of rowid's names that no column has taken.
    private func hiddenRowID(_ table: TableShape) -> String? {
        ["rowid", "_rowid_", "oid"].first { table.column($0) == nil }
    }

    /// The high-water mark of AUTOINCREMENT, which goes with the old table.
    private func keepSequence(of table: String, for temporary: String) -> [String] {
        let (old, new) = (textLiteral(table), textLiteral(temporary))
        return [
            "DELETE FROM sqlite_sequence WHERE name = \(new)",
            "INSERT INTO sqlite_sequence (name, seq) SELECT \(new), seq FROM sqlite_sequence WHERE name = \(old)",
        ]
    }
}
