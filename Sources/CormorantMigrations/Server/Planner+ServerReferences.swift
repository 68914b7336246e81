import CormorantBase
import CormorantQuery

// Foreign keys on a server, which follow when the tables are there.
extension Planner {
    /// Foreign keys, when all tables are there, and all that they refer to is unique.
    func addReferences() throws {
        for (change, table, difference) in lateReferences { try make(change, of: table, difference) }
        for name in created {
            guard let table = target.table(name) else { continue }
            let early = Set(earlyReferences(of: name))
            let sql = references(of: table).map(\.sql).filter { !early.contains($0) }
            guard !sql.isEmpty else { continue }
            let waits = TableShape(table).foreignKeys.contains { isLate($0.key) }
            try add("foreign keys of \"\(name)\"", [], sql, isApart: waits)
        }
    }

    /// Whether a foreign key needs a unique index that goes.
    func isReferredTo(_ change: SchemaChange) -> Bool {
        guard server != nil, let index = change.name.flatMap(current.index), index.isUnique else { return false }
        let columns = Set(index.terms.compactMap(\.column).map(nameKey))
        return current.tables.contains { table in
            table.mayRefer
                && TableShape(table).foreignKeys.contains { key, _ in
                    sameIdentifier(key.table, index.table) && Set(key.tableColumns.map(nameKey)) == columns
                }
        }
    }

    /// Tables that go, on a server each before those that it refers to; of some that refer to each other the foreign keys go first.
    func inDroppingOrder(_ gone: [TableDefinition]) -> [(table: TableDefinition, before: [String])] {
        guard server != nil else { return gone.map { ($0, []) } }
        var left = gone
        var referrers: [ExactText: [String: [String]]] = [:]
        for table in gone {
            for (key, constraint) in TableShape(table).foreignKeys where !sameIdentifier(key.table, table.name) {
                referrers[nameKey(key.table), default: [:]][table.name, default: []].append(
                    constraint.name ?? "")
            }
        }
        return gone.map { _ in
            let place = left.firstIndex { referrers[nameKey($0.name)]?.isEmpty ?? true } ?? 0
            let table = left.remove(at: place)
            for parent in referrers.keys { referrers[parent]?[table.name] = nil }
            let others = referrers.removeValue(forKey: nameKey(table.name)) ?? [:]
            return (
                table,
                others.sorted { $0.key < $1.key }.flatMap { child, names in
                    names.map { "ALTER TABLE \(quoteIdentifier(child)) DROP CONSTRAINT \(quoteIdentifier($0))" }
                }
            )
        }
    }

    func references(of table: TableDefinition) -> [(key: ForeignKeyDefinition, sql: String)] {
        TableShape(table).foreignKeys.map {
            ($0.key, "ALTER TABLE \(quoteIdentifier(table.name)) ADD \($0.definition.sql)")
        }
    }

    /// Foreign keys of a table that is made that lead to primary keys that are there by then.
    func earlyReferences(of name: String) -> [String] {
        guard let table = target.table(name) else { return [] }
        let before = created.prefix { !sameIdentifier($0, name) }
        return references(of: table).filter { key, _ in
            guard let parent = target.table(key.table) else { return false }
            let isThere =
                sameIdentifier(key.table, name) || before.contains { sameIdentifier($0, key.table) }
                || base.table(key.table) != nil && !isChanged(key.table)
            let primary = TableShape(parent).primaryKey.compactMap(\.column).map(nameKey)
            return isThere && (key.tableColumns.isEmpty || key.tableColumns.map(nameKey) == primary)
        }.map(\.sql)
    }
}
