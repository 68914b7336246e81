import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A column that records go into. It takes what it can hold as it is, and what its models can read; a time or a UUID in
/// another form is brought to that of the file, and all else is refused.
struct ImportColumn {
    /// What a column takes, and how a value becomes that.
    enum Storage: Equatable {
        case integer(ClosedRange<Int64>)
        case number
        /// Of 32 bits.
        case float
        case bool
        case text
        case blob
        case time(TimeForm)
        case uuid
        case decimal
        /// Anything, but SQLite makes a number of what looks like one.
        case numeric
        /// Whatever the value is.
        case any
    }

    let name: String
    let storage: Storage
    let isGenerated: Bool
    private let isNotNull: Bool
    private let declaredType: String
    /// Whether SQLite makes a double of an integer.
    private let isReal: Bool
    /// Whether a model reads the column, which takes no blob for a text, and no text for a blob.
    private let isModeled: Bool
    private let limit: ServerLimit?

    /// - Parameters:
    ///   - notes: what a model says of the table's columns, as `ModelRegistry` keeps it; nil of a table without model.
    ///   - hasOtherTimes: whether the column is declared as times, and holds them in another form.
    ///   - isOnServer: whether the declared type limits what it holds.
    init(
        _ column: ColumnMetadata, of table: TableMetadata, notes: Set<String>?, hasOtherTimes: Bool, isOnServer: Bool
    ) {
        limit = isOnServer ? ServerLimit(column.declaredType) : nil
        name = column.name
        isGenerated = column.isGenerated
        isNotNull = !column.isNullable && table.rowIDColumn.map { !sameIdentifier(column.name, $0) } ?? true
        declaredType = column.declaredType
        isReal = column.affinity == .real
        isModeled = notes != nil
        let storage = Self.storage(column, notes ?? [])
        self.storage = hasOtherTimes ? .numeric : storage
    }

    static func storage(_ column: ColumnMetadata, _ notes: Set<String> = []) -> Storage {
        let folded = foldIdentifier(column.name)
        func says(_ kind: String) -> Bool { notes.contains("-- \(folded) \(kind)") }
        switch column.type {
        case .int64, .int32, .duration:
            if says("bool") { return .bool }
            if says("int32") { return .integer(Int64(Int32.min)...Int64(Int32.max)) }
            if says("unsigned int32") { return .integer(0...Int64(UInt32.max)) }
            return .integer(says("unsigned int64") ? 0...Int64.max : Int64.min...Int64.max)
        case .double, .float: return says("float") ? .float : .number
        case .bool: return .bool
        case .blob: return .blob
        case .datetime: return .time(.datetime)
        case .date: return .time(.date)
        case .time: return .time(.time)
        case .offsetDatetime: return .time(.offsetDatetime)
        case .uuid: return .uuid
        case .decimal: return .decimal
        case nil where column.affinity == .blob: return .any
        case .text, .varchar, .json, nil:
            if says("datetime") { return .time(.datetime) }
            if says("date") { return .time(.date) }
            if says("time") { return .time(.time) }
            if says("offset_datetime") { return .time(.offsetDatetime) }
            if says("uuid") { return .uuid }
            if says("decimal") { return .decimal }
            return column.affinity == .text ? .text : .numeric
        }
    }

