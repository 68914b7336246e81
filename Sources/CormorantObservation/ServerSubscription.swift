import CormorantBase
import CormorantEngine
import CormorantPlatform
import CormorantThreads

/// Calls back now and then, and when the server has notified, on a thread of its own, which ends with this.
final class ServerSubscription: Sendable {
    private let clock: Clock

    /// - Parameters:
    ///   - interval: in milliseconds.
    ///   - listen: opens what is notified; nil: nothing is.
    ///   - listens: is told when it is lost, and when it is there again.
    init(
        _ interval: Int, _ listen: (@Sendable () throws -> any EngineListener)?,
        listens: @escaping @Sendable (Bool) -> Void, _ changed: @escaping @Sendable () -> Void
    ) throws {
        let clock = Clock(try EventSignal())
        self.clock = clock
        // Before anything is watched, for what cannot be opened is an error of the call.
        let listener = Held(try listen?())
        if listen != nil { listens(true) }
        try BackgroundThread { clock.run(interval, listener.take(), listen, listens, changed) }.detach()
    }

    deinit { clock.stop() }

    /// Handed to the thread.
    private final class Held: @unchecked Sendable {
        private var listener: (any EngineListener)?
        init(_ listener: (any EngineListener)?) { self.listener = listener }
        func take() -> (any EngineListener)? {
            defer { listener = nil }
            return listener
        }
    }

    private final class Clock: @unchecked Sendable {  // `lock` guards the signal
        private let lock = RecursiveLock(.fileWatcher)
        private let signal: EventSignal
        private let isStopped = AtomicFlag()

        init(_ signal: EventSignal) { self.signal = signal }

        func stop() {
            isStopped.isSet = true
            lock.locked { signal.set() }
        }

        func run(
            _ interval: Int, _ first: (any EngineListener)?, _ listen: (() throws -> any EngineListener)?,
            _ listens: (Bool) -> Void, _ changed: () -> Void
        ) {
            var listener = first
            var next = monotonicTime()
            while !isStopped.isSet {
                let now = monotonicTime()
                if now >= next {
                    // One that was lost is opened anew.
                    if listener == nil, let listen {
                        listener = try? listen()
                        if listener != nil { listens(true) }
                    }
                    changed()
                    next = monotonicTime() + Int64(interval) * 1_000_000
                    continue
                }
                var waiting = [pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)]
                if let listener { waiting.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)) }
                _ = poll(&waiting, nfds_t(waiting.count), Int32(clamping: (next - now) / 1_000_000 + 1))
                guard !isStopped.isSet, waiting.count > 1, waiting[1].revents != 0 else { continue }
                do {
                    if try listener?.take() ?? false { changed() }
                } catch {
                    listener?.close()
                    listener = nil
                    if !isStopped.isSet { listens(false) }
                }
            }
            listener?.close()
        }
    }
}
