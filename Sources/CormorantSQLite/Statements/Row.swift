import CSQLite
import CormorantBase
import CormorantEngine

/// The row a statement stands on; valid until its next step. Inlinable, as are the reader and writer above it: a call
/// per cell costs a fetch of 200,000 rows a tenth (benchmarks: fetch).
@usableFromInline
package struct Row {
    @usableFromInline package let statement: OpaquePointer?
    /// Those of a row that was kept, or of another engine, instead of a statement's.
    @usableFromInline let cells: UnsafePointer<RowCell>?
    private let cellCount: Int32
    /// The statement whose cells they are, which outlives this.
    private let source: Unmanaged<Statement>?

    @inlinable
    package init(_ statement: Statement) {
        if statement.pointer == nil {
            self.init(engine: .passUnretained(statement))
        } else {
            self.init(pointer: statement.pointer)
        }
    }

    @usableFromInline
    init(pointer: OpaquePointer?) {
        statement = pointer
        cells = nil
        cellCount = 0
        source = nil
    }

    @usableFromInline @inline(never)
    init(engine statement: Unmanaged<Statement>) {
        self.statement = nil
        let row = withoutRetaining(statement) { $0.engineRow() }
        cells = row?.cells
        cellCount = row?.count ?? 0
        source = statement
    }

    /// Reads a stored row, which must outlive this.
    package init(_ stored: StoredRow) {
        statement = nil
        cells = UnsafePointer(stored.cells)
        cellCount = Int32(truncatingIfNeeded: stored.count)
        source = nil
    }

    /// Whether it is a statement's, and has names for its columns.
    package var isOfStatement: Bool { statement != nil || source != nil }

    /// How many columns it has.
    package var count: Int { cells == nil ? Int(sqlite3_data_count(statement)) : Int(cellCount) }

    @inlinable @inline(__always)
    package func cell(_ column: Int32) -> Cell {
        if let cells { return Cell(cells + Int(column)) }
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
        if let source { return source.takeUnretainedValue().columnName(Int(column)) }
        guard let statement else { return "" }
        return sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
    }

    package func invalidText(_ column: Int32) -> CormorantError {
        guard isOfStatement else {
            return CormorantError(
                .encoding, "argument \(column + 1) is text that is not UTF-8", hint: "give it as a blob")
        }
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
    @usableFromInline let value: OpaquePointer?
    /// Of a row that is no statement's, in place of the value.
    @usableFromInline let cell: UnsafePointer<RowCell>?

    @inlinable @inline(__always)
    init(_ value: OpaquePointer?) {
        self.value = value
        cell = nil
    }

    @inlinable @inline(__always)
    init(_ cell: UnsafePointer<RowCell>) {
        value = nil
        self.cell = cell
    }

    @inlinable @inline(__always)
    package var type: Int32 {
        if let cell { return cell.pointee.type }
        return sqlite3_value_type(value)
    }

    @inlinable @inline(__always)
    package var int64: Int64 {
        if let cell { return cell.pointee.int64 }
        return sqlite3_value_int64(value)
    }

    @inlinable @inline(__always)
    package var double: Double {
        if let cell { return cell.pointee.double }
        return sqlite3_value_double(value)
    }

    /// The bytes of a text, not copied.
    @inlinable @inline(__always)
    package var text: UnsafeBufferPointer<UInt8> {
        if let cell { return cell.pointee.bytes.bindMemory(to: UInt8.self) }
        let bytes = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// A copy of the text; nil when it is not UTF-8.
    @inlinable
    package var string: String? { String(checkingUTF8: text) }

    /// The bytes of a blob, not copied; no address when empty.
    @inlinable @inline(__always)
    package var blob: UnsafeRawBufferPointer {
        if let cell { return cell.pointee.bytes }
        let bytes = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}

extension Cell {
    /// The same apart from SQLite; of texts and blobs it has the address.
    package var plain: RowCell {
        if let cell { return cell.pointee }
        return switch type {
        case StorageType.integer: RowCell(int64)
        case StorageType.real: RowCell(double)
        case StorageType.text: RowCell(text: UnsafeRawBufferPointer(text))
        case StorageType.blob: RowCell(blob: blob)
        default: .null
        }
    }
}

extension StoredRow {
    package convenience init(_ row: Row) throws(CormorantError) {
        try self.init(count: row.count) { row.cell($0).plain }
    }
}
