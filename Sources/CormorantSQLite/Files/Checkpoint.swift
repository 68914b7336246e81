import CSQLite
import CormorantBase
import CormorantThreads

/// How far a checkpoint goes: https://www.sqlite.org/c3ref/wal_checkpoint_v2.html
public enum CheckpointMode: Int32, Sendable {
    /// As far as no reader or writer is in the way.
    case passive = 0
    /// Waits for writers and readers of older states, and copies everything.
    case full = 1
    /// And waits until the next writer can begin the log anew.
    case restart = 2
    /// And makes the log an empty file.
    case truncate = 3
}

/// What a checkpoint found and did; -1 each for a file without a write-ahead log.
public struct CheckpointPages: Sendable, Hashable {
    /// Pages in the log.
    public var log: Int64
    /// Of these, how many are in the file.
    public var copied: Int64

    /// Numbers of one's own, as a test compares them with.
    public init(log: Int64, copied: Int64) {
        self.log = log
        self.copied = copied
    }
}

extension Connection {
    package func checkpoint(_ mode: CheckpointMode) throws -> CheckpointPages {
        try requireSQLite("checkpoints")
        var (log, copied): (Int32, Int32) = (-1, -1)
        let end = time(after: Int(try pragma("busy_timeout")))
        // SQLite's constants count as ours do.
        var status = sqlite3_wal_checkpoint_v2(handle, "main", mode.rawValue, &log, &copied)
        // It waits for nobody where another connection's checkpoint runs.
        while status == SQLITE_BUSY, monotonicTime() < end, !Threads.isCancelled {
            sleepMilliseconds(1)
            status = sqlite3_wal_checkpoint_v2(handle, "main", mode.rawValue, &log, &copied)
        }
        guard status == SQLITE_OK else { throw error(status) }
        return CheckpointPages(log: Int64(log), copied: Int64(copied))
    }

    /// Counts the log's pages at each commit, and copies them into the file as SQLite does by itself.
    package func watchLog() {
        guard handle != nil else { return }
        sqlite3_wal_hook(
            handle,
            { context, handle, schema, pages in
                guard let context, let schema else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                if pages >= 1000 { sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the log into the file and empties it, without waiting for anyone.
    /// - Returns: false when others read what it holds, or write.
    package func emptyLog() throws -> Bool {
        let timeout = try pragma("busy_timeout")
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Int32(clamping: timeout)) }
        let status = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if status == SQLITE_OK { logPages = 0 }
        return status == SQLITE_OK
    }

    /// The whole path of the file; nil for memory.
    package var filePath: String? {
        guard handle != nil, let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        return path.isEmpty ? nil : path
    }
}
