import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Reads the columns of one record from the row a statement stands on. Nothing is converted silently: a value that the
/// type cannot hold is an error that names the column.
public struct RecordReader {
    @usableFromInline package let row: Row
    /// The result column of each column of the model.
    @usableFromInline package let columns: UnsafePointer<Int32>
    /// nil: the result's columns as they come, which no model describes.
    @usableFromInline package let model: Unmanaged<ModelDescriptor>?

    init(_ statement: Statement, columns: UnsafePointer<Int32>, model: ModelDescriptor?) {
        self.init(Row(statement), columns: columns, model: model)
    }

    @usableFromInline
    package init(_ row: Row, columns: UnsafePointer<Int32>, model: ModelDescriptor?) {
        self.row = row
        self.columns = columns
        self.model = model.map { Unmanaged.passUnretained($0) }
    }

    /// The reader of a record whose columns stand side by side from `offset` on.
    @inlinable
    package func record(_ model: ModelDescriptor, at offset: Int) -> RecordReader {
        RecordReader(row, columns: columns + offset, model: model)
    }

    @inlinable @inline(__always)
    package func cell(at column: Int) -> Cell { row.cell(columns[column]) }

    /// Whether the value is NULL.
    @inlinable @inline(__always)
    public func isNull(at column: Int) -> Bool { cell(at: column).type == StorageType.null }

    /// Whether an outer join found no record: its key is NULL or, where that is hidden, everything.
    @usableFromInline
    package var isMissing: Bool {
        guard let model = model?.takeUnretainedValue() else { return false }
        let columns = model.keyColumns.isEmpty ? Array(model.columns.indices) : model.keyColumns
        return columns.allSatisfy { isNull(at: $0) }
    }

    /// The integer. Throws `nullValue` for NULL, `type` for anything else.
    @inlinable @inline(__always)
    public func int64(at column: Int) throws -> Int64 {
        let cell = cell(at: column)
        guard cell.type == StorageType.integer else { throw mismatch(column, "an integer") }
        return cell.int64
    }

    /// The integer. Throws `range` for one that does not fit into 32 bits, `nullValue` for NULL, `type` for anything else.
    @inlinable @inline(__always)
    public func int32(at column: Int) throws -> Int32 {
        let value = try int64(at: column)
        guard let narrow = Int32(exactly: value) else { throw outOfRange(column, "does not fit into 32 bits") }
        return narrow
    }

    /// True for 1 and false for 0. Throws `range` for other integers, `nullValue` for NULL, `type` for anything else.
    @inlinable @inline(__always)
    public func bool(at column: Int) throws -> Bool {
        let value = try int64(at: column)
        guard value == 0 || value == 1 else { throw outOfRange(column, "is neither 0 nor 1") }
        return value == 1
    }

    /// A real; an integer is taken where a double holds it exactly.
    @inlinable @inline(__always)
    public func double(at column: Int) throws -> Double {
        let cell = cell(at: column)
        if cell.type == StorageType.real { return cell.double }
        return try exactDouble(at: column)
    }

    /// A real rounded to 32 bits. A number that only infinity is left of is refused.
    @inlinable
    public func float(at column: Int) throws -> Float {
        if let rounded = Float(rounding: try double(at: column)) { return rounded }
        throw outOfRange(column, "does not fit into 32 bits")
    }

    /// An integer from 0 to 2^63-1, or to 2^32-1 when narrow.
    package func unsigned(at column: Int, narrow: Bool) throws -> Int64 {
        let value = try int64(at: column)
        guard value >= 0, !narrow || value <= UInt32.max else {
            throw error(
                column, .range, "does not fit into its unsigned type", "make the property signed, or wide enough")
        }
        return value
    }

    /// An integer as a real.
    @usableFromInline @inline(never)
    package func exactDouble(at column: Int) throws -> Double {
        guard cell(at: column).type == StorageType.integer else { throw mismatch(column, "a real") }
        guard let exact = Double(exactly: try int64(at: column)) else {
            throw outOfRange(column, "is an integer that a double cannot hold")
        }
        return exact
    }

    /// The text. Throws `encoding` where it is not UTF-8, `nullValue` for NULL, `type` for anything else.
    @inlinable @inline(__always)
    public func string(at column: Int) throws -> String {
        guard let text = String(checkingUTF8: try self.text(at: column)) else { throw notUTF8(column) }
        return text
    }

