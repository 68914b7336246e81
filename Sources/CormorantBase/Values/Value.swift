/// One value as SQLite holds it.
public enum Value: Sendable, Hashable {
    /// NULL.
    case null
    /// An integer of 64 bits.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

// Not ExpressibleByNilLiteral: in a Value? a nil would mean either.
extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension Value {
    /// The kind of value as messages name it.
    package var kindName: String {
        switch self {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real"
        case .text: "text"
        case .blob: "a blob"
        }
    }
}
