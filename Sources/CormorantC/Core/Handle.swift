import CThreads
import CormorantBase
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// Handles are no addresses: they name a slot in a table that is never freed, with the slot's kind and how often it has
/// been used. A NULL, a stale handle and one of another kind are found without touching freed memory.
/// Layout: kind (8 bits), generation (24 bits), slot + 1 (32 bits).
package enum Handles {
    private struct Slot {
        /// The kind and generation of the handle that is good, as in the handle; below, in 32 bits, how many threads use
        /// the object.
        var word: Int64 = 0
        var object: Unmanaged<AnyObject>?
    }

    private static let slotsPerChunk = 1024
    private static let chunkCount = 16_384
    private static let lock = RecursiveLock(.handles, outlivesForks: true)
    /// Chunks are added under the lock and stay; a slot is only read through a handle given out after it was filled.
    nonisolated(unsafe) private static let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?> = {
        let chunks = UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>.allocate(capacity: chunkCount)
        chunks.initialize(repeating: nil, count: chunkCount)
        return chunks
    }()
    nonisolated(unsafe) private static var free: [UInt32] = []
    nonisolated(unsafe) private static var used: UInt32 = 0

    /// A new handle that owns the object.
    @inline(__always)
    package static func add<Object: HandleObject>(_ object: Object) throws -> OpaquePointer {
        try add(object, Object.kind)
    }

    @inline(never)
    package static func add(_ object: AnyObject, _ kind: HandleKind) throws -> OpaquePointer {
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
    package static func object<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> Object? {
        part(handle, of: type) { $0 }
    }

    /// What the object of a handle has.
    @inline(__always)
    static func part<Object: HandleObject, Part: AnyObject>(
        _ handle: OpaquePointer?, of type: Object.Type, _ part: (Object) -> Part
    ) -> Part? {
        guard let slot = slot(handle, Object.kind) else { return nil }
        guard Object.kind.isShared else {
            return slot.pointee.object.map { part(unsafeDowncast($0.takeUnretainedValue(), to: type)) }
        }
        let isGood = enter(slot, handle)
        let held = isGood ? slot.pointee.object.map { counted($0, part) } : nil
        leave(slot, handle)
        return held?.takeRetainedValue()
    }

    /// Runs a body with the object of a handle that must be good. The object stays until the body returns, whoever ends the
    /// handle meanwhile; no reference to it is counted, which would cost as much again.
    @inline(__always)
    static func using<Object: HandleObject, Answer>(
        _ handle: OpaquePointer?, as type: Object.Type, _ body: (Object) throws -> Answer
    ) throws -> Answer {
        guard let slot = slot(handle, Object.kind) else { throw bad(handle, as: type) }
        let isGood = enter(slot, handle)
        defer { leave(slot, handle) }
        guard isGood, let object = slot.pointee.object else { throw bad(handle, as: type) }
        return try withoutRetaining(Unmanaged<Object>.fromOpaque(object.toOpaque()), body)
    }

    /// Counts a reference to the part, and none to the object.
    @inline(__always)
    private static func counted<Object: AnyObject, Part: AnyObject>(
        _ object: Unmanaged<AnyObject>, _ part: (Object) -> Part
    ) -> Unmanaged<Part> {
        withoutRetaining(Unmanaged<Object>.fromOpaque(object.toOpaque())) { .passRetained(part($0)) }
    }

    /// The object of a handle that must be good.
    @inline(__always)
    package static func require<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) throws -> Object {
        if let object = object(handle, as: type) { return object }
        throw bad(handle, as: type)
    }

    /// Ends a handle; false when it was none.
    @inline(__always)
    @discardableResult
    package static func remove<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> Bool {
        take(handle, Object.kind) != nil
    }

    /// Ends a handle and gives out its object, which is released outside the lock; nil when it was none.
    @inline(__always)
    static func take<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> Object? {
        take(handle, Object.kind).map { unsafeDowncast($0, to: type) }
    }

    @inline(never)
    package static func take(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
        lock.lock()
        defer { lock.unlock() }
        guard let slot = slot(handle, kind), let object = slot.pointee.object else { return nil }
        let held = object.takeUnretainedValue()
        if isLeft(cthreads_add(word(of: slot), -(Int64(kind.rawValue) << 56))) { vacate(slot, handle)?.release() }
        return held
    }

    /// Counts a thread that uses the object: as long as there is one the object stays. False: the handle has been ended.
    @inline(__always)
    private static func enter(_ slot: UnsafeMutablePointer<Slot>, _ handle: OpaquePointer?) -> Bool {
        isGood(cthreads_add(word(of: slot), 1), handle)
    }

    @inline(__always)
    private static func leave(_ slot: UnsafeMutablePointer<Slot>, _ handle: OpaquePointer?) {
        if isLeft(cthreads_add(word(of: slot), -1)) { letGo(slot, handle) }
    }

    /// The last thread that uses the object of a handle that was ended meanwhile releases it.
    @inline(never)
    private static func letGo(_ slot: UnsafeMutablePointer<Slot>, _ handle: OpaquePointer?) {
        lock.lock()
        let object = isLeft(cthreads_load(word(of: slot))) ? vacate(slot, handle) : nil
        lock.unlock()
        object?.release()
    }

    /// Whether the handle is ended and nobody uses its object.
    @inline(__always)
    private static func isLeft(_ word: Int64) -> Bool { UInt64(bitPattern: word) & 0xFF00_0000_FFFF_FFFF == 0 }

    /// Under the lock. What the slot owned; nil when it is free already.
    private static func vacate(_ slot: UnsafeMutablePointer<Slot>, _ handle: OpaquePointer?) -> Unmanaged<AnyObject>? {
        guard let object = slot.pointee.object else { return nil }
        slot.pointee.object = nil
        // A handle is never given out twice: a slot that was used as often as can be told stays free.
        if UInt(bitPattern: handle) >> 32 & 0xFF_FFFF < 0xFF_FFFF {
            free.append(UInt32(truncatingIfNeeded: UInt(bitPattern: handle)) &- 1)
        }
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

    @inline(__always)
    static func bad<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> CormorantError {
        bad(handle, Object.kind)
    }

    @inline(never)
    package static func bad(_ handle: OpaquePointer?, _ kind: HandleKind) -> CormorantError {
        CormorantError(
            .misuse,
            handle == nil ? "the \(kind.name) is NULL" : "the \(kind.name) handle is closed, freed or of another kind",
            hint: "pass one that is open")
    }
}
