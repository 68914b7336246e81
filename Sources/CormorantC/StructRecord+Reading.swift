import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

extension StructRecord {
    mutating func read(from reader: RecordReader) throws {
        for field in layout.fields { try read(field, reader) }
    }

    /// Reads some columns and leaves the others alone.
    mutating func read(only columns: [Int], from reader: RecordReader) throws {
        for field in layout.fields where columns.contains(field.column) { try read(field, reader) }
    }

    /// Fields that the caller gave keep the caller's memory: only what SQLite filled in is read.
    mutating func readBack(from reader: RecordReader) throws {
        for field in layout.fields
        where field.isComputed || field.column == layout.generated?.column || field.kind == .transform
            || field.isNull(base + field.offset)
        {
            try read(field, reader)
        }
    }

    @inline(__always)
    private func read(_ field: StructLayout.Field, _ reader: RecordReader) throws {
        let column = field.column
        let at = base + field.offset
        switch field.kind {
        case .int64: at.storeBytes(of: try reader.int64(at: column), as: Int64.self)
        case .int32: at.storeBytes(of: try reader.int32(at: column), as: Int32.self)
        case .bool: at.storeBytes(of: try reader.bool(at: column), as: Bool.self)
        case .double: at.storeBytes(of: try reader.double(at: column), as: Double.self)
        case .cString:
            guard let arena = arena.map({ Unmanaged.passUnretained($0) }) else { return }
            let text = try copy(text: reader, column, arena, allowsNUL: false)
            at.storeBytes(of: text.data, as: UnsafePointer<CChar>?.self)
        case .text:
            guard let arena = arena.map({ Unmanaged.passUnretained($0) }) else { return }
            at.storeBytes(of: try copy(text: reader, column, arena, allowsNUL: true), as: corm_text.self)
        default: try readRare(reader, at, field)
        }
    }

    /// - Parameter arena: the record's, whose references are not counted for each text.
    @inline(__always)
    private func copy(
        text reader: RecordReader, _ column: Int, _ arena: Unmanaged<ScratchMemory>, allowsNUL: Bool
    ) throws -> corm_text {
        guard let text = try reader.validTextIfAny(at: column) else { return corm_text() }
        let copy = arena._withUnsafeGuaranteedRef { $0.copy(text.baseAddress, count: text.count) }
            .assumingMemoryBound(to: CChar.self)
        if !allowsNUL, cStringLength(copy) != text.count { throw nulInText(reader, column) }
        return corm_text(data: copy, size: text.count)
    }

    @inline(never)
    private func readRare(_ reader: RecordReader, _ at: UnsafeMutableRawPointer, _ field: StructLayout.Field) throws {
        let column = field.column
        switch field.kind {
        case .blob:
            guard let arena else { return }
            var value = corm_blob()
            if !reader.isNull(at: column) {
                let blob = try reader.blob(at: column)
                value = corm_blob(data: arena.copy(blob.baseAddress, count: blob.count), size: blob.count)
            }
            return at.storeBytes(of: value, as: corm_blob.self)
        case .value:
            let value = try reader.value(at: column)
            // Without an arena only what needs no memory comes back.
            if let copy = arena.map(value.cValue) ?? value.plainCValue { at.storeBytes(of: copy, as: corm_value.self) }
            return
        case .transform: return try decode(reader, at, field)
        default: break
        }
        let value = at + field.kind.valueOffset
        if field.kind.valueOffset > 0 {
            at.initializeMemory(as: UInt8.self, repeating: 0, count: field.size)
            if reader.isNull(at: column) { return }
            at.storeBytes(of: 1, as: UInt8.self)
        }
        switch field.kind {
        case .optionalInt64: value.storeBytes(of: try reader.int64(at: column), as: Int64.self)
        case .uint64, .optionalUInt64:
            value.storeBytes(of: try reader.unsigned(at: column, narrow: false), as: Int64.self)
        case .optionalInt32: value.storeBytes(of: try reader.int32(at: column), as: Int32.self)
        case .uint32, .optionalUInt32:
            let integer = try reader.unsigned(at: column, narrow: true)
            value.storeBytes(of: UInt32(truncatingIfNeeded: integer), as: UInt32.self)
        case .optionalBool: value.storeBytes(of: try reader.bool(at: column), as: Bool.self)
        case .optionalDouble: value.storeBytes(of: try reader.double(at: column), as: Double.self)
        case .float, .optionalFloat: value.storeBytes(of: try reader.float(at: column), as: Float.self)
        case .datetime, .optionalDatetime:
            value.storeBytes(of: try reader.timestamp(at: column).microseconds, as: Int64.self)
        case .uuid, .optionalUUID:
            let uuid = try reader.uuid(at: column)
            value.storeBytes(of: uuid.high.bigEndian, as: UInt64.self)
            value.storeBytes(of: uuid.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        default: break
        }
    }

    private func decode(_ reader: RecordReader, _ at: UnsafeMutableRawPointer, _ field: StructLayout.Field) throws {
        let memory = ScratchMemory(firstSize: 256)
        var value = try reader.value(at: field.column).cValue(in: memory)
        let arena = try arena.map { try Handles.add($0, .arena) }
        defer { Handles.remove(arena, .arena) }
        let decoded = withExtendedLifetime(memory) {
            guard let transform = field.transform, let decode = transform.decode else { return false }
            return decode(&value, at, arena, transform.context)
        }
        guard decoded else {
            throw reader.error(field.column, .callback, "could not be decoded by its transform", "mend the file")
        }
    }

    @inline(never)
    private func nulInText(_ reader: RecordReader, _ column: Int) -> CormorantError {
        reader.error(
            column, .encoding, "holds text with a NUL, which a const char * cannot", "make the field a corm_text")
    }
}

extension Value {
    /// As a C value, unless it has bytes.
    fileprivate var plainCValue: corm_value? {
        switch self {
        case .null: corm_value()
        case .integer(let integer): corm_value_int64(integer)
        case .real(let real): corm_value_double(real)
        case .text, .blob: nil
        }
    }
}
