import CSQLite
import CormorantBase

extension StoredFault {
    /// Its number is put above SQLite's MISMATCH.
    var status: Int32 { SQLITE_MISMATCH | rawValue << 8 }
}

extension Connection {
    /// Makes the functions known through which statements write values that only SQLite knows. No schema can use them, so
    /// that any program reads the file.
    ///
    /// `corm_stored(value, type, property)`: the value as a column of that type holds it. The type is a name of `ColumnType`;
    /// integers have their width, and `u` before it where they have no sign; `decimal(2)` has so many digits after the point.
    ///
    /// `corm_kept(value, declared, schema, table, column)`: the value, where the column leaves it as it is. What is declared is
    /// its affinity's first letter and its type (https://www.sqlite.org/datatype3.html#type_affinity).
    func registerStoredFunctions() throws {
        try register("corm_stored", arguments: 3) { context, _, values in
            guard let values, let value = values[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
            let type = String(decoding: textOf(values[1]) ?? .init(start: nil, count: 0), as: UTF8.self)
            do throws(StoredFault) {
                try give(value, as: type, context)
            } catch {
                let why = error == .scale ? "has more digits than its \(type)" : "its type \(type) cannot hold"
                fail(context, error, "\(text(of: values[2])) is set to \(shown(value)), which \(why)")
            }
        }
        try register("corm_kept", arguments: 5) { context, _, values in
            guard let values, let value = values[0] else { return }
            let declared = text(of: values[1])
            let affinity = declared.utf8.first
            let isText = affinity == UInt8(ascii: "T")
            let changes =
                switch sqlite3_value_type(value) {
                case SQLITE_INTEGER: isText || affinity == UInt8(ascii: "R")
                case SQLITE_FLOAT: isText
                case SQLITE_TEXT where !isText: isNumber(value)
                default: false
                }
            let (schema, table, column) = (text(of: values[2]), text(of: values[3]), text(of: values[4]))
            guard changes,
                // It may have been rebuilt.
                currentType(
                    of: column, in: table, of: schema.isEmpty ? nil : schema, sqlite3_context_db_handle(context))
                    ?? declared == declared.dropFirst()
            else { return sqlite3_result_value(context, value) }
            let made = isText ? "a text" : affinity == UInt8(ascii: "R") ? "a real" : "a number"
            fail(
                context, .converted,
                "the column \(table).\(column) is declared \(declared.dropFirst()), which makes \(made) of \(shown(value))"
            )
        }
    }

    /// The declared type of a table's column; nil where there is no such table or column.
    package func declaredType(of column: String, in table: String, of schema: String?) -> String? {
        currentType(of: column, in: table, of: schema, handle)
    }
}

/// Source: https://www.sqlite.org/c3ref/table_column_metadata.html
private func currentType(
    of column: String, in table: String, of schema: String?, _ connection: OpaquePointer?
) -> String? {
    var type: UnsafePointer<CChar>?
    let status = sqlite3_table_column_metadata(connection, schema, table, column, &type, nil, nil, nil, nil)
    return status == SQLITE_OK ? type.map { String(cString: $0) } ?? "" : nil
}

private func give(_ value: OpaquePointer, as type: String, _ context: OpaquePointer?) throws(StoredFault) {
    let storage = sqlite3_value_type(value)
    switch type {
    case "int64", "int32", "int16", "int8", "bool", "uint64", "uint32", "uint16", "uint8":
        let number = try integer(value)
        let range: ClosedRange<Int64> =
            switch type {
            case "int64": .min ... .max
            case "int32": Int64(Int32.min)...Int64(Int32.max)
            case "int16": Int64(Int16.min)...Int64(Int16.max)
            case "int8": Int64(Int8.min)...Int64(Int8.max)
            case "bool": 0...1
            case "uint8": 0...Int64(UInt8.max)
            case "uint16": 0...Int64(UInt16.max)
            case "uint32": 0...Int64(UInt32.max)
            default: 0 ... .max
            }
        guard range.contains(number) else { throw .range }
        sqlite3_result_int64(context, number)
    case "double", "float":
        let number = try real(value)
        guard type == "float" else { return sqlite3_result_double(context, number) }
        guard let rounded = Float(rounding: number) else { throw .range }
        sqlite3_result_double(context, Double(rounded))
    case "blob":
        guard storage == SQLITE_BLOB else { throw .type }
        sqlite3_result_value(context, value)
    case "duration": sqlite3_result_int64(context, try integer(value))
    case "date", "time", "offset_datetime":
        let form = type == "date" ? TimeForm.date : type == "time" ? .time : .offsetDatetime
        guard let text = textOf(value), let stored = form.stored(parsing: text) else { throw .type }
        setResult(.text(stored), context)
    case "datetime":
        guard let text = textOf(value), let time = Timestamp(parsing: text) else { throw .type }
        guard Timestamp.range.contains(time.microseconds) else { throw .range }
        setResult(.text(time.description), context)
    case "uuid":
        guard let text = textOf(value), let uuid = UUIDBytes(parsing: text) else { throw .type }
        setResult(.text(uuid.description), context)
    case "decimal":
        if storage == SQLITE_INTEGER { return setResult(.text(String(sqlite3_value_int64(value))), context) }
        guard let text = textOf(value), isDecimalText(text) else { throw .type }
        sqlite3_result_value(context, value)
    case _ where type.hasPrefix("char["):
        guard storage != SQLITE_BLOB else { throw .type }
        let text = storage == SQLITE_TEXT ? text(of: value) : shown(value)
        guard text.utf8.count < Int(type.dropFirst(5).dropLast()) ?? 0 else { throw .range }
        guard !text.utf8.contains(0) else { throw .type }
        setResult(.text(text), context)
    case _ where type.hasPrefix("decimal("):
        guard let scale = Int(type.dropFirst(8).dropLast()) else { throw .type }
        let number: ExactDecimal
        if storage == SQLITE_INTEGER {
            number = ExactDecimal(sqlite3_value_int64(value))
        } else {
            guard let text = textOf(value), let parsed = try? ExactDecimal(parsing: text) else { throw .type }
            number = parsed
        }
        guard let stored = number.rescaled(scale) else { throw .scale }
        setResult(.text(stored.text), context)
    default:
        guard storage != SQLITE_BLOB else { throw .type }
        if storage == SQLITE_TEXT { return sqlite3_result_value(context, value) }
        setResult(.text(shown(value)), context)
    }
}

private func integer(_ value: OpaquePointer) throws(StoredFault) -> Int64 {
    // The real that a text stands for may be another than what it says.
    let isText = sqlite3_value_type(value) == SQLITE_TEXT
    switch sqlite3_value_numeric_type(value) {
    case SQLITE_INTEGER: return sqlite3_value_int64(value)
    case SQLITE_FLOAT where !isText:
        guard let exact = Int64(exactly: sqlite3_value_double(value)) else { throw .range }
        return exact
    default: throw .type
    }
}

private func real(_ value: OpaquePointer) throws(StoredFault) -> Double {
    switch sqlite3_value_numeric_type(value) {
    case SQLITE_INTEGER:
        guard let exact = Double(exactly: sqlite3_value_int64(value)) else { throw .range }
        return exact
    case SQLITE_FLOAT: return sqlite3_value_double(value)
    default: throw .type
    }
}

private func isNumber(_ value: OpaquePointer) -> Bool {
    guard let copy = sqlite3_value_dup(value) else { return true }
    defer { sqlite3_value_free(copy) }
    return sqlite3_value_numeric_type(copy) != SQLITE_TEXT
}

private func text(of value: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_text(value) else { return "" }
    return String(
        decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
}

/// A number with all of its digits; another value as messages show it.
private func shown(_ value: OpaquePointer) -> String {
    switch sqlite3_value_type(value) {
    case SQLITE_BLOB: return "a blob"
    case SQLITE_TEXT:
        let text = text(of: value)
        return "the text '\(text.unicodeScalars.count > 100 ? String(text.unicodeScalars.prefix(100)) + "..." : text)'"
    case SQLITE_FLOAT: return sqlite3_value_double(value).description
    default: return text(of: value)
    }
}

private func fail(_ context: OpaquePointer?, _ fault: StoredFault, _ message: String) {
    sqlite3_result_error(context, message, -1)
    sqlite3_result_error_code(context, fault.status)
}
