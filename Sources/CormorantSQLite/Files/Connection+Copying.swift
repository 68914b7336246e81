import CSQLite
import CormorantBase
import CormorantPlatform

/// Told the pages written and all, and asked whether to go on.
package typealias CopyProgress = (_ pages: Int64, _ total: Int64) -> Bool

extension Connection {
    /// Copies the database as it is at one moment to a file, which is there when the copy is whole.
    package func copy(to path: String, codecs: (any PageCodecSource)?, progress: CopyProgress? = nil) throws {
        try requireSQLite("copies into files")
        let codec = try codecs?.makeCodec(path: path)
        try makeDatabase(at: path, rightsOf: filePath) { try copy(toNew: $0, codec, progress: progress) }
    }

    /// Writes a copy to a file that is empty.
    fileprivate func copy(toNew path: String, _ codec: (any PageCodec)?, progress: CopyProgress?) throws {
        guard transactionDepth == 0, !isInTransaction else {
            throw CormorantError(
                .transaction, "a database cannot be copied inside a transaction", hint: "end it first")
        }
        let pageSize = try pragma("page_size")
        let secureDelete = try pragma("secure_delete")
        let file = VFS.database(handle, "main")
        file?.takesPageSize = true
        defer {
            try? setPageSize(Int(pageSize))
            try? setReserve(file?.codec.reserve ?? 0)
            try? script("PRAGMA main.secure_delete = \(secureDelete == 2 ? "FAST" : "\(secureDelete)")")
        }
        if let codec {
            // In this order: the PRAGMA makes SQLite forget the reserve.
            try script("PRAGMA main.page_size = \(codec.pageSize)")
            try setReserve(codec.reserve)
            // The copy takes it over, and has every page written.
            try script("PRAGMA main.secure_delete = ON")
        }
        let total = try pragma("page_count")
        let monitor = progress.map { progress in
            ProgressMonitor { _ in
                var info = stat()
                let written = stat(path, &info) == 0 ? Int64(info.st_size) / pageSize : 0
                return progress(min(written, total), total)
            }
        }
        guard progress?(0, total) ?? true else { throw cancelled() }
        setMonitor(monitor)
        defer { setMonitor(nil) }
        let statement = try Statement(self, "VACUUM main INTO ?")
        defer { statement.finalize() }
        try statement.bind(.text(path), 1)
        do {
            _ = try withExtendedLifetime(monitor) {
                try offering(codec) { try statement.step() }
            }
        } catch let error as CormorantError where error.code == .interrupted && monitor?.isCancelled == true {
            throw cancelled()
        }
        guard progress?(total, total) ?? true else { throw cancelled() }
    }
}

/// Writes a database file anew with another encryption, or with one, or with none, in its place. The file is held for the
/// writing under an exclusive lock, copied, and replaced at one stroke: a crash leaves the old or the new.
package func recode(
    _ path: String, from: (any PageCodecSource)?, to: (any PageCodecSource)?, progress: CopyProgress?
) throws {
    try checkPath(path)
    try refuseURI(path, "a file is encrypted by its path")
    guard path != ":memory:" else {
        throw CormorantError(
            .misuse, "a database in memory has no file to encrypt", hint: "write it to a file by backup")
    }
    do {
        try recodeFile(path, from: from, to: to, progress: progress)
    } catch let error as CormorantError where error.code == .busy {
        throw CormorantError(
            .busy, "\"\(path)\" is in use by another connection", hint: "close the others and try again",
            sqliteCode: error.sqliteCode)
    }
}

private func recodeFile(
    _ path: String, from: (any PageCodecSource)?, to: (any PageCodecSource)?, progress: CopyProgress?
) throws {
    // A link stays one.
    let path = canonicalPath(path)
    var options = OpenOptions(mode: .readWrite)
    options.codecs = from
    options.keepsJournalMode = true
    let source = try Connection(path: path, options: options)
    defer { source.close() }
    guard try source.pragma("page_count") > 0 else {
        throw CormorantError(.notADatabase, "\"\(path)\" is empty", hint: "open it with the key instead")
    }
    try source.script("PRAGMA locking_mode = EXCLUSIVE")
    let mode = try Statement(source, "PRAGMA journal_mode").firstText() ?? ""
    let wasLog = sameIdentifier(mode, "wal")
    if wasLog, try !sameIdentifier(source.setJournalMode("DELETE", options.busyTimeout), "delete") {
        throw CormorantError(
            .busy, "\"\(path)\" is open in another connection", hint: "close the others and try again")
    }
    var isDone = false
    // Should it not come to the end, the file is as it was.
    defer { if wasLog, !isDone { _ = try? source.setJournalMode("WAL", 0) } }
    try source.script("BEGIN EXCLUSIVE; COMMIT")
    guard try Statement(source, "PRAGMA journal_mode").firstText().map({ !sameIdentifier($0, "wal") }) ?? false else {
        throw CormorantError(.busy, "\"\(path)\" was opened by another connection", hint: "try again")
    }
    let unfinished = try UnfinishedFile(of: path)
    defer { unfinished.remove() }
    let temporary = unfinished.path
    var check = OpenOptions(mode: .readWrite, journalMode: wasLog ? .wal : .delete)
    let codec = try to?.makeCodec(path: path)
    try source.copy(toNew: temporary, codec, progress: progress)
    check.codecs = codec?.shared
    let copy = try Connection(path: temporary, options: check)
    try keepRights(of: path, on: temporary)
    let schema = copy.schemaToKeep(of: path)
    copy.close()
    try synchronize(temporary)
    // Its journal is let go of under the lock: closing would delete, by its name, what may be another's by then.
    _ = try source.setJournalMode("MEMORY", 0)
    let hasOtherNames = linkCount(path) > 1
    try replace(path, by: temporary)
    isDone = true
    renewSchemaCopy(schema, of: path, codec?.shared)
    // Whoever has the old file open still, and waits for the lock, is to see that it is no more.
    // Other names of it keep their content.
    if !hasOtherNames, let file = VFS.plainPointer(source.handle, "main") {
        let zeros = PageBuffer(100)
        _ = file.pointee.pMethods?.pointee.xWrite?(file, zeros.bytes, 100, 0)
    }
}

private func cancelled() -> CormorantError {
    CormorantError(.interrupted, "the copy was cancelled", hint: "nothing was changed; try again")
}

private func linkCount(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_nlink) : 1
}
