import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

extension Outbox {
    /// Begins to watch a region. What was tracked is given back when one of its tables cannot be.
    func watch(
        _ region: ObservedRegion, _ connection: Connection, _ database: Database, values: Bool
    ) throws -> [WatchedTable] {
        var watched: [WatchedTable] = []
        do {
            switch region {
            case .model(let model):
                try model.requireOwnFile()
                watched = [try watch(quoteIdentifier(model.table), connection, values)]
            case .record(let model, let key):
                try model.requireOwnFile()
                let key = try model.storedKey(key)
                let whole = try watch(quoteIdentifier(model.table), connection, values)
                watched = [whole]
                try model.requireKey(of: whole.table, hint: "observe the model, or models whose key is their table's")
                let collations = model.keyColumns.map { model.columns[$0].collation.map(foldIdentifier) }
                lock.locked { whole.table.keyCollations = collations.allSatisfy { $0 == nil } ? [] : collations }
                watched = [WatchedTable(whole.table, key: key)]
            case .tables(let regions):
                for region in regions {
                    watched += try watch(region.name, region.columns, connection, database, values)
                }
            }
            return watched
        } catch {
            for table in watched { untrack(table.table, values: values) }
            throw error
        }
    }

    /// Begins to watch what was read; what cannot be watched is passed by.
    func watch(_ reads: [TableRead], _ connection: Connection, values: Bool = false, isNeeded: Bool = false) throws
        -> [WatchedTable]
    {
        var watched: [WatchedTable] = []
        do {
            for read in reads {
                let target = quoteIdentifier(read.schema) + "." + quoteIdentifier(read.name)
                let table = try track(target, connection, values: values, isNeeded: false)
                if let table { watched.append(WatchedTable(table)) }
            }
            guard !watched.isEmpty || !isNeeded else {
                throw CormorantError(
                    .misuse, "no table is read, so that there is nothing to watch", hint: "name a table")
            }
            return watched
        } catch {
            for table in watched { untrack(table.table, values: values) }
            throw error
        }
    }

    private func watch(_ target: String, _ connection: Connection, _ values: Bool) throws -> WatchedTable {
        guard let table = try track(target, connection, values: values) else {
            throw CormorantError(.internal, "\(target) is not watched")
        }
        return WatchedTable(table)
    }

    /// A table, or what a view reads.
    private func watch(
        _ name: String, _ columns: [String], _ connection: Connection, _ database: Database, _ values: Bool
    ) throws -> [WatchedTable] {
        let target = quoteIdentifier(name)
        if let table = try track(target, connection, values: values, isNeeded: false) {
            let unknown = columns.first { table.columns.index($0) == nil }
            if let unknown {
                untrack(table, values: values)
                throw missing("no such column: \(unknown)")
            }
            return [WatchedTable(table, columns.isEmpty ? nil : columns)]
        }
        let list = columns.isEmpty ? "*" : columns.map(quoteIdentifier).joined(separator: ", ")
        let reads: [TableRead]
        do {
            reads = try database.tablesRead { try connection.script("SELECT \(list) FROM \(target) LIMIT 0") }
        } catch let error as CormorantError where error.code == .sql {
            throw missing(error.plainMessage)
        }
        return try watch(reads, connection, values: values, isNeeded: true)
    }

    private func missing(_ what: String) -> CormorantError {
        CormorantError(
            .schema, "what is to be watched is not in the database: \(what)",
            hint: "name tables and columns as the database has them")
    }
}
