import CormorantBase

/// What PostgreSQL takes an expression for. All else that it knows crosses as text, and is none of ours.
enum PostgresType: Sendable, Equatable {
    case boolean, smallint, integer, bigint, real, double, numeric, text, bytea, timestamptz, date, time, uuid, jsonb
    /// A value within JSON, a number or a text: jsonb that is neither `null` nor a truth value, which SQLite makes NULL, 1 and 0.
    case element

    /// The type that a column is made with.
    /// - Parameter bits: how wide an integer is; 0: as the type.
    init(_ type: ColumnType, isUnsigned: Bool = false, bits: Int = 0) {
        switch type {
        case .int64, .int32:
            let range = type.integers(isUnsigned: isUnsigned, bits: bits)
            self =
                range.lowerBound >= Int64(Int16.min) && range.upperBound <= Int64(Int16.max)
                ? .smallint
                : range.lowerBound >= Int64(Int32.min) && range.upperBound <= Int64(Int32.max) ? .integer : .bigint
        case .duration: self = .bigint
        case .bool: self = .boolean
        case .double: self = .double
        case .float: self = .real
        case .text, .varchar, .offsetDatetime: self = .text
        case .blob: self = .bytea
        case .datetime: self = .timestamptz
        case .date: self = .date
        case .time: self = .time
        case .uuid: self = .uuid
        case .decimal: self = .numeric
        case .json: self = .jsonb
        }
    }

    /// The type that CAST makes, where SQLite has doubles alone.
    init(castTo type: ColumnType) { self = type == .float ? .double : PostgresType(type) }

    init(_ column: TableReference.Column) {
        self.init(column.type, isUnsigned: column.isUnsigned, bits: column.bits)
    }

    /// What a value is by itself; nil: NULL.
    init?(_ value: Value) {
        switch value {
        case .null: return nil
        case .integer: self = .bigint
        case .real: self = .double
        case .text: self = .text
        case .blob: self = .bytea
        }
    }

    /// As CAST says it.
    var name: String {
        switch self {
        case .boolean: "boolean"
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double precision"
        case .numeric: "numeric"
        case .text: "text"
        case .bytea: "bytea"
        case .timestamptz: "timestamptz"
        case .date: "date"
        case .time: "time"
        case .uuid: "uuid"
        case .jsonb, .element: "jsonb"
        }
    }

    /// In messages.
    var title: String {
        switch self {
        case .boolean: "a truth value"
        case .smallint, .integer, .bigint: "an integer"
        case .real, .double: "a double"
        case .numeric: "a decimal"
        case .text: "a text"
        case .bytea: "a blob"
        case .timestamptz: "a datetime"
        case .date: "a date"
        case .time: "a time"
        case .uuid: "a UUID"
        case .jsonb: "JSON"
        case .element: "a value of JSON"
        }
    }

    var isInteger: Bool { self == .smallint || self == .integer || self == .bigint }
    var isReal: Bool { self == .real || self == .double }
    var isNumber: Bool { isInteger || isReal || self == .numeric }
    var isTime: Bool { self == .timestamptz || self == .date || self == .time }

    /// What is calculated with it: as wide as SQLite's numbers.
    var calculated: PostgresType {
        switch self {
        case .boolean, .smallint, .integer, .bigint: .bigint
        case .real: .double
        default: self
        }
    }

    /// The integers that it holds.
    var integers: ClosedRange<Int64> {
        switch self {
        case .smallint: Int64(Int16.min)...Int64(Int16.max)
        case .integer: Int64(Int32.min)...Int64(Int32.max)
        case .boolean: 0...1
        default: .min ... .max
        }
    }

    /// The type of values of both, as far as those of SQLite would be compared or mixed; nil where there is none.
    func united(with other: PostgresType) -> PostgresType? {
        if self == other { return self }
        if self == .element || other == .element { return .element }
        let (left, right) = (calculated, other.calculated)
        if left == right { return left }
        switch (left, right) {
        case (.bigint, .double), (.double, .bigint): return .double
        case (.bigint, .numeric), (.numeric, .bigint): return .numeric
        default: return nil
        }
    }
}

/// What PostgreSQL cannot do as SQLite does it.
func lacksInPostgres(_ what: String, hint: String) -> CormorantError {
    CormorantError(.unsupported, "PostgreSQL has no \(what)", hint: hint)
}

/// PostgreSQL cuts a longer name off, so that two could be one.
func checkPostgresName(_ name: String) throws {
    guard name.utf8.count > 63 else { return }
    throw CormorantError(
        .unsupported, "the name \"\(name)\" has \(name.utf8.count) bytes, and PostgreSQL's have 63 at most",
        hint: "give it a shorter one")
}

extension ColumnType {
    /// The type of a model's column that reads and writes a server's type as it is; any type that is none of ours crosses as a text.
    /// Numbers: PostgreSQL's pg_type.dat.
    /// - Parameter modifier: the length of a varchar, with 4 added.
    package init(serverType: Int64, modifier: Int64) {
        switch serverType {
        case 16: self = .bool
        case 17: self = .blob
        case 20, 26: self = .int64
        case 21, 23: self = .int32
        case 114, 3802: self = .json
        case 700: self = .float
        case 701: self = .double
        case 1043 where modifier > 4: self = .varchar(Int(modifier - 4))
        case 1082: self = .date
        case 1083: self = .time
        case 1114, 1184: self = .datetime
        case 1700: self = .decimal
        case 2950: self = .uuid
        default: self = .text
        }
    }
}
