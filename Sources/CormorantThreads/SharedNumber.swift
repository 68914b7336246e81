import CThreads

/// A number in memory that processes share, which they read and change without a lock, and whose changes they wait for.
package struct SharedNumber: @unchecked Sendable {  // the accesses are atomic
    private let address: UnsafeMutablePointer<UInt32>

    /// - Parameter address: of four bytes, aligned, for as long as the number is used.
    package init(_ address: UnsafeMutableRawPointer) { self.address = address.assumingMemoryBound(to: UInt32.self) }

    package func load() -> UInt32 { cthreads_shared_load(address) }

    package func store(_ value: UInt32) { cthreads_shared_store(address, value) }

    /// Puts `wanted` in the place of `expected`; false where it was another number.
    package func exchange(_ expected: UInt32, for wanted: UInt32) -> Bool {
        cthreads_shared_swap(address, expected, wanted)
    }

    /// Sleeps until it is woken or the time is over; not at all where the number is no longer `seen`.
    /// - Parameter bits: who of those that sleep it is.
    package func wait(_ seen: UInt32, _ bits: UInt32, nanoseconds: Int64) {
        cthreads_shared_wait(address, seen, bits, nanoseconds)
    }

    /// Wakes those who sleep with one of these bits.
    package func wake(_ bits: UInt32) { cthreads_shared_wake(address, bits) }
}
