import CormorantBase
import CormorantEngine
import CormorantSQLite
import CormorantThreads

/// How much a model's cache did, and what it holds.
public struct CacheStatistics: Sendable, Equatable {
    /// Finds that it answered, and those that went to the file.
    public var hits: Int64
    /// Finds that went to the file.
    public var misses: Int64
    /// Rows that it holds, and about how much memory they take.
    public var count: Int64
    /// About how much memory the rows take, in bytes.
    public var bytes: Int64

    /// Numbers of one's own, as a test compares them with.
    public init(hits: Int64 = 0, misses: Int64 = 0, count: Int64 = 0, bytes: Int64 = 0) {
        self.hits = hits
        self.misses = misses
        self.count = count
        self.bytes = bytes
    }
}

/// Rows of one model's table by their keys, the least recently used dropped first. What anybody changes goes at once.
package final class RowCache: @unchecked Sendable {  // `lock` guards everything below it
    private struct Entry {
        let key: RowKey
        let row: StoredRow
        let bytes: Int
        var newer: Int
        var older: Int
    }

    package let model: ModelDescriptor
    private let greatestCount: Int
    private let greatestBytes: Int
    private let lock = RecursiveLock(.rowCache)
    private var positions: [RowKey: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1
    private var bytes = 0
    private var hits: Int64 = 0
    private var misses: Int64 = 0
    private var commits = CommitWatch()
    private var schemaChanges = -1
    /// Of a server.
    private let server: ServerRowCaches?
    /// Grows when rows go because they were changed.
    private var removals = 0
    /// Whether the model's key is the table's, as far as is known.
    private var isUsable = true
    package private(set) var table: TrackedTable?

    init(_ model: ModelDescriptor, count: Int, bytes: Int, _ server: ServerRowCaches? = nil) {
        self.model = model
        self.server = server
        greatestCount = count
        greatestBytes = bytes
    }

    func start(_ connection: Connection) throws {
        let tracked = try connection.track(
            "main", model.table,
            listener: (
                ObjectIdentifier(self),
                { [unowned self] key in
                    if key == .none { self.removeAll() } else { self.remove(key) }
                }
            ))
        table = tracked
        do {
            try model.requireKey(of: tracked, hint: "cache models whose key is their table's")
        } catch {
            stop(connection)
            throw error
        }
    }

    func stop(_ connection: Connection) {
        if let table { connection.untrack(table, listener: ObjectIdentifier(self)) }
        table = nil
    }

    private func fits(_ table: TrackedTable) -> Bool { (try? model.requireKey(of: table, hint: "")) != nil }

    /// Of a server: it is told from here on what is committed to the table. Rows that are read before this returns are not kept.
    /// - Parameter table: nil where nobody can tell it, or its rows are not all that a find depends on.
    package func follow(_ table: TrackedTable?) {
        lock.lock()
        defer { lock.unlock() }
        if let table { self.table = table }
        isUsable = table.map(fits) ?? false
        forget()
    }

    /// Sees to it that no row is older than what the connection would read now.
    /// - Returns: false when the cache cannot be used.
    private func validate(_ connection: Connection) throws -> Bool {
        if let server { return isUsable && server.areCurrent && connection.isHeard }
        let isUnchanged = try commits.isUnchanged(connection)
        if let log = connection.changeLog, log.schemaChanges != schemaChanges || !isUnchanged {
            clear()
            schemaChanges = log.schemaChanges
            if let table { isUsable = (try? connection.describe(table)) != nil && fits(table) }
        }
        return isUsable
    }

    package func remove(_ key: RowKey) {
        lock.lock()
        defer { lock.unlock() }
        removals &+= 1
        if let position = positions[key] { drop(position) }
    }

    package func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        forget()
    }

    private func forget() {
        removals &+= 1
        clear()
    }

    private func clear() {
        positions.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        free = []
        newest = -1
        oldest = -1
        bytes = 0
    }

    var statistics: CacheStatistics {
        lock.lock()
        defer { lock.unlock() }
        return CacheStatistics(hits: hits, misses: misses, count: Int64(positions.count), bytes: Int64(bytes))
    }
}

// Looking up and adding ------------------------------------------------------------------------------------------------

extension RowCache {
    /// The row of a key, as it is now; nil where it must be read.
    func row(_ key: RowKey, _ connection: Connection) throws -> StoredRow? {
        lock.lock()
        defer { lock.unlock() }
        guard try validate(connection), let position = positions[key], let entry = entries[position] else {
            misses += 1
            return nil
        }
        hits += 1
        unlink(entry)
        link(position)
        return entry.row
    }

    /// What `add` is to be given of a row that is read from here on.
    var mark: Int {
        lock.lock()
        defer { lock.unlock() }
        return removals
    }

    /// - Parameter mark: from before the row was read. What was changed meanwhile it may be older than: it is not kept.
    func add(_ row: StoredRow, _ key: RowKey, _ mark: Int, _ connection: Connection) {
        lock.lock()
        defer { lock.unlock() }
        guard isUsable, mark == removals, server == nil || connection.isHeard else { return }
        if let position = positions[key] { drop(position) }
        let size = row.byteCount
        guard size <= greatestBytes, greatestCount > 0 else { return }
        while positions.count >= greatestCount || bytes + size > greatestBytes { drop(oldest) }
        let entry = Entry(key: key, row: row, bytes: size, newer: -1, older: -1)
        let position: Int
        if let unused = free.popLast() {
            position = unused
            entries[position] = entry
        } else {
            position = entries.count
            entries.append(entry)
        }
        positions[key] = position
        bytes += size
        link(position)
    }

