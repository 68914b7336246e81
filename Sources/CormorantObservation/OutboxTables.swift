import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

// Which tables are watched, and their triggers.
extension Outbox {
    private static let locking = "SELECT pg_catalog.pg_advisory_xact_lock(1668248173, 1)"

    /// Makes table and functions, or has them notify.
    func make(_ connection: Connection) throws {
        guard options.installs else {
            throw CormorantError(
                .schema, "the database has no outbox, by which changes are told",
                hint:
                    "open it once with outbox=install in the URL, as one who may create tables and triggers, and begin the "
                    + "watch, or set the cache; "
                    + "or set search_path to the schema that has it")
        }
        try alone(connection) {
            let isThere = try find(connection)
            if !isThere {
                let name = try connection.rows("SELECT CAST(current_schema() AS text)") { $0.cell(0).string }.first
                guard let name = name.flatMap({ $0 }) else {
                    throw CormorantError(
                        .schema, "there is no schema to make the outbox in",
                        hint: "create the schema that search_path names first")
                }
                schema = OutboxSchema(name: name, notifies: options.notifies)
                try connection.script(schema.makingTable)
            }
            schema.notifies = schema.notifies || options.notifies
            try connection.script(schema.makingFunctions)
            _ = try find(connection)
        }
    }

    /// In a transaction of its own, one at a time of all programs.
    private func alone(_ connection: Connection, _ body: () throws -> Void) throws {
        guard connection.transactionDepth == 0, !connection.isInTransaction else {
            throw CormorantError(
                .transaction, "triggers are not made inside a transaction, with which they might be rolled back",
                hint: "begin the watch outside of transactions")
        }
        // What was committed while it waited for the lock is to be seen.
        try connection.script("BEGIN ISOLATION LEVEL READ COMMITTED")
        do {
            _ = try connection.rows(Outbox.locking) { _ in }
            try body()
            try connection.script("COMMIT")
        } catch {
            try? connection.script("ROLLBACK")
            throw error
        }
    }

    /// Begins to watch a table.
    /// - Parameters:
    ///   - target: its name in SQL.
    ///   - isNeeded: whether what cannot be watched is an error; else nil is returned.
    func track(
        _ target: String, _ connection: Connection, values: Bool, isNeeded: Bool = true
    ) throws -> TrackedTable? {
        lock.lock()
        defer { lock.unlock() }
        guard let found = try describe(target, connection) else {
            guard isNeeded else { return nil }
            throw CormorantError(
                .schema, "there is no table \(target)", hint: "create the table first")
        }
        guard found.kind == "r" || found.kind == "p" else {
            guard isNeeded else { return nil }
            throw CormorantError(
                .schema, "\(target) is no table, so that there are no changes of its rows",
                hint: "observe the tables behind it, or a query")
        }
        let watched = try withTriggers(found, connection, values: values)
        // One that was made anew under its name is still the one that others watch, who are told of it when that is read.
        let former = tables.first { $0.value.target == watched.target }
        let table = former?.value.table ?? watched.table
        if former?.key != watched.relation { table.columns = watched.table.columns }
        place(table, found)
        table.watchers += 1
        if values { table.valueWatchers += 1 }
        return table
    }

    func untrack(_ table: TrackedTable, values: Bool) {
        lock.lock()
        defer { lock.unlock() }
        table.watchers -= 1
        if values { table.valueWatchers -= 1 }
        guard table.watchers <= 0 else { return }
        tables = tables.filter { $0.value.table !== table }
    }

    /// Has what is noted of a relation told of this table. One that is gone, and one whose relation has this table's name now, waits
    /// below 0 until it is looked at anew.
    private func place(_ table: TrackedTable, _ found: Found?) {
        let former = tables.first { $0.value.table === table }
        if let former { tables[former.key] = nil }
        let free = min(0, tables.keys.min() ?? 0) - 1
        guard let found else {
            if let former { tables[free] = former.value }
            return
        }
        if let other = tables[found.relation] {
            other.table.signature = "?"
            tables[free] = other
        }
        tables[found.relation] = Watched(table: table, relation: found.relation, numbers: found.numbers)
    }

    private struct Found {
        let relation: Int64
        let table: TrackedTable
        let kind: String
        let triggers: String
        let numbers: [Int]

