public import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform
import CormorantSQLite

/// A value of the row. What is wrong stays in the result, and is what its next step gives: the first of several.
private func read<Result>(
    _ handle: OpaquePointer?, _ column: Int, _ none: Result, _ body: (corm_value, ResultBox) throws -> Result
) -> Result {
    guard let result = Handles.object(handle, as: ResultBox.self) else { return none }
    do {
        return try body(result.value(column), result)
    } catch {
        result.note(result.cursor.located(error))
        return none
    }
}

extension ResultBox {
    func value(_ column: Int) throws -> corm_value {
        guard column >= 0, column < columnCount else {
            throw CormorantError(
                .misuse, "there is no column \(column)", hint: "the row has \(columnCount) columns, counted from 0")
        }
        return try cursor.row { borrowedValue($0, Int32(truncatingIfNeeded: column)) }
    }

    fileprivate func wrong(_ column: Int, _ value: corm_value, _ wanted: String) -> CormorantError {
        let name = cursor.columnNames[column]
        guard value.type != CORM_VALUE_NULL else {
            return CormorantError(
                .nullValue, "column \"\(name)\" is NULL, not \(wanted)", hint: "ask corm_result_is_null first",
                columns: [name])
        }
        let held =
            switch value.type {
            case CORM_VALUE_INTEGER: "an integer"
            case CORM_VALUE_REAL: "a real"
            case CORM_VALUE_TEXT: "text"
            default: "a blob"
            }
        return CormorantError(
            .type, "column \"\(name)\" holds \(held), not \(wanted)", hint: "read it as what it is, or cast it in SQL",
            columns: [name])
    }
}

@_cdecl("corm_result_is_null") @implementation
public func corm_result_is_null(_ handle: OpaquePointer?, _ column: Int) -> Bool {
    read(handle, column, true) { value, _ in value.type == CORM_VALUE_NULL }
}

@_cdecl("corm_result_int64") @implementation
public func corm_result_int64(_ handle: OpaquePointer?, _ column: Int) -> Int64 {
    read(handle, column, 0) { value, result in
        guard value.type == CORM_VALUE_INTEGER else { throw result.wrong(column, value, "an integer") }
        return value.as.integer
    }
}

@_cdecl("corm_result_double") @implementation
public func corm_result_double(_ handle: OpaquePointer?, _ column: Int) -> Double {
    read(handle, column, 0) { value, result in
        if value.type == CORM_VALUE_INTEGER { return Double(value.as.integer) }
        guard value.type == CORM_VALUE_REAL else { throw result.wrong(column, value, "a number") }
        return value.as.real
    }
}

@_cdecl("corm_result_bool") @implementation
public func corm_result_bool(_ handle: OpaquePointer?, _ column: Int) -> Bool {
    read(handle, column, false) { value, result in
        guard value.type == CORM_VALUE_INTEGER, (0...1).contains(value.as.integer) else {
            throw result.wrong(column, value, "0 or 1")
        }
        return value.as.integer == 1
    }
}

@_cdecl("corm_result_text") @implementation
public func corm_result_text(_ handle: OpaquePointer?, _ column: Int) -> UnsafePointer<CChar>? {
    read(handle, column, nil) { value, result in
        guard value.type != CORM_VALUE_NULL else { return nil }
        guard value.type == CORM_VALUE_TEXT, let data = value.as.bytes.data else {
            throw result.wrong(column, value, "text")
        }
        let text = data.assumingMemoryBound(to: CChar.self)
        // SQLite ends it with a NUL.
        guard strlen(text) == value.as.bytes.size else {
            throw CormorantError(
                .encoding, "column \"\(result.cursor.columnNames[column])\" holds text with a NUL character",
                hint: "read it by corm_result_get, which gives its size")
        }
        return text
    }
}

@_cdecl("corm_result_blob") @implementation
public func corm_result_blob(_ handle: OpaquePointer?, _ column: Int) -> corm_blob {
    read(handle, column, corm_blob()) { value, result in
        guard value.type != CORM_VALUE_NULL else { return corm_blob() }
        guard value.type == CORM_VALUE_BLOB else { throw result.wrong(column, value, "a blob") }
        return corm_blob(data: value.as.bytes.data, size: value.as.bytes.size)
    }
}
