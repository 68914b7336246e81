import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// What is committed to a server, as its outbox has it, and how far that was read. Several connections of the database may write:
/// each that has committed reads, one at a time.
final class Outbox: @unchecked Sendable {  // `lock` guards it
    let lock: RecursiveLock
    /// So many statements are told one by one; beyond, all may have changed.
    static let greatestCount = 10_000
    private static let pruneInterval: Int64 = 60_000_000_000

    struct Watched {
        let table: TrackedTable
        let relation: Int64
        /// The columns' numbers on the server.
        let numbers: [Int]
        var target: String { quoteIdentifier(table.schema) + "." + quoteIdentifier(table.name) }
    }

    let options: EngineWatching
    var schema: OutboxSchema
    /// The function of the triggers.
    var function: Int64 = 0
    /// By their numbers on the server.
    var tables: [Int64: Watched] = [:]
    /// The snapshot of the last reading.
    private var position = ""
    /// What the notes of this database's transactions bear at the end of their session's name.
    private let mark: String
    /// What the tables were, by their numbers on the server, when they were last described.
    private var signatures: [Int64: Substring] = [:]
    /// Tables that cannot be watched any more, for their observers to be told.
    var failures: [(table: TrackedTable, error: CormorantError)] = []
    /// What each connection had written when it last read.
    private var written: [ObjectIdentifier: Int64] = [:]
    /// What was read and not told, and since when: the thread that has committed it tells.
    var waiting: [CommittedChanges] = []
    var waitingSince: Int64 = 0
    /// So long, in nanoseconds, it has to come.
    static let patience: Int64 = 2_000_000_000
    /// Those that it tells of rows that have changed.
    var caches: ServerRowCaches?
    /// When the last reading was, as the server says it, and by which server.
    private var readAt = ""
    private var server = ""
    /// Keys of updated rows in the form that they had before, where the server takes both for equal.
    private(set) var formerKeys: [(table: TrackedTable, key: RowKey)] = []
    /// Grows with each reading.
    private(set) var readings = 0
    /// At first, too, for there are programs that watch for seconds.
    private var lastPruning = monotonicTime() - pruneInterval

    /// Finds the outbox, or makes it where the options say so.
    /// - Parameter mark: the same as long as the database is open.
    init(_ connection: Connection, mark: Int64, _ lock: RecursiveLock) throws {
        self.lock = lock
        options = connection.engine?.watching ?? EngineWatching(installs: false, notifies: false, interval: 1000)
        self.mark = sessionMark(mark)
        connection.engine?.mark(mark)
        schema = OutboxSchema(name: "", notifies: false)
        if try !find(connection) || options.installs && options.notifies && !schema.notifies { try make(connection) }
        let snapshot = "SELECT CAST(pg_catalog.txid_current_snapshot() AS text)"
        position = try connection.rows(snapshot) { $0.cell(0).string ?? "" }.first ?? ""
        note(connection)
    }

    private func note(_ connection: Connection) {
        written[ObjectIdentifier(connection)] = connection.engine?.writes ?? 0
    }

    func find(_ connection: Connection) throws -> Bool {
        let found = try connection.rows(OutboxSchema.finding) { row in
            (row.cell(0).string ?? "", row.cell(1).int64 != 0, row.cell(2).int64)
        }.first
        guard let found else { return false }
        schema = OutboxSchema(name: found.0, notifies: found.1)
        function = found.2
        return true
    }

    /// Whether this connection may have committed something since it was last read.
    func isDue(_ connection: Connection) -> Bool {
        lock.locked { (connection.engine?.writes ?? 0) != written[ObjectIdentifier(connection)] }
    }

    /// What was committed since the last reading: each transaction by itself.
    func read(_ connection: Connection) throws -> [CommittedChanges] {
        note(connection)
        // What it runs itself is nobody's commit.
        defer { note(connection) }
        readings += 1
        let begun = monotonicTime()
        formerKeys = []
        var isMissing = true
        var news = (position: position, isLost: false, signature: "", server: "", at: "", isCut: false)
        var notes: [Note] = []
        let list = "[" + tables.keys.filter { $0 > 0 }.sorted().map { "\($0)" }.joined(separator: ",") + "]"
        _ = try connection.rows(schema.reading, .text(position), .text(list), .text(readAt)) { row in
            if isMissing {
                isMissing = false
                news = (
                    row.cell(0).string ?? "", row.cell(1).int64 != 0, row.cell(2).string ?? "",
                    row.cell(8).string ?? "",
                    row.cell(9).string ?? "", row.cell(10).int64 != 0
                )
            }
            guard row.cell(3).type != StorageType.null else { return }
            notes.append(
                Note(
                    id: row.cell(3).int64, transaction: row.cell(4).int64, relation: row.cell(5).int64,
                    isUnknown: row.cell(6).int64 != 0, origin: row.cell(7).string ?? ""))
        }
        if isMissing {
            throw CormorantError(
                .schema, "the outbox \(schema.table) has lost its first row",
                hint: "drop it with its functions and triggers, CASCADE, and have it made anew")
        }
        var committed: [CommittedChanges] = []
        if news.isLost || notes.count > Outbox.greatestCount {
            committed = [.foreign]
        } else if !notes.isEmpty {
            committed = try changes(notes, connection)
        }
        let (others, signatures) = differing(news.signature)
        if !others.isEmpty {
            let changed = try describeAgain(others, connection)
            if !changed.isEmpty { committed.append(CommittedChanges(changes: changed, changedSchema: true)) }
            try caches.map { try lookAgain($0, connection) }
        }
        // From here on nothing fails, so that nothing that was read is missed.
        self.signatures = signatures
        position = news.position
        readAt = news.at
        if news.server != server || news.isCut { caches?.beginAnew() }
        server = news.server
        if let caches {
            drop(committed, caches)
            if server.isEmpty { caches.areBehind() } else { caches.have(readBy: connection, begun: begun) }
        }
        return committed
    }

