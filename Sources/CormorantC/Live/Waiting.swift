public import CCormorant
import CormorantBase
import CormorantPlatform
import CormorantThreads

/// Waits until there is something to read, which is left there.
/// - Parameter milliseconds: below 0: without end.
private func wait(for descriptor: Int32, _ milliseconds: Int32) throws -> corm_status {
    let start = monotonicTime()
    var left = milliseconds
    while true {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, left)
        if count > 0 { return CORM_OK }
        if count == 0 { return CORM_AGAIN }
        guard errno == EINTR else {
            throw CormorantError(.io, "waiting failed with errno \(errno)", hint: "wait with poll for the descriptor")
        }
        // A signal came: what is left of the time goes on.
        if milliseconds >= 0 { left = max(0, milliseconds - Int32(clamping: (monotonicTime() - start) / 1_000_000)) }
    }
}

@_cdecl("corm_observer_wait") @implementation
public func corm_observer_wait(
    _ handle: OpaquePointer?, _ milliseconds: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        // Its descriptor is its own: closed meanwhile, it goes when this returns.
        let observer = try requireObserver(handle)
        return try withExtendedLifetime(observer) { try wait(for: observer.descriptor(), milliseconds) }
    }
}

@_cdecl("corm_listener_wait") @implementation
public func corm_listener_wait(
    _ handle: OpaquePointer?, _ milliseconds: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let listener = try requireListener(handle)
        return try withExtendedLifetime(listener) { try wait(for: listener.completions.descriptor(), milliseconds) }
    }
}