    /// The bytes of a text, not copied and not checked; valid until the next step.
    @inlinable @inline(__always)
    package func text(at column: Int) throws -> UnsafeBufferPointer<UInt8> {
        let cell = cell(at: column)
        guard cell.type == StorageType.text else { throw mismatch(column, "text") }
        return cell.text
    }

    /// The bytes of a text, checked to be UTF-8.
    @inlinable @inline(__always)
    package func validText(at column: Int) throws -> UnsafeBufferPointer<UInt8> {
        let bytes = try text(at: column)
        if let base = bytes.baseAddress, !isValidUTF8(base, count: bytes.count) { throw notUTF8(column) }
        return bytes
    }

    /// The same; nil for NULL.
    @inlinable @inline(__always)
    package func validTextIfAny(at column: Int) throws -> UnsafeBufferPointer<UInt8>? {
        let cell = cell(at: column)
        let type = cell.type
        if type == StorageType.null { return nil }
        guard type == StorageType.text else { throw mismatch(column, "text") }
        let bytes = cell.text
        if let base = bytes.baseAddress, !isValidUTF8(base, count: bytes.count) { throw notUTF8(column) }
        return bytes
    }

    /// The bytes of a text that is a decimal number.
    package func decimal(at column: Int) throws -> UnsafeBufferPointer<UInt8> {
        let bytes = try text(at: column)
        try checkDecimal(bytes, at: column)
        return bytes
    }

    package func checkDecimal(_ text: UnsafeBufferPointer<UInt8>, at column: Int) throws {
        guard isDecimalText(text) else {
            throw error(
                column, .type, "holds a text that is no decimal number",
                "mend the file, or make the property a text")
        }
    }

    /// A copy of the bytes. Throws `nullValue` for NULL, `type` for anything else that is no blob.
    public func bytes(at column: Int) throws -> [UInt8] { Array(try blob(at: column)) }

    /// The bytes of a blob, not copied; valid until the next step.
    package func blob(at column: Int) throws -> UnsafeRawBufferPointer {
        let cell = cell(at: column)
        guard cell.type == StorageType.blob else { throw mismatch(column, "a blob") }
        return cell.blob
    }

    /// The point in time. Throws `nullValue` for NULL, `type` for a text of another form and for anything else.
    public func timestamp(at column: Int) throws -> Timestamp {
        let cell = cell(at: column)
        guard cell.type == StorageType.text, let time = Timestamp(stored: cell.text) else {
            throw noTime(column, .datetime)
        }
        return time
    }

    /// The integer that stands for a date or a time of day.
    package func time(_ form: TimeForm, at column: Int) throws -> Int64 {
        let cell = cell(at: column)
        guard cell.type == StorageType.text, let time = form.value(stored: cell.text) else {
            throw noTime(column, form)
        }
        return time
    }

    /// The point in time with its offset. Throws as `timestamp`.
    public func offsetTimestamp(at column: Int) throws -> OffsetTimestamp {
        let cell = cell(at: column)
        guard cell.type == StorageType.text, let time = OffsetTimestamp(stored: cell.text) else {
            throw noTime(column, .offsetDatetime)
        }
        return time
    }

    /// The UUID. Throws `nullValue` for NULL, `type` for a text of another form and for anything else.
    public func uuid(at column: Int) throws -> UUIDBytes {
        guard let uuid = UUIDBytes(stored: try text(at: column)) else { throw noUUID(column) }
        return uuid
    }

    /// A copy of the value as the column's type has it: a datetime is its microseconds, one with an offset is ISO 8601, and so on.
    package func value(at column: Int) throws -> Value {
        guard let model else { return try row.value(columns[column]) }
        if isNull(at: column) { return .null }
        let (type, isUnsigned) = withoutRetaining(model) {
            ($0.columns[column].type, $0.columns[column].isUnsigned)
        }
        switch type {
        case _ where isUnsigned: return .integer(try unsigned(at: column, narrow: type == .int32))
        case .int64, .duration: return .integer(try int64(at: column))
        case .int32: return .integer(Int64(try int32(at: column)))
        case .bool: return .integer(try bool(at: column) ? 1 : 0)
        case .double: return .real(try double(at: column))
        case .float: return .real(Double(try float(at: column)))
        case .decimal: return .text(String(decoding: try decimal(at: column), as: UTF8.self))
        case .text, .varchar, .json:
            try requireMemory(text(at: column).count)
            return .text(try string(at: column))
        case .uuid: return .text(try uuid(at: column).description)
        case .blob:
            let bytes = try blob(at: column)
            try requireMemory(bytes.count)
            return .blob(Array(bytes))
        case .datetime: return .integer(try timestamp(at: column).microseconds)
        case .date: return .integer(try time(.date, at: column))
        case .time: return .integer(try time(.time, at: column))
        case .offsetDatetime: return .text(try offsetTimestamp(at: column).iso())
        }
    }
}

