import CCormorant
import CormorantBase
import CormorantORM

extension StructRecord {
    /// A copy that needs neither the struct nor what it points to.
    func copied(_ model: ModelDescriptor) throws -> DynamicRecord {
        var record = DynamicRecord(model)
        for field in layout.fields where !field.isComputed && !field.isConstant {
            do {
                let value = try value(of: field)
                record.values[field.column] = field.zeroIsNoKey && value == .integer(0) ? .null : value
            } catch let error as CormorantError {
                throw error.prefixed("\(model.name).\(model.columns[field.column].name): ")
            }
        }
        return record
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
