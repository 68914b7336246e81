import CSQLite
import CormorantBase

extension Connection {
    /// Makes the collation `corm_decimal` known, which orders decimal texts as numbers. Statements built of expressions name
    /// it where they compare a decimal column; no table is declared with it, so that any program reads the file.
    /// Source: https://www.sqlite.org/c3ref/create_collation.html
    func registerDecimalCollation() throws {
        try registerCollation("corm_decimal") { _, leftCount, left, rightCount, right in
            Int32(clamping: compareDecimals(textOf(left, leftCount), textOf(right, rightCount)))
        }
    }

    /// Makes the collation `corm_offset_datetime` known, by which offset datetimes of one moment are equal, and datetimes beside
    /// them. Statements built of expressions name it; a column of a model may.
    func registerMomentCollation() throws {
        try registerCollation("corm_offset_datetime") { _, leftCount, left, rightCount, right in
            Int32(clamping: compareMoments(textOf(left, leftCount), textOf(right, rightCount)))
        }
    }

    /// Makes a collation of the library's own known.
    func registerCollation(
        _ name: String,
        _ compare:
            @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32
    ) throws {
        let status = sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, nil, compare, nil)
        if status != SQLITE_OK { throw error(status) }
    }
}

/// A text as SQLite hands it to a collation.
func textOf(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
}