        var watched: Watched { Watched(table: table, relation: relation, numbers: numbers) }
    }

    /// A table as it is now; nil where there is none of the name.
    private func describe(_ target: String, _ connection: Connection) throws -> Found? {
        let found = try connection.rows(OutboxSchema.describing, .text(target), .integer(function)) { row in
            (
                relation: row.cell(0).int64, schema: row.cell(1).string ?? "", name: row.cell(2).string ?? "",
                kind: row.cell(3).string ?? "", triggers: row.cell(4).string ?? ""
            )
        }.first
        guard let found else { return nil }
        let table = TrackedTable(found.schema, found.name)
        let columns = try connection.rows(OutboxSchema.columns, .integer(found.relation)) { row in
            (
                number: Int(row.cell(0).int64), name: row.cell(1).string ?? "",
                place: row.cell(2).type == StorageType.null ? nil : row.cell(2).int64
            )
        }
        let key = columns.indices.filter { columns[$0].place != nil }
            .sorted { columns[$0].place ?? 0 < columns[$1].place ?? 0 }
        table.columns = TrackedColumns(columns.map(\.name), keyNames: key.map { columns[$0].name }, key: key)
        table.signature = "\(found.relation) " + columns.map { "\($0.number) \($0.name)" }.joined(separator: ",")
        return Found(
            relation: found.relation, table: table, kind: found.kind, triggers: found.triggers,
            numbers: columns.map(\.number))
    }

    /// Sees to it that the table has its triggers.
    private func withTriggers(_ found: Found, _ connection: Connection, values: Bool) throws -> Watched {
        func arguments(_ isWhole: Bool) -> [String] { [isWhole ? "rows" : "keys"] + found.table.columns.keyNames }
        let isWhole = found.triggers == OutboxSchema.hexadecimal(arguments(true))
        if isWhole || !values && found.triggers == OutboxSchema.hexadecimal(arguments(false)) {
            return found.watched
        }
        let target = found.watched.target
        guard options.installs else {
            let isOther = !found.triggers.isEmpty
            throw CormorantError(
                .schema,
                isOther
                    ? "the triggers of \(target) do not note \(values ? "whole rows" : "its key")"
                    : "\(target) has no triggers by which changes are told",
                hint:
                    "open the database once with outbox=install in the URL, as the owner of the table, and begin the watch, "
                    + "or set the cache",
                table: found.table.name)
        }
        let wasWhole = found.triggers.hasPrefix(OutboxSchema.hexadecimal(["rows"]))
        try alone(connection) {
            try connection.script(schema.makingTriggers(target, arguments(values || wasWhole)))
        }
        return found.watched
    }

    /// Looks at tables anew: what is made anew under its name is watched from then on.
    /// - Returns: what became of those that are not what they were.
    func describeAgain(_ relations: [Int64], _ connection: Connection) throws -> [RowChange] {
        var changes: [RowChange] = []
        for watched in relations.compactMap({ tables[$0] }) {
            let table = watched.table
            let before = table.signature
            var isTold = false
            do {
                let found = try describe(watched.target, connection)
                place(table, found)
                guard let found else {
                    table.signature = ""
                    if before != "" { changes.append(RowChange(unknown: table)) }
                    continue
                }
                isTold = found.triggers == ""
                _ = try withTriggers(found, connection, values: table.valueWatchers > 0)
                if found.table.signature != before { table.columns = found.table.columns }
                table.signature = found.table.signature
            } catch let error as CormorantError where error.code != .connection {
                failures.append((table, error))
                table.signature = "?"
            }
            if isTold || table.signature != before { changes.append(RowChange(unknown: table)) }
        }
        return changes
    }
}

extension Connection {
    /// The tables that the transaction has read so far.
    func tablesLocked() throws -> [TableRead] {
        try rows(OutboxSchema.locked) { TableRead(schema: $0.cell(0).string ?? "", name: $0.cell(1).string ?? "") }
    }
}

extension Database {
    /// The tables that `body` reads, with those behind views and in functions; which of their columns is not known.
    func tablesRead(by body: () throws -> Void) throws -> [TableRead] {
        var reads: [TableRead] = []
        try inTransaction(.read) {
            try withReader { connection in
                try body()
                reads = try connection.tablesLocked()
            }
        }
        return reads
    }
}
