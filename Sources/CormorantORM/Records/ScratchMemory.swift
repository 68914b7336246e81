import CormorantBase
import CormorantPlatform

/// Memory that is filled from one end and emptied at once: for texts that must outlive the call that made them, such as
/// those of a record being bound or of an array of records. Addresses stay until `reset`. One thread at a time.
@usableFromInline
package final class ScratchMemory {
    @usableFromInline
    package struct State {
        /// Where the next bytes go, in the current chunk.
        @usableFromInline var cursor: UnsafeMutableRawPointer?
        /// How many bytes the current chunk has left.
        @usableFromInline var left = 0
        /// The current chunk.
        var chunk: UnsafeMutableRawPointer?
        var chunkSize = 0
        /// The other chunks, to be freed.
        var others: [UnsafeMutableRawPointer] = []
        /// Whether `reset` has chunks to free.
        @usableFromInline var hasOthers = false
        var nextSize: Int
    }

    /// Behind a pointer, because stored properties of a class pay for an exclusivity check at each text
    /// (benchmarks: lookup_transaction, 800 of 11,600 instructions).
    @usableFromInline package let state: UnsafeMutablePointer<State>

    /// The largest chunk, and the largest that `reset` keeps.
    private static let largestChunk = 1 << 20

    package init(firstSize: Int = 4096) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(nextSize: firstSize))
    }

    deinit {
        freeOthers()
        state.pointee.chunk?.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Room for `count` bytes.
    @inlinable @inline(__always)
    package func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        if let cursor = state.pointee.cursor, count <= state.pointee.left {
            state.pointee.cursor = cursor + count
            state.pointee.left &-= count
            return cursor
        }
        return grow(count)
    }

    /// Room, or an error where there is no memory for it, which matters where it is much: `allocate` would end the process.
    package func checkedAllocate(_ count: Int) throws -> UnsafeMutableRawPointer {
        guard count > 1 << 20 else { return allocate(count) }
        guard let own = malloc(count) else { throw noMemory(count) }
        state.pointee.others.append(own)
        state.pointee.hasOthers = true
        return own
    }

    /// A copy, followed by a NUL, or an error where there is no memory for it.
    package func checkedCopy(_ bytes: UnsafeRawPointer?, count: Int) throws -> UnsafeMutableRawPointer {
        let own = try checkedAllocate(count + 1)
        if let bytes { own.copyMemory(from: bytes, byteCount: count) }
        own.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        return own
    }

    /// Room for an array of at least one, wherever texts that went before end.
    package func allocateArray<Element>(of type: Element.Type, count: Int) -> UnsafeMutablePointer<Element> {
        let alignment = MemoryLayout<Element>.alignment
        let start = allocate(max(count, 1) * MemoryLayout<Element>.stride + alignment)
        return start.alignedUp(toMultipleOf: alignment).bindMemory(to: type, capacity: max(count, 1))
    }

    /// A NUL-terminated copy of a short text.
    package func copy(_ text: String) -> UnsafePointer<CChar> {
        var text = text
        let start = text.withUTF8 { copy($0.baseAddress, count: $0.count) }
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }

    /// A copy of the bytes, followed by a NUL.
    @inlinable @inline(__always)
    package func copy(_ bytes: UnsafeRawPointer?, count: Int) -> UnsafeMutableRawPointer {
        let start = allocate(count &+ 1)
        if let bytes, count > 0 { start.copyMemory(from: bytes, byteCount: count) }
        start.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        return start
    }

    /// Forgets everything in it. The current chunk, unless it is huge, is kept for what comes next.
    @inlinable @inline(__always)
    package func reset() {
        if state.pointee.hasOthers { freeOthers() }
        rewind()
    }

    @usableFromInline
    package func rewind() {
        if state.pointee.chunkSize > ScratchMemory.largestChunk {
            state.pointee.chunk?.deallocate()
            state.pointee.chunk = nil
            state.pointee.chunkSize = 0
        }
        state.pointee.cursor = state.pointee.chunk
        state.pointee.left = state.pointee.chunkSize
    }

    @usableFromInline @inline(never)
    package func freeOthers() {
        for chunk in state.pointee.others { chunk.deallocate() }
        state.pointee.others = []
        state.pointee.hasOthers = false
    }

    @usableFromInline @inline(never)
    package func grow(_ count: Int) -> UnsafeMutableRawPointer {
        // A large text gets a chunk of its own, so that it does not throw away the rest of the current one.
        if count > state.pointee.nextSize / 2, state.pointee.chunk != nil {
            let own = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
            state.pointee.others.append(own)
            state.pointee.hasOthers = true
            return own
        }
        if let full = state.pointee.chunk {
            state.pointee.others.append(full)
            state.pointee.hasOthers = true
        }
        let size = max(state.pointee.nextSize, count)
        state.pointee.nextSize = min(state.pointee.nextSize * 2, ScratchMemory.largestChunk)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        state.pointee.chunk = chunk
        state.pointee.chunkSize = size
        state.pointee.cursor = chunk + count
        state.pointee.left = size - count
        return chunk
    }
}
