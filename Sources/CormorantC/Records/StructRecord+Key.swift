import CCormorant
import CormorantBase
import CormorantORM

extension StructRecord {
    mutating func setGeneratedKey(_ key: Int64) throws {
        guard let field = layout.generated else { return }
        if key == 0, field.zeroIsNoKey { throw zeroKey() }
        let at = base + field.offset
        let value = at + field.kind.valueOffset
        switch field.kind {
        case .int64, .optionalInt64, .uint64, .optionalUInt64: value.storeBytes(of: key, as: Int64.self)
        case .int32, .optionalInt32: try store(key, Int32.self, value)
        case .uint32, .optionalUInt32: try store(key, UInt32.self, value)
        case .int16: try store(key, Int16.self, value)
        case .uint16: try store(key, UInt16.self, value)
        case .int8: try store(key, Int8.self, value)
        case .uint8: try store(key, UInt8.self, value)
        case .value: at.storeBytes(of: corm_value_int64(key), as: corm_value.self)
        default: return  // A transform keeps the key as it likes; it comes back by a refresh.
        }
        if field.kind.valueOffset > 0 { at.storeBytes(of: 1, as: UInt8.self) }
    }

    mutating func clearGeneratedKey() {
        guard let field = layout.generated, field.kind != .transform else { return }
        (base + field.offset).initializeMemory(as: UInt8.self, repeating: 0, count: field.size)
    }

    /// Which SQLite makes where the greatest one is -1.
    @inline(never)
    private func zeroKey() -> CormorantError {
        CormorantError(
            .range, "SQLite made the key 0, which in a plain integer means that there is none yet",
            hint: "make the property a corm_optional_int64, or begin with a key above 0")
    }

    @inline(__always)
    private func store<Integer: FixedWidthInteger>(
        _ key: Int64, _ type: Integer.Type, _ at: UnsafeMutableRawPointer
    ) throws {
        guard let narrow = Integer(exactly: key) else {
            throw CormorantError(
                .range, "the generated key does not fit into \(Integer.bitWidth) bits",
                hint: "make the key 64 bits wide")
        }
        at.storeBytes(of: narrow, as: Integer.self)
    }
}
