import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// How the fields of a C struct carry a model's columns.
final class StructLayout {
    /// What the field is in C.
    enum Kind: UInt8 {
        case int64, optionalInt64, uint64, optionalUInt64
        case int32, optionalInt32, uint32, optionalUInt32
        case bool, optionalBool
        case double, optionalDouble, float, optionalFloat
        case cString, text, blob
        // Also times of day and durations: 64 bits of microseconds.
        case datetime, optionalDatetime
        case date, optionalDate
        case uuid, optionalUUID
        case value
        case transform
        case int16, uint16, int8, uint8
        case characterArray
        // A number whose name is in the file.
        case choice, optionalChoice
        case offsetDatetime, optionalOffsetDatetime
        // A record, or a pointer to one, in a row of several.
        case nested
    }

    /// A record in a row of several, whose columns stand side by side.
    final class Nested {
        /// What its field is called, and so its source in a statement where there are several of its model.
        let name: String
        let model: ModelDescriptor
        let layout: StructLayout
        /// Whether the field points to it, and is NULL where there is none.
        let isPointer: Bool
        /// The first of its columns.
        let first: Int

        init(_ name: String, _ model: ModelDescriptor, _ layout: StructLayout, isPointer: Bool, first: Int) {
            (self.name, self.model, self.layout) = (name, model, layout)
            (self.isPointer, self.first) = (isPointer, first)
        }

        var needsMemory: Bool { isPointer || layout.firstText != nil }
    }

    /// A value that a column may have, and its name in the file.
    struct Choice {
        let name: String
        let value: Int64
    }

    struct Field {
        let offset: Int
        let size: Int
        let column: Int
        let kind: Kind
        /// Text whose bytes need more than being UTF-8: a decimal.
        let isChecked: Bool
        let isComputed: Bool
        /// Whether 0 is no key, or no time of creation, yet.
        var zeroIsNoKey = false
        var isStamp = false
        /// Whether the model's rows have one value of it, whatever the field holds.
        var isConstant = false
        /// The CORM_FIELD number of its C type.
        var cType: Int32 = 0
        let transform: corm_transform?

        /// Has the transform give the column's value.
        /// - Returns: what it failed with.
        func encode(_ at: UnsafeRawPointer, to value: inout corm_value) -> CormorantError? {
            guard let encode = transform?.encode else { return nil }
            var error: OpaquePointer?
            let status = encode(at, &value, transform?.context, &error)
            if status < 0 { return failure(of: "the transform", status, error) }
            Handles.remove(error, as: ErrorText.self)
            return nil
        }

        /// Has the transform fill the field.
        /// - Returns: what it failed with.
        func decode(
            _ value: UnsafePointer<corm_value>, to at: UnsafeMutableRawPointer, _ arena: OpaquePointer?
        ) -> CormorantError? {
            guard let decode = transform?.decode else { return nil }
            var error: OpaquePointer?
            let status = decode(value, at, arena, transform?.context, &error)
            if status < 0 { return failure(of: "the transform", status, error) }
            Handles.remove(error, as: ErrorText.self)
            return nil
        }
    }

    let fields: UnsafeMutableBufferPointer<Field>
    /// The field of the generated key.
    let generated: Field?
    /// The field of the row's version.
    let version: Field?
    /// What each write changes, and a rollback takes back: the version and times.
    let counted: [Field]
    /// These, the generated key, and what else the database makes whatever the field holds.
    let filled: [Field]
    /// Where it lies and how many bytes it has, if 0 in it is no key yet; else no bytes.
    let plainKey: (offset: Int, size: Int)
    let types: [ColumnType]
    /// Of each column.
    let choices: [[Choice]]
    let size: Int
    /// The first field whose content lies beside the record: without an arena it could not be filled.
    let firstText: Field?
    /// Those of such fields that the database fills in when it is written: always, or where they are NULL.
    let filledTexts: (always: [Field], whereNull: [Field])
    let fillsTexts: Bool
    /// nil: none.
    let hooks: StructHooks?
    /// The records of a row of several; none of a record.
    let nested: [Nested]

