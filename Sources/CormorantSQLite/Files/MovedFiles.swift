import CSQLite
import CormorantBase

/// SQLITE_READONLY_DBMOVED, https://www.sqlite.org/rescode.html#readonly_dbmoved: SQLite asks for it before it writes a journal, and so
/// not in WAL mode, nor where the journal is in memory.
let movedFile: Int32 = SQLITE_READONLY | 4 << 8

/// Whether the path by which a file was opened leads to it no more.
/// - Parameter file: the default VFS's.
func hasMoved(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    var answer: Int32 = 0
    let status = file.pointee.pMethods?.pointee.xFileControl?(file, SQLITE_FCNTL_HAS_MOVED, &answer)
    return status == SQLITE_OK && answer != 0
}

/// Takes a lock of journal modes other than WAL, that for writing only on a file which its path leads to.
func lockUnmoved(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ methods: UnsafePointer<sqlite3_io_methods>, _ level: Int32
) -> Int32 {
    // SQLITE_LOCK_RESERVED, with which each transaction begins to write.
    if level == 2, let file, hasMoved(file) { return movedFile }
    return methods.pointee.xLock?(file, level) ?? SQLITE_IOERR
}

extension Connection {
    /// Opens a file. Where another one is put in its place meanwhile, as by who encrypts, decrypts or rekeys it, that one is opened: what
    /// was read of the one says nothing of the other.
    package static func open(file path: String, _ options: OpenOptions) throws -> Connection {
        for _ in 0..<20 {
            let before = FileIdentity(path)
            do {
                let connection = try Connection(path: path, options: options)
                guard let file = VFS.plainPointer(connection.handle, "main"), hasMoved(file) else { return connection }
                connection.close()
            } catch let error as CormorantError {
                guard let before, let now = FileIdentity(path), now != before else { throw error }
            }
        }
        return try Connection(path: path, options: options)
    }

    /// What is wrong, where SQLite returned the code because a file is not there any more. Beside its path a journal cannot be made, either.
    func movedError(_ code: Int32) -> CormorantError? {
        guard code == movedFile || [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) else { return nil }
        return errorOfMovedFile(code)
    }

    /// The error of a file that is not there any more, where one is.
    func errorOfMovedFile(_ code: Int32) -> CormorantError? {
        // Without the main file, SQLite may not answer which others there are.
        for name in ["main"] + untraced({ schemas() }) {
            guard let file = VFS.plainPointer(handle, name), hasMoved(file) else { continue }
            let path = name == "main" ? path : sqlite3_db_filename(handle, name).map { String(cString: $0) } ?? name
            return CormorantError(
                .io, "\"\(path)\" was deleted, moved or replaced while it was open",
                hint: "close the database and open it again; nothing was written", sqliteCode: code)
        }
        return nil
    }
}
