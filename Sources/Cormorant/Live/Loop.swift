import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Whether a `for await` loop takes what waits for an observer or a listener: with two, one would take the other's wake-up,
/// which would wait for ever.
final class Loop: @unchecked Sendable {  // `lock` guards `isTaken`
    private let lock = RecursiveLock(.binding)
    private var isTaken = false

    /// - Returns: what is kept as long as the loop runs; nil where one does.
    func begin() -> LoopLease? {
        lock.lock()
        defer { lock.unlock() }
        guard !isTaken else { return nil }
        isTaken = true
        return LoopLease { [self] in
            lock.lock()
            isTaken = false
            lock.unlock()
        }
    }

    static func isTaken(_ what: String, _ hint: String) -> CormorantError {
        CormorantError(.misuse, "another loop is taking the \(what)", hint: hint)
    }
}

final class LoopLease: Sendable {
    private let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    deinit { ended() }
}
