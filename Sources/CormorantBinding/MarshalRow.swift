import CCormorant
import CormorantBase
import CormorantC
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// One row of a block as a record: its values are read from the block, what comes back is written to another.
struct MarshalRow: RecordAccess {
    let reader: MarshalReader
    let model: ModelDescriptor
    let types: ColumnTypes
    /// Those whose values the row has, one after the other; nil: it is a tuple of all.
    let columns: UnsafeBufferPointer<Int32>?
    /// What came back.
    var returned: Returned = .nothing
    var writer: MarshalWriter?
    /// Where it begins in the block.
    private var start = 0

    init(
        reader: MarshalReader, model: ModelDescriptor, types: ColumnTypes, columns: UnsafeBufferPointer<Int32>? = nil
    ) {
        self.reader = reader
        self.model = model
        self.types = types
        self.columns = columns
        start = reader.position
    }

    /// Goes on with the row that the reader has come to.
    @inline(__always)
    mutating func begin() {
        returned = .nothing
        start = reader.position
    }

    /// Where the row begins that the reader has come to.
    var place: Int { start }

    /// Goes back to a row, for what came of it.
    mutating func begin(at place: Int) {
        returned = .nothing
        start = place
    }

    enum Returned {
        case nothing
        case key(Int64)
        case row
    }

    func write(to writer: inout RecordWriter) throws {
        // It may be written a second time.
        reader.position = start
        if let columns {
            for column in columns { try writer.write(reader.next(), types, at: Int(column)) }
            return
        }
        let count = try reader.sequence()
        guard count == types.count else {
            throw CormorantError(
                .misuse, "a row of \(model.name) has \(types.count) values, \(count) were given",
                hint: "give one value for each column", table: model.table)
        }
        for column in 0..<count { try writer.write(reader.next(), types, at: column) }
    }

    mutating func read(from reader: RecordReader) throws {
        returned = .row
        if writer != nil { try writer?.row(reader, types) }
    }

    mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        returned = .row
        if writer != nil { try writer?.row(reader, types, only: columns) }
    }

    mutating func setGeneratedKey(_ key: Int64) { returned = .key(key) }

    mutating func clearGeneratedKey() { returned = .nothing }

    mutating func undoing<Result>(_ write: (inout Self) throws -> Result) throws -> Result { try write(&self) }
}

extension RecordWriter {
    /// Writes one value of a row.
    @inline(__always)
    mutating func write(_ item: MarshalReader.Item, _ types: ColumnTypes, at column: Int) throws {
        guard uses(column) else {
            // What lies inside would be taken for the next columns.
            switch item {
            case .sequence, .dictionary, .other: throw unsupported(column)
            default: return
            }
        }
        let type = types[column]
        switch item {
        case .integer(let integer):
            if types.isPlain(column, StorageType.integer) {
                write(integer, at: column)
            } else {
                try write(integer: integer, as: type, at: column)
            }
        case .text(let bytes, let count):
            if types.isPlain(column, StorageType.text) {
                try write(textBorrowing: bytes, count: count, at: column)
            } else {
                try write(textBorrowing: bytes, count: count, as: type, at: column)
            }
        case .none: writeNull(at: column)
        case .real(let real): try write(real: real, as: type, at: column)
        case .bool(let bool): try write(integer: bool ? 1 : 0, as: type, at: column)
        case .bytes(let bytes, let count): try write(blobBorrowing: bytes, count: count, as: type, at: column)
        case .hugeInteger: throw tooLarge(column)
        case .sequence, .dictionary, .other: throw unsupported(column)
        case .end: throw MarshalReader.damaged()
        }
    }

    private func unsupported(_ column: Int) -> CormorantError {
        wrong(column, .type, "is no None, int, float, str, bytes or bool", "convert it to one of them")
    }
}

// Here, where they are inlined: of another module they would be calls, ten to each value.
extension ColumnTypes {
    @inline(__always)
    fileprivate subscript(column: Int) -> ColumnType { columns[column].type }

    @inline(__always)
    fileprivate func isNotNull(_ column: Int) -> Bool { columns[column].isNotNull }

    /// Whether what is stored is the column's value as it is.
    @inline(__always)
    fileprivate func isPlain(_ column: Int, _ stored: Int32) -> Bool { columns[column].plain == stored }
}

