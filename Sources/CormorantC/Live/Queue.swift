public import CCormorant
import CormorantBase
import CormorantORM

/// A queue with the handle of its database, which bodies are given.
final class QueueBox: HandleObject {
    static var kind: HandleKind { .queue }
    let queue: WriteQueue
    let database: OpaquePointer?

    init(_ queue: WriteQueue, _ database: OpaquePointer?) {
        self.queue = queue
        self.database = database
    }
}

func requireQueueBox(_ handle: OpaquePointer?) throws -> QueueBox {
    try Handles.require(handle, as: QueueBox.self)
}

func requireQueue(_ handle: OpaquePointer?) throws -> WriteQueue { try requireQueueBox(handle).queue }

/// How a write is added, with its callback as the engine calls it.
struct GivenWrite {
    /// Milliseconds to wait for room; nil: the database's busy timeout.
    var timeout: Int?
    var tag: String?
    var told: ((WriteCompletion) -> Void)?

    init(_ given: UnsafePointer<corm_write_options>?) throws {
        guard let given else { return }
        let raw: corm_write_options = try readStruct(given, given.pointee.struct_size, "corm_write_options")
        if raw.busy_timeout != 0 { timeout = Int(max(0, raw.busy_timeout)) }
        tag = try optionalString(raw.tag, "tag")
        if let callback = raw.callback {
            let context = raw.context
            told = { lend($0, to: callback, context) }
        }
    }
}

private func write(
    _ box: QueueBox, _ body: corm_queue_body?, _ context: UnsafeMutableRawPointer?, _ given: GivenWrite
) throws -> QueuedWrite {
    guard let body else { throw CormorantError(.misuse, "the body is NULL", hint: "pass a function that writes") }
    let database = box.database
    return QueuedWrite(tag: given.tag, told: given.told) { _ in
        var handle: OpaquePointer?
        let status = body(database, context, &handle)
        if status < 0 { throw failure(of: "the write's function", status, handle) }
        Handles.remove(handle, as: ErrorText.self)
        return []
    }
}

@_cdecl("corm_queue_open") @implementation
public func corm_queue_open(
    _ handle: OpaquePointer?, _ options: UnsafePointer<corm_queue_options>?,
    _ outQueue: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outQueue, "out_queue")
        let raw = try options.map { given -> corm_queue_options in
            try readStruct(given, given.pointee.struct_size, "corm_queue_options")
        }
        let capacity = raw.map { Int($0.capacity) } ?? 0
        let queue = try Handles.require(handle, as: DatabaseBox.self).makeQueue(
            capacity: capacity == 0 ? 1024 : capacity)
        out.pointee = try Handles.add(QueueBox(queue, handle))
        return CORM_OK
    }
}

@_cdecl("corm_queue_close") @implementation
public func corm_queue_close(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    if handle == nil { return CORM_OK }
    return boundary(outError) {
        try requireQueue(handle).close()
        Handles.remove(handle, as: QueueBox.self)
        return CORM_OK
    }
}

@_cdecl("corm_queue_add") @implementation
public func corm_queue_add(
    _ handle: OpaquePointer?, _ body: corm_queue_body?, _ context: UnsafeMutableRawPointer?,
    _ options: UnsafePointer<corm_write_options>?, _ outNumber: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireQueueBox(handle)
        let given = try GivenWrite(options)
        let write = try write(box, body, context, given)
        try box.queue.add(write, timeout: given.timeout) { outNumber?.pointee = $0 }
        return CORM_OK
    }
}

@_cdecl("corm_queue_perform") @implementation
public func corm_queue_perform(
    _ handle: OpaquePointer?, _ body: corm_queue_body?, _ context: UnsafeMutableRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try requireQueueBox(handle)
        let completion = try box.queue.perform(write(box, body, context, GivenWrite(nil)))
        if let error = completion.error { throw error }
        return CORM_OK
    }
}

@_cdecl("corm_queue_cancel") @implementation
public func corm_queue_cancel(
    _ handle: OpaquePointer?, _ number: Int64, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) { try requireQueue(handle).cancel(number: number) ? CORM_OK : CORM_NOT_FOUND }
}

@_cdecl("corm_queue_flush") @implementation
public func corm_queue_flush(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireQueue(handle).flush()
        return CORM_OK
    }
}

@_cdecl("corm_queue_count") @implementation
public func corm_queue_count(_ handle: OpaquePointer?) -> Int { (try? requireQueue(handle))?.count ?? 0 }
