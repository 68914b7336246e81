public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

@_cdecl("corm_statement_set") @implementation
public func corm_statement_set(
    _ handle: OpaquePointer?, _ property: UnsafePointer<CChar>?, _ value: OpaquePointer?
) {
    let value = consume(value)
    change(handle) { $0.set(try string(property, "property"), value) }
}

@_cdecl("corm_statement_values") @implementation
public func corm_statement_values(
    _ handle: OpaquePointer?, _ properties: UnsafePointer<CChar>?, _ values: UnsafePointer<OpaquePointer?>?,
    _ count: Int
) {
    let values = consume(values, count)
    change(handle) { $0.add(row: try names(properties, "properties"), values) }
}

@_cdecl("corm_statement_insert_select") @implementation
public func corm_statement_insert_select(
    _ handle: OpaquePointer?, _ properties: UnsafePointer<CChar>?, _ select: OpaquePointer?
) {
    change(handle) { box in
        let select = try consumeSelect(select)
        box.insert(try names(properties, "properties"), from: select)
    }
}

@_cdecl("corm_statement_conflict") @implementation
public func corm_statement_conflict(_ handle: OpaquePointer?, _ policy: Int32) {
    change(handle) { $0.conflict(try conflictPolicy(policy)) }
}

@_cdecl("corm_statement_upsert") @implementation
public func corm_statement_upsert(_ handle: OpaquePointer?, _ properties: UnsafePointer<CChar>?) {
    change(handle) { $0.upsert(try names(properties, "properties")) }
}

@_cdecl("corm_statement_upsert_set") @implementation
public func corm_statement_upsert_set(
    _ handle: OpaquePointer?, _ property: UnsafePointer<CChar>?, _ value: OpaquePointer?
) {
    let value = consume(value)
    change(handle) { $0.set(try string(property, "property"), value, inUpsert: true) }
}

@_cdecl("corm_statement_sql") @implementation
public func corm_statement_sql(
    _ handle: OpaquePointer?, _ arena: OpaquePointer?, _ outSQL: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outValues: UnsafeMutablePointer<UnsafePointer<corm_value>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try write(requireStatement(handle).statement(.sqlite), arena, outSQL, outValues, outCount)
        return CORM_OK
    }
}

/// A statement's parameters by name.
func parameters(_ values: UnsafePointer<corm_value>?, _ count: Int) throws -> [String: ParameterValue] {
    var named: [String: ParameterValue] = [:]
    for (index, value) in try array(values, count, "values").enumerated() {
        guard let name = value.name else {
            throw CormorantError(
                .binding, "value \(index) has no name", hint: "name each parameter's value with corm_value_named")
        }
        let text = try string(name, "parameter name")
        guard named.updateValue(try parameterValue(value, text), forKey: parameterName(text)) == nil else {
            throw givenTwice("\"\(text)\"")
        }
    }
    return named
}

private func parameterValue(_ value: corm_value, _ name: String) throws -> ParameterValue {
    guard value.type == CORM_VALUE_LIST else { return .value(try plainValue(value, "parameter \(name)")) }
    let items = value.as.bytes.data?.assumingMemoryBound(to: corm_value.self)
    return .list(try plainValues(items, value.as.bytes.size))
}

/// Without the sigil that raw SQL has.
package func parameterName(_ text: String) -> String {
    if let first = text.first, ":@$".contains(first) { return String(text.dropFirst()) }
    return text
}

@_cdecl("corm_statement_execute") @implementation
public func corm_statement_execute(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ values: UnsafePointer<corm_value>?, _ count: Int,
    _ outChanges: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let compiled = try requireStatement(statement).statement(database.dialect)
        let changes = try database.execute(compiled, parameters(values, count))
        outChanges?.pointee = changes
        return CORM_OK
    }
}

@_cdecl("corm_result_open_statement") @implementation
public func corm_result_open_statement(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ values: UnsafePointer<corm_value>?, _ count: Int,
    _ outResult: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        let database = try database(handle)
        let compiled = try requireStatement(statement).statement(database.dialect)
        let cursor = try database.cursor(compiled, parameters(values, count))
        out.pointee = try Handles.add(ResultBox(cursor))
        return CORM_OK
    }
}

@_cdecl("corm_statement_explain") @implementation
public func corm_statement_explain(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ arena: OpaquePointer?,
    _ outTree: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outTree, "out_tree")
        guard let arena = try memory(arena) else {
            throw CormorantError(.misuse, "the arena is NULL", hint: "pass one for the text to live in")
        }
        let database = try database(handle)
        out.pointee = arena.copy(try database.explain(requireStatement(statement).statement(database.dialect)))
        return CORM_OK
    }
}
