import CSQLite
import CormorantBase

/// A copy of a row that outlives its statement, read like one: `Row(stored)`. It does not change.
package final class StoredRow: @unchecked Sendable {  // never written after init
    let values: UnsafeMutablePointer<OpaquePointer?>
    package let count: Int

    package init(_ row: Row) {
        count = row.count
        values = .allocate(capacity: max(1, count))
        for index in 0..<count {
            // The text is made UTF-8 before it is copied, so that reading it later changes nothing.
            let value = row.cell(Int32(truncatingIfNeeded: index)).value
            if sqlite3_value_type(value) == SQLITE_TEXT { _ = sqlite3_value_text(value) }
            values[index] = sqlite3_value_dup(value) ?? nullValue
        }
    }

    /// The row that a change is about, before (old) or after it (new).
    init(preupdate handle: OpaquePointer?, isNew: Bool) {
        count = Int(sqlite3_preupdate_count(handle))
        values = .allocate(capacity: max(1, count))
        for index in 0..<count {
            var value: OpaquePointer?
            let column = Int32(truncatingIfNeeded: index)
            let status =
                isNew ? sqlite3_preupdate_new(handle, column, &value) : sqlite3_preupdate_old(handle, column, &value)
            if let value, status == SQLITE_OK {
                if sqlite3_value_type(value) == SQLITE_TEXT { _ = sqlite3_value_text(value) }
                values[index] = sqlite3_value_dup(value) ?? nullValue
            } else {
                values[index] = nullValue
            }
        }
    }

    deinit {
        for index in 0..<count where values[index] != nullValue { sqlite3_value_free(values[index]) }
        values.deallocate()
    }

    /// About how much memory it takes.
    package var byteCount: Int {
        var total = 64
        for index in 0..<count {
            total += 64
            let type = sqlite3_value_type(values[index])
            if type == SQLITE_TEXT || type == SQLITE_BLOB { total += Int(sqlite3_value_bytes(values[index])) }
        }
        return total
    }

    /// Whether it holds the same values of the same storage classes.
    package func equals(_ other: StoredRow) -> Bool {
        guard count == other.count else { return false }
        return (0..<count).allSatisfy { sameValue(values[$0], other.values[$0]) }
    }

    /// Bytes that two rows share exactly when they agree in these columns.
    package func identity(_ columns: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        for column in columns where column < count {
            let value = values[column]
            let type = sqlite3_value_type(value)
            bytes.append(UInt8(truncatingIfNeeded: type))
            switch type {
            case SQLITE_INTEGER: withUnsafeBytes(of: sqlite3_value_int64(value)) { bytes += $0 }
            case SQLITE_FLOAT: withUnsafeBytes(of: sqlite3_value_double(value)) { bytes += $0 }
            case SQLITE_NULL: break
            default:
                let size = Int(sqlite3_value_bytes(value))
                withUnsafeBytes(of: size) { bytes += $0 }
                bytes += UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: size)
            }
        }
        return bytes
    }

    /// A copy of one value; text that is not UTF-8 comes as its bytes.
    package func value(_ column: Int) -> Value { column < count ? plainValue(values[column]) : .null }
}

extension Row {
    /// Reads a stored row, which must outlive this.
    package init(_ stored: StoredRow) {
        statement = nil
        self.stored = UnsafePointer(stored.values)
        storedCount = Int32(truncatingIfNeeded: stored.count)
    }
}

/// The NULL that SQLite gives for a column that is not there; it is never freed.
nonisolated(unsafe) private let nullValue: OpaquePointer? = sqlite3_column_value(nil, 0)

/// A copy of one of SQLite's values.
func plainValue(_ value: OpaquePointer?) -> Value {
    let cell = Cell(value)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(cell.int64)
    case SQLITE_FLOAT: return .real(cell.double)
    case SQLITE_TEXT: return cell.string.map { .text($0) } ?? .blob(Array(cell.text))
    case SQLITE_BLOB: return .blob(Array(cell.blob))
    default: return .null
    }
}

func sameValue(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Bool {
    let type = sqlite3_value_type(left)
    guard type == sqlite3_value_type(right) else { return false }
    switch type {
    case SQLITE_INTEGER: return sqlite3_value_int64(left) == sqlite3_value_int64(right)
    case SQLITE_FLOAT: return sqlite3_value_double(left).bitPattern == sqlite3_value_double(right).bitPattern
    case SQLITE_NULL: return true
    default:
        let (left, right) = (Cell(left).bytes, Cell(right).bytes)
        return left.count == right.count && left.elementsEqual(right)
    }
}
