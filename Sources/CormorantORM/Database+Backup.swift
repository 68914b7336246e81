import CormorantBase
import CormorantSQLite

extension Database {
    /// Writes a copy of the database, as it is at one moment, to a file that is not there. Others may write meanwhile. The
    /// copy is whole or not there.
    /// - Parameter shouldContinue: asked after every few pages with those left and all; false cancels.
    package func backup(to path: String, shouldContinue: (_ left: Int64, _ total: Int64) -> Bool) throws {
        try checkPath(path)
        guard !fileExists(path) else {
            throw CormorantError(
                .cannotOpen, "\"\(path)\" is there already", hint: "remove it, or name another file")
        }
        let temporary = path + ".new"
        removeFile(temporary)
        defer { for suffix in ["", "-journal"] { removeFile(temporary + suffix) } }
        try withConnection { connection in
            var options = OpenOptions()
            options.journalMode = .delete
            options.synchronous = .full
            let target = try Connection(path: temporary, options: options)
            defer { target.close() }
            // A snapshot that holds nobody up; with other journals it would, and the copy begins anew when others write.
            let isWAL = try Statement(connection, "PRAGMA journal_mode").firstText() == "wal"
            if isWAL { try connection.script("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1") }
            defer { if isWAL { try? connection.script("COMMIT") } }
            try connection.backup(to: target, shouldContinue: shouldContinue)
            // A file of its own, which needs no others beside it to be read.
            try target.script("PRAGMA journal_mode = DELETE")
        }
        try moveFile(temporary, to: path)
    }
}
