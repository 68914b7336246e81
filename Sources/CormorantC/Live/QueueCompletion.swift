public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// A completion, and the C values that were made of it. One thread at a time.
private final class CompletionBox: HandleObject {
    static var kind: HandleKind { .completion }
    let completion: WriteCompletion
    private let memory = ScratchMemory(firstSize: 256)
    private var errors: [OpaquePointer] = []
    private(set) lazy var info = memory.keep(
        corm_completion_info(
            number: completion.number, tag: completion.tag.map { memory.copy($0) }, error: lend(completion.error),
            result_count: completion.results.count, status: completion.error?.code.rawValue ?? CORM_OK))
    private(set) lazy var results = completion.results.map { [self] result in
        memory.keep(
            corm_write_result(
                changes: result.changes, generated_key: result.generatedKey ?? 0, error: lend(result.error)))
    }

    init(_ completion: WriteCompletion) { self.completion = completion }

    deinit { for error in errors { Handles.remove(error, as: ErrorText.self) } }

    private func lend(_ error: CormorantError?) -> OpaquePointer? {
        guard let error, let handle = try? Handles.add(ErrorText(error)) else { return nil }
        errors.append(handle)
        return handle
    }
}

private func box(_ handle: OpaquePointer?) -> CompletionBox? {
    Handles.object(handle, as: CompletionBox.self)
}

/// Calls a C callback with a completion that is gone when it returns.
func lend(
    _ completion: WriteCompletion, to callback: corm_queue_callback, _ context: UnsafeMutableRawPointer?
) {
    let handle = try? Handles.add(CompletionBox(completion))
    callback(handle, context)
    Handles.remove(handle, as: CompletionBox.self)
}

private let noInfo: EmptyInfo<corm_completion_info> = {
    var info = corm_completion_info()
    info.status = CORM_E_MISUSE
    return EmptyInfo(info)
}()

@_cdecl("corm_completion_info_get") @implementation
public func corm_completion_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_completion_info>? {
    box(handle)?.info ?? noInfo.pointer
}

@_cdecl("corm_completion_result_get") @implementation
public func corm_completion_result_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_write_result>? {
    box(handle).flatMap { element($0.results, index) }
}

@_cdecl("corm_completion_free") @implementation
public func corm_completion_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: CompletionBox.self) }

// Listeners ------------------------------------------------------------------------------------------------------------

/// A C callback with its context, which is released with the last reference to this.
private final class ListenerCallback: @unchecked Sendable {  // never written after init
    private let callback: corm_queue_callback?
    private let context: UnsafeMutableRawPointer?
    private let release: corm_release?

    init(_ options: corm_listen_options) {
        callback = options.callback
        context = options.context
        release = options.release
    }

    deinit { release?(context) }

    func call(_ completion: WriteCompletion) { if let callback { lend(completion, to: callback, context) } }
}

/// A listener as long as its handle is not cancelled.
private final class ListenerBox: HandleObject {
    static var kind: HandleKind { .listener }
    let listener: QueueListener
    let fork = ForkMark()
    /// Lives as long as a listener without a callback, too.
    let callback: ListenerCallback

    init(_ listener: QueueListener, _ callback: ListenerCallback) {
        self.listener = listener
        self.callback = callback
    }
}

func requireListener(_ handle: OpaquePointer?) throws -> QueueListener {
    let box = try Handles.require(handle, as: ListenerBox.self)
    try box.fork.refuse()
    return box.listener
}

@_cdecl("corm_listener_open") @implementation
public func corm_listener_open(
    _ handle: OpaquePointer?, _ options: UnsafePointer<corm_listen_options>?,
    _ outListener: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let raw = try options.map { given -> corm_listen_options in
            try readStruct(given, given.pointee.struct_size, "corm_listen_options") { _ = ListenerCallback($0) }
        }
        // First, so that the context is released whatever is wrong with the rest.
        let callback = ListenerCallback(raw ?? corm_listen_options())
        let out = try require(outListener, "out_listener")
        let queue = try requireQueue(handle)
        let tag = try optionalString(raw?.tag, "tag")
        let call = raw?.callback == nil ? nil : { [callback] in callback.call($0) }
        let listener = try QueueListener(queue, tag: tag, callback: call)
        do {
            out.pointee = try Handles.add(ListenerBox(listener, callback))
        } catch {
            listener.cancel()
            throw error
        }
        return CORM_OK
    }
}

@_cdecl("corm_listener_close") @implementation
public func corm_listener_close(_ handle: OpaquePointer?) {
    Handles.take(handle, as: ListenerBox.self)?.listener.cancel()
}

@_cdecl("corm_listener_next") @implementation
public func corm_listener_next(
    _ handle: OpaquePointer?, _ outCompletion: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let listener = try requireListener(handle)
        let out = try require(outCompletion, "out_completion")
        guard let completion = listener.completions.next() else {
            return listener.completions.isOver ? CORM_DONE : CORM_AGAIN
        }
        out.pointee = try Handles.add(CompletionBox(completion))
        return CORM_ROW
    }
}

@_cdecl("corm_listener_descriptor") @implementation
public func corm_listener_descriptor(
    _ handle: OpaquePointer?, _ outDescriptor: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try require(outDescriptor, "out_descriptor").pointee = try requireListener(handle).completions.descriptor()
        return CORM_OK
    }
}
