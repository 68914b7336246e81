import CSQLite
import CormorantBase

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

    public init(log: Int64, copied: Int64) {
        self.log = log
        self.copied = copied
    }
}

extension Connection {
    package func checkpoint(_ mode: CheckpointMode) throws -> CheckpointPages {
        var (log, copied): (Int32, Int32) = (-1, -1)
        // SQLite's constants count as ours do.
        let status = sqlite3_wal_checkpoint_v2(handle, "main", mode.rawValue, &log, &copied)
        guard status == SQLITE_OK else { throw error(status) }
        return CheckpointPages(log: Int64(log), copied: Int64(copied))
    }

    /// The whole path of the file; nil for memory.
    package var filePath: String? {
        guard let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        return path.isEmpty ? nil : path
    }
}
