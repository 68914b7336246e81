import CCormorant
import CormorantBase
import CormorantORM

extension StructRecord {
    mutating func setGeneratedKey(_ key: Int64) throws {
        guard let field = layout.generated else { return }
        let at = base + field.offset
        let value = at + field.kind.valueOffset
        switch field.kind {
        case .int64, .optionalInt64, .uint64, .optionalUInt64: value.storeBytes(of: key, as: Int64.self)
        case .int32, .optionalInt32:
            guard let narrow = Int32(exactly: key) else { throw tooLarge() }
            value.storeBytes(of: narrow, as: Int32.self)
        case .uint32, .optionalUInt32:
            guard let narrow = UInt32(exactly: key) else { throw tooLarge() }
            value.storeBytes(of: narrow, as: UInt32.self)
        case .value: at.storeBytes(of: corm_value_int64(key), as: corm_value.self)
        default: return  // A transform keeps the key as it likes; it comes back by a refresh.
        }
        if field.kind.valueOffset > 0 { at.storeBytes(of: 1, as: UInt8.self) }
    }

    mutating func clearGeneratedKey() {
        guard let field = layout.generated, field.kind != .transform else { return }
        (base + field.offset).initializeMemory(as: UInt8.self, repeating: 0, count: field.size)
    }

    private func tooLarge() -> CormorantError {
        CormorantError(.range, "the generated key does not fit into 32 bits", hint: "make the key 64 bits wide")
    }
}
