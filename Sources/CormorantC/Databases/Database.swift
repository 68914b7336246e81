public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// A database with its path as a C string.
final class DatabaseBox: HandleObject {
    static var kind: HandleKind { .database }
    private(set) var database: Database
    private let memory = ScratchMemory(firstSize: 256)
    let path: UnsafePointer<CChar>
    /// What the registry gave, where it is of one.
    private let lease: Lease?
    private let lock = RecursiveLock(.binding)
    /// Those whose writes are given this handle.
    private var queues: [WeakQueue] = []

    private struct WeakQueue {
        weak var queue: WriteQueue?
    }

    init(_ database: Database, _ lease: Lease? = nil) {
        self.database = database
        self.lease = lease
        path = memory.copy(database.path)
    }

    func makeQueue(capacity: Int) throws -> WriteQueue {
        let queue = try WriteQueue(database, capacity: capacity)
        lock.lock()
        defer { lock.unlock() }
        queues.removeAll { $0.queue == nil }
        queues.append(WeakQueue(queue: queue))
        return queue
    }

    func reopen() throws {
        guard lease == nil else {
            throw CormorantError(
                .misuse, "the database is of a registry", hint: "make a registry in the child, and open it there")
        }
        database = try database.reopened()
    }

    func close() throws {
        guard let lease else { return try database.close() }
        lock.lock()
        let mine = queues.compactMap(\.queue)
        lock.unlock()
        for queue in mine { try queue.close() }
        try lease.release()
    }
}

@inline(__always)
package func database(_ handle: OpaquePointer?) throws -> Database {
    if let database = openDatabase(handle) { return database }
    throw Handles.bad(handle, as: DatabaseBox.self)
}

/// Runs a body with a database and a model, without counting a reference to either.
@inline(__always)
package func with<Answer>(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ body: (Database, ModelBox) throws -> Answer
) throws -> Answer {
    try Handles.using(handle, as: DatabaseBox.self) { opened in
        try Handles.using(model, as: ModelBox.self) { box in
            try withoutRetaining(opened.database) { try body($0, box) }
        }
    }
}

@inline(__always)
private func openDatabase(_ handle: OpaquePointer?) -> Database? {
    Handles.part(handle, of: DatabaseBox.self) { $0.database }
}

@_cdecl("corm_database_open") @implementation
public func corm_database_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<corm_open_options>?,
    _ outDatabase: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outDatabase, "out_database")
        let database = try Database(path: string(path, "path"), options: openOptions(options))
        out.pointee = try Handles.add(DatabaseBox(database))
        return CORM_OK
    }
}

func openOptions(_ given: UnsafePointer<corm_open_options>?) throws -> OpenOptions {
    var options = OpenOptions()
    guard let given else { return options }
    let raw: corm_open_options = try readStruct(given, given.pointee.struct_size, "corm_open_options")
    try requireZero(raw.reserved, "corm_open_options")
    func choice<T: RawRepresentable>(_ value: Int32, _ what: String) throws -> T where T.RawValue == Int32 {
        guard let choice = T(rawValue: value) else {
            throw CormorantError(.misuse, "\(what) \(value) is unknown", hint: "use one of the header's constants")
        }
        return choice
    }
    options.mode = try choice(raw.mode, "mode")
    options.journalMode = try choice(raw.journal_mode, "journal_mode")
    options.synchronous = try choice(raw.synchronous, "synchronous")
    options.template = try optionalString(raw.template_path, "template path")
    if raw.busy_timeout != 0 { options.busyTimeout = Int(max(0, raw.busy_timeout)) }
    options.foreignKeys = !raw.foreign_keys_off
    options.codecs = try cipherSource(raw.cipher)
    if raw.reader_count != 0 { options.readerCount = Int(max(0, raw.reader_count)) }
    if raw.writer_count != 0 { options.writerCount = Int(max(1, raw.writer_count)) }
    options.autoSync = raw.auto_sync
    options.untrusted = raw.untrusted
    options.setUp = raw.set_up.map { setUp(by: $0, raw.set_up_context) }
    options.keepsSchema = raw.keep_schema
    if raw.heap_limit != 0 { options.heapLimit = max(0, raw.heap_limit) }
    options.damaged = raw.damaged.map { tellDamage($0, CallbackContext(pointer: raw.damaged_context)) }
    if raw.statement_cache_size != 0 { options.statementCacheSize = Int(max(0, raw.statement_cache_size)) }
    return options
}

private func tellDamage(
    _ callback: @escaping corm_damage_callback, _ context: CallbackContext
) -> @Sendable (Damage) -> Void {
    // A function of C's may be called on any thread.
    nonisolated(unsafe) let callback = callback
    return { damage in
        let error = damage.error
        damage.path.withCString { path in
            error.plainMessage.withCString { message in
                (error.plainHint ?? "").withCString { hint in
                    var told = corm_damage(
                        path: path, page: UInt32(clamping: damage.page ?? 0), status: error.code.rawValue,
                        message: message, hint: hint)
                    callback(&told, context.pointer)
                }
            }
        }
    }
}

@_cdecl("corm_database_reopen") @implementation
public func corm_database_reopen(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try Handles.require(handle, as: DatabaseBox.self).reopen()
        return CORM_OK
    }
}

@_cdecl("corm_database_close") @implementation
public func corm_database_close(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    if handle == nil { return CORM_OK }
    return boundary(outError) {
        try Handles.require(handle, as: DatabaseBox.self).close()
        Handles.remove(handle, as: DatabaseBox.self)
        return CORM_OK
    }
}

@_cdecl("corm_database_execute") @implementation
public func corm_database_execute(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<corm_value>?, _ count: Int,
    _ outChanges: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let changes = try database(handle).execute(string(sql, "SQL")) {
            try bind(values, count, to: $0, borrowing: true)
        }
        outChanges?.pointee = changes
        return CORM_OK
    }
}

@_cdecl("corm_database_execute_script") @implementation
public func corm_database_execute_script(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).execute(script: string(sql, "SQL"))
        return CORM_OK
    }
}

@_cdecl("corm_database_last_insert_id") @implementation
public func corm_database_last_insert_id(_ handle: OpaquePointer?) -> Int64 { openDatabase(handle)?.lastInsertID ?? 0 }

@_cdecl("corm_database_changes") @implementation
public func corm_database_changes(_ handle: OpaquePointer?) -> Int64 { openDatabase(handle)?.changes ?? 0 }

@_cdecl("corm_database_total_changes") @implementation
public func corm_database_total_changes(_ handle: OpaquePointer?) -> Int64 { openDatabase(handle)?.totalChanges ?? 0 }

@_cdecl("corm_database_path") @implementation
public func corm_database_path(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? {
    Handles.object(handle, as: DatabaseBox.self)?.path
}

@_cdecl("corm_database_interrupt") @implementation
public func corm_database_interrupt(_ handle: OpaquePointer?) { openDatabase(handle)?.interrupt() }

@_cdecl("corm_database_set_trace") @implementation
public func corm_database_set_trace(
    _ handle: OpaquePointer?, _ callback: corm_trace_callback?, _ context: UnsafeMutableRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).setRawTrace { callback.map { callback in { callback($0, $1, context) } } }
        return CORM_OK
    }
}