    /// Binds a value to the parameter of a statement.
    /// - Returns: why the column cannot take it.
    func bind(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        switch field.kind {
        case .missing: return nil
        case .null:
            // CSV has no other way to write an empty text in a column that must have one.
            if isNotNull, storage == .text || storage == .numeric, field.bytes.baseAddress != nil, field.bytes.isEmpty {
                try field.bindText(statement, parameter)
            } else {
                statement.bindNull(parameter)
            }
            return nil
        case .base64: return try bindEncoded(field, statement, parameter)
        case .json where storage != .text && storage != .any && storage != .numeric && storage != .blob:
            return "it cannot hold an array or object"
        case .bool where storage == .any || storage == .number || storage == .float:
            statement.bind(field.bytes.first == UInt8(ascii: "t") ? Int64(1) : 0, parameter)
            return nil
        case .json, .bool, .number, .plain, .quoted, .text: break
        }
        if let limit, !limit.holds(field.trimmed, whole: field.bytes) {
            return "\(shown(field)) would be rounded or cut by \(declaredType)"
        }
        switch storage {
        case .integer(let range): return bindInteger(field, range, statement, parameter)
        case .number, .float: return bindNumber(field, statement, parameter)
        case .bool: return bindBool(field, statement, parameter)
        case .blob: return try bindBlob(field, statement, parameter)
        case .time(let form): return try bind(form, field, statement, parameter)
        case .uuid:
            guard field.kind != .number, let uuid = UUIDBytes(parsing: field.trimmed) else {
                return "\(shown(field)) is no UUID"
            }
            try statement.bind(.text(uuid.description), parameter)
        case .decimal:
            let bytes = field.trimmed
            guard isDecimalText(bytes) else { return "\(shown(field)) is no decimal number" }
            try ImportField(kind: .text, bytes: bytes).bindText(statement, parameter)
        case .numeric: return try bindNumeric(field, statement, parameter)
        case .any: return try bindAny(field, statement, parameter)
        case .text: try field.bindText(statement, parameter)
        }
        return nil
    }

    // MARK: Numbers

    private func bindInteger(
        _ field: ImportField, _ range: ClosedRange<Int64>, _ statement: Statement, _ parameter: Int32
    ) -> String? {
        let value: Int64
        switch NumberForm(field.bytes) {
        case .integer(let integer): value = integer
        case .real:
            // 1.0 and 1e3, too.
            guard let whole = Int64(String(decoding: shortestDecimal(field.trimmed), as: UTF8.self)) else {
                return "\(shown(field)) is no 64-bit integer"
            }
            value = whole
        case nil where field.kind == .bool: value = field.bytes.first == UInt8(ascii: "t") ? 1 : 0
        case nil: return "\(shown(field)) is no integer"
        }
        guard range.contains(value) else {
            return "\(shown(field)) is not from \(range.lowerBound) to \(range.upperBound)"
        }
        statement.bind(value, parameter)
        return nil
    }

    private func bindNumber(_ field: ImportField, _ statement: Statement, _ parameter: Int32) -> String? {
        guard let form = NumberForm(field.bytes) else { return "\(shown(field)) is no number" }
        if case .integer(let value) = form {
            guard !isReal || Double(exactly: value) != nil else { return tooLong(field) }
            statement.bind(value, parameter)
            return nil
        }
        guard let value = exactDouble(field.trimmed) else { return tooLong(field) }
        if storage == .float, Float(rounding: value) == nil {
            return "\(shown(field)) does not fit into 32 bits"
        }
        statement.bind(value, parameter)
        return nil
    }

    private func tooLong(_ field: ImportField) -> String {
        let reason = Double(String(decoding: field.trimmed, as: UTF8.self)).map { $0.isInfinite || $0.isZero } ?? false
        return "\(shown(field)) \(reason ? "is beyond the range" : "has more digits than the 53 bits") of a double"
    }

    private func bindBool(_ field: ImportField, _ statement: Statement, _ parameter: Int32) -> String? {
        let truths: [StaticString] = ["true", "yes", "t", "y", "on"]
        let lies: [StaticString] = ["false", "no", "f", "n", "off"]
        if case .integer(let value)? = NumberForm(field.bytes), value == 0 || value == 1 {
            statement.bind(value, parameter)
        } else if truths.contains(where: { isWord(field.bytes, $0) }) {
            statement.bind(Int64(1), parameter)
        } else if lies.contains(where: { isWord(field.bytes, $0) }) {
            statement.bind(Int64(0), parameter)
        } else {
            return "\(shown(field)) is neither true nor false"
        }
        return nil
    }

    /// SQLite would make 7 of 007, and round what has many digits.
    private func bindNumeric(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        if let form = NumberForm(field.bytes) {
            guard isPlainNumber(field.bytes) else {
                return "\(shown(field)) would become another number in a column of the type \(visible(declaredType))"
            }
            field.bind(form, statement, parameter)
            return nil
        }
        try field.bindText(statement, parameter)
        return nil
    }

