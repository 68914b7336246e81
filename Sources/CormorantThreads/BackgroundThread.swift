import CormorantBase
import CormorantPlatform

/// A thread of the library's own. It takes no signals: those are for the host's.
package struct BackgroundThread {
    private let thread: pthread_t

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
            return nil
        }
    }

    /// Runs `body` on a new thread. Each needs a `join` or a `detach`.
    package init(_ body: @escaping @Sendable () -> Void) throws {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Those of a thread's own faults: blocked, they would end the process past the program's handlers.
        for fault in [SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var made: pthread_t?
        #else
            var made = pthread_t()
        #endif
        let status = pthread_create(&made, nil, { Work.run($0) }, work.toOpaque())
        guard status == 0 else {
            work.release()
            throw CormorantError(
                .noMemory, "a thread cannot be made: \(String(cString: strerror(status)))",
                hint: "end threads that are no longer used")
        }
        #if canImport(Darwin)
            guard let made else { throw CormorantError(.internal, "a thread was made that is none") }
        #endif
        thread = made
    }

    /// Waits for its end.
    package func join() { pthread_join(thread, nil) }

    /// Nobody will wait for its end.
    package func detach() { pthread_detach(thread) }
}
