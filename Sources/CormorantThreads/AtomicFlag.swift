import CThreads

/// A flag that threads read and set without a lock. Of its own, so that other modules read it without a call.
@usableFromInline
package final class AtomicFlag: @unchecked Sendable {  // the accesses are atomic
    @usableFromInline let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    package init() { number.initialize(to: 0) }

    deinit { number.deallocate() }

    @inlinable
    package var isSet: Bool {
        get { cthreads_load(number) != 0 }
        set { cthreads_store(number, newValue ? 1 : 0) }
    }
}
