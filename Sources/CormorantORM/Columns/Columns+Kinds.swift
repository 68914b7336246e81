import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// What the values of a result column are.
package enum ColumnKind: UInt8, Sendable {
    /// Nothing but NULL.
    case null
    case int64
    case int32
    case uint64
    case uint32
    case bool
    case double
    case float
    case text
    case blob
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    case time
    /// Days since 1970-01-01.
    case date
    /// Microseconds since midnight.
    case timeOfDay
    /// Microseconds.
    case duration
    /// The moments of offset datetimes, as `time`.
    case moment
}

/// What is known of a result column before its rows are read.
struct ColumnOutline {
    var name: String
    /// Its place in the row.
    let source: Int32
    let kind: ColumnKind
    /// Whether it may hold NULL.
    var isOptional = true
    /// Whether the first value may show another kind.
    var isOpen = false
}

extension StatementCursor {
    /// The columns of its rows. Once the statement has ended, what tables declare is no longer known.
    /// - Parameter names: what they are called; empty: the model's properties, else the statement's names.
    func outlineColumns(names: [String]) throws -> [ColumnOutline] {
        var outlines = outlineColumns()
        guard !names.isEmpty else { return outlines }
        guard names.count == outlines.count else {
            throw CormorantError(
                .misuse, "\(names.count) names were given for \(outlines.count) columns", hint: "give one for each")
        }
        for (index, name) in names.enumerated() { outlines[index].name = name }
        return outlines
    }

    private func outlineColumns() -> [ColumnOutline] {
        if let model {
            return model.columns.indices.map { index in
                let column = model.columns[index]
                return ColumnOutline(
                    name: column.name, source: columns[index],
                    kind: ColumnKind(column.type, isUnsigned: column.isUnsigned),
                    isOptional: column.isOptional && !column.notNull)
            }
        }
        let known = compiled.map { $0.records?.columns ?? $0.columns.map { $0?.column } } ?? []
        let types = declaredTypes
        return columnNames.indices.map { index in
            let source = Int32(truncatingIfNeeded: index)
            if known.indices.contains(index), let column = known[index] {
                return ColumnOutline(
                    name: columnNames[index], source: source,
                    kind: ColumnKind(column.type, isUnsigned: column.isUnsigned),
                    isOptional: compiled?.records == nil || column.isOptional && !column.isNotNull)
            }
            let (kind, isOpen) = ColumnKind.declared(types.indices.contains(index) ? types[index] : nil)
            return ColumnOutline(name: columnNames[index], source: source, kind: kind, isOpen: isOpen)
        }
    }
}

extension ColumnKind {
    init(_ type: ColumnType, isUnsigned: Bool) {
        switch type {
        case .int64: self = isUnsigned ? .uint64 : .int64
        case .int32: self = isUnsigned ? .uint32 : .int32
        case .bool: self = .bool
        case .double: self = .double
        case .float: self = .float
        case .text, .varchar, .uuid, .decimal, .json: self = .text
        case .blob: self = .blob
        case .datetime: self = .time
        case .date: self = .date
        case .time: self = .timeOfDay
        case .duration: self = .duration
        case .offsetDatetime: self = .moment
        }
    }

    /// The kind of a column with that declared type. It is open where the type has NUMERIC affinity, which is that of all
    /// names SQLite does not know, STRING and DATETIME among them: there it is what the name makes likely.
    /// Source: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
    static func declared(_ type: String?) -> (kind: ColumnKind, isOpen: Bool) {
        guard let type else { return (.null, true) }
        let name = foldIdentifier(type)
        func has(_ parts: String...) -> Bool {
            name.indices.contains { start in parts.contains { name[start...].hasPrefix($0) } }
        }
        if has("int") { return (.int64, false) }
        if has("char", "clob", "text") { return (.text, false) }
        if has("blob") { return (.blob, false) }
        if has("real", "floa", "doub") { return (.double, false) }
        if has("bool") { return (.bool, true) }
        if ColumnType(declaredType: type, affinity: .numeric) == .offsetDatetime { return (.moment, true) }
        if has("datetime", "timestamp") { return (.time, true) }
        if sameIdentifier(type, "date") { return (.date, true) }
        if sameIdentifier(type, "time") { return (.timeOfDay, true) }
        if sameIdentifier(type, "duration") { return (.duration, true) }
        if name.hasPrefix("num") || name.hasPrefix("dec") { return (.double, true) }
        return (.null, true)
    }

    /// The kind of a column by its first value.
    func decided(by cell: Cell) -> ColumnKind {
        switch cell.type {
        case StorageType.integer:
            self == .double || self == .duration || self == .bool && 0...1 ~= cell.int64 ? self : .int64
        case StorageType.real: .double
        case StorageType.text: form?.value(stored: cell.text) != nil ? self : .text
        case StorageType.blob: .blob
        default: self
        }
    }

    /// How many bytes a value has; of a text or blob, its place among the bytes.
    var width: Int {
        switch self {
        case .null, .bool: 0
        case .int32, .uint32, .float, .text, .blob, .date: 4
        case .int64, .uint64, .double, .time, .timeOfDay, .duration, .moment: 8
        }
    }

    /// The form that the file has of its values, of a kind of times.
    var form: TimeForm? {
        switch self {
        case .time: .datetime
        case .date: .date
        case .timeOfDay: .time
        case .moment: .offsetDatetime
        default: nil
        }
    }

    var hasOffsets: Bool { self == .text || self == .blob }

    /// What its values are, in messages.
    package var plural: StaticString {
        switch self {
        case .null: "NULL alone"
        case .int64, .int32, .uint64, .uint32: "integers"
        case .bool: "0 and 1"
        case .double, .float: "reals"
        case .text: "text"
        case .blob: "blobs"
        case .time, .moment: "times"
        case .date: "dates"
        case .timeOfDay: "times of day"
        case .duration: "durations"
        }
    }
}
