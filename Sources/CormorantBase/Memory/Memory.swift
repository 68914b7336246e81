import CormorantPlatform

package func noMemory(_ count: Int) -> CormorantError {
    CormorantError(.noMemory, "there is no memory for \(count) bytes", hint: "free some memory, or give less at once")
}

/// Refuses what the system has no memory for, where Swift is to allocate much at once: that would end the process. What is
/// asked for is a megabyte more, for the small pieces that go with it.
package func requireMemory(_ count: Int) throws(CormorantError) {
    guard count > 1 << 20 else { return }
    // Not malloc, which an optimizing compiler leaves out where what it gives is not used.
    let size = count + 1 << 20
    let room = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let room, room != MAP_FAILED else { throw noMemory(count) }
    munmap(room, size)
}

extension [UInt8] {
    /// Room for so many bytes more, or an error where there is no memory for it.
    @inlinable @inline(__always)
    package mutating func makeRoom(_ more: Int) throws(CormorantError) {
        if capacity - count < more { try grow(more) }
    }

    @usableFromInline @inline(never)
    package mutating func grow(_ more: Int) throws(CormorantError) {
        let larger = Swift.max(count + more, 2 * capacity)
        try requireMemory(larger)
        reserveCapacity(larger)
    }
}