extension MarshalWriter {
    /// One row as a tuple of the model's columns.
    @inline(__always)
    mutating func row(_ reader: RecordReader, _ types: ColumnTypes) throws {
        try tuple(types.count)
        for column in 0..<types.count { try value(reader, types, column) }
    }

    /// Some columns of the model as a tuple.
    mutating func row(_ reader: RecordReader, _ types: ColumnTypes, only columns: [Int]) throws {
        try tuple(columns.count)
        for column in columns { try value(reader, types, column) }
    }

    @inline(__always)
    private mutating func value(_ reader: RecordReader, _ types: ColumnTypes, _ column: Int) throws {
        let cell = reader.cell(at: column)
        let stored = cell.type
        // The common cells need no more than their bytes; the rest goes through the checks of the reader.
        if stored == StorageType.null, !types.isNotNull(column) {
            none()
        } else if types.isPlain(column, stored), try plainValue(cell, stored) {
            return
        } else {
            try checkedValue(reader, types.columns[column], column)
        }
    }

    /// An integer, real or text as it is. False when the text is not UTF-8.
    @inline(__always)
    private mutating func plainValue(_ cell: Cell, _ stored: Int32) throws -> Bool {
        switch stored {
        case StorageType.integer: integer(cell.int64)
        case StorageType.real: real(cell.double)
        default: return try text(cell.text)
        }
        return true
    }

    @inline(never)
    private mutating func checkedValue(_ reader: RecordReader, _ form: ColumnTypes.Column, _ column: Int) throws {
        switch form.type {
        case .int64 where form.isUnsigned, .int32 where form.isUnsigned:
            integer(try reader.unsigned(at: column, narrow: form.type == .int32))
        case .int64, .duration: integer(try reader.int64(at: column))
        case .int32: integer(Int64(try reader.int32(at: column)))
        case .date: integer(try reader.time(.date, at: column))
        case .time: integer(try reader.time(.time, at: column))
        case .text, .varchar, .json: _ = try text(reader.validText(at: column))
        case .decimal: _ = try text(reader.decimal(at: column))
        case .double: real(try reader.double(at: column))
        case .bool: bool(try reader.bool(at: column))
        case .float: real(Double(try reader.float(at: column)))
        case .blob: try blob(reader.blob(at: column))
        case .datetime: integer(try reader.timestamp(at: column).microseconds)
        case .offsetDatetime: try value(.text(reader.offsetTimestamp(at: column).iso()))
        case .uuid: try value(.text(reader.uuid(at: column).description))
        }
    }

    /// One row as a tuple of its parts.
    mutating func row(_ reader: RecordReader, _ parts: [RowPart]) throws {
        try tuple(parts.count)
        var column = 0
        for part in parts {
            switch part {
            case .value:
                try rawValue(reader.row, reader.columns[column])
                column += 1
            case .typed(let form):
                try typedValue(reader, form, column)
                column += 1
            case .record(let model, let types, let isOptional):
                let record = reader.record(model, at: column)
                column += types.count
                if !record.isMissing {
                    try row(record, types)
                } else if isOptional {
                    none()
                } else {
                    throw CormorantError(
                        .nullValue, "a row has no \(model.name), as an outer join found none",
                        hint: "select optional(\(model.name)), or leave such rows out", table: model.table)
                }
            }
        }
    }

    @inline(__always)
    private mutating func typedValue(_ reader: RecordReader, _ form: ColumnTypes.Column, _ column: Int) throws {
        let cell = reader.cell(at: column)
        let stored = cell.type
        if stored == StorageType.null { return none() }
        if form.plain == stored, try plainValue(cell, stored) { return }
        try checkedValue(reader, form, column)
    }

    /// One row of raw SQL as a tuple.
    mutating func row(_ row: Row) throws {
        let columns = row.count
        try tuple(columns)
        for index in 0..<columns {
            let column = Int32(truncatingIfNeeded: index)
            try rawValue(row, column)
        }
    }

    /// One value as SQLite has it.
    @inline(__always)
    private mutating func rawValue(_ row: Row, _ column: Int32) throws {
        let cell = row.cell(column)
        switch cell.type {
        case StorageType.integer: integer(cell.int64)
        case StorageType.real: real(cell.double)
        case StorageType.text:
            guard try text(cell.text) else { throw row.invalidText(column) }
        case StorageType.blob: try blob(cell.blob)
        default: none()
        }
    }
}
