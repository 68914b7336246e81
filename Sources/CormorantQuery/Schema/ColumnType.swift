import CormorantBase

/// The type of a column: what its values mean, and how the file holds them.
public enum ColumnType: Sendable, Hashable {
    /// An integer of 64 bits.
    case int64
    /// An integer of 32 bits, checked when it is read and written.
    case int32
    /// 0 or 1.
    case bool
    /// A number with a fraction, of 64 bits.
    case double
    /// Rounded to 32 bits when read.
    case float
    /// Text.
    case text
    /// Text of at most so many characters, checked by SQLite.
    case varchar(Int)
    /// Bytes.
    case blob
    /// The text form of `Timestamp`.
    case datetime
    /// A day of the calendar: `YYYY-MM-DD`.
    case date
    /// A time of day: `HH:MM:SS`, and `.ffffff` behind it where it is not a whole second.
    case time
    /// The text form of `OffsetTimestamp`.
    case offsetDatetime
    /// Microseconds, as an integer.
    case duration
    /// 36 lower-case characters.
    case uuid
    /// A decimal number as text, so that no digit is lost.
    case decimal
    /// JSON text, checked by SQLite.
    case json
}

extension ColumnType {
    /// The type's name as messages use it.
    package var name: String {
        switch self {
        case .int64: "int64"
        case .int32: "int32"
        case .bool: "bool"
        case .double: "double"
        case .float: "float"
        case .text: "text"
        case .varchar(let length): "varchar(\(length))"
        case .blob: "blob"
        case .datetime: "datetime"
        case .date: "date"
        case .time: "time"
        case .offsetDatetime: "offset_datetime"
        case .duration: "duration"
        case .uuid: "uuid"
        case .decimal: "decimal"
        case .json: "json"
        }
    }

    /// Whether expressions compare it by a collation of the library's where none is named.
    package var hasOwnCollation: Bool { self == .decimal || self == .offsetDatetime }

    /// The form that the file has of its values, of a type of times.
    package var timeForm: TimeForm? {
        switch self {
        case .datetime: .datetime
        case .date: .date
        case .time: .time
        case .offsetDatetime: .offsetDatetime
        default: nil
        }
    }

    /// Whether the file has its values in one form of text, of the several that they can be given in.
    package var hasTextForm: Bool { timeForm != nil || self == .uuid }

    package var isInteger: Bool { self == .int64 || self == .int32 }

    /// The integers that a property holds.
    /// - Parameter bits: how wide it is; 0: as the type.
    package func integers(isUnsigned: Bool, bits: Int) -> ClosedRange<Int64> {
        let bits = bits > 0 ? bits : self == .int32 ? 32 : 64
        guard bits < 64 else { return isUnsigned ? 0 ... .max : .min ... .max }
        let count = Int64(1) << Int64(bits)
        return isUnsigned ? 0...count - 1 : -count / 2...count / 2 - 1
    }

    /// Its name, that of an integer with its width and sign: `uint8`.
    package func name(isUnsigned: Bool, bits: Int) -> String {
        guard isInteger else { return name }
        return (isUnsigned ? "u" : "") + (bits > 0 ? "int\(bits)" : name)
    }

    /// Whether a text is a value of it as it is.
    package var isText: Bool {
        switch self {
        case .text, .varchar, .decimal, .json: true
        default: false
        }
    }
}
