public import CCormorant
import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

final class Answer: HandleObject {
    static var kind: HandleKind { .answer }
    /// nil: none yet.
    fileprivate var value: Value?
}

@_cdecl("corm_answer_set") @implementation
public func corm_answer_set(
    _ handle: OpaquePointer?, _ value: UnsafePointer<corm_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let answer = try Handles.require(handle, as: Answer.self)
        guard let value else {
            throw CormorantError(.misuse, "the value is NULL", hint: "pass corm_value_null() for SQL's NULL")
        }
        answer.value = try plainValue(value.pointee, "the function's value")
        return CORM_OK
    }
}

@_cdecl("corm_database_register_function") @implementation
public func corm_database_register_function(
    _ handle: OpaquePointer?, _ function: UnsafePointer<corm_function>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        guard let function else {
            throw CormorantError(.misuse, "the function is NULL", hint: "pass a corm_function")
        }
        let raw: corm_function = try readStruct(function, function.pointee.struct_size, "corm_function") {
            _ = HostContext($0.context, $0.release)
        }
        let context = HostContext(raw.context, raw.release)
        try requireZero(raw.reserved, "corm_function")
        let name = try string(raw.name, "name")
        let definition = try kind(of: raw, name, context).map {
            HostFunction(
                name, raw.argument_count, isDeterministic: raw.is_deterministic, inSchema: raw.in_schema, $0)
        }
        try database(handle).register(.function(name, raw.argument_count, definition))
        return CORM_OK
    }
}

/// nil where it has no callbacks.
private func kind(of raw: corm_function, _ name: String, _ context: HostContext) throws -> HostFunction.Kind? {
    if let call = raw.call {
        guard raw.step == nil, raw.value == nil, raw.inverse == nil else {
            throw CormorantError(
                .misuse, "the function \(name) has call, and callbacks of an aggregate",
                hint: "give call alone, or step and value")
        }
        return .scalar { arguments in
            try answer(of: name, context) { answer, error in
                withValues(arguments) { call($0, arguments.count, answer, context.context, &error) }
            }
        }
    }
    guard raw.step != nil || raw.value != nil || raw.inverse != nil else { return nil }
    guard let step = raw.step, let value = raw.value else {
        throw CormorantError(
            .misuse, "the aggregate \(name) lacks step or value", hint: "give both, or call for a function of one row")
    }
    let callbacks = AggregateCallbacks(
        name: name, step: step, inverse: raw.inverse, value: value, release: raw.release_state, context: context)
    return .aggregate(canSlide: raw.inverse != nil) { CallbackAggregate(callbacks) }
}

private struct AggregateCallbacks: Sendable {
    let name: String
    let step: corm_aggregate_callback
    let inverse: corm_aggregate_callback?
    let value: corm_aggregate_value_callback
    let release: corm_release?
    let context: HostContext
}

/// The rows of one group.
private final class CallbackAggregate: HostAggregate {
    private let callbacks: AggregateCallbacks
    private var state: UnsafeMutableRawPointer?

    init(_ callbacks: AggregateCallbacks) { self.callbacks = callbacks }

    deinit { if let state { callbacks.release?(state) } }

    func step(_ arguments: FunctionArguments) throws { try run(callbacks.step, arguments) }

    func inverse(_ arguments: FunctionArguments) throws {
        if let inverse = callbacks.inverse { try run(inverse, arguments) }
    }

    private func run(_ callback: corm_aggregate_callback, _ arguments: FunctionArguments) throws {
        var error = callbacks.context.unrun
        let status = withValues(arguments) {
            callback(&state, $0, arguments.count, callbacks.context.context, &error)
        }
        try check(status, error, callbacks.name, callbacks.context)
    }

    func value() throws -> Value {
        try answer(of: callbacks.name, callbacks.context) { callbacks.value(state, $0, callbacks.context.context, &$1) }
    }
}

private func answer(
    of function: String, _ context: HostContext, _ call: (OpaquePointer, inout OpaquePointer?) -> corm_status
) throws -> Value {
    let answer = Answer()
    let handle = try Handles.add(answer)
    defer { Handles.remove(handle, as: Answer.self) }
    var error = context.unrun
    let status = call(handle, &error)
    try check(status, error, function, context)
    guard let value = answer.value else {
        throw CormorantError(
            .callback, "the function \(function) gave no value", hint: "call corm_answer_set, for NULL as well")
    }
    return value
}

private func check(
    _ status: corm_status, _ error: OpaquePointer?, _ function: String, _ context: HostContext
) throws {
    try context.requireRun(error, "the function \(function)")
    if status < 0 || error != nil { throw failure(of: "the function \(function)", status, error) }
}

/// Their bytes are SQLite's, until the call returns.
private func withValues<Result>(
    _ arguments: FunctionArguments, _ body: (UnsafePointer<corm_value>?) -> Result
) -> Result {
    withUnsafeTemporaryAllocation(of: corm_value.self, capacity: arguments.count) { values in
        for index in 0..<arguments.count { values.initializeElement(at: index, to: borrowedValue(arguments[index])) }
        return body(UnsafePointer(values.baseAddress))
    }
}

@_cdecl("corm_database_register_collation") @implementation
public func corm_database_register_collation(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ compare: corm_collation_callback?,
    _ context: UnsafeMutableRawPointer?, _ release: corm_release?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    let context = HostContext(context, release)
    return boundary(outError) {
        let name = try string(name, "name")
        let collation = compare.map { compare in
            HostCollation(name) { left, right in
                var error = context.unrun
                let order = compare(
                    left.bindMemory(to: CChar.self).baseAddress ?? emptyText, left.count,
                    right.bindMemory(to: CChar.self).baseAddress ?? emptyText, right.count, context.context, &error)
                try context.requireRun(error, "the collation \(name)")
                if error != nil { throw failure(of: "the collation \(name)", CORM_E_CALLBACK, error) }
                return Int(order)
            }
        }
        try database(handle).register(.collation(name, collation))
        return CORM_OK
    }
}
