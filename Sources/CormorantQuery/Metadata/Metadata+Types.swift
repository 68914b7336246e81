import CormorantBase

extension ColumnType {
    /// What a column of a declared type holds; nil where neither the words nor the affinity tell, as for a column without
    /// type, `ANY` or `STRING`.
    package init?(declaredType: String, affinity: Affinity) {
        let word = declaredType.prefix { $0 != "(" && $0 != " " }
        switch foldIdentifier(String(word)) {
        case "bool", "boolean": self = .bool
        case "datetime", "timestamp": self = .datetime
        case "date": self = .date
        case "time": self = .time
        case "offset_datetime", "datetimeoffset": self = .offsetDatetime
        case "duration": self = .duration
        case "uuid_text": self = .uuid
        case "decimal_text": self = .decimal
        case "json", "json_text": self = .json
        case "numeric", "decimal", "number": self = .double
        case "any", "": return nil
        default:
            switch affinity {
            case .integer: self = .int64
            case .real: self = .double
            case .text: self = .text
            case .blob: self = .blob
            case .numeric: return nil
            }
        }
    }
}

// What templates ask of a column.
extension ColumnMetadata {
    /// Whether it is part of the primary key.
    public var isKey: Bool { keyPosition > 0 }

    /// Whether it is computed from others.
    public var isGenerated: Bool { generatedSQL != nil }

    /// Whether a model's column would hold integers.
    public var isInteger: Bool { type?.isInteger ?? false }

    /// `type` as a word, such as `int64`, without a length; nil where nothing tells.
    public var typeName: String? { length == nil ? type?.name : "varchar" }

    /// The greatest number of characters, of a text that is checked for it.
    public var length: Int? {
        if case .varchar(let length) = type { length } else { nil }
    }

    /// How many digits stand after the point of each decimal, as `DECIMAL_TEXT(2)` and `numeric(10,2)` say; nil: any number of them.
    package var scale: Int? {
        guard type == .decimal, declaredType.hasSuffix(")"),
            let open = declaredType.lastIndex(where: { "(,".contains($0) })
        else { return checkedScale }
        return Int(declaredType[open...].dropFirst().dropLast())
    }

    /// Whether it is a floating-point number.
    public var isReal: Bool { type == .double || type == .float }

    /// Whether a model's column would hold numbers, decimals among them.
    public var isNumber: Bool { isInteger || isReal || type == .decimal }

    /// Whether a model's column would hold truth values.
    public var isBool: Bool { type == .bool }

    /// Whether it is a text that stands for nothing else.
    public var isText: Bool {
        if case .varchar = type { true } else { type == .text }
    }

    /// Whether a model's column would hold bytes.
    public var isBlob: Bool { type == .blob }

    /// Whether a model's column would hold points in time, or days.
    public var isDate: Bool { type == .datetime || type == .date || type == .offsetDatetime }

    /// Whether a model's column would hold UUIDs.
    public var isUUID: Bool { type == .uuid }

    /// Whether a model's column would hold JSON.
    public var isJSON: Bool { type == .json }

    /// Whether its values are plain numbers or truth values, which own no memory.
    public var isSimpleType: Bool { isInteger || isReal || isBool }

    /// The type of a property of a Swift model, such as `Int64?`.
    public var swiftType: String { (type?.swiftName ?? "Value") + (isNullable && type != nil ? "?" : "") }

    /// The type of a field of a C struct, such as `corm_optional_int64`. Texts and blobs say by their pointer that they
    /// are NULL.
    public var cType: String {
        switch type {
        case .int64: isNullable ? "corm_optional_int64" : "int64_t"
        case .int32: isNullable ? "corm_optional_int32" : "int32_t"
        case .bool: isNullable ? "corm_optional_bool" : "bool"
        case .double: isNullable ? "corm_optional_double" : "double"
        case .float: isNullable ? "corm_optional_float" : "float"
        case .text, .varchar, .decimal, .json: "const char *"
        case .blob: "corm_blob"
        case .datetime: isNullable ? "corm_optional_int64" : "corm_datetime"
        case .date: isNullable ? "corm_optional_int32" : "corm_date"
        case .time: isNullable ? "corm_optional_int64" : "corm_time"
        case .offsetDatetime: isNullable ? "corm_optional_offset_datetime" : "corm_offset_datetime"
        case .duration: isNullable ? "corm_optional_int64" : "corm_duration"
        case .uuid: isNullable ? "corm_optional_uuid" : "corm_uuid"
        case nil: "corm_value"
        }
    }

    /// The annotation of an attribute of a Python model, such as `int | None`.
    public var pythonType: String {
        (type?.pythonName ?? "int | float | str | bytes") + (isNullable ? " | None" : "")
    }
}

extension ColumnType {
    /// The type of a property of a Swift model that is never nil.
    package var swiftName: String {
        switch self {
        case .int64: "Int64"
        case .int32: "Int32"
        case .bool: "Bool"
        case .double: "Double"
        case .float: "Float"
        case .text, .varchar: "String"
        case .blob: "[UInt8]"
        case .datetime: "Timestamp"
        case .date: "LocalDate"
        case .time: "LocalTime"
        case .offsetDatetime: "OffsetTimestamp"
        case .duration: "Duration"
        case .uuid: "UUIDBytes"
        case .decimal: "DecimalText"
        case .json: "JSONText"
        }
    }

    /// The annotation of an attribute of a Python model that is never None.
    package var pythonName: String {
        switch self {
        case .int64, .int32: "int"
        case .bool: "bool"
        case .double, .float: "float"
        case .text, .varchar: "str"
        case .blob: "bytes"
        case .datetime, .offsetDatetime: "datetime"
        case .date: "date"
        case .time: "time"
        case .duration: "timedelta"
        case .uuid: "UUID"
        case .decimal: "Decimal"
        case .json: "Any"
        }
    }
}

extension ForeignKeyAction {
    /// The action as a word, as metadata has it.
    public var name: String {
        switch self {
        case .none: "none"
        case .restrict: "restrict"
        case .setNull: "set_null"
        case .setDefault: "set_default"
        case .cascade: "cascade"
        }
    }
}
