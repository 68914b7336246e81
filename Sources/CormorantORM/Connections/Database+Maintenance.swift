import CormorantBase
import CormorantSQLite

extension Database {
    /// Writes a copy of the database, as it was last committed, to a file that is not there. Other threads and processes may
    /// read and write meanwhile; without a write-ahead log, writes that have made the copy begin anew wait for its end. The copy is
    /// whole or not there, and needs no other file beside it.
    /// - Parameters:
    ///   - codecs: what the copy is encrypted with; nil: what the database is, plain or with its key.
    ///   - progress: called now and then with the pages copied and all of them; false cancels, and the call throws
    ///     `interrupted`.
    package func backup(
        to path: String, codecs: (any PageCodecSource)? = nil, progress: CopyProgress? = nil
    ) throws {
        try requireSQLite("backups")
        if let codecs {
            return try withConnectionAfterCursors { connection in
                try refuseRunningCursors()
                return try connection.copy(to: path, codecs: codecs, progress: progress)
            }
        }
        try withCommittedState { source in
            // A snapshot that holds nobody up; with other journals it would.
            let isWAL = try Statement(source, "PRAGMA journal_mode").firstText() == "wal"
            if isWAL { try source.script(readingAll) }
            defer { if isWAL { try? source.script("COMMIT") } }
            try source.backup(toNew: path) { left, total in progress?(total - left, total) ?? true }
        }
    }

    /// Runs `body` on a connection of its own, so that this one stays free; for memory on this one.
    private func withCommittedState(_ body: (Connection) throws -> Void) throws {
        let (path, isReadOnly, codecs) = try withConnection { ($0.filePath, $0.isReadOnly, $0.codecs) }
        guard let path else {
            return try withConnection { connection in
                try refuseTransaction(connection, "a database in memory cannot be copied")
                try body(connection)
            }
        }
        var options = OpenOptions()
        options.mode = isReadOnly ? .readOnly : .readWrite
        options.keepsJournalMode = true
        options.codecs = codecs
        let source = try Connection(path: path, options: options)
        defer { source.close() }
        try body(source)
    }

    /// Writes the file anew without the room that deleted rows left, which takes as much free disk and holds writers up.
    @available(*, noasync)
    public func vacuum() throws {
        try requireSQLite("VACUUM of a whole database")
        try withConnectionAfterCursors { connection in
            try refuseTransaction(connection, "a file cannot be vacuumed")
            try refuseRunningCursors()
            try connection.script("VACUUM")
        }
    }

    /// Looks at tables whose rows have changed much, so that queries are planned well: for programs to call now and then,
    /// and before closing. Takes milliseconds when there is little to do. Servers do so by themselves: there it does nothing.
    @available(*, noasync)
    public func optimize() throws {
        if dialect != .sqlite { return }
        // Of each index some rows are enough. 0x10000: tables not queried yet, too, where SQLite knows it.
        try withConnection { try $0.script("PRAGMA analysis_limit = 400; PRAGMA optimize(0x10002)") }
    }

    /// Copies pages from the write-ahead log into the file. SQLite does so by itself, as `passive`, once the log has 1,000
    /// pages.
    @available(*, noasync)
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointPages {
        try withConnection { connection in
            try connection.requireSQLite("checkpoints")
            try refuseTransaction(connection, "the log cannot be copied")
            return try connection.checkpoint(mode)
        }
    }

    private func refuseTransaction(_ connection: Connection, _ what: String) throws {
        guard connection.transactionDepth == 0, !connection.isInTransaction else {
            throw CormorantError(.transaction, "\(what) inside a transaction", hint: "end the transaction first")
        }
    }
}
