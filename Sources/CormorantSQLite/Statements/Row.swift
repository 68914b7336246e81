import CSQLite
import CormorantBase

/// The row a statement stands on; valid until its next step. Inlinable, as are the reader and writer above it: a call
/// per cell costs a fetch of 200,000 rows a tenth (benchmarks: fetch).
@usableFromInline
package struct Row {
    @usableFromInline package let statement: OpaquePointer?
    /// The values of a row that was kept, instead of a statement's.
    @usableFromInline package let stored: UnsafePointer<OpaquePointer?>?
    let storedCount: Int32

    @inlinable
    package init(_ statement: Statement) { self.init(pointer: statement.pointer) }

    @usableFromInline
    init(pointer: OpaquePointer?) {
        statement = pointer
        stored = nil
        storedCount = 0
    }

    /// How many columns it has.
    package var count: Int { stored == nil ? Int(sqlite3_data_count(statement)) : Int(storedCount) }

    @inlinable @inline(__always)
    package func cell(_ column: Int32) -> Cell {
        if let stored { return Cell(stored[Int(column)]) }
        return Cell(sqlite3_column_value(statement, column))
    }

    /// A copy of one value. Text that is not UTF-8 is an error.
    package func value(_ column: Int32) throws -> Value {
        let cell = cell(column)
        switch cell.type {
        case StorageType.integer: return .integer(cell.int64)
        case StorageType.real: return .real(cell.double)
        case StorageType.text:
            try requireMemory(cell.text.count)
            guard let text = cell.string else { throw invalidText(column) }
            return .text(text)
        case StorageType.blob:
            let blob = cell.blob
            try requireMemory(blob.count)
            return .blob(Array(blob))
        default: return .null
        }
    }

    package func columnName(_ column: Int32) -> String {
        sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
    }

    package func invalidText(_ column: Int32) -> CormorantError {
        let name = columnName(column)
        return CormorantError(
            .encoding, "column \"\(name)\" holds text that is not UTF-8",
            hint: "read it as a blob: CAST(... AS BLOB)", columns: [name])
    }
}

/// One value of the row. Fetched once and then asked for type and bytes: `sqlite3_column_*` would look it up each time.
/// Its value is one that SQLite calls unprotected, which is safe under the lock of the only connection that uses it.
@usableFromInline
package struct Cell {
    @usableFromInline package let value: OpaquePointer?

    @inlinable @inline(__always)
    package init(_ value: OpaquePointer?) { self.value = value }

    @inlinable @inline(__always)
    package var type: Int32 { sqlite3_value_type(value) }

    @inlinable @inline(__always)
    package var int64: Int64 { sqlite3_value_int64(value) }

    @inlinable @inline(__always)
    package var double: Double { sqlite3_value_double(value) }

    /// The bytes of a text, not copied.
    @inlinable @inline(__always)
    package var text: UnsafeBufferPointer<UInt8> {
        let bytes = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// A copy of the text; nil when it is not UTF-8.
    @inlinable
    package var string: String? {
        let bytes = text
        if let base = bytes.baseAddress, !isValidUTF8(base, count: bytes.count) { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of a text or blob as they are, not copied.
    var bytes: UnsafeRawBufferPointer {
        type == StorageType.text ? UnsafeRawBufferPointer(text) : blob
    }

    /// The bytes of a blob, not copied; no address when empty.
    @inlinable @inline(__always)
    package var blob: UnsafeRawBufferPointer {
        let bytes = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}

/// SQLite's storage classes, as `sqlite3_column_type` gives them.
@usableFromInline
package enum StorageType {
    @inlinable package static var integer: Int32 { SQLITE_INTEGER }
    @inlinable package static var real: Int32 { SQLITE_FLOAT }
    @inlinable package static var text: Int32 { SQLITE3_TEXT }
    @inlinable package static var blob: Int32 { SQLITE_BLOB }
    @inlinable package static var null: Int32 { SQLITE_NULL }

    package static func name(_ type: Int32) -> String {
        switch type {
        case integer: "an integer"
        case real: "a real"
        case text: "text"
        case blob: "a blob"
        default: "NULL"
        }
    }
}