    /// The tables that may not be what they were when they were described, one that is gone and may come again among them.
    private func differing(_ signature: String) -> (tables: [Int64], signatures: [Int64: Substring]) {
        var now: [Int64: Substring] = [:]
        for part in signature.split(separator: " ") {
            let sides = part.split(separator: "=")
            if sides.count == 2, let relation = Int64(sides[0]) { now[relation] = sides[1] }
        }
        return (tables.keys.filter { now[$0] == nil || now[$0] != signatures[$0] }, now)
    }

    /// Deletes what is old, now and then. Whoever is behind that is told that all may have changed.
    func prune(_ connection: Connection) {
        guard monotonicTime() - lastPruning > Outbox.pruneInterval, !connection.isReadOnly else { return }
        lastPruning = monotonicTime()
        let count = try? connection.rows(schema.pruning) { $0.cell(0).int64 }.first
        if count == 10_000 { lastPruning -= Outbox.pruneInterval }
    }
}

// What is noted -------------------------------------------------------------------------------------------------------

extension Outbox {
    /// What a statement did.
    private struct Note {
        let id: Int64
        let transaction: Int64
        let relation: Int64
        let isUnknown: Bool
        let origin: String
    }

    private func changes(_ notes: [Note], _ connection: Connection) throws -> [CommittedChanges] {
        var rows: [Int64: [RowChange]] = [:]
        for (relation, of) in Dictionary(grouping: notes.filter { !$0.isUnknown }, by: \.relation) {
            guard let watched = tables[relation] else { continue }
            do {
                try read(of.map(\.id), of: watched, connection, into: &rows)
            } catch let error as CormorantError where error.code != .connection {
                // The table is not what it was: as a whole it may have changed.
            }
        }
        var order: [Int64] = []
        var transactions: [Int64: CommittedChanges] = [:]
        for note in notes {
            guard let table = tables[note.relation]?.table else { continue }
            if transactions[note.transaction] == nil {
                order.append(note.transaction)
                transactions[note.transaction] = CommittedChanges(changes: [], isForeign: !note.origin.hasSuffix(mark))
            }
            transactions[note.transaction]?.changes += rows[note.id] ?? [RowChange(unknown: table)]
        }
        return order.compactMap { transactions[$0] }.filter { !$0.changes.isEmpty }
    }

    private func read(
        _ ids: [Int64], of watched: Watched, _ connection: Connection, into rows: inout [Int64: [RowChange]]
    ) throws {
        let table = watched.table
        let (columns, count) = (table.columns, table.columns.count)
        let sql = schema.readingRows(watched.relation, watched.target, columns.names)
        let list = "[" + ids.map { "\($0)" }.joined(separator: ",") + "]"
        var found: [Int64: [RowChange]] = [:]
        _ = try connection.rows(sql, .text(list)) { row in
            let kind = ChangeKind(rawValue: Int32(clamping: row.cell(1).int64)) ?? .unknown
            let isWhole = row.cell(2).int64 != 0
            let first = 4 + (kind == .delete ? 0 : count)
            let key = columns.key.map { row.cell(Int32(truncatingIfNeeded: first + $0)).plain.value }
            if kind == .update, caches != nil {
                let former = RowKey(columns.key.map { row.cell(Int32(truncatingIfNeeded: 4 + $0)).plain.value })
                if former != RowKey(key) { formerKeys.append((table, former)) }
            }
            func stored(_ offset: Int, _ isThere: Bool) throws -> StoredRow? {
                guard isThere, isWhole, table.valueWatchers > 0 else { return nil }
                return try StoredRow(count: count) { row.cell(Int32(truncatingIfNeeded: offset) + $0).plain }
            }
            var mask: UInt64 = kind == .update ? 0 : .max
            for number in row.cell(3).string?.split(separator: " ") ?? [] {
                guard let index = Int(number).flatMap({ watched.numbers.firstIndex(of: $0) }) else { continue }
                mask |= 1 << UInt64(min(index, 63))
            }
            var rowID: Int64 = 0
            if key.count == 1, case .integer(let integer) = key[0] { rowID = integer }
            found[row.cell(0).int64, default: []].append(
                RowChange(
                    kind, table, rowID: rowID, RowKey(key), key, mask: mask,
                    old: try stored(4, kind != .insert), new: try stored(4 + count, kind != .delete)))
        }
        rows.merge(found) { $1 }
    }
}

extension Connection {
    /// Runs a statement of ours, and gives its rows to `body`.
    func rows<Result>(_ sql: String, _ values: Value..., body: (Row) throws -> Result) throws -> [Result] {
        let statement = try statement(sql)
        defer { recycle(statement) }
        for (index, value) in values.enumerated() { try statement.bind(value, Int32(truncatingIfNeeded: index + 1)) }
        var results: [Result] = []
        while try statement.step() { results.append(try body(Row(statement))) }
        return results
    }
}
