import CormorantSQLite

/// What is left of a damaged file.
extension Database {
    /// Writes a new file of what can be read of a damaged one, page by page and past SQLite. The damaged file stays as it is, and
    /// its write-ahead log or rollback journal counts. Rows are of the table whose tree leads to their page; where that is broken,
    /// of the one table that lacks rows of their shape there; else they are in a table `lost_and_found`, with the number of their
    /// page (`page`), their rowid (`id`) and their values (`c0`, `c1`, ...). Where page 1 is lost, so is the list of free pages:
    /// rows that were deleted may come back then.
    /// - Parameters:
    ///   - path: the damaged file, which nobody should use meanwhile: `busy` where somebody wrote to it.
    ///   - newPath: the new one; nothing may be there.
    ///   - encryption: what the file is encrypted with, and the new one will be; nil: a plain file.
    ///   - schema: CREATE statements, for tables whose own cannot be read; those of the file come first. nil: those of the
    ///     copy that ``OpenOptions/keepsSchema`` left beside it, if there is one.
    ///   - progress: told the pages looked at and all, and asked whether to go on.
    @available(*, noasync)
    @discardableResult
    public static func repair(
        _ path: String, to newPath: String, encryption: Encryption? = nil, schema: String? = nil,
        progress: CopyProgress? = nil
    ) throws -> RepairReport {
        try CormorantSQLite.repair(path, to: newPath, codecs: encryption, schema: schema, progress: progress)
    }

    /// The same, on a thread of its own.
    @discardableResult
    public static func repair(
        _ path: String, to newPath: String, encryption: Encryption? = nil, schema: String? = nil,
        progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws -> RepairReport {
        try await apart {
            try repair(path, to: newPath, encryption: encryption, schema: schema, progress: progress)
        }
    }
}
