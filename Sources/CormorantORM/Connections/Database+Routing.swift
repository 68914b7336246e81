import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Where raw SQL runs: on a reader if SQLite compiles it there as a statement that changes nothing, else on the writer.
extension Database {
    /// A connection that can run this SQL. Each call needs `release`.
    func acquire(for sql: String) throws -> PooledConnection {
        let kind = StatementRouting.kind(of: sql)
        if kind == .other { return try acquireWriter(for: sql) }
        // What may write does not wait for others to read.
        let pooled = try acquireReader(waits: kind == .query)
        // As long as no other thread has come, the writer runs all.
        if !pooled.isReader, pooled.readDepth == 0 { return pooled }
        do {
            if try pooled.connected().onlyReads(sql) { return pooled }
        } catch let error as CormorantError where pooled.readDepth > 0 && !error.isRefusedToReaders {
            // Within a transaction that only reads, the writer is not asked what it says.
            pooled.release()
            throw error
        } catch {}
        pooled.release()
        return try acquireWriter(for: sql)
    }

    /// The writer, for SQL that may leave it with what readers would not see.
    func acquireWriter(for sql: String) throws -> PooledConnection {
        let pooled = try acquireWriter()
        if StatementRouting.changesConnection(sql) { retireReaders() }
        return pooled
    }

    func release(_ pooled: PooledConnection) {
        if pooled.isReader { return pooled.release() }
        if let writers, let connection = pooled.connection { writers.follow(pooled, connection) }
        if let readers, let connection = pooled.connection {
            // What raw SQL began is nobody's, and all see it.
            readers.areBypassed = connection.isOpenOnServer && connection.transactionDepth == 0
        }
        if let engine = pooled.connection?.engine, engine.hasTemporaryTable { retireReaders() }
        pooled.releaseAfterWriting()
    }

    /// Runs `body` on a connection that can run this SQL.
    func withConnection<T>(for sql: String, _ body: (Connection) throws -> T) throws -> T {
        let pooled = try acquire(for: sql)
        if pooled.isBesideCursors, [.insert, .change].contains(StatementRouting.verb(of: sql)),
            (try? pooled.connected().onlyReads(sql)) == false
        {
            return try writeBesideCursors(pooled) { try body(pooled.connected()) }
        }
        defer { release(pooled) }
        return try body(pooled.connected())
    }

    /// Attaches another file under a name of its own. Where it cannot be, readers go on beside the writer.
    package func attach(_ path: String, as name: String, codecs: (any PageCodecSource)?) throws {
        try withConnection {
            try $0.attach(path, as: name, codecs: codecs)
            retireReaders()
        }
    }

    /// From here on all goes through the writer, which has something that readers would not see.
    package func retireReaders() {
        hasOwnSettings.isSet = true
        if let writers, let own = writers.held() { writers.pin(own, forGood: true) }
        readers?.retire()
    }
}
