import CCormorant
import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantPlatform
import CormorantQuery
import CormorantSQLite

@inline(__always)
func cStringLength(_ text: UnsafePointer<CChar>) -> Int { Int(strlen(text)) }

extension RecordWriter {
    /// Writes a C value as a column's type wants it; its bytes stay where they are.
    mutating func write(_ value: corm_value, as type: ColumnType, at column: Int) throws {
        guard uses(column) else { return }
        switch value.type {
        case CORM_VALUE_NULL: writeNull(at: column)
        case CORM_VALUE_INTEGER: try write(integer: value.as.integer, as: type, at: column)
        case CORM_VALUE_UNSIGNED:
            guard let integer = Int64(exactly: value.as.unsigned_integer) else { throw tooLarge(column) }
            try write(integer: integer, as: type, at: column)
        case CORM_VALUE_REAL: try write(real: value.as.real, as: type, at: column)
        case CORM_VALUE_TEXT:
            guard let data = value.as.bytes.data else { return writeNull(at: column) }
            guard value.as.bytes.size >= 0 else { throw tooBig(column) }
            try write(textBorrowing: data, count: value.as.bytes.size, as: type, at: column)
        case CORM_VALUE_BLOB:
            guard let data = value.as.bytes.data else { return writeNull(at: column) }
            guard value.as.bytes.size >= 0 else { throw tooBig(column) }
            try write(blobBorrowing: data, count: value.as.bytes.size, as: type, at: column)
        case CORM_VALUE_DATETIME:
            guard type == .datetime else { throw wrong(column, .type, "is given a point in time", "give its text") }
            try write(Timestamp(microseconds: value.as.integer), at: column)
        case CORM_VALUE_DATE, CORM_VALUE_TIME:
            guard let form = timeForm(value), type.timeForm == form else {
                throw wrong(
                    column, .type, "is given a \(value.type == CORM_VALUE_DATE ? "date" : "time of day")",
                    "give its text")
            }
            try write(form, value.as.integer, at: column)
        case CORM_VALUE_OFFSET_DATETIME:
            guard type == .offsetDatetime else {
                throw wrong(column, .type, "is given a point in time with an offset", "give its text")
            }
            try write(OffsetTimestamp(value.as.offset_datetime), at: column)
        case CORM_VALUE_UUID:
            guard let uuid = try uuid(value) else { return writeNull(at: column) }
            guard type == .uuid else { throw wrong(column, .type, "is given a UUID", "give its text") }
            try write(uuid, at: column)
        default: throw wrong(column, .misuse, "is a value of unknown type \(value.type)", "make it with corm_value_*")
        }
    }

    @inline(never)
    func tooBig(_ column: Int) -> CormorantError { wrong(column, .tooBig, "is too big", "check its size") }

    @inline(never)
    package func tooLarge(_ column: Int) -> CormorantError {
        wrong(column, .range, "does not fit into signed 64 bits", "store it as text")
    }

    /// Writes a primary key given as values.
    mutating func writeKey(_ key: UnsafePointer<corm_value>?, _ count: Int, of model: ModelDescriptor) throws {
        let expected = max(1, model.keyColumns.count)
        guard let key, count >= 0 else { throw missingArray("key values") }
        guard count == expected else {
            throw wrongKeyCount(model, count)
        }
        if count == 1, key[0].type == CORM_VALUE_INTEGER {
            try writeKey(key[0].as.integer)
        } else if model.keyColumns.isEmpty {
            try writeKey(try plainValue(key[0], "key"), position: 0)
        } else {
            for (index, column) in model.keyColumns.enumerated() {
                try write(key[index], as: model.columns[column].type, at: column)
            }
        }
    }
}

package func wrongKeyCount(_ model: ModelDescriptor, _ count: Int) -> CormorantError {
    CormorantError(
        .binding,
        "the primary key of \(model.name) has \(counted(max(1, model.keyColumns.count), "value")), "
            + "\(countedWere(count, "value")) given",
        hint: "give one value for each key column", table: model.table)
}

/// Whether SQLite could take a text or blob of the size, in any build of it: found before the bytes are looked at.
@inline(__always)
private func isPossibleSize(_ size: Int) -> Bool { size >= 0 && size <= Int(Int32.max) }

