import CSQLite
import CormorantPlatform

/// What the index of the write-ahead log says of its newest commit: another one after each commit of anybody. Looking at it
/// costs no system call. Source: https://www.sqlite.org/walformat.html, "The WAL-Index Header".
struct LogHeader {
    private static let size = 48
    private var seen = [UInt8](repeating: 0, count: LogHeader.size)
    private var isKnown = false
    /// Looked at anew after each PRAGMA, which may change it.
    private var isLog = false
    private var pragmas = -1

    /// Whether nothing was committed since `remember`.
    mutating func isSame(_ connection: Connection) -> Bool {
        guard isKnown, let header = header(connection) else { return false }
        return seen.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp(header, $0, LogHeader.size) == 0 } ?? false
        }
    }

    /// Before the version is asked for that it stands for.
    mutating func remember(_ connection: Connection) {
        let header = header(connection)
        isKnown = header != nil
        guard let header else { return }
        seen.withUnsafeMutableBytes {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: header, count: LogHeader.size))
        }
    }

    private mutating func header(_ connection: Connection) -> UnsafeRawPointer? {
        let now = connection.changeLog?.pragmas ?? -1
        if now != pragmas {
            // Asking for it is a PRAGMA, too.
            isLog = (try? Statement(connection, "PRAGMA main.journal_mode").firstText()) == "wal"
            pragmas = connection.changeLog?.pragmas ?? -1
        }
        guard isLog else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let map = file.pointee.pMethods?.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // Mapped since the log was opened.
        guard map(file, 0, 32_768, 0, &region) == SQLITE_OK else { return nil }
        return UnsafeRawPointer(region)
    }
}

/// Tells whether others have committed since it was last asked, at the price of a comparison where nobody did.
package struct CommitWatch {
    private var header = LogHeader()
    private var version: Int64?
    private weak var lastConnection: Connection?

    package init() {}

    /// - Returns: false when another connection may have committed. Throws `busy` where one is doing so.
    package mutating func isUnchanged(_ connection: Connection) throws -> Bool {
        // Nobody else sees a database in memory.
        guard connection.filePath != nil else { return true }
        if lastConnection === connection, header.isSame(connection) { return true }
        header.remember(connection)
        let now = try connection.dataVersion()
        defer {
            version = now
            lastConnection = connection
        }
        return lastConnection === connection && version == now
    }
}
