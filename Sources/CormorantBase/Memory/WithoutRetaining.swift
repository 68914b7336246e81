/// Calls `body` with an object that somebody else keeps until it returns, without counting a reference to it: on the hottest paths
/// counting costs as much as the call.
@inlinable @inline(__always)
package func withoutRetaining<Object: AnyObject, Answer>(
    _ object: Unmanaged<Object>, _ body: (Object) throws -> Answer
) rethrows -> Answer {
    try object._withUnsafeGuaranteedRef(body)
}

@inlinable @inline(__always)
package func withoutRetaining<Object: AnyObject, Answer>(
    _ object: Object, _ body: (Object) throws -> Answer
) rethrows -> Answer {
    try Unmanaged.passUnretained(object)._withUnsafeGuaranteedRef(body)
}
