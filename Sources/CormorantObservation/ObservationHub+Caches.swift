import CormorantBase
import CormorantORM
import CormorantSQLite
import CormorantThreads

// Rows of a server that are kept in memory, by who reads its outbox.
extension ObservationHub {
    /// Puts a cache of a model's rows in the place of the one before; limits of 0: none.
    func setCache(_ model: ModelDescriptor, count: Int64, bytes: Int64) throws {
        guard let database else { throw databaseClosed() }
        try database.withConnection { connection in
            guard !connection.isInTransaction else {
                throw CormorantError(
                    .transaction, "a cache of rows cannot be set inside a transaction",
                    hint: "end the transaction first")
            }
            guard connection.engine?.hasOwnSettings == false || count == 0 else {
                throw CormorantError(
                    .misuse,
                    "SQL has changed settings of this connection, so that it may find other rows than the others",
                    hint: "give settings of sessions in the set-up, which is called with each connection",
                    table: model.table)
            }
            try serverLock.locked { try setCache(model, count: count, bytes: bytes, connection, database) }
        }
    }

    private func setCache(
        _ model: ModelDescriptor, count: Int64, bytes: Int64, _ connection: Connection, _ database: Database
    ) throws {
        locked { starting += 1 }
        defer {
            locked { starting -= 1 }
            stopIfIdle()
        }
        func set(_ count: Int64) -> RowCache? {
            let (new, gone) = database.setServerCache(model, count: count, bytes: bytes) {
                ServerRowCaches(connection.engine?.watching.interval ?? 1000) { [weak self] in self?.check($0) }
            }
            for table in gone.compactMap(\.table) { outbox?.untrack(table, values: false) }
            locked { keptCaches = database.serverCaches }
            return new
        }
        guard let cache = set(count) else { return }
        do {
            try start(connection)
            outbox?.caches = database.serverCaches
            try outbox?.follow(cache, connection)
        } catch {
            _ = set(0)
            throw error
        }
        // From here on its table is among those that readings tell of.
        check(connection)
    }
}

extension Database {
    /// Keeps rows of a model that are found by key; both limits 0 stop. What this database writes, and what others commit to a file,
    /// goes at once; what others commit to a server goes when its outbox is next read.
    package func setCache(_ model: ModelDescriptor, count: Int64, bytes: Int64) throws {
        if count > 0, bytes > 0 { try prepare(model) }
        if dialect == .sqlite { return try setFileCache(model, count: count, bytes: bytes) }
        try requireCache(model, count: count, bytes: bytes)
        try observationHub.setCache(model, count: count, bytes: bytes)
    }
}