/// The UUID that a value has; nil for NULL.
private func uuid(_ value: corm_value) throws -> UUIDBytes? {
    guard let data = value.as.bytes.data else { return nil }
    guard value.as.bytes.size == MemoryLayout<corm_uuid>.size else {
        throw CormorantError(
            .misuse, "a UUID has \(value.as.bytes.size) bytes", hint: "make the value with corm_value_uuid")
    }
    return UUIDBytes(
        high: UInt64(bigEndian: data.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: data.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
}

private func timeForm(_ value: corm_value) -> TimeForm? {
    switch value.type {
    case CORM_VALUE_DATETIME: .datetime
    case CORM_VALUE_DATE: .date
    case CORM_VALUE_TIME: .time
    default: nil
    }
}

/// A copy of a C value.
func plainValue(_ value: corm_value, _ what: String) throws -> Value {
    switch value.type {
    case CORM_VALUE_NULL: return .null
    case CORM_VALUE_INTEGER: return .integer(value.as.integer)
    case CORM_VALUE_UNSIGNED:
        guard let integer = Int64(exactly: value.as.unsigned_integer) else {
            throw CormorantError(
                .range, "\(what) does not fit into signed 64 bits", hint: "bind it as text")
        }
        return .integer(integer)
    case CORM_VALUE_REAL: return .real(value.as.real)
    case CORM_VALUE_TEXT, CORM_VALUE_BLOB:
        guard let data = value.as.bytes.data else { return .null }
        guard isPossibleSize(value.as.bytes.size) else {
            throw CormorantError(.tooBig, "\(what) is too big", hint: "check its size")
        }
        let bytes = UnsafeRawBufferPointer(start: data, count: value.as.bytes.size)
        try requireMemory(2 * bytes.count)
        if value.type == CORM_VALUE_BLOB { return .blob(Array(bytes)) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CormorantError(.encoding, "\(what) is not UTF-8", hint: "convert the text, or bind it as a blob")
        }
        return .text(text)
    case CORM_VALUE_OFFSET_DATETIME: return .text(try OffsetTimestamp(value.as.offset_datetime).stored(what))
    case CORM_VALUE_UUID: return try uuid(value).map { .text($0.description) } ?? .null
    case CORM_VALUE_LIST:
        throw CormorantError(
            .misuse, "\(what) is a list", hint: "give one value; a list is what a parameter of CORM_OP_IN takes")
    default:
        if let form = timeForm(value) {
            return .text(try form.text(of: value.as.integer, "\(what) is a \(form.name), which"))
        }
        throw CormorantError(
            .misuse, "\(what) is a value of unknown type \(value.type)", hint: "make it with corm_value_*")
    }
}

/// Bindings by position and by name, as corm_value.name says.
/// - Parameter borrowing: texts and blobs stay where they are until the statement has run; else SQLite copies them.
func bind(
    _ values: UnsafePointer<corm_value>?, _ count: Int, to statement: Statement, borrowing: Bool = false
) throws {
    guard count != 0 else { return try statement.checkBindingCount(0) }
    let values = try array(values, count, "values")
    var bound = Set<Int>()
    var position = 0
    for offset in 0..<count {
        let index: Int
        if let name = values[offset].name {
            let name = try string(name, "parameter name")
            index = statement.parameterIndex(name)
            guard index > 0 else { throw statement.unknownParameter(name) }
        } else {
            position += 1
            index = position
            guard index <= statement.parameterCount else { try statement.checkBindingCount(count); continue }
        }
        let parameter = Int32(truncatingIfNeeded: index)
        try bind(values[offset], to: statement, parameter, borrowing)
        guard bound.insert(index).inserted else { throw givenTwice(statement.describeParameter(parameter)) }
    }
    if position == count { try statement.checkBindingCount(count) } else { try statement.checkAllBound(bound) }
}

func givenTwice(_ parameter: String) -> CormorantError {
    CormorantError(.binding, "parameter \(parameter) is given two values", hint: "give each parameter one value")
}

private func bind(_ value: corm_value, to statement: Statement, _ parameter: Int32, _ borrowing: Bool) throws {
    let (data, size) = (value.as.bytes.data, value.as.bytes.size)
    switch value.type {
    case CORM_VALUE_TEXT:
        if let data, isPossibleSize(size), isValidUTF8(data, count: size) {
            return try statement.bindText(data, count: size, parameter, borrowing: borrowing)
        }
    case CORM_VALUE_BLOB:
        if let data, size > 0, isPossibleSize(size) {
            return try statement.bindBlob(data, count: size, parameter, borrowing: borrowing)
        }
    default: break
    }
    try statement.bind(plainValue(value, "parameter \(statement.describeParameter(parameter))"), parameter)
}

/// The value of a row as it is in the file; its bytes are the statement's.
func borrowedValue(_ row: Row, _ column: Int32) -> corm_value { borrowedValue(row.cell(column)) }

func borrowedValue(_ cell: Cell) -> corm_value {
    switch cell.type {
    case StorageType.integer: return corm_value_int64(cell.int64)
    case StorageType.real: return corm_value_double(cell.double)
    case StorageType.text:
        let text = cell.text
        return corm_value_text_size(
            text.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }, text.count)
    case StorageType.blob:
        let blob = cell.blob
        return corm_value_blob(blob.baseAddress ?? UnsafeRawPointer(emptyText), blob.count)
    default: return corm_value()
    }
}

extension Value {
    /// As a C value whose bytes live in the memory.
    func cValue(in memory: ScratchMemory) throws -> corm_value {
        switch self {
        case .null: return corm_value()
        case .integer(let integer): return corm_value_int64(integer)
        case .real(let real): return corm_value_double(real)
        case .text(let text): return corm_value_text_size(try memory.checkedCopy(text), text.utf8.count)
        case .blob(let bytes):
            let copy = try bytes.withUnsafeBytes { try memory.checkedCopy($0.baseAddress, count: $0.count) }
            return corm_value_blob(copy, bytes.count)
        }
    }
}
