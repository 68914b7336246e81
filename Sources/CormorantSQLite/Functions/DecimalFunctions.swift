import CSQLite
import CormorantBase

extension Connection {
    /// Makes the functions known that statements built of expressions calculate decimals with. With NULL the result is NULL;
    /// `corm_decimal_sum` leaves NULLs out. No schema can use them, so that any program reads the file.
    func registerDecimalFunctions() throws {
        try register("corm_decimal", arguments: 1) { calculate($0, $2, 1) { values throws(DecimalFault) in values[0] } }
        try register("corm_decimal_neg", arguments: 1) {
            calculate($0, $2, 1) { values throws(DecimalFault) in -values[0] }
        }
        try register("corm_decimal_abs", arguments: 1) {
            calculate($0, $2, 1) { values throws(DecimalFault) in values[0].magnitude }
        }
        try register("corm_decimal_add", arguments: 2) {
            calculate($0, $2, 2) { values throws(DecimalFault) in try values[0] + values[1] }
        }
        try register("corm_decimal_sub", arguments: 2) {
            calculate($0, $2, 2) { values throws(DecimalFault) in try values[0] + -values[1] }
        }
        try register("corm_decimal_mul", arguments: 2) {
            calculate($0, $2, 2) { values throws(DecimalFault) in try values[0] * values[1] }
        }
        // Source: https://www.sqlite.org/windowfunctions.html#user_defined_aggregate_window_functions
        let status = sqlite3_create_window_function(
            handle, "corm_decimal_sum", 1, functionFlags, nil,
            { context, _, values in change(context, values?[0], isLeaving: false) },
            { context in
                give(sum(context, makesOne: false), context)
                takeSum(context)
            },
            { context in give(sum(context, makesOne: false), context) },
            { context, _, values in change(context, values?[0], isLeaving: true) }, nil)
        if status != SQLITE_OK { throw error(status) }
    }
}

private func calculate(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int,
    _ body: ([ExactDecimal]) throws(DecimalFault) -> ExactDecimal
) {
    var numbers: [ExactDecimal] = []
    do throws(DecimalFault) {
        for index in 0..<count {
            guard let number = try decimal(values?[index]) else { return }
            numbers.append(number)
        }
        setResult(.text(try body(numbers).text), context)
    } catch {
        fail(error, context)
    }
}

/// nil for NULL.
private func decimal(_ value: OpaquePointer?) throws(DecimalFault) -> ExactDecimal? {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER: return ExactDecimal(sqlite3_value_int64(value))
    case SQLITE_FLOAT: throw .real
    case SQLITE_BLOB: throw .blob
    default:
        guard let text = textOf(value) else { throw .text }
        return try ExactDecimal(parsing: text)
    }
}

private func fail(_ fault: DecimalFault, _ context: OpaquePointer?) {
    sqlite3_result_error(context, fault.rawValue, -1)
}

/// The sum that SQLite keeps memory for; it begins as zeros.
private func sum(_ context: OpaquePointer?, makesOne: Bool) -> DecimalSum? {
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard let place = sqlite3_aggregate_context(context, makesOne ? size : 0) else { return nil }
    if let known = place.load(as: UnsafeRawPointer?.self) {
        return Unmanaged<DecimalSum>.fromOpaque(known).takeUnretainedValue()
    }
    guard makesOne else { return nil }
    let made = DecimalSum()
    place.storeBytes(of: UnsafeRawPointer(Unmanaged.passRetained(made).toOpaque()), as: UnsafeRawPointer?.self)
    return made
}

private func takeSum(_ context: OpaquePointer?) {
    guard let place = sqlite3_aggregate_context(context, 0),
        let known = place.load(as: UnsafeRawPointer?.self)
    else { return }
    place.storeBytes(of: nil, as: UnsafeRawPointer?.self)
    Unmanaged<DecimalSum>.fromOpaque(known).release()
}

private func change(_ context: OpaquePointer?, _ value: OpaquePointer?, isLeaving: Bool) {
    guard sqlite3_value_type(value) != SQLITE_NULL, let sum = sum(context, makesOne: true) else { return }
    do throws(DecimalFault) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: try sum.add(sqlite3_value_int64(value), isLeaving: isLeaving)
        case SQLITE_FLOAT: throw .real
        case SQLITE_BLOB: throw .blob
        default:
            guard let text = textOf(value) else { throw .text }
            try sum.add(text, isLeaving: isLeaving)
        }
    } catch {
        fail(error, context)
    }
}

private func give(_ sum: DecimalSum?, _ context: OpaquePointer?) {
    do throws(DecimalFault) {
        guard let value = try sum?.value() else { return sqlite3_result_null(context) }
        setResult(.text(value.text), context)
    } catch {
        fail(error, context)
    }
}
