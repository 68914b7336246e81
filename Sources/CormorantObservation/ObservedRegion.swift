import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What is watched.
package enum ObservedRegion: Sendable {
    /// All rows of a model's table.
    case model(ModelDescriptor)
    /// The row with a key, its values in the key's order.
    case record(ModelDescriptor, key: [Value])
    /// Tables or views, and of each its columns; none: all.
    case tables([(name: String, columns: [String])])
}

extension ObservedRegion {
    /// Whose table it is; nil for tables by their names.
    var model: ModelDescriptor? {
        switch self {
        case .model(let model), .record(let model, _): model
        case .tables: nil
        }
    }
}

/// A part of a table, as the log's changes are compared with it.
struct WatchedTable {
    let table: TrackedTable
    /// Those whose updates count; nil: all.
    private let columns: WatchedColumns?
    /// The only row that counts.
    private let key: [Value]?
    private let rowKey: RowKey?

    /// - Parameter columns: those whose updates count; nil: all.
    init(_ table: TrackedTable, _ columns: [String]? = nil, key: [Value]? = nil) {
        self.table = table
        self.columns = columns.map(WatchedColumns.init)
        self.key = key
        rowKey = key.map { RowKey($0) }
    }

    func concerns(_ change: RowChange) -> Bool {
        guard change.table === table else { return false }
        if change.kind == .unknown { return true }
        if let key, rowKey != change.rowKey {
            let collations = table.keyCollations
            if collations.isEmpty || RowKey(key, collations) != RowKey(change.key, collations) { return false }
        }
        return change.kind != .update || columns.map { change.mask & $0.mask(change.columns) != 0 } ?? true
    }
}

/// Columns by name, and their mask by the columns that the table had last.
private final class WatchedColumns {  // belongs to who delivers
    private let names: [String]
    private var known: (columns: TrackedColumns, mask: UInt64)?

    init(_ names: [String]) { self.names = names }

    func mask(_ columns: TrackedColumns) -> UInt64 {
        if let known, known.columns === columns { return known.mask }
        let mask = columns.mask(names)
        known = (columns, mask)
        return mask
    }
}

extension Connection {
    /// Begins to log what changes in a region. What was tracked is given back when one of its tables cannot be.
    func watch(_ region: ObservedRegion, values: Bool) throws -> [WatchedTable] {
        var watched: [WatchedTable] = []
        do {
            switch region {
            case .model(let model):
                try model.requireOwnFile()
                watched.append(try watch(TableRead(name: model.table), key: nil, values))
            case .record(let model, let key):
                try model.requireOwnFile()
                watched.append(try watch(TableRead(name: model.table), key: try model.storedKey(key), values))
                if let table = watched.first?.table, !table.isVirtual {
                    try model.requireKey(of: table, hint: "observe the model, or models whose key is their table's")
                }
            case .tables(let tables):
                for table in tables {
                    let list = table.columns.isEmpty ? "*" : table.columns.map(quoteIdentifier).joined(separator: ", ")
                    let reads = try resolved("SELECT \(list) FROM \(quoteIdentifier(table.name))")
                    watched += try watch(reads, allColumns: table.columns.isEmpty, values)
                }
            }
            return watched
        } catch {
            for table in watched { untrack(table.table, values: values) }
            throw error
        }
    }

    /// Begins to log what changes in the tables that a query reads.
    func watch(query sql: String) throws -> [WatchedTable] {
        try watch(tablesRead(by: sql), allColumns: false, false)
    }

    /// Begins to log what changes in tables; those that cannot be watched are passed by.
    func watch(_ reads: [TableRead], _ values: Bool = false) throws -> [WatchedTable] {
        var watched: [WatchedTable] = []
        for read in reads where !foldIdentifier(read.name).hasPrefix("sqlite_") {
            // Views are read through their tables, and functions that give rows have none.
            do { watched.append(try watch(read, key: nil, values)) } catch let error as CormorantError
                where error.code == .schema
            {}
        }
        return watched
    }

    private func watch(_ reads: [TableRead], allColumns: Bool, _ values: Bool) throws -> [WatchedTable] {
        let watched = try watch(allColumns ? reads.map { TableRead(schema: $0.schema, name: $0.name) } : reads, values)
        guard !watched.isEmpty else {
            throw CormorantError(.misuse, "no table is read, so that there is nothing to watch", hint: "name a table")
        }
        return watched
    }

    private func watch(_ read: TableRead, key: [Value]?, _ values: Bool) throws -> WatchedTable {
        let table = try track(read.schema, read.name, values: values)
        // A count of rows reads a column without a name.
        let names = read.columns.map(\.text).filter { !$0.isEmpty }
        return WatchedTable(table, read.columns.isEmpty || table.isVirtual ? nil : names, key: key)
    }

    private func resolved(_ sql: String) throws -> [TableRead] {
        do {
            return try tablesRead(by: sql)
        } catch let error as CormorantError where error.isMissingName {
            throw CormorantError(
                .schema, "what is to be watched is not in the file: \(error.plainMessage)",
                hint: "name tables and columns as the file has them", sqliteCode: error.sqliteCode)
        }
    }
}
