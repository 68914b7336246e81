import CSQLite
import CormorantBase

/// For tools that show any file, whatever it holds.
extension Connection {
    /// Has SQLite refuse with `tooBig` what would take more bytes than this, one value or one row, and files to be attached.
    package func refuseLongValues(_ bytes: Int32) {
        guard handle != nil else { return }
        limitLength(bytes)
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// The same of values and rows alone.
    /// - Returns: the limit so far.
    @discardableResult
    package func limitLength(_ bytes: Int32) -> Int32 {
        handle == nil ? bytes : sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
    }

    /// A part of a text or blob of a table with row numbers, without the rest of it, which may be greater than the memory.
    /// Texts are in the encoding of the file.
    /// - Returns: nil where there is no such row, or its value is neither.
    package func part(
        of column: String, table: String, rowID: Int64, from offset: Int, count: Int
    ) throws -> (bytes: [UInt8], size: Int)? {
        guard handle != nil else { return nil }
        var blob: OpaquePointer?
        guard sqlite3_blob_open(handle, "main", table, column, rowID, 0, &blob) == SQLITE_OK else {
            sqlite3_blob_close(blob)
            return nil
        }
        defer { sqlite3_blob_close(blob) }
        let size = Int(sqlite3_blob_bytes(blob))
        let start = min(max(0, offset), size)
        let length = min(max(0, count), size - start)
        var bytes = [UInt8](repeating: 0, count: length)
        let status = sqlite3_blob_read(blob, &bytes, Int32(clamping: length), Int32(clamping: start))
        guard status == SQLITE_OK else {
            throw CormorantError(
                .sqlite, "a part of \"\(column)\" cannot be read", hint: "read it again", sqliteCode: status)
        }
        return (bytes, size)
    }
}
