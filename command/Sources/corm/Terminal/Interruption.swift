import ArgumentParser
import CormorantBase
import CormorantORM
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// Ctrl-C and its like: the command rolls back, removes its temporary files and ends. A second one ends it at once; SQLite
/// then rolls back when the file is opened next. A command that only reads is ended after a second, whatever it is at: SQLite
/// does not look up while it prepares a statement.
enum Interruption {
    private static let lock = RecursiveLock(.binding)
    nonisolated(unsafe) private static var signalled: Int32 = 0  // `lock` guards it and `stops`
    nonisolated(unsafe) private static var stops: [@Sendable () -> Void] = []
    nonisolated(unsafe) private static var hasLeavings = false  // `lock` guards it, too
    nonisolated(unsafe) private static var mainThread: pthread_t?

    /// Waits for the signals on a thread of its own, where it may do more than a signal's handler.
    static func install() {
        mainThread = pthread_self()
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGALRM] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // What wakes the main thread from a read that waits. Without SA_RESTART, so that the read ends.
        var wake = sigaction()
        #if canImport(Darwin)
            wake.__sigaction_u.__sa_handler = { _ in }
        #else
            wake.__sigaction_handler.sa_handler = { _ in }
        #endif
        sigaction(SIGUSR1, &wake, nil)
        let waiter = Waiter(signals)
        #if canImport(Darwin)
            var thread: pthread_t?
            pthread_create(&thread, nil, { Interruption.wait($0) }, Unmanaged.passRetained(waiter).toOpaque())
        #else
            var thread = pthread_t()
            pthread_create(&thread, nil, { Interruption.wait($0!) }, Unmanaged.passRetained(waiter).toOpaque())
        #endif
    }

    /// Whether the command is to end.
    static var isRequested: Bool {
        lock.lock()
        defer { lock.unlock() }
        return signalled != 0
    }

    /// Throws `interrupted` once the command is to end; called in loops that do not ask SQLite.
    static func check() throws {
        if isRequested { throw CormorantError(.interrupted, "interrupted") }
    }

    /// Waits until a file can be read, and throws once the command is to end: a signal that comes just before a read does
    /// not end that.
    static func waitToRead(_ file: Int32) throws {
        var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        repeat { try check() } while poll(&entry, 1, 100) <= 0
    }

    /// Calls `stop` when the command is to end, on another thread. Until the first of these a signal ends the process.
    static func onRequest(_ stop: @escaping @Sendable () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        stops.append(stop)
    }

    /// From here on the command has something to put away before it ends: a transaction, or a file that is half written.
    static func expectLeavings() {
        lock.lock()
        defer { lock.unlock() }
        hasLeavings = true
    }

    #if canImport(Darwin)
        private static let alarm = ITIMER_REAL
    #else
        private static let alarm = __itimer_which_t(ITIMER_REAL.rawValue)
    #endif

    private final class Waiter {
        var signals: sigset_t
        init(_ signals: sigset_t) { self.signals = signals }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        #if canImport(Darwin)
            return unsafeBitCast(present.__sigaction_u.__sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
            return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }

    private static func wait(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let waiter = Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue()
        while true {
            var number: Int32 = 0
            guard sigwait(&waiter.signals, &number) == 0 else { return nil }
            lock.lock()
            if signalled == 0 || number != SIGALRM {
                if signalled != 0 || stops.isEmpty { _exit(128 + number) }
                signalled = number
            }
            let (stops, waits) = (stops, hasLeavings)
            lock.unlock()
            for stop in stops { stop() }
            if let mainThread { pthread_kill(mainThread, SIGUSR1) }
            if waits {
                // SQLite forgets an interruption that comes between two statements.
                var again = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: 200_000))
                setitimer(alarm, &again, nil)
                continue
            }
            usleep(900_000)
            Output.error("corm: interrupted\n")
            _exit(ExitCode.interrupted.rawValue)
        }
    }
}
