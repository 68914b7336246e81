public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// An expression behind a handle. What consumes the handle takes the expression out.
package final class ExpressionBox: HandleObject {
    package static var kind: HandleKind { .expression }
    package let expression: Expression
    package init(_ expression: Expression) { self.expression = expression }
}

/// A new handle; what is wrong becomes the expression.
func makeExpression(_ make: () throws -> Expression) -> OpaquePointer? {
    let expression: Expression
    do {
        expression = try make()
    } catch {
        expression = .problem(error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)"))
    }
    return try? Handles.add(ExpressionBox(expression))
}

/// What a handle that is consumed holds.
func consume(_ handle: OpaquePointer?) -> Expression {
    if let box = Handles.take(handle, as: ExpressionBox.self) { return box.expression }
    return .problem(consumedBefore(handle, "expression", "corm_expr_copy"))
}

func consumedBefore(_ handle: OpaquePointer?, _ what: String, _ copy: String) -> CormorantError {
    handle == nil
        ? CormorantError(.misuse, "the \(what) is NULL", hint: "pass one")
        : CormorantError(
            .misuse, "the \(what) was consumed or freed before, or is of another kind",
            hint: "use \(copy) to use one twice")
}

/// What an array of handles that are consumed holds; all of them are consumed whatever is wrong with one.
func consume(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int) -> [Expression] {
    do {
        return try array(handles, count, "expressions").map(consume)
    } catch {
        return [.problem(error as? CormorantError ?? missingArray("expressions"))]
    }
}

/// A SELECT that is consumed.
func consumeSelect(_ handle: OpaquePointer?) throws -> Select {
    guard let box = Handles.take(handle, as: StatementBox.self) else {
        throw consumedBefore(handle, "statement", "corm_statement_copy")
    }
    return try box.select()
}

/// A property or, with dots in it, one at the end of to-one relations.
package func columnExpression(_ model: ModelDescriptor, _ property: String, alias: String? = nil) throws -> Expression {
    try model.validate()
    if property.utf8.contains(UInt8(ascii: ".")), model.column(named: property) == nil {
        let names = property.split(separator: Character("."), omittingEmptySubsequences: false).map(String.init)
        return model.column(along: names.dropLast(), names[names.count - 1], alias: alias)
    }
    return .column(model.tableReference, try model.require(property), alias: alias)
}

@_cdecl("corm_expr_column") @implementation
public func corm_expr_column(_ model: OpaquePointer?, _ property: UnsafePointer<CChar>?) -> OpaquePointer? {
    makeExpression { try columnExpression(requireModel(model).descriptor, string(property, "property")) }
}

@_cdecl("corm_expr_column_of") @implementation
public func corm_expr_column_of(
    _ alias: UnsafePointer<CChar>?, _ model: OpaquePointer?, _ property: UnsafePointer<CChar>?
) -> OpaquePointer? {
    makeExpression {
        try columnExpression(
            requireModel(model).descriptor, string(property, "property"), alias: string(alias, "alias"))
    }
}

@_cdecl("corm_expr_name") @implementation
public func corm_expr_name(_ source: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
    makeExpression { Expression(.name(source: try optionalString(source, "source"), try string(name, "name"))) }
}

@_cdecl("corm_expr_value") @implementation
public func corm_expr_value(_ value: corm_value) -> OpaquePointer? {
    makeExpression { .value(try plainValue(value, "the value")) }
}

@_cdecl("corm_expr_typed_value") @implementation
public func corm_expr_typed_value(_ value: corm_value, _ type: corm_type) -> OpaquePointer? {
    makeExpression { .value(try plainValue(value, "the value"), as: try columnType(type)) }
}

@_cdecl("corm_expr_parameter") @implementation
public func corm_expr_parameter(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
    makeExpression { Expression(.parameter(try string(name, "parameter name"))) }
}

@_cdecl("corm_expr_copy") @implementation
public func corm_expr_copy(_ handle: OpaquePointer?) -> OpaquePointer? {
    makeExpression {
        guard let box = Handles.object(handle, as: ExpressionBox.self) else {
            throw consumedBefore(handle, "expression", "corm_expr_copy")
        }
        return box.expression
    }
}

@_cdecl("corm_expr_free") @implementation
public func corm_expr_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: ExpressionBox.self) }

@_cdecl("corm_expr_sql") @implementation
public func corm_expr_sql(
    _ handle: OpaquePointer?, _ arena: OpaquePointer?, _ outSQL: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outValues: UnsafeMutablePointer<UnsafePointer<corm_value>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try Handles.require(handle, as: ExpressionBox.self)
        try write(StatementCompiler.compile(box.expression, .sqlite), arena, outSQL, outValues, outCount)
        return CORM_OK
    }
}

/// SQL text and values into an arena.
func write(
    _ compiled: CompiledStatement, _ arena: OpaquePointer?, _ outSQL: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outValues: UnsafeMutablePointer<UnsafePointer<corm_value>?>?, _ outCount: UnsafeMutablePointer<Int>?
) throws {
    let sql = try require(outSQL, "out_sql")
    guard let arena = try memory(arena) else {
        throw CormorantError(.misuse, "the arena is NULL", hint: "pass one for the text to live in")
    }
    sql.pointee = try arena.checkedCopy(compiled.sql)
    let count = compiled.bindings.reduce(0) { $0 + ($1.values?.count ?? 1) }
    outCount?.pointee = count
    let values = arena.allocateArray(of: corm_value.self, count: count)
    outValues?.pointee = UnsafePointer(values)
    var next = values
    func append(_ value: corm_value) {
        next.initialize(to: value)
        next += 1
    }
    for binding in compiled.bindings {
        for value in binding.values ?? [] { append(try value.cValue(in: arena)) }
        if let name = binding.parameterName {
            var value = corm_value()
            value.name = arena.copy(name)
            append(value)
        }
    }
}
