import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform

private typealias CText = UnsafePointer<CChar>?

extension StructRecord {
    /// A copy that needs neither the struct nor what it points to.
    func copied(_ model: ModelDescriptor) throws -> DynamicRecord {
        var record = DynamicRecord(model)
        try eachValue(model) { field, value in
            record.values[field.column] = field.zeroIsNoKey && value == .integer(0) ? .null : value
        }
        return record
    }

    /// The same as a struct, which hooks can be called with. What the model has no column for is zero in it.
    func kept(_ model: ModelDescriptor) throws -> StructRecord {
        let memory = ScratchMemory(firstSize: 256)
        let start = try memory.allocateRecords(size: layout.size)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
        let kept = StructRecord(base: start, layout: layout, arena: memory, database: database)
        try eachValue(model) { field, value in
            let at = start + field.offset
            switch field.kind {
            case .nested: break
            case .cString: at.storeBytes(of: try value.cText(in: memory).data, as: UnsafePointer<CChar>?.self)
            case .text: at.storeBytes(of: try value.cText(in: memory), as: corm_text.self)
            case .blob:
                let bytes = try value.cValue(in: memory).as.bytes
                at.storeBytes(of: corm_blob(data: bytes.data, size: bytes.size), as: corm_blob.self)
            case .value: at.storeBytes(of: try value.cValue(in: memory), as: corm_value.self)
            case .transform:
                var value = try value.cValue(in: memory)
                let arena = try Handles.add(memory)
                defer { Handles.remove(arena, as: ScratchMemory.self) }
                if let error = field.decode(&value, to: at, arena) { throw error }
            default: at.copyMemory(from: base + field.offset, byteCount: field.size)
            }
        }
        return kept
    }

    /// The columns whose values differ from those of another struct of the model, but for what the database fills in.
    func changedColumns(since old: StructRecord, _ model: ModelDescriptor) throws -> [Int] {
        var changed: [Int] = []
        for field in layout.fields where !field.isComputed && !field.isConstant {
            if model.filledByUpdate.contains(field.column) || hasSameBytes(field, as: old) { continue }
            if bytesAreValue(field), old.bytesAreValue(field) {
                changed.append(field.column)
            } else if try !model.holdsSame(value(of: field, model), old.value(of: field, model), in: field.column) {
                changed.append(field.column)
            }
        }
        return changed.count > 1 ? changed.sorted() : changed
    }

    /// Whether other bytes of a field are another value: of integers, and of texts that are written as they are.
    private func bytesAreValue(_ field: StructLayout.Field) -> Bool {
        switch field.kind {
        case .int64, .int32: return true
        case .cString where !field.isChecked:
            guard let text = UnsafeRawPointer(base + field.offset).loadUnaligned(as: CText.self) else { return true }
            return isValidUTF8(text, count: cStringLength(text))
        default: return false
        }
    }

    /// Whether a field has the same value in another struct, as far as its bytes tell.
    private func hasSameBytes(_ field: StructLayout.Field, as other: StructRecord) -> Bool {
        let (left, right) = (UnsafeRawPointer(base + field.offset), UnsafeRawPointer(other.base + field.offset))
        switch field.kind {
        case .value, .transform: return false
        case .cString:
            let texts = (left.loadUnaligned(as: CText.self), right.loadUnaligned(as: CText.self))
            guard let first = texts.0, let second = texts.1 else { return texts.0 == texts.1 }
            return first == second || strcmp(first, second) == 0
        case .text, .blob:
            let (first, second) = (left.loadUnaligned(as: corm_text.self), right.loadUnaligned(as: corm_text.self))
            guard first.size == second.size, first.size >= 0 else { return false }
            guard let ours = first.data, let theirs = second.data else { return first.data == second.data }
            return ours == theirs || memcmp(ours, theirs, first.size) == 0
        default: return memcmp(left, right, field.size) == 0
        }
    }