    private func drop(_ position: Int) {
        guard let entry = entries[position] else { return }
        unlink(entry)
        positions[entry.key] = nil
        bytes -= entry.bytes
        entries[position] = nil
        free.append(position)
    }

    /// Makes it the newest.
    private func link(_ position: Int) {
        entries[position]?.newer = -1
        entries[position]?.older = newest
        if newest >= 0 { entries[newest]?.newer = position } else { oldest = position }
        newest = position
    }

    private func unlink(_ entry: Entry) {
        if entry.newer >= 0 { entries[entry.newer]?.older = entry.older } else { newest = entry.older }
        if entry.older >= 0 { entries[entry.older]?.newer = entry.newer } else { oldest = entry.newer }
    }
}

/// The caches of a file, by model.
final class RowCaches: ConnectionAttachment {
    var byModel: [ObjectIdentifier: RowCache] = [:]
}

extension ModelPlan {
    /// Finds by key, in the cache where the model has one.
    /// - Parameters:
    ///   - cached: the key as the cache knows it; nil where it has another form.
    ///   - key: gives the key to the statement.
    @inline(__always)
    package func find<Result>(
        cached: () -> RowKey?, key: (inout RecordWriter) throws -> Void, read: (RecordReader) throws -> Result
    ) throws -> Result? {
        if connection.keepsRows, let cache = connection.cache(of: model) {
            return try find(in: cache, cached(), key, read)
        }
        return try withoutRetaining(find()) { try one($0, key: key, read: read) }
    }

    @inline(never)
    private func find<Result>(
        in cache: RowCache, _ cached: RowKey?, _ key: (inout RecordWriter) throws -> Void,
        _ read: (RecordReader) throws -> Result
    ) throws -> Result? {
        let planned = try find().takeUnretainedValue()
        // A transaction, and a statement that is being read, see a state of their own.
        guard let cached, !connection.isInTransaction, !connection.isReading, !connection.isStreaming else {
            return try one(planned, key: key, read: read)
        }
        if let row = try cache.row(cached, connection) {
            return try withExtendedLifetime(row) {
                try read(RecordReader(Row(row), columns: planned.results, model: model))
            }
        }
        let mark = cache.mark
        return try one(planned, key: key) { reader in
            // What there is no memory for is read, and not kept.
            if let row = try? StoredRow(reader.row) {
                // By the key that the row has, which a collation lets differ from the one that was asked for.
                let found = model.keyColumns.isEmpty ? cached : RowKey(model.keyColumns.map { row.value($0) })
                cache.add(row, found, mark, connection)
            }
            return try read(reader)
        }
    }
}

extension Connection {
    /// Whether rows of a statement are still to come from a server.
    fileprivate var isStreaming: Bool { engine?.isStreaming ?? false }

    @inline(__always)
    fileprivate func cache(of model: ModelDescriptor) -> RowCache? {
        if engine != nil { return attachment(HeardConnection.self)?.caches.cache(of: model) }
        return attachment(RowCaches.self)?.byModel[ObjectIdentifier(model)]
    }
}

extension Database {
    /// Keeps rows of a model that are found by key, so that finding them again reads no file; both limits 0 stop. A row is
    /// never older than what a read would give: what this handle changes, what others commit and what is rolled back goes.
    /// Inside a transaction, while a result is open, and beside a
    /// thread that writes, finds read the file.
    package func setFileCache(_ model: ModelDescriptor, count: Int64, bytes: Int64) throws {
        try requireCache(model, count: count, bytes: bytes)
        try withConnection { connection in
            let caches = connection.attachment(RowCaches.self) ?? RowCaches()
            let id = ObjectIdentifier(model)
            for (other, old) in caches.byModel where other == id || old.model.isFreed {
                caches.byModel[other] = nil
                old.stop(connection)
            }
            if count > 0 {
                let cache = RowCache(model, count: Int(clamping: count), bytes: Int(clamping: bytes))
                try cache.start(connection)
                caches.byModel[id] = cache
            }
            connection.setAttachment(caches.byModel.isEmpty ? nil : caches)
            connection.keepsRows = !caches.byModel.isEmpty
            writer.hasCaches.isSet = !caches.byModel.isEmpty
        }
    }

    /// Throws for limits that are none, and for models whose rows are not cached.
    package func requireCache(_ model: ModelDescriptor, count: Int64, bytes: Int64) throws {
        try model.requireOwnFile()
        guard count >= 0, bytes >= 0, (count == 0) == (bytes == 0) else {
            throw CormorantError(
                .misuse, "the cache of \(model.name) has no limit of \(count < 1 ? "rows" : "bytes")",
                hint: "give both limits, or 0 for both to have no cache", table: model.table)
        }
        // What its condition asks for, such as a function of the program's, may change while the row does not.
        guard model.scope == nil || count == 0 else {
            throw CormorantError(
                .misuse, "model \(model.name) has a scope, whose rows are not cached", hint: "cache the unscoped model",
                table: model.table)
        }
    }

    /// What a model's cache did; all 0 without one.
    package func cacheStatistics(_ model: ModelDescriptor) throws -> CacheStatistics {
        try withConnection { connection in
            let server = writer.hasCaches.isSet ? serverCaches : nil
            return server?.cache(of: model)?.statistics ?? connection.cache(of: model)?.statistics ?? CacheStatistics()
        }
    }
}