extension RecordReader {
    @usableFromInline @inline(never)
    package func mismatch(_ column: Int, _ expected: String) -> CormorantError {
        let type = cell(at: column).type
        if type == StorageType.null {
            return error(
                column, .nullValue, "holds NULL, its property cannot",
                "make the property optional, or fill the column in")
        }
        return error(
            column, .type, "holds \(StorageType.name(type)), not \(expected)", "mend the file, or change the model")
    }

    @inline(never)
    private func noUUID(_ column: Int) -> CormorantError {
        guard let model = model?.takeUnretainedValue() else {
            return error(column, .type, UUIDBytes.otherForm, "select lower(...) of it, or read it as a text")
        }
        let hint = UUIDBytes.hint(model.table, model.columns[column].column)
        return error(column, .type, UUIDBytes.otherForm, hint)
    }

    @inline(never)
    private func noTime(_ column: Int, _ form: TimeForm) -> CormorantError {
        let cell = cell(at: column)
        if cell.type == StorageType.null { return mismatch(column, "text") }
        let fault = TimeFormError(
            cell.type == StorageType.text ? cell.text : nil, storage: StorageType.name(cell.type), of: form)
        guard let model = model?.takeUnretainedValue() else {
            return error(column, fault.code, fault.what, fault.hint)
        }
        return error(column, fault.code, fault.what, fault.hint(model.table, model.columns[column].column))
    }

    @usableFromInline @inline(never)
    package func outOfRange(_ column: Int, _ what: String) -> CormorantError {
        error(column, .range, what, "mend the value, or give the property a type that holds it")
    }

    @usableFromInline @inline(never)
    package func notUTF8(_ column: Int) -> CormorantError {
        error(column, .encoding, "holds text that is not UTF-8", "read it as a blob: CAST(... AS BLOB)")
    }

    /// An error about the value of one column.
    @inline(never)
    package func error(_ column: Int, _ code: ErrorCode, _ what: String, _ hint: String) -> CormorantError {
        guard let model = model?.takeUnretainedValue() else {
            // The arguments of a function.
            guard row.isOfStatement else {
                return CormorantError(code, "argument \(column + 1) \(what)", hint: hint)
            }
            let name = row.columnName(columns[column])
            return CormorantError(code, "column \"\(name)\" of the result \(what)", hint: hint, columns: [name])
        }
        return CormorantError(
            code, "\(model.table).\(model.columns[column].column) \(what)\(place(of: column, in: model))", hint: hint,
            table: model.table, columns: [model.columns[column].column])
    }

    /// Of a record that does not say how it takes some columns alone.
    func cannotTake(_ columns: [Int]) -> CormorantError {
        let model = model?.takeUnretainedValue()
        let names = columns.compactMap { model?.columns[$0].name }.joined(separator: ", ")
        return CormorantError(
            .misuse,
            "an update of some properties of \(model?.name ?? "a record") fills in \(names), which the record cannot take alone",
            hint: "give it readBack(only:from:), let @Model write it, or update all properties", table: model?.table)
    }

    /// Which row it is, as far as the result has its key, which is a number or a text.
    private func place(of column: Int, in model: ModelDescriptor) -> String {
        let key = model.keyColumns.filter { $0 != column && columns[$0] >= 0 }.compactMap { cell(at: $0).described }
        guard !key.isEmpty, key.count == model.keyColumns.count else { return "" }
        return " (in the row with the key \(key.joined(separator: ", ")))"
    }
}

extension Cell {
    /// A number, or the beginning of a text, for messages.
    fileprivate var described: String? {
        switch type {
        case StorageType.integer: "\(int64)"
        case StorageType.real: "\(double)"
        case StorageType.text: "\"\(visible(String(decoding: text.prefix(100), as: UTF8.self)))\""
        default: nil
        }
    }
}
