import CSQLite
import CormorantBase

extension Connection {
    /// Makes `corm_datetime(value)` known: a time in any form of ISO 8601 as datetime columns have it; any other value as it
    /// is. `corm_offset_datetime(value)` does so of a time with an offset. They cannot be used in a schema, so that any program reads the file.
    func registerTimeFunction() throws {
        // The same of the time of day, alone or behind a date.
        try register("corm_time", arguments: 1) { context, _, values in
            guard let value = values?[0] else { return }
            guard let text = textOf(value),
                let time = TimeForm.time.value(parsing: text) ?? Timestamp(parsing: text).map(\.microsecondsOfDay),
                let form = try? TimeForm.time.text(of: time, "it")
            else { return sqlite3_result_value(context, value) }
            setResult(.text(form), context)
        }
        try register("corm_datetime", arguments: 1) { context, _, values in
            guard let value = values?[0] else { return }
            guard let text = textOf(value),
                let time = Timestamp(parsing: text) ?? OffsetTimestamp(stored: text)?.timestamp,
                Timestamp.range.contains(time.microseconds)
            else { return sqlite3_result_value(context, value) }
            setResult(.text(time.description), context)
        }
        try register("corm_offset_datetime", arguments: 1) { context, _, values in
            guard let value = values?[0] else { return }
            guard let text = textOf(value), let form = TimeForm.offsetDatetime.stored(parsing: text) else {
                return sqlite3_result_value(context, value)
            }
            setResult(.text(form), context)
        }
    }

    /// Makes a function known whose result depends on its arguments alone.
    /// Source: https://www.sqlite.org/c3ref/create_function.html
    func register(
        _ name: String, arguments: Int32,
        _ call: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws {
        let status = sqlite3_create_function_v2(
            handle, name, arguments, functionFlags, nil, call, nil, nil, nil)
        if status != SQLITE_OK { throw error(status) }
    }
}

let functionFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY

/// The bytes of a text argument, until the function returns; nil for a value of another kind.
func textOf(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let bytes = sqlite3_value_text(value) else { return nil }
    return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
}
