import CormorantBase
import CormorantSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a handle is of. Part of the handle itself, so that one of another kind is told apart.
enum HandleKind: UInt8 {
    case database = 1
    case model
    case result
    case cursor
    case records
    case error
    case arena
    case blockCursor
    case expression
    case statement
    case related
    case jsonReader
    case jsonText
    case schema
    case plan
    case bundle
    case bundleStates
    case metadata
    case store
    case keySink
    case observer
    case event
    case registry
    case queue
    case batch
    case listener
    case completion

    var name: String {
        switch self {
        case .database: "database"
        case .model: "model"
        case .result: "result"
        case .cursor: "cursor"
        case .records: "records"
        case .error: "error"
        case .arena: "arena"
        case .blockCursor: "block cursor"
        case .expression: "expression"
        case .statement: "statement"
        case .related: "related records"
        case .jsonReader: "JSON reader"
        case .jsonText: "JSON text"
        case .schema: "schema"
        case .plan: "plan"
        case .bundle: "bundle"
        case .bundleStates: "status"
        case .metadata: "metadata"
        case .store: "store"
        case .keySink: "key sink"
        case .observer: "observer"
        case .event: "event"
        case .registry: "registry"
        case .queue: "queue"
        case .batch: "batch"
        case .listener: "listener"
        case .completion: "completion"
        }
    }
}

/// Handles are no addresses: they name a slot in a table that is never freed, with the slot's kind and how often it has
/// been used. A NULL, a stale handle and one of another kind are found without touching freed memory.
/// Layout: kind (8 bits), generation (24 bits), slot + 1 (32 bits).
enum Handles {
    private struct Slot {
        var object: Unmanaged<AnyObject>?
        var generation: UInt32
        var kind: UInt8
    }

    private static let slotsPerChunk = 1024
    private static let chunkCount = 16_384
    private static let lock = RecursiveLock()
    /// Chunks are added under the lock and stay; a slot is only read through a handle given out after it was filled.
    nonisolated(unsafe) private static let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?> = {
        let chunks = UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>.allocate(capacity: chunkCount)
        chunks.initialize(repeating: nil, count: chunkCount)
        return chunks
    }()
    nonisolated(unsafe) private static var free: [UInt32] = []
    nonisolated(unsafe) private static var used: UInt32 = 0
    nonisolated(unsafe) private static var retired: [Unmanaged<AnyObject>] = []
    nonisolated(unsafe) private static var releasesAtExit = false

    /// A new handle that owns the object.
    static func add(_ object: AnyObject, _ kind: HandleKind) throws -> OpaquePointer {
        lock.lock()
        defer { lock.unlock() }
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            guard Int(used) < slotsPerChunk * chunkCount else {
                throw CormorantError(.noMemory, "there are too many open handles", hint: "close those no longer used")
            }
            index = used
            used += 1
        }
        let chunk = Int(index) / slotsPerChunk
        if chunks[chunk] == nil {
            let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotsPerChunk)
            slots.initialize(repeating: Slot(object: nil, generation: 0, kind: 0), count: slotsPerChunk)
            chunks[chunk] = slots
        }
        guard let slots = chunks[chunk] else { throw CormorantError(.internal, "the handle table is damaged") }
        let slot = slots + Int(index) % slotsPerChunk
        slot.pointee.object = Unmanaged.passRetained(object)
        slot.pointee.kind = kind.rawValue
        slot.pointee.generation = (slot.pointee.generation &+ 1) & 0xFF_FFFF
        let bits = UInt(kind.rawValue) << 56 | UInt(slot.pointee.generation) << 32 | UInt(index &+ 1)
        guard let handle = OpaquePointer(bitPattern: bits) else { throw CormorantError(.internal, "a handle is NULL") }
        return handle
    }

    /// The object of a handle; nil for NULL, a stale handle, or one of another kind.
    @inline(__always)
    static func object<Object: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, as type: Object.Type) -> Object?
    {
        guard let slot = slot(handle, kind), let object = slot.pointee.object else { return nil }
        return unsafeDowncast(object.takeUnretainedValue(), to: type)
    }

    /// The object of a handle that must be good.
    @inline(__always)
    static func require<Object: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, as type: Object.Type) throws
        -> Object
    {
        if let object = object(handle, kind, as: type) { return object }
        throw bad(handle, kind)
    }

    /// Ends a handle; false when it was none. The object is released outside the lock.
    @discardableResult
    static func remove(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool {
        guard let object = end(handle, kind) else { return false }
        object.release()
        return true
    }

    /// Ends a handle whose object other threads may just have got: it is released when many more have ended.
    static func retire(_ handle: OpaquePointer?, _ kind: HandleKind) {
        guard let object = end(handle, kind) else { return }
        lock.lock()
        // Released in the end, too, so that who looks for leaks finds none.
        if !releasesAtExit { releasesAtExit = atexit { Handles.releaseRetired() } == 0 }
        retired.append(object)
        let oldest = retired.count > 64 ? retired.removeFirst() : nil
        lock.unlock()
        oldest?.release()
    }

    private static func releaseRetired() {
        lock.lock()
        let objects = retired
        retired = []
        lock.unlock()
        for object in objects { object.release() }
    }

    /// Ends a handle and gives out what it owned; nil when it was none.
    static func take<Object: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, as type: Object.Type) -> Object? {
        end(handle, kind).map { unsafeDowncast($0.takeRetainedValue(), to: type) }
    }

    private static func end(_ handle: OpaquePointer?, _ kind: HandleKind) -> Unmanaged<AnyObject>? {
        lock.lock()
        defer { lock.unlock() }
        guard let slot = slot(handle, kind), let object = slot.pointee.object else { return nil }
        slot.pointee.object = nil
        slot.pointee.kind = 0
        free.append(UInt32(truncatingIfNeeded: UInt(bitPattern: handle)) &- 1)
        return object
    }

    @inline(__always)
    private static func slot(_ handle: OpaquePointer?, _ kind: HandleKind) -> UnsafeMutablePointer<Slot>? {
        let bits = UInt(bitPattern: handle)
        let index = Int(bits & 0xFFFF_FFFF) &- 1
        guard index >= 0, index < slotsPerChunk &* chunkCount, UInt8(truncatingIfNeeded: bits >> 56) == kind.rawValue,
            let slots = chunks[index / slotsPerChunk]
        else { return nil }
        let slot = slots + index % slotsPerChunk
        guard slot.pointee.kind == kind.rawValue, UInt(slot.pointee.generation) == bits >> 32 & 0xFF_FFFF else {
            return nil
        }
        return slot
    }

    @inline(never)
    private static func bad(_ handle: OpaquePointer?, _ kind: HandleKind) -> CormorantError {
        CormorantError(
            .misuse,
            handle == nil ? "the \(kind.name) is NULL" : "the \(kind.name) handle is closed, freed or of another kind",
            hint: "pass an open \(kind.name)")
    }
}
