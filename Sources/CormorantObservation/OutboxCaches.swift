import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

// The caches of rows that are told by the outbox.
extension Outbox {
    /// Has the cached rows go that have changed.
    func drop(_ committed: [CommittedChanges], _ caches: ServerRowCaches) {
        guard !committed.isEmpty else { return }
        for cache in caches.all {
            guard let table = cache.table else { continue }
            if committed.contains(where: \.isUnknown) { cache.removeAll() }
            for (changed, key) in formerKeys where changed === table { cache.remove(key) }
            for change in committed.lazy.flatMap(\.changes) where change.table === table {
                if change.kind == .unknown { cache.removeAll() } else { cache.remove(change.rowKey) }
            }
        }
    }

    /// The tables are not what they were, or may have been others in between.
    func lookAgain(_ caches: ServerRowCaches, _ connection: Connection) throws {
        for cache in caches.all {
            guard let table = cache.table else { continue }
            let watched = tables.values.first { $0.table === table }
            let isWhole = try watched.map { try self.isWhole($0, connection) } ?? false
            let isLost = failures.contains { $0.table === table } || ["", "?"].contains(table.signature)
            cache.follow(isWhole && !isLost ? table : nil)
        }
    }

    private func isWhole(_ watched: Watched, _ connection: Connection) throws -> Bool {
        try connection.rows(OutboxSchema.wholeness, .integer(watched.relation)) { $0.cell(0).int64 != 0 }.first ?? false
    }

    /// Begins to follow a table for a cache, which the next reading lets keep rows.
    func follow(_ cache: RowCache, _ connection: Connection) throws {
        let table = try track(quoteIdentifier(cache.model.table), connection, values: false)
        guard let table else { throw CormorantError(.internal, "\(cache.model.table) is not watched") }
        do {
            try cache.model.requireKey(of: table, hint: "cache models whose key is their table's")
            guard let watched = tables.values.first(where: { $0.table === table }), try isWhole(watched, connection)
            else {
                throw CormorantError(
                    .unsupported,
                    "rows of table \"\(table.name)\" are not cached: not all that changes them is told, or not all find the same",
                    hint:
                        "cache stored tables that have no partitions, parents, children, rules, subscriptions and row-level security",
                    table: table.name)
            }
        } catch {
            untrack(table, values: false)
            throw error
        }
        cache.follow(table)
    }
}
