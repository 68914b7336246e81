import CSQLite
import CormorantBase

/// How messages about patterns begin.
let patternFault = "the pattern of REGEXP "
let patternHint =
    "known are . * + ? {n,m} [...] (...) | ^ $ \\b \\d \\s \\w, and \\ before any of them that is meant itself"

extension Connection {
    /// Makes `regexp(pattern, text)` known, which `text REGEXP pattern` calls. A function of the program's of that name and
    /// number of arguments takes its place. It cannot be used in a schema, so that any program reads the file.
    func registerRegularExpressions() throws {
        try register("regexp", arguments: 2) { context, _, values in
            guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL,
                sqlite3_value_type(values[1]) != SQLITE_NULL
            else { return sqlite3_result_null(context) }
            if let known = sqlite3_get_auxdata(context, 0) {
                return give(Unmanaged<Pattern>.fromOpaque(known).takeUnretainedValue(), values[1], context)
            }
            do throws(RegularExpression.Fault) {
                let pattern = Pattern(try RegularExpression(anyText(of: values[0])))
                give(pattern, values[1], context)
                // As long as the pattern is the same for all rows.
                sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(pattern).toOpaque()) { pattern in
                    if let pattern { Unmanaged<Pattern>.fromOpaque(pattern).release() }
                }
            } catch {
                sqlite3_result_error(context, patternFault + error.message, -1)
            }
        }
    }
}

private final class Pattern {
    let expression: RegularExpression

    init(_ expression: RegularExpression) { self.expression = expression }
}

private func give(_ pattern: Pattern, _ text: OpaquePointer?, _ context: OpaquePointer?) {
    sqlite3_result_int(context, pattern.expression.fits(anyText(of: text)) ? 1 : 0)
}

/// A value as text, as LIKE takes it.
private func anyText(of value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
}
