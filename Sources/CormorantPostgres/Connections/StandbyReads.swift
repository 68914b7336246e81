import CormorantBase
import CormorantPlatform
import CormorantThreads

/// Where the log of the primary stood behind what the connections of one database wrote: what they are to see when they read.
final class WrittenPosition: Sendable {
    private let bytes = AtomicNumber()

    deinit { bytes.deallocate() }

    var value: Int64 { bytes.load() }

    /// Connections write at once: the furthest counts.
    func advance(to position: Int64) { bytes.raise(to: position) }

    /// On another primary, which may never have had all of what the one before it had.
    func restart(at position: Int64) { bytes.store(position) }
}

/// A connection's part in reading from standbys: one that writes notes how far the log has come, one that reads waits until its
/// standby has replayed as much, for a limited time, after which it reads from the primary for five times as long.
/// Source: https://www.postgresql.org/docs/15/functions-admin.html#FUNCTIONS-RECOVERY-CONTROL
final class StandbyReads {
    let written: WrittenPosition
    private let isReader: Bool
    /// What was run since the log's position was asked for.
    var hasRun = false
    /// How far the standby is known to be; below 0: whether it is one is not known.
    private var replayed: Int64 = -1
    /// When a reader that has gone to the primary, or has found no standby, looks for one again; nil: it is on a standby.
    private var returns: Int64?

    init(_ written: WrittenPosition, isReader: Bool) {
        self.written = written
        self.isReader = isReader
    }

    /// libpq's `target_session_attrs`.
    var wanted: String { isReader && returns == nil ? "prefer-standby" : "read-write" }

    /// Behind what a connection ran: it may have written.
    func note(_ connection: PostgresConnection) {
        guard !isReader, hasRun, connection.loss == nil else { return }
        hasRun = false
        if let position = connection.position(StandbyReads.written) { written.advance(to: position) }
    }

    /// Before a reader runs what is no part of a transaction.
    func catchUp(_ connection: PostgresConnection) throws {
        guard isReader else { return }
        if let returns {
            guard monotonicTime() >= returns else { return }
            self.returns = nil
            try connection.reopen()
        }
        let needed = written.value
        guard replayed < needed else { return }
        let end = time(after: connection.url.standbyWait)
        var pause: UInt32 = 1
        while true {
            let position = connection.position(StandbyReads.replayed)
            if let loss = connection.loss { throw loss }
            // A server that is no standby has what it has.
            replayed = position ?? .max
            if position == nil { returns = nextSearch(connection) }
            if replayed >= needed { return }
            guard monotonicTime() < end else { break }
            sleepMilliseconds(pause)
            pause = min(2 * pause, 20)
        }
        returns = nextSearch(connection)
        do {
            try connection.reopen()
        } catch {
            returns = nil
            throw error
        }
    }

    private func nextSearch(_ connection: PostgresConnection) -> Int64 {
        time(after: max(5 * connection.url.standbyWait, 1_000))
    }

    func reopened(_ connection: PostgresConnection) {
        replayed = -1
        if !isReader, let position = connection.position(StandbyReads.written) { written.restart(at: position) }
    }

    private static let written =
        "SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN (pg_catalog.pg_current_wal_insert_lsn() - '0/0')::bigint END"
    private static let replayed =
        "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::bigint END"
}

extension PostgresConnection {
    /// A position in the log, by SQL that gives it in bytes; nil where it gives NULL, or the connection is lost.
    func position(_ sql: String) -> Int64? {
        guard pq.sendQuery(handle, sql) == 1 else {
            _ = lost(nil)
            return nil
        }
        var position: Int64?
        while let result = pq.getResult(handle) {
            if pq.resultStatus(result) == ResultStatus.rows, pq.isNull(result, 0, 0) == 0,
                let text = pq.value(result, 0, 0)
            {
                position = Int64(String(cString: text.assumingMemoryBound(to: CChar.self)))
            }
            pq.clear(result)
        }
        if pq.status(handle) != 0 { _ = lost(nil) }
        return position
    }
}
