import CSQLite
import CormorantBase
import CormorantPlatform

/// The bytes of a database file as they stand on the disk, read through SQLite's own handle: whoever closes a descriptor of a file
/// gives up the locks that the process has on it, and those are SQLite's where a connection is open
/// (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks canceled by a separate thread doing close()").
/// So no file that may be a database is opened by `open`.
final class FileOnDisk {
    private var handle: OpaquePointer?
    private let file: UnsafeMutablePointer<sqlite3_file>
    private(set) var size: Int64 = 0

    /// Where it is, of a URI, too.
    var path: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

    /// nil where it cannot be read; errno says why.
    init?(_ path: String) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI
        guard sqlite3_open_v2(path, &handle, flags, VFS.name) == SQLITE_OK,
            let file = VFS.plainPointer(handle, "main"),
            file.pointee.pMethods?.pointee.xFileSize?(file, &size) == SQLITE_OK
        else {
            let number = sqlite3_system_errno(handle)
            sqlite3_close_v2(handle)
            errno = number
            return nil
        }
        self.file = file
        self.handle = handle
        // SQLite takes a file of one byte for an empty one.
        if size == 0 {
            var byte: UInt8 = 0
            if file.pointee.pMethods?.pointee.xRead?(file, &byte, 1, 0) == SQLITE_OK { size = 1 }
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// - Returns: how many bytes there were; nil where they could not be read.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        let count = Int(min(Int64(buffer.count), max(0, size - offset)))
        guard count > 0 else { return 0 }
        let status = file.pointee.pMethods?.pointee.xRead?(file, buffer.baseAddress, Int32(clamping: count), offset)
        return status == SQLITE_OK ? count : nil
    }
}
