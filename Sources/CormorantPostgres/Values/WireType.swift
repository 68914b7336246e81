/// The types whose binary form is read and written here; any other crosses as the text that the server makes of it.
/// Source: PostgreSQL's pg_type.dat, and the send and receive functions that it names.
enum WireType: UInt8 {
    case bool, int2, int4, int8, oid, float4, float8, text, bytea, numeric, json, jsonb, uuid, date, time, timestamp
    case timestamptz
    /// One value out of JSON: an expression of the type json.
    case jsonValue
    /// A row of which one column at most has a value: that value.
    case oneOf
    case other

    init(_ oid: UInt32) {
        switch oid {
        case 16: self = .bool
        case 17: self = .bytea
        // "char", name, text, unknown, bpchar, varchar
        case 18, 19, 25, 705, 1042, 1043: self = .text
        case 20: self = .int8
        case 21: self = .int2
        case 23: self = .int4
        case 26: self = .oid
        case 114: self = .json
        case 700: self = .float4
        case 701: self = .float8
        case 1082: self = .date
        case 1083: self = .time
        case 1114: self = .timestamp
        case 1184: self = .timestamptz
        case 1700: self = .numeric
        case 2249: self = .oneOf
        case 2950: self = .uuid
        case 3802: self = .jsonb
        default: self = .other
        }
    }

    /// A column of a result: what is of the type json there and no column of a table is a value out of JSON, which `->>` gives.
    init(column oid: UInt32, ofTable: Bool) {
        self.init(oid)
        if self == .json, !ofTable { self = .jsonValue }
    }

    /// As SQLite's declarations say it.
    /// - Parameter modifier: of the column: the length of a varchar, or precision and scale, with 4 added.
    func declared(_ oid: UInt32, modifier: Int32) -> String {
        switch self {
        case .bool: "BOOLEAN"
        case .int2, .int4, .int8, .oid: "INTEGER"
        case .float4, .float8: "REAL"
        case .text: oid == 1043 && modifier > 4 ? "VARCHAR(\(modifier - 4))" : "TEXT"
        case .bytea: "BLOB"
        case .numeric: "DECIMAL_TEXT"
        case .json, .jsonb: "JSON_TEXT"
        case .uuid: "UUID_TEXT"
        case .date: "DATE"
        case .time: "TIME"
        case .timestamp, .timestamptz: "DATETIME"
        case .oneOf: ""
        case .jsonValue, .other: "TEXT"
        }
    }

    /// How many bytes the binary form of each of its values has; nil where that differs.
    var size: Int? {
        switch self {
        case .bool: 1
        case .int2: 2
        case .int4, .oid, .float4, .date: 4
        case .int8, .float8, .time, .timestamp, .timestamptz: 8
        case .uuid: 16
        case .text, .bytea, .numeric, .json, .jsonb, .jsonValue, .oneOf, .other: nil
        }
    }

    /// As messages say it.
    var title: String {
        switch self {
        case .bool: "a boolean"
        case .int2: "an integer of 16 bits"
        case .int4: "an integer of 32 bits"
        case .int8: "an integer of 64 bits"
        case .oid: "an object's number"
        case .float4: "a real of 32 bits"
        case .float8: "a real"
        case .text, .other: "text"
        case .bytea: "a blob"
        case .numeric: "a decimal number"
        case .oneOf: "a row"
        case .json, .jsonb, .jsonValue: "JSON"
        case .uuid: "a UUID"
        case .date: "a date"
        case .time: "a time of day"
        case .timestamp, .timestamptz: "a datetime"
        }
    }
}

/// Days and microseconds from 1970-01-01, our epoch, to 2000-01-01, PostgreSQL's.
enum ServerEpoch {
    static let days: Int64 = 10_957
    static let microseconds: Int64 = days * 86_400_000_000
}

/// The number of bytes that a numeric has at most as text, and the text itself, as numeric_out of PostgreSQL's numeric.c writes it.
/// On the wire it is digits to the base of 10,000: how many, the weight of the first, the sign, the decimals that are shown.
struct NumericForm {
    private let bytes: UnsafeRawPointer
    private let count: Int
    private let weight: Int
    private let sign: UInt16
    private let scale: Int

    enum Special {
        case nan, infinity
    }

    /// nil where it has not as many digits as it says.
    init?(_ bytes: UnsafeRawPointer, _ length: Int) {
        guard length >= 8 else { return nil }
        func word(_ at: Int) -> UInt16 { UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self)) }
        self.bytes = bytes
        count = Int(word(0))
        weight = Int(Int16(bitPattern: word(2)))
        sign = word(4)
        scale = Int(word(6))
        guard length == 8 + 2 * count else { return nil }
    }

    var special: Special? {
        switch sign {
        case 0xC000: .nan
        case 0xD000, 0xF000: .infinity
        default: nil
        }
    }

    /// A sign, the point, a NUL.
    var size: Int { 4 * max(1, weight + 1) + scale + 4 + 3 }

    /// Writes it without the NUL; returns how many bytes it has.
    func write(to text: UnsafeMutablePointer<UInt8>) -> Int {
        var end = text
        func put(_ byte: UInt8) {
            end.pointee = byte
            end += 1
        }
        func digit(_ index: Int) -> Int {
            guard index >= 0, index < count else { return 0 }
            return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 + 2 * index, as: UInt16.self)))
        }
        if sign == 0x4000 { put(0x2D) }
        if weight < 0 { put(0x30) }
        var index = 0
        while index <= weight {
            let value = digit(index)
            var (divisor, hasBegun) = (1000, index > 0)
            while divisor > 0 {
                let decimal = value / divisor % 10
                hasBegun = hasBegun || decimal > 0 || divisor == 1
                if hasBegun { put(0x30 + UInt8(truncatingIfNeeded: decimal)) }
                divisor /= 10
            }
            index += 1
        }
        guard scale > 0 else { return end - text }
        put(0x2E)
        let point = end
        // Those of a weight below the first one's are zeros.
        index = weight + 1
        while end - point < scale {
            let value = digit(index)
            for divisor in [1000, 100, 10, 1] { put(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10)) }
            index += 1
        }
        return point + scale - text
    }
}
