import CThreads

/// A number that threads read and change without a lock. Copies are of one number; who made it deallocates it. Other modules read
/// and store it without a call.
@usableFromInline
package struct AtomicNumber: @unchecked Sendable {  // the accesses are atomic
    @usableFromInline let address: UnsafeMutablePointer<Int64>

    package init(_ value: Int64 = 0) {
        address = .allocate(capacity: 1)
        address.initialize(to: value)
    }

    package func deallocate() { address.deallocate() }

    @inlinable @inline(__always)
    package func load() -> Int64 { cthreads_load(address) }

    @inlinable @inline(__always)
    package func store(_ value: Int64) { cthreads_store(address, value) }

    /// Stores without a fence what only the thread that reads it back relies upon.
    @inline(__always)
    package func storeReleasing(_ value: Int64) { cthreads_store_release(address, value) }

    /// - Returns: the sum.
    @inline(__always)
    @discardableResult
    func add(_ value: Int64) -> Int64 { cthreads_add(address, value) }

    /// Puts `wanted` in the place of `expected`; false where it was another number.
    @inlinable @inline(__always)
    package func exchange(_ expected: Int64, for wanted: Int64) -> Bool { cthreads_swap(address, expected, wanted) }

    /// Stores a number that is larger than what is there.
    package func raise(to value: Int64) {
        while true {
            let known = load()
            if known >= value || exchange(known, for: value) { return }
        }
    }
}
