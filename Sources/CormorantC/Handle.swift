import CThreads
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

    /// Whether threads may use one handle at once, or end it while others use it. The others pay nothing for it.
    @inline(__always)
    var isShared: Bool {
        switch self {
        case .result, .cursor, .records, .error, .arena, .blockCursor, .expression, .statement, .related, .jsonReader,
            .jsonText, .keySink:
            false
        default: true
        }
    }

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
        /// The kind and generation of the handle that is good, as in the handle; below, in 32 bits, how many threads are
        /// about to count a reference to the object.
        var word: Int64 = 0
        var object: Unmanaged<AnyObject>?
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
            slots.initialize(repeating: Slot(), count: slotsPerChunk)
            chunks[chunk] = slots
        }
        guard let slots = chunks[chunk] else { throw CormorantError(.internal, "the handle table is damaged") }
        let slot = slots + Int(index) % slotsPerChunk
        let word = word(of: slot)
        slot.pointee.object = Unmanaged.passRetained(object)
        // The kind of a slot that is free is 0.
        _ = cthreads_add(word, Int64(kind.rawValue) << 56 &+ 1 << 32)
        let bits = UInt(bitPattern: Int(cthreads_load(word))) & ~0xFFFF_FFFF | UInt(index &+ 1)
        guard let handle = OpaquePointer(bitPattern: bits) else { throw CormorantError(.internal, "a handle is NULL") }
        return handle
    }

    /// The object of a handle; nil for NULL, a stale handle, or one of another kind.
    @inline(__always)
    static func object<Object: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, as type: Object.Type) -> Object?
    {
        part(handle, kind, of: type) { $0 }
    }

    /// What the object of a handle has.
    @inline(__always)
    static func part<Object: AnyObject, Part: AnyObject>(
        _ handle: OpaquePointer?, _ kind: HandleKind, of type: Object.Type, _ part: (Object) -> Part
    ) -> Part? {
        guard let slot = slot(handle, kind) else { return nil }
        guard kind.isShared else {
            return slot.pointee.object.map { part(unsafeDowncast($0.takeUnretainedValue(), to: type)) }
        }
        // Another thread may be ending the handle: it waits until the reference is counted before it lets the object go.
        let word = word(of: slot)
        let isGood = isGood(cthreads_add(word, 1), handle)
        let held = isGood ? slot.pointee.object.map { counted($0, part) } : nil
        _ = cthreads_add(word, -1)
        return held?.takeRetainedValue()
    }

    /// Counts a reference to the part, and none to the object.
    @inline(__always)
    private static func counted<Object: AnyObject, Part: AnyObject>(
        _ object: Unmanaged<AnyObject>, _ part: (Object) -> Part
    ) -> Unmanaged<Part> {
        Unmanaged<Object>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { .passRetained(part($0)) }
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

    /// Ends a handle and gives out what it owned; nil when it was none.
    static func take<Object: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, as type: Object.Type) -> Object? {
        end(handle, kind).map { unsafeDowncast($0.takeRetainedValue(), to: type) }
    }

    private static func end(_ handle: OpaquePointer?, _ kind: HandleKind) -> Unmanaged<AnyObject>? {
        lock.lock()
        defer { lock.unlock() }
        guard let slot = slot(handle, kind), let object = slot.pointee.object else { return nil }
        let word = word(of: slot)
        _ = cthreads_add(word, -(Int64(kind.rawValue) << 56))
        guard !kind.isShared || isLeft(word) else { return nil }
        slot.pointee.object = nil
        // A handle is never given out twice: a slot that was used as often as can be told stays free.
        if UInt(bitPattern: handle) >> 32 & 0xFF_FFFF < 0xFF_FFFF {
            free.append(UInt32(truncatingIfNeeded: UInt(bitPattern: handle)) &- 1)
        }
        return object
    }

    /// Waits for the threads that are counting a reference, which takes a few instructions; for one that does not come to it,
    /// such as one that the child of a fork does not have, not longer than a second. False: the object must stay.
    private static func isLeft(_ word: UnsafeMutablePointer<Int64>) -> Bool {
        for turn in 0..<1100 {
            if cthreads_load(word) & 0xFFFF_FFFF == 0 { return true }
            if turn < 100 { sched_yield() } else { usleep(1000) }
        }
        return false
    }

    @inline(__always)
    private static func slot(_ handle: OpaquePointer?, _ kind: HandleKind) -> UnsafeMutablePointer<Slot>? {
        let bits = UInt(bitPattern: handle)
        let index = Int(bits & 0xFFFF_FFFF) &- 1
        guard index >= 0, index < slotsPerChunk &* chunkCount, UInt8(truncatingIfNeeded: bits >> 56) == kind.rawValue,
            let slots = chunks[index / slotsPerChunk]
        else { return nil }
        let slot = slots + index % slotsPerChunk
        return isGood(cthreads_load(word(of: slot)), handle) ? slot : nil
    }

    @inline(__always)
    private static func isGood(_ word: Int64, _ handle: OpaquePointer?) -> Bool {
        UInt(bitPattern: Int(word)) >> 32 == UInt(bitPattern: handle) >> 32
    }

    @inline(__always)
    private static func word(of slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Int64> {
        UnsafeMutableRawPointer(slot).assumingMemoryBound(to: Int64.self)
    }

    @inline(never)
    static func bad(_ handle: OpaquePointer?, _ kind: HandleKind) -> CormorantError {
        CormorantError(
            .misuse,
            handle == nil ? "the \(kind.name) is NULL" : "the \(kind.name) handle is closed, freed or of another kind",
            hint: "pass one that is open")
    }
}