    init(
        _ model: ModelDescriptor, _ fields: [Field], choices: [[Choice]], size: Int, hooks: StructHooks?,
        nested: [Nested] = []
    ) {
        self.choices = choices
        self.hooks = hooks
        self.nested = nested
        self.fields = .allocate(capacity: fields.count)
        _ = self.fields.initialize(from: fields)
        generated = fields.first { $0.column == model.generatedColumn }
        version = fields.first { $0.column == model.versionColumn }
        counted = fields.filter { $0.column == model.versionColumn || $0.isStamp }
        filled = fields.filter {
            $0.column == model.versionColumn || $0.column == model.generatedColumn || $0.isStamp || $0.isComputed
                || $0.isConstant
        }
        plainKey = generated.flatMap { $0.zeroIsNoKey ? ($0.offset, $0.size) : nil } ?? (0, 0)
        types = model.columns.map(\.type)
        firstText = fields.first { field in
            [.cString, .text, .blob, .value].contains(field.kind)
                || nested.contains { field.kind == .nested && $0.first == field.column && $0.needsMemory }
        }
        let texts = fields.filter {
            [.cString, .text, .blob, .value].contains($0.kind) && model.columns[$0.column].type.needsMemory
        }
        filledTexts = (
            texts.filter { $0.isComputed || $0.isConstant },
            texts.filter { !$0.isComputed && !$0.isConstant && model.columns[$0.column].defaultSQL != nil }
        )
        fillsTexts = !filledTexts.always.isEmpty || !filledTexts.whereNull.isEmpty
        self.size = size
    }

    deinit { fields.deallocate() }

    /// What a field of a C type, as a CORM_FIELD number, and of `size` bytes is for a column of a type; nil when the type
    /// cannot have that size.
    static func kind(_ type: ColumnType, field: Int32, size: Int, isUnsigned: Bool, hasChoices: Bool) -> Kind? {
        if field == CORM_FIELD_CHARACTER_ARRAY { return .characterArray }
        if hasChoices, type.isPlainText {
            if field == CORM_FIELD_INTEGER || field == CORM_FIELD_UNSIGNED { return .choice }
            if field == CORM_FIELD_OPTIONAL_INT32 { return .optionalChoice }
        }
        if size == MemoryLayout<corm_value>.size { return .value }
        func choose(_ plain: Int, _ kind: Kind, _ optional: Int, _ optionalKind: Kind) -> Kind? {
            size == plain ? kind : size == optional ? optionalKind : nil
        }
        let wide = MemoryLayout<corm_optional_int64>.size
        switch type {
        case .int64:
            return isUnsigned ? choose(8, .uint64, wide, .optionalUInt64) : choose(8, .int64, wide, .optionalInt64)
        case .int32:
            let narrow = MemoryLayout<corm_optional_int32>.size
            if size == 2 { return isUnsigned ? .uint16 : .int16 }
            if size == 1 { return isUnsigned ? .uint8 : .int8 }
            return isUnsigned ? choose(4, .uint32, narrow, .optionalUInt32) : choose(4, .int32, narrow, .optionalInt32)
        case .bool: return choose(1, .bool, MemoryLayout<corm_optional_bool>.size, .optionalBool)
        case .double: return choose(8, .double, MemoryLayout<corm_optional_double>.size, .optionalDouble)
        case .float: return choose(4, .float, MemoryLayout<corm_optional_float>.size, .optionalFloat)
        case .text, .varchar, .decimal, .json:
            return choose(MemoryLayout<UnsafeRawPointer>.size, .cString, MemoryLayout<corm_text>.size, .text)
        case .blob: return size == MemoryLayout<corm_blob>.size ? .blob : nil
        case .datetime, .time, .duration: return choose(8, .datetime, wide, .optionalDatetime)
        case .date: return choose(4, .date, MemoryLayout<corm_optional_int32>.size, .optionalDate)
        case .offsetDatetime:
            return choose(
                MemoryLayout<corm_offset_datetime>.stride, .offsetDatetime,
                MemoryLayout<corm_optional_offset_datetime>.stride, .optionalOffsetDatetime)
        case .uuid: return choose(16, .uuid, MemoryLayout<corm_optional_uuid>.size, .optionalUUID)
        }
    }