    private func bindAny(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        if field.kind == .number || field.kind == .plain, let form = NumberForm(field.bytes) {
            if isPlainNumber(field.bytes) {
                field.bind(form, statement, parameter)
                return nil
            }
            if field.kind == .number { return tooLong(field) }
        }
        if field.kind == .plain, let blob = bytes(blobLiteral: field.bytes) {
            try statement.bind(.blob(blob), parameter)
        } else {
            try field.bindText(statement, parameter)
        }
        return nil
    }

    // MARK: Texts and blobs

    private func bind(
        _ form: TimeForm, _ field: ImportField, _ statement: Statement, _ parameter: Int32
    ) throws -> String? {
        guard field.kind != .number, let stored = form.stored(parsing: field.trimmed) else {
            let right =
                switch form {
                case .datetime: "time of the years 1 to 9999 as 2026-01-31T12:00:00.123456Z"
                case .date: "date of the years 1 to 9999 as 2026-01-31"
                case .time: "time of day as 12:00:00.123456"
                case .offsetDatetime: "time with an offset of the years 1 to 9999 as 2026-01-31T12:00:00.123456+01:00"
                }
            return "\(shown(field)) is no \(right)"
        }
        try statement.bind(.text(stored), parameter)
        return nil
    }

    private func bindBlob(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        switch field.kind {
        case .plain, .quoted:
            guard let blob = bytes(blobLiteral: field.bytes) else {
                return "\(shown(field)) is no blob; write it as x'00ff'"
            }
            try statement.bind(.blob(blob), parameter)
        case .text: return try bindEncoded(field, statement, parameter)
        case .json:
            guard !isModeled, let text = try field.textAmongBlobs() else { return "it cannot hold an array or object" }
            try statement.bind(.text(text), parameter)
        case .number where !isModeled: return bindNumber(field, statement, parameter)
        default: return "\(shown(field)) is no blob; write it as base64"
        }
        return nil
    }

    private func bindEncoded(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        let isTaken = storage == .blob || storage == .any || (storage == .text || storage == .numeric) && !isModeled
        guard isTaken else { return "it cannot hold a blob" }
        guard let blob = bytes(base64: field.bytes) else { return "\(shown(field)) is no base64" }
        try statement.bind(.blob(blob), parameter)
        return nil
    }

    private func shown(_ field: ImportField) -> String {
        let text = visible(String(decoding: field.bytes.prefix(40), as: UTF8.self))
        return "\"\(text)\(field.bytes.count > 40 ? "…" : "")\""
    }
}

extension ImportField {
    /// Without the white space around it, as SQLite's numbers.
    fileprivate var trimmed: UnsafeBufferPointer<UInt8> { withoutSpace(bytes) }

    /// A text in a column of blobs, where a string is base64, as `corm export` writes it: `{"$text": "abc"}`.
    fileprivate func textAmongBlobs() throws -> String? {
        guard let base = bytes.baseAddress else { return nil }
        var scanner = JSONScanner(base: base, end: bytes.count, offset: 0, position: 0)
        guard try scanner.takeKey("$text", first: true), let token = try scanner.lastString() else { return nil }
        return String(unsafeUninitializedCapacity: token.bytes.count) { scanner.unescape(token, to: $0.baseAddress!) }
    }

    /// Binds what was found to be a plain number.
    fileprivate func bind(_ form: NumberForm, _ statement: Statement, _ parameter: Int32) {
        if case .integer(let value) = form {
            statement.bind(value, parameter)
        } else if let value = exactDouble(bytes) {
            statement.bind(value, parameter)
        }
    }

    @inline(__always)
    fileprivate func bindText(_ statement: Statement, _ parameter: Int32) throws {
        try statement.bindText(
            borrowing: UnsafeRawPointer(
                bytes.baseAddress ?? UnsafeRawPointer(emptyText).assumingMemoryBound(to: UInt8.self)),
            count: bytes.count, parameter)
    }
}
