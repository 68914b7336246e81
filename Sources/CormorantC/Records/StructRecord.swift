import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform
import CormorantQuery

/// A record that lies in memory as a C struct. Fields may be unaligned, as in a packed struct.
struct StructRecord: RecordAccess {
    var base: UnsafeMutableRawPointer
    let layout: StructLayout
    /// Where texts that come back live; nil leaves text and blob fields as they are.
    let arena: ScratchMemory?
    /// The handle that hooks are given.
    var database: OpaquePointer?

    func write(to writer: inout RecordWriter) throws {
        // A statement by key is done after the first field or two (benchmarks: delete).
        var left = writer.parameterCount
        for field in layout.fields {
            if left == 0 { return }
            let column = field.column
            if !writer.uses(column) { continue }
            left &-= 1
            let at = UnsafeRawPointer(base + field.offset)
            switch field.kind {
            case .int64: write(at.loadUnaligned(as: Int64.self), &writer, field)
            case .int32: write(Int64(at.loadUnaligned(as: Int32.self)), &writer, field)
            case .double: try writer.write(at.loadUnaligned(as: Double.self), at: column)
            case .cString:
                if let text = at.loadUnaligned(as: UnsafePointer<CChar>?.self) {
                    try write(text, cStringLength(text), &writer, field)
                } else {
                    writer.writeNull(at: column)
                }
            case .text:
                let text = at.loadUnaligned(as: corm_text.self)
                if let data = text.data {
                    try write(data, text.size, &writer, field)
                } else {
                    writer.writeNull(at: column)
                }
            default:
                if field.isNull(at) {
                    writer.writeNull(at: column)
                } else {
                    try writeRare(at + field.kind.valueOffset, &writer, field)
                }
            }
        }
    }

    @inline(__always)
    private func write(_ integer: Int64, _ writer: inout RecordWriter, _ field: StructLayout.Field) {
        if integer == 0, field.zeroIsNoKey {
            writer.writeNull(at: field.column)
        } else {
            writer.write(integer, at: field.column)
        }
    }

    @inline(__always)
    private func write(
        _ text: UnsafePointer<CChar>, _ size: Int, _ writer: inout RecordWriter, _ field: StructLayout.Field
    ) throws {
        guard size >= 0 else { throw writer.tooBig(field.column) }
        if field.isChecked {
            try writer.write(textBorrowing: text, count: size, as: layout.types[field.column], at: field.column)
        } else {
            try writer.write(textBorrowing: text, count: size, at: field.column)
        }
    }