    /// The values that are written.
    private func eachValue(_ model: ModelDescriptor, _ body: (StructLayout.Field, Value) throws -> Void) throws {
        for field in layout.fields where !field.isComputed && !field.isConstant {
            try naming(field, model) { try body(field, value(of: field)) }
        }
    }

    private func value(of field: StructLayout.Field, _ model: ModelDescriptor) throws -> Value {
        try naming(field, model) { try value(of: field) }
    }

    private func naming<Result>(
        _ field: StructLayout.Field, _ model: ModelDescriptor, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as CormorantError {
            throw error.prefixed("\(model.name).\(model.columns[field.column].name): ")
        }
    }

    private func value(of field: StructLayout.Field) throws -> Value {
        let start = UnsafeRawPointer(base + field.offset)
        if field.kind != .value, field.isNull(start) { return .null }
        let at = start + field.kind.valueOffset
        switch field.kind {
        // Rows of several records are not copied.
        case .nested: return .null
        case .int64, .optionalInt64, .datetime, .optionalDatetime: return .integer(at.loadUnaligned(as: Int64.self))
        case .uint64, .optionalUInt64:
            return try plainValue(corm_value_uint64(at.loadUnaligned(as: UInt64.self)), "it")
        case .int32, .optionalInt32, .date, .optionalDate: return .integer(Int64(at.loadUnaligned(as: Int32.self)))
        case .uint32, .optionalUInt32: return .integer(Int64(at.loadUnaligned(as: UInt32.self)))
        case .int16: return .integer(Int64(at.loadUnaligned(as: Int16.self)))
        case .uint16: return .integer(Int64(at.loadUnaligned(as: UInt16.self)))
        case .int8: return .integer(Int64(at.loadUnaligned(as: Int8.self)))
        case .uint8: return .integer(Int64(at.loadUnaligned(as: UInt8.self)))
        case .bool, .optionalBool: return .integer(at.loadUnaligned(as: UInt8.self) == 0 ? 0 : 1)
        case .double, .optionalDouble: return .real(at.loadUnaligned(as: Double.self))
        case .float, .optionalFloat: return .real(Double(at.loadUnaligned(as: Float.self)))
        case .cString: return try plainValue(corm_value_text(at.loadUnaligned(as: UnsafePointer<CChar>?.self)), "it")
        case .text:
            let text = at.loadUnaligned(as: corm_text.self)
            return try plainValue(corm_value_text_size(text.data, text.size), "it")
        case .characterArray:
            guard let size = field.textSize(at) else {
                throw CormorantError(
                    .encoding, "it has no NUL within its \(field.size) bytes", hint: "end the text with one")
            }
            return try plainValue(corm_value_text_size(at.assumingMemoryBound(to: CChar.self), size), "it")
        case .blob:
            let blob = at.loadUnaligned(as: corm_blob.self)
            return try plainValue(corm_value_blob(blob.data, blob.size), "it")
        case .choice, .optionalChoice:
            guard let choice = layout.choice(of: at, field) else {
                throw CormorantError(
                    .type, "it is a number without a name", hint: "give one of the column's choices")
            }
            return .text(choice.name)
        case .offsetDatetime, .optionalOffsetDatetime:
            return .text(try OffsetTimestamp(at.loadUnaligned(as: corm_offset_datetime.self)).stored("it"))
        case .uuid, .optionalUUID:
            let uuid = UUIDBytes(
                high: UInt64(bigEndian: at.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: at.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            return .text(uuid.description)
        case .value: return try plainValue(at.loadUnaligned(as: corm_value.self), "it")
        case .transform:
            var value = corm_value()
            if let error = field.encode(at, to: &value) { throw error }
            return try plainValue(value, "it")
        }
    }
}

extension Value {
    fileprivate func cText(in memory: ScratchMemory) throws -> corm_text {
        if self == .null { return corm_text() }
        let bytes = try cValue(in: memory).as.bytes
        return corm_text(data: bytes.data?.assumingMemoryBound(to: CChar.self), size: bytes.size)
    }
}