    /// The C types that a column type can have, for messages.
    static func fieldTypes(_ type: ColumnType, isUnsigned: Bool) -> String {
        switch type {
        case .int64: isUnsigned ? "uint64_t or corm_optional_int64" : "int64_t or corm_optional_int64"
        case .int32:
            isUnsigned
                ? "uint32_t, uint16_t, uint8_t or corm_optional_int32"
                : "int32_t, int16_t, int8_t or corm_optional_int32"
        case .bool: "bool or corm_optional_bool"
        case .double: "double or corm_optional_double"
        case .float: "float or corm_optional_float"
        case .text, .varchar, .decimal, .json: "const char *, corm_text or an array of char"
        case .blob: "corm_blob"
        case .datetime, .time, .duration: "corm_\(type.name) or corm_optional_int64"
        case .date: "corm_date or corm_optional_int32"
        case .offsetDatetime: "corm_offset_datetime or corm_optional_offset_datetime"
        case .uuid: "corm_uuid or corm_optional_uuid"
        }
    }
}

extension StructLayout.Kind {
    /// Whether it is an integer and nothing beside it, so that a key that SQLite makes is missing where it is 0.
    /// How wide an integer of less than 32 bits is; else 0.
    var bits: Int {
        switch self {
        case .int16, .uint16: 16
        case .int8, .uint8: 8
        default: 0
        }
    }

    var isPlainInteger: Bool { isPlainSigned || isPlainUnsigned }

    private var isPlainSigned: Bool { self == .int64 || self == .int32 || self == .int16 || self == .int8 }

    var isPlainUnsigned: Bool { self == .uint64 || self == .uint32 || self == .uint16 || self == .uint8 }

    /// Whether a field of a C type, as a CORM_FIELD number, is what its size is taken for in a column of a type.
    func fits(_ field: Int32, _ type: ColumnType) -> Bool {
        switch field {
        case _ where self == .choice || self == .optionalChoice: true
        case CORM_FIELD_INTEGER: isPlainSigned || self == .datetime || self == .date
        case CORM_FIELD_UNSIGNED: isPlainUnsigned
        case CORM_FIELD_BOOL: self == .bool
        case CORM_FIELD_DOUBLE: self == .double
        case CORM_FIELD_FLOAT: self == .float
        case CORM_FIELD_CHARACTERS: self == .cString
        case CORM_FIELD_TEXT: self == .text
        case CORM_FIELD_CHARACTER_ARRAY: type.isText
        case CORM_FIELD_BLOB: self == .blob
        case CORM_FIELD_UUID: self == .uuid
        case CORM_FIELD_OPTIONAL_INT64: [.optionalInt64, .optionalUInt64, .optionalDatetime].contains(self)
        case CORM_FIELD_OPTIONAL_INT32: self == .optionalInt32 || self == .optionalDate || self == .optionalUInt32
        case CORM_FIELD_OPTIONAL_BOOL: self == .optionalBool
        case CORM_FIELD_OPTIONAL_DOUBLE: self == .optionalDouble
        case CORM_FIELD_OPTIONAL_FLOAT: self == .optionalFloat
        case CORM_FIELD_OPTIONAL_UUID: self == .optionalUUID
        case CORM_FIELD_OFFSET_DATETIME: self == .offsetDatetime
        case CORM_FIELD_OPTIONAL_OFFSET_DATETIME: self == .optionalOffsetDatetime
        case CORM_FIELD_VALUE: self == .value
        default: false
        }
    }

    /// Whether the field can say NULL.
    var isOptional: Bool {
        switch self {
        case .int64, .uint64, .int32, .uint32, .int16, .uint16, .int8, .uint8, .bool, .double, .float, .characterArray,
            .datetime, .date, .uuid, .choice, .offsetDatetime:
            false
        default: true
        }
    }
}

extension ColumnType {
    /// Whether its values are texts of any kind.
    var isPlainText: Bool {
        if case .varchar = self { true } else { self == .text }
    }
}

extension ColumnType {
    /// Whether a value of it in a `corm_value` lies beside it.
    fileprivate var needsMemory: Bool {
        switch self {
        case .int64, .int32, .bool, .double, .float, .datetime, .date, .time, .duration: false
        default: true
        }
    }
}