    @inline(never)
    private func writeRare(_ at: UnsafeRawPointer, _ writer: inout RecordWriter, _ field: StructLayout.Field) throws {
        let column = field.column
        switch field.kind {
        case .optionalInt64: writer.write(at.loadUnaligned(as: Int64.self), at: column)
        case .uint64, .optionalUInt64:
            guard let integer = Int64(exactly: at.loadUnaligned(as: UInt64.self)) else {
                throw writer.tooLarge(column)
            }
            write(integer, &writer, field)
        case .optionalInt32: writer.write(Int64(at.loadUnaligned(as: Int32.self)), at: column)
        case .uint32, .optionalUInt32: write(Int64(at.loadUnaligned(as: UInt32.self)), &writer, field)
        case .int16: write(Int64(at.loadUnaligned(as: Int16.self)), &writer, field)
        case .uint16: write(Int64(at.loadUnaligned(as: UInt16.self)), &writer, field)
        case .int8: write(Int64(at.loadUnaligned(as: Int8.self)), &writer, field)
        case .uint8: write(Int64(at.loadUnaligned(as: UInt8.self)), &writer, field)
        case .bool, .optionalBool:
            // As a byte: a bool that C left undefined must not become an undefined Bool.
            writer.write(at.loadUnaligned(as: UInt8.self) != 0, at: column)
        case .optionalDouble: try writer.write(at.loadUnaligned(as: Double.self), at: column)
        case .float, .optionalFloat: try writer.write(Double(at.loadUnaligned(as: Float.self)), at: column)
        case .characterArray:
            guard let size = field.textSize(at) else {
                let what = "has no NUL within its \(field.size) bytes"
                throw writer.wrong(column, .encoding, what, "end the text with one")
            }
            try write(at.assumingMemoryBound(to: CChar.self), size, &writer, field)
        case .blob:
            let blob = at.loadUnaligned(as: corm_blob.self)
            guard blob.size >= 0 else { throw writer.tooBig(column) }
            if let data = blob.data { try writer.write(blobBorrowing: data, count: blob.size, at: column) }
        case .datetime where field.zeroIsNoKey && at.loadUnaligned(as: Int64.self) == 0: writer.writeNull(at: column)
        case .datetime, .optionalDatetime:
            try writer.write(integer: at.loadUnaligned(as: Int64.self), as: layout.types[column], at: column)
        case .date, .optionalDate: try writer.write(.date, Int64(at.loadUnaligned(as: Int32.self)), at: column)
        case .choice, .optionalChoice:
            guard let choice = layout.choice(of: at, field) else {
                if field.isConstant { return writer.writeNull(at: column) }
                throw writer.wrong(column, .type, "is a number without a name", "give one of the column's choices")
            }
            try writer.write(choice.name, at: column)
        case .uuid, .optionalUUID:
            let uuid = UUIDBytes(
                high: UInt64(bigEndian: at.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: at.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            try writer.write(uuid, at: column)
        case .offsetDatetime, .optionalOffsetDatetime:
            try writer.write(OffsetTimestamp(at.loadUnaligned(as: corm_offset_datetime.self)), at: column)
        case .value: try writer.write(at.loadUnaligned(as: corm_value.self), as: layout.types[column], at: column)
        case .transform:
            var value = corm_value()
            if let error = field.encode(at, to: &value) {
                throw writer.wrong(
                    column, error.code, "could not be encoded: \(error.message)", error.hint ?? "mend the value")
            }
            try writer.write(value, as: layout.types[column], at: column)
        default: break
        }
    }
}

extension StructLayout.Kind {
    /// Whether the field is one of the corm_optional_* structs.
    @inline(__always)
    fileprivate var isOptionalStruct: Bool {
        switch self {
        case .optionalInt64, .optionalUInt64, .optionalInt32, .optionalUInt32, .optionalBool, .optionalDouble,
            .optionalFloat, .optionalDatetime, .optionalDate, .optionalChoice, .optionalUUID, .optionalOffsetDatetime:
            true
        default: false
        }
    }

    /// Where the value of a corm_optional_* struct lies; 0 for all other fields.
    @inline(__always)
    var valueOffset: Int {
        switch self {
        case .optionalInt64, .optionalUInt64, .optionalDouble, .optionalDatetime, .optionalOffsetDatetime: 8
        case .optionalInt32, .optionalUInt32, .optionalFloat, .optionalDate, .optionalChoice: 4
        case .optionalBool, .optionalUUID: 1
        default: 0
        }
    }
}

extension StructLayout {
    /// The choice that a field holds; nil where it has no name.
    func choice(of at: UnsafeRawPointer, _ field: Field) -> Choice? {
        let size = field.kind == .optionalChoice ? 4 : field.size
        let value: Int64? =
            switch size {
            case 1: Int64(at.loadUnaligned(as: Int8.self))
            case 2: Int64(at.loadUnaligned(as: Int16.self))
            case 4: Int64(at.loadUnaligned(as: Int32.self))
            default: at.loadUnaligned(as: Int64.self)
            }
        // An unsigned field has the same bits.
        return choices[field.column].first { isSame($0.value, value, size) }
    }
}

private func isSame(_ choice: Int64, _ value: Int64?, _ size: Int) -> Bool {
    guard let value, size < 8 else { return choice == value }
    let bits = Int64(size * 8)
    return (choice ^ value) & (1 << bits - 1) == 0
}

extension StructLayout.Field {
    /// Whether the field is one that can be NULL, and is.
    @inline(__always)
    func isNull(_ at: UnsafeRawPointer) -> Bool {
        switch kind {
        case .cString, .text, .blob: at.loadUnaligned(as: UnsafeRawPointer?.self) == nil
        case .value: at.loadUnaligned(as: corm_value.self).isNull
        default: kind.isOptionalStruct && at.loadUnaligned(as: UInt8.self) == 0
        }
    }

    /// How many bytes the text in an array of characters has; nil where no NUL ends it.
    func textSize(_ at: UnsafeRawPointer) -> Int? {
        let count = Int(strnlen(at.assumingMemoryBound(to: CChar.self), size))
        return count < size ? count : nil
    }
}

extension OffsetTimestamp {
    init(_ time: corm_offset_datetime) {
        self.init(Timestamp(microseconds: time.microseconds), offsetSeconds: Int(time.offset_seconds))
    }
}

extension corm_value {
    fileprivate var isNull: Bool {
        switch type {
        case CORM_VALUE_NULL: true
        case CORM_VALUE_TEXT, CORM_VALUE_BLOB: self.as.bytes.data == nil
        default: false
        }
    }
}
