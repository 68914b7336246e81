import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

extension StructRecord {
    mutating func read(from reader: RecordReader) throws {
        for field in layout.fields { try read(field, reader) }
        if layout.plainKey.size > 0 { try refuseZeroKey(reader) }
    }

    /// Reads what JSON gave, where the key may be missing.
    mutating func read(fromJSON reader: RecordReader) throws {
        guard layout.plainKey.size > 0, let key = layout.generated, reader.isNull(at: key.column) else {
            return try read(from: reader)
        }
        for field in layout.fields where field.column != key.column { try read(field, reader) }
        clearGeneratedKey()
    }

    /// In a plain integer 0 is no key yet: saved again, the row would become a second one.
    @inline(__always)
    private func refuseZeroKey(_ reader: RecordReader) throws {
        let (offset, size) = layout.plainKey
        let isZero =
            size == 8
            ? base.loadUnaligned(fromByteOffset: offset, as: Int64.self) == 0 : isZeroNarrow(offset, size)
        if isZero { throw zeroKey(reader) }
    }

    @inline(never)
    private func isZeroNarrow(_ offset: Int, _ size: Int) -> Bool {
        UnsafeRawBufferPointer(start: base + offset, count: size).allSatisfy { $0 == 0 }
    }

    @inline(never)
    private func zeroKey(_ reader: RecordReader) -> CormorantError {
        let type = layout.plainKey.size == 8 ? "corm_optional_int64" : "corm_optional_int32"
        return reader.error(
            layout.generated?.column ?? 0, .range,
            "is the key 0, which in a plain integer means that there is none yet",
            "make the property a \(type), where 0 is a key like any other")
    }

    /// Reads some columns and leaves the others alone.
    mutating func read(only columns: [Int], from reader: RecordReader) throws {
        for field in layout.fields where columns.contains(field.column) { try read(field, reader) }
    }

    mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        try read(only: columns, from: reader)
    }

    /// Refuses to be written without an arena where the database makes texts of it: these would stay as they were.
    @inline(never)
    func refuseFilledTexts(_ model: ModelDescriptor, _ kind: RecordWrite.Kind) throws {
        let filled = layout.filledTexts
        let nulls = kind == .update ? [] : filled.whereNull
        guard let field = filled.always.first ?? nulls.first(where: { $0.isNull(base + $0.offset) }) else { return }
        throw arenaMissing(model, field, "that the database fills in")
    }

    /// Fields that the caller gave keep the caller's memory: only what SQLite filled in is read.
    mutating func readBack(from reader: RecordReader) throws {
        for field in layout.fields
        where field.isComputed || field.column == layout.generated?.column || field.column == layout.version?.column
            || field.isStamp || field.isConstant || field.kind == .transform || field.isNull(base + field.offset)
        {
            try read(field, reader)
        }
        if layout.plainKey.size > 0 { try refuseZeroKey(reader) }
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
            let text = try copy(text: reader, field, arena, allowsNUL: false)
            at.storeBytes(of: text.data, as: UnsafePointer<CChar>?.self)
        case .text:
            guard let arena = arena.map({ Unmanaged.passUnretained($0) }) else { return }
            at.storeBytes(of: try copy(text: reader, field, arena, allowsNUL: true), as: corm_text.self)
        default: try readRare(reader, at, field)
        }
    }

    /// - Parameter arena: the record's, whose references are not counted for each text.
    @inline(__always)
    private func copy(
        text reader: RecordReader, _ field: StructLayout.Field, _ arena: Unmanaged<ScratchMemory>, allowsNUL: Bool
    ) throws -> corm_text {
        guard let text = try reader.validTextIfAny(at: field.column) else { return corm_text() }
        if field.isChecked { try reader.checkDecimal(text, at: field.column) }
        let copy = try withoutRetaining(arena) { arena in
            text.count <= 1 << 20
                ? arena.copy(text.baseAddress, count: text.count)
                : try arena.checkedCopy(text.baseAddress, count: text.count)
        }.assumingMemoryBound(to: CChar.self)
        if !allowsNUL, cStringLength(copy) != text.count { throw nulInText(reader, field.column) }
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
                value = corm_blob(data: try arena.checkedCopy(blob.baseAddress, count: blob.count), size: blob.count)
            }
            return at.storeBytes(of: value, as: corm_blob.self)
        case .value:
            let value = try reader.value(at: column)
            // Without an arena only what needs no memory comes back.
            let copy = try arena.map(value.cValue) ?? value.plainCValue
            if let copy { at.storeBytes(of: copy, as: corm_value.self) }
            return
        case .transform: return try decode(reader, at, field)
        case .nested: return try readNested(reader, at, field)
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
            let form = layout.types[column].timeForm
            let time = try form.map { try reader.time($0, at: column) } ?? reader.int64(at: column)
            value.storeBytes(of: time, as: Int64.self)
        case .date, .optionalDate:
            value.storeBytes(of: Int32(truncatingIfNeeded: try reader.time(.date, at: column)), as: Int32.self)
        case .choice, .optionalChoice:
            let name = try reader.string(at: column)
            guard let choice = layout.choices[column].first(where: { isSame($0.name, name) }) else {
                throw reader.error(
                    column, .type, "holds a text that is none of its choices",
                    "mend the file, or give the column that choice")
            }
            let size = field.kind == .optionalChoice ? 4 : field.size
            withUnsafeBytes(of: choice.value.littleEndian) {
                value.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: size)
            }
        case .offsetDatetime, .optionalOffsetDatetime:
            let time = try reader.offsetTimestamp(at: column)
            value.storeBytes(
                of: corm_offset_datetime(
                    microseconds: time.timestamp.microseconds,
                    offset_seconds: Int32(truncatingIfNeeded: time.offsetSeconds)),
                as: corm_offset_datetime.self)
        case .uuid, .optionalUUID:
            let uuid = try reader.uuid(at: column)
            value.storeBytes(of: uuid.high.bigEndian, as: UInt64.self)
            value.storeBytes(of: uuid.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        default: try readNarrow(reader, value, field)
        }
    }

    @inline(never)
    private func readNarrow(_ reader: RecordReader, _ at: UnsafeMutableRawPointer, _ field: StructLayout.Field) throws {
        let column = field.column
        switch field.kind {
        case .int16: at.storeBytes(of: try narrow(reader, column), as: Int16.self)
        case .uint16: at.storeBytes(of: try narrow(reader, column), as: UInt16.self)
        case .int8: at.storeBytes(of: try narrow(reader, column), as: Int8.self)
        case .uint8: at.storeBytes(of: try narrow(reader, column), as: UInt8.self)
        case .characterArray:
            let array = UnsafeMutableRawBufferPointer(start: at, count: field.size)
            try copy(
                text: field.isChecked ? reader.decimal(at: column) : reader.validText(at: column), into: array, reader,
                column)
        default: break
        }
    }

    private func narrow<Integer: FixedWidthInteger>(_ reader: RecordReader, _ column: Int) throws -> Integer {
        if let integer = Integer(exactly: try reader.int64(at: column)) { return integer }
        let sign = Integer.isSigned ? "" : "unsigned "
        throw reader.outOfRange(column, "does not fit into \(sign)\(Integer.bitWidth) bits")
    }

    /// The text and its NUL; zeros in what is left.
    private func copy(
        text: UnsafeBufferPointer<UInt8>, into array: UnsafeMutableRawBufferPointer, _ reader: RecordReader,
        _ column: Int
    ) throws {
        guard !text.contains(0) else { throw nulInText(reader, column) }
        guard text.count < array.count else {
            throw reader.error(
                column, .range, "has \(text.count) bytes, which with a NUL do not fit into char[\(array.count)]",
                "make the array longer, or the field a corm_text")
        }
        array.copyMemory(from: UnsafeRawBufferPointer(text))
        array[text.count...].initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// A record in a row of several: into the row itself, or into memory that its field points to.
    private func readNested(_ reader: RecordReader, _ at: UnsafeMutableRawPointer, _ field: StructLayout.Field) throws {
        guard let nested = layout.nested.first(where: { $0.first == field.column }) else { return }
        let row = reader.record(nested.model, at: nested.first)
        let isMissing = row.isMissing
        guard nested.isPointer else {
            if isMissing { throw missingRecord(nested) }
            var record = StructRecord(base: at, layout: nested.layout, arena: arena)
            return try record.read(from: row)
        }
        var place: UnsafeMutableRawPointer?
        if !isMissing, let arena {
            let memory = try arena.allocateRecords(size: nested.layout.size)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: nested.layout.size)
            var record = StructRecord(base: memory, layout: nested.layout, arena: arena)
            try record.read(from: row)
            place = memory
        }
        at.storeBytes(of: place, as: UnsafeMutableRawPointer?.self)
    }

    @inline(never)
    private func missingRecord(_ nested: StructLayout.Nested) -> CormorantError {
        CormorantError(
            .nullValue, "the row has no record of \(nested.model.name) for \(nested.name)",
            hint: "make the field a pointer, which is NULL then, or join so that there is one",
            table: nested.model.table)
    }

    private func decode(_ reader: RecordReader, _ at: UnsafeMutableRawPointer, _ field: StructLayout.Field) throws {
        let memory = ScratchMemory(firstSize: 256)
        var value = try reader.value(at: field.column).cValue(in: memory)
        let arena = try arena.map { try Handles.add($0) }
        defer { Handles.remove(arena, as: ScratchMemory.self) }
        let failed = withExtendedLifetime(memory) { field.decode(&value, to: at, arena) }
        if let failed {
            throw reader.error(
                field.column, failed.code, "could not be decoded: \(failed.message)", failed.hint ?? "mend the file")
        }
    }

    @inline(never)
    private func nulInText(_ reader: RecordReader, _ column: Int) -> CormorantError {
        reader.error(
            column, .encoding, "holds text with a NUL, which its field cannot", "make the field a corm_text")
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
