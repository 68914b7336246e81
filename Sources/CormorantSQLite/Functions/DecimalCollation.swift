import CSQLite
import CormorantBase

extension Connection {
    /// Makes the collation `corm_decimal` known, which orders decimal texts as numbers. Statements built of expressions name
    /// it where they compare a decimal column; no table is declared with it, so that any program reads the file.
    /// Source: https://www.sqlite.org/c3ref/create_collation.html
    func registerDecimalCollation() throws {
        let status = sqlite3_create_collation_v2(
            handle, "corm_decimal", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                func text(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
                    UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
                }
                return Int32(clamping: compareDecimals(text(left, leftCount), text(right, rightCount)))
            }, nil)
        if status != SQLITE_OK { throw error(status) }
    }
}
