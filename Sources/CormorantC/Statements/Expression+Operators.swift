public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

package func unaryOperator(_ number: Int32) throws -> UnaryOperator {
    if let found = UnaryOperator(rawValue: number) { return found }
    throw CormorantError(
        .misuse, "\(number) is no operator with one operand", hint: "use CORM_OP_NOT and those that follow it")
}

package func binaryOperator(_ number: Int32) throws -> BinaryOperator {
    if let found = BinaryOperator(rawValue: number) { return found }
    throw CormorantError(
        .misuse, "\(number) is no operator with two operands", hint: "use CORM_OP_EQUAL and those that follow it")
}

package func nullOrder(_ number: Int32) throws -> OrderDirection.Nulls {
    if let found = OrderDirection.Nulls(rawValue: number) { return found }
    throw CormorantError(.misuse, "\(number) is no order of NULLs", hint: "use one of the CORM_NULLS_ constants")
}

@_cdecl("corm_expr_unary") @implementation
public func corm_expr_unary(_ operation: Int32, _ operand: OpaquePointer?) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { .unary(try unaryOperator(operation), operand) }
}

@_cdecl("corm_expr_binary") @implementation
public func corm_expr_binary(
    _ operation: Int32, _ left: OpaquePointer?, _ right: OpaquePointer?
) -> OpaquePointer? {
    let (left, right) = (consume(left), consume(right))
    return makeExpression { .binary(try binaryOperator(operation), left, right) }
}

@_cdecl("corm_expr_all") @implementation
public func corm_expr_all(_ parts: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
    makeExpression { .all(consume(parts, count)) }
}

@_cdecl("corm_expr_any") @implementation
public func corm_expr_any(_ parts: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
    makeExpression { .any(consume(parts, count)) }
}

@_cdecl("corm_expr_row") @implementation
public func corm_expr_row(_ parts: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
    makeExpression { .row(consume(parts, count)) }
}

@_cdecl("corm_expr_between") @implementation
public func corm_expr_between(
    _ operand: OpaquePointer?, _ low: OpaquePointer?, _ high: OpaquePointer?
) -> OpaquePointer? {
    makeExpression { .between(consume(operand), consume(low), consume(high)) }
}

@_cdecl("corm_expr_in") @implementation
public func corm_expr_in(
    _ operand: OpaquePointer?, _ values: UnsafePointer<corm_value>?, _ count: Int
) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { .isIn(operand, try plainValues(values, count)) }
}

func plainValues(_ values: UnsafePointer<corm_value>?, _ count: Int) throws -> [Value] {
    let values = try array(values, count, "values")
    try requireMemory(count * MemoryLayout<Value>.stride)
    return try values.enumerated().map { try plainValue($1, "value \($0)") }
}

@_cdecl("corm_expr_in_select") @implementation
public func corm_expr_in_select(_ operand: OpaquePointer?, _ select: OpaquePointer?) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { .isIn(operand, try consumeSelect(select)) }
}

@_cdecl("corm_expr_case") @implementation
public func corm_expr_case(
    _ base: OpaquePointer?, _ whens: UnsafePointer<OpaquePointer?>?, _ thens: UnsafePointer<OpaquePointer?>?,
    _ count: Int, _ otherwise: OpaquePointer?
) -> OpaquePointer? {
    let (whens, thens) = (consume(whens, count), consume(thens, count))
    let base = base == nil ? nil : consume(base)
    let otherwise = otherwise == nil ? nil : consume(otherwise)
    return makeExpression { .cases(base: base, zip(whens, thens).map { ($0, $1) }, otherwise: otherwise) }
}

@_cdecl("corm_expr_cast") @implementation
public func corm_expr_cast(_ operand: OpaquePointer?, _ type: corm_type) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { .cast(operand, try columnType(type)) }
}

@_cdecl("corm_expr_collate") @implementation
public func corm_expr_collate(_ operand: OpaquePointer?, _ collation: UnsafePointer<CChar>?) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { .collate(operand, try string(collation, "collation")) }
}

@_cdecl("corm_expr_order") @implementation
public func corm_expr_order(_ operand: OpaquePointer?, _ direction: Int32, _ nulls: Int32) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression {
        guard direction == CORM_ASCENDING || direction == CORM_DESCENDING else {
            throw CormorantError(
                .misuse, "the direction \(direction) is unknown", hint: "use CORM_ASCENDING or CORM_DESCENDING")
        }
        let isDescending = direction == CORM_DESCENDING
        return operand.ordered(OrderDirection(descending: isDescending, nulls: try nullOrder(nulls)))
    }
}

@_cdecl("corm_expr_as") @implementation
public func corm_expr_as(_ operand: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
    let operand = consume(operand)
    return makeExpression { operand.labelled(try string(name, "name")) }
}
