public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

@_cdecl("corm_expr_call") @implementation
public func corm_expr_call(
    _ function: UnsafePointer<CChar>?, _ arguments: UnsafePointer<OpaquePointer?>?, _ count: Int
) -> OpaquePointer? {
    let arguments = consume(arguments, count)
    return makeExpression { .call(try string(function, "function"), arguments) }
}

@_cdecl("corm_expr_distinct") @implementation
public func corm_expr_distinct(_ call: OpaquePointer?) -> OpaquePointer? {
    makeExpression { consume(call).changingCall("DISTINCT") { $0.isDistinct = true } }
}

@_cdecl("corm_expr_filter") @implementation
public func corm_expr_filter(_ call: OpaquePointer?, _ condition: OpaquePointer?) -> OpaquePointer? {
    let (call, condition) = (consume(call), consume(condition))
    return makeExpression { call.changingCall("FILTER") { $0.filter = condition } }
}

@_cdecl("corm_expr_over") @implementation
public func corm_expr_over(
    _ call: OpaquePointer?, _ partition: UnsafePointer<OpaquePointer?>?, _ partitionCount: Int,
    _ order: UnsafePointer<OpaquePointer?>?, _ orderCount: Int, _ frame: UnsafePointer<CChar>?
) -> OpaquePointer? {
    let (call, partition, order) = (consume(call), consume(partition, partitionCount), consume(order, orderCount))
    return makeExpression {
        let window = Window(partition: partition, order: order, frame: try optionalString(frame, "frame"))
        return call.changingCall("OVER") { $0.window = window }
    }
}

@_cdecl("corm_expr_select") @implementation
public func corm_expr_select(_ select: OpaquePointer?) -> OpaquePointer? {
    makeExpression { .scalar(try consumeSelect(select)) }
}

@_cdecl("corm_expr_exists") @implementation
public func corm_expr_exists(_ select: OpaquePointer?) -> OpaquePointer? {
    makeExpression { .exists(try consumeSelect(select)) }
}

@_cdecl("corm_expr_raw") @implementation
public func corm_expr_raw(
    _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<corm_value>?, _ count: Int
) -> OpaquePointer? {
    makeExpression { Expression(.raw(try string(sql, "SQL"), try plainValues(values, count))) }
}
