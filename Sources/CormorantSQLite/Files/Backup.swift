import CSQLite
import CormorantBase

/// Begins a transaction that reads the database as it is now.
package let readingAll = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"

extension Connection {
    /// Writes this database, as this connection sees it and with its encryption, to a file that is not there.
    package func backup(
        toNew path: String, shouldContinue: (_ remaining: Int64, _ total: Int64) -> Bool
    ) throws {
        try requireSQLite("backups")
        try makeDatabase(at: path, rightsOf: filePath) { temporary in
            var options = OpenOptions(journalMode: .delete, synchronous: .full)
            options.codecs = codecs
            let target = try Connection(path: temporary, options: options)
            defer { target.close() }
            try backup(to: target, shouldContinue: shouldContinue)
            // A file of its own, which needs no others beside it to be read.
            try target.script("PRAGMA journal_mode = DELETE")
        }
    }

    /// Writes this database, as this connection sees it, over another; a reader or a crash meets the old or the new one.
    /// Source: https://www.sqlite.org/backup.html
    /// - Parameter shouldContinue: asked after every few pages with those left and all; false stops and changes nothing.
    package func backup(
        to target: Connection, shouldContinue: (_ remaining: Int64, _ total: Int64) -> Bool = { _, _ in true }
    ) throws {
        try requireSQLite("backups")
        try target.requireSQLite("backups")
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        var status = SQLITE_OK
        var isCancelled = false
        var leftBefore = Int64.max
        let wasReading = isInTransaction
        var conflict: (any Error)?
        repeat {
            status = sqlite3_backup_step(backup, 1024)
            guard status == SQLITE_OK else { break }
            let left = Int64(sqlite3_backup_remaining(backup))
            isCancelled = !shouldContinue(left, Int64(sqlite3_backup_pagecount(backup)))
            // Another process has written, and the copy began anew: from here on it holds writers up, or it might never end.
            if left >= leftBefore, !isInTransaction {
                do { try script(readingAll) } catch { conflict = error }
            }
            leftBefore = left
        } while !isCancelled && conflict == nil
        let finished = sqlite3_backup_finish(backup)
        if isInTransaction, !wasReading { try? script("ROLLBACK") }
        if let conflict { throw conflict }
        if isCancelled {
            throw CormorantError(.interrupted, "the copy was cancelled", hint: "nothing was changed; try again")
        }
        guard status == SQLITE_DONE else { throw target.error(finished == SQLITE_OK ? status : finished) }
        target.changeLog?.contentWasReplaced()
    }
}
