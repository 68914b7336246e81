import CormorantBase
import CormorantQuery
import CormorantSQLite

extension RecordWriter {
    /// Writes an integer as a column's type wants it: a bool must be 0 or 1, 32 bits must suffice, a datetime is
    /// microseconds, and so on.
    package mutating func write(integer value: Int64, as type: ColumnType, at column: Int) throws {
        switch type {
        case .int64 where !model.columns[column].isUnsigned && model.columns[column].bits == 0:
            write(value, at: column)
        case .int64, .int32:
            guard model.columns[column].integers.contains(value) else { throw doesNotFit(column) }
            write(value, at: column)
        case .bool:
            guard value == 0 || value == 1 else {
                throw wrong(column, .range, "is neither 0 nor 1", "give a truth value")
            }
            write(value, at: column)
        case .datetime: try write(.datetime, value, at: column)
        case .date: try write(.date, value, at: column)
        case .time: try write(.time, value, at: column)
        case .duration: write(value, at: column)
        case .double, .float:
            guard let real = Double(exactly: value) else {
                throw wrong(column, .range, "is an integer that a double cannot hold", "give a real number")
            }
            if type == .float, Float(exactly: value) == nil {
                throw wrong(
                    column, .range, "is an integer that 32 bits of a float cannot hold", "make it a double column")
            }
            try write(real: real, as: type, at: column)
        default: throw mismatch(column, "an integer")
        }
    }

    @inline(never)
    private func doesNotFit(_ column: Int) -> CormorantError {
        let isUnsigned = model.columns[column].isUnsigned
        if isUnsigned { return wrong(column, .range, "does not fit into its unsigned type", "give a number that fits") }
        let bits = model.columns[column].bits
        return wrong(
            column, .range, "does not fit into \(bits > 0 ? bits : 32) bits",
            bits > 0 ? "make the property wide enough" : "make the column 64 bits wide")
    }

    package mutating func write(real value: Double, as type: ColumnType, at column: Int) throws {
        switch type {
        case .double: try write(value, at: column)
        case .float:
            // As it comes back, so that it is found by what was read.
            guard let rounded = Float(rounding: value) else {
                throw wrong(column, .range, "does not fit into 32 bits", "make the column a double")
            }
            try write(Double(rounded), at: column)
        default: throw mismatch(column, "a real")
        }
    }

    /// Writes text whose bytes stay where they are until the record has been written.
    package mutating func write(
        textBorrowing bytes: UnsafeRawPointer, count: Int, as type: ColumnType, at column: Int
    ) throws {
        let text = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
        switch type {
        case .text, .varchar, .json: try write(textBorrowing: bytes, count: count, at: column)
        case .decimal:
            guard isDecimalText(text) else {
                throw wrong(
                    column, .type, "is not a decimal number", "give digits, with a sign, a point or an exponent")
            }
            try write(textBorrowing: bytes, count: count, at: column)
        case .uuid:
            guard let uuid = UUIDBytes(parsing: text) else {
                throw wrong(column, .type, "is not a UUID", "give 32 hexadecimal digits, with or without dashes")
            }
            try write(uuid, at: column)
        case .offsetDatetime:
            guard let time = OffsetTimestamp(parsing: text) else {
                throw wrong(
                    column, .type, "is text that is \(TimeForm.offsetDatetime.fault(of: text))",
                    TimeForm.offsetDatetime.formHint)
            }
            try write(time, at: column)
        case .datetime, .date, .time:
            guard let form = type.timeForm, let value = form.value(parsing: text) else {
                throw wrong(column, .type, "is text, its column is of type \(type.name)", type.timeForm?.formHint ?? "")
            }
            try write(form, value, at: column)
        default: throw mismatch(column, "text")
        }
    }

    package mutating func write(
        blobBorrowing bytes: UnsafeRawPointer, count: Int, as type: ColumnType, at column: Int
    ) throws {
        guard type == .blob else { throw mismatch(column, "a blob") }
        try write(blobBorrowing: bytes, count: count, at: column)
    }

    /// Writes a copy of a value as a column's type wants it.
    package mutating func write(_ value: Value, as type: ColumnType, at column: Int) throws {
        guard uses(column) else { return }
        switch value {
        case .null: writeNull(at: column)
        case .integer(let integer): try write(integer: integer, as: type, at: column)
        case .real(let real): try write(real: real, as: type, at: column)
        case .text(var text):
            try text.withUTF8 { bytes in
                let copy = copy(bytes.baseAddress, count: bytes.count)
                try write(textBorrowing: copy, count: bytes.count, as: type, at: column)
            }
        case .blob(let bytes):
            guard type == .blob else { throw mismatch(column, "a blob") }
            try write(bytes, at: column)
        }
    }

    package func mismatch(_ column: Int, _ given: String) -> CormorantError {
        let type = model.columns[column].type.name
        return wrong(column, .type, "is \(given), its column is of type \(type)", "give a value of type \(type)")
    }
}

extension RecordWriter {
    /// Writes part `position` of a primary key.
    package mutating func writeKey(_ value: Value, position: Int) throws {
        if model.keyColumns.isEmpty {
            guard case .integer(let integer) = value else { throw hiddenKeyMismatch() }
            statement.bind(integer, 1)
        } else {
            let column = model.keyColumns[position]
            try write(value, as: model.columns[column].type, at: column)
        }
    }

    @inline(__always)
    package mutating func writeKey(_ value: Int64) throws {
        if withoutRetaining(borrowedModel, { $0.hasPlainKey }) { return bind(value, 1) }
        let column = model.keyColumns[0]
        try write(integer: value, as: model.columns[column].type, at: column)
    }

    private func hiddenKeyMismatch() -> CormorantError {
        CormorantError(
            .type, "the hidden key of \(model.name) is an integer", hint: "give an integer", table: model.table)
    }
}
