import CormorantBase
import CormorantPlatform
import CormorantThreads

/// Damage of a file that a statement met.
public struct Damage: Sendable {
    /// The file.
    public let path: String
    /// The page, from 1, where it is known: of encrypted files, whose pages tell.
    public let page: Int?
    /// The error that the statement had: `corrupt`, `altered`, `truncated` or `notADatabase`.
    public let error: CormorantError
}

/// Tells the program of damage, each once, on a thread of its own: whoever meets it holds a connection, which the program
/// may want to use or to close.
package final class DamageReports: @unchecked Sendable {  // `monitor` guards what changes
    private let tell: @Sendable (Damage) -> Void
    private let monitor = Monitor(.damage)
    private var known: Set<Place> = []
    private var waiting: [Damage] = []
    /// Whether there is a thread that tells, and who it is once it is known.
    private var isTelling = false
    private var teller: pthread_t?
    private var isOn = false

    private struct Place: Hashable {
        let path: String
        let page: UInt32
        let code: ErrorCode
    }

    package init(_ tell: @escaping @Sendable (Damage) -> Void) { self.tell = tell }

    /// From now on: what opening a file meets is its own error.
    package func begin() { monitor.locked { isOn = true } }

    /// What an error of a statement says of its file.
    func met(_ error: CormorantError, _ path: String, page: UInt32?) {
        guard [.corrupt, .altered, .truncated, .notADatabase].contains(error.code), !monitor.isForked else { return }
        monitor.lock()
        defer { monitor.unlock() }
        // A file of which nothing is left would have no end of it.
        guard isOn, known.count < 1000,
            known.insert(Place(path: path, page: page ?? 0, code: error.code)).inserted
        else { return }
        waiting.append(Damage(path: path, page: page.map(Int.init), error: error))
        guard !isTelling else { return }
        guard let thread = try? BackgroundThread({ self.run() }) else {
            waiting = []
            known = []
            return
        }
        thread.detach()
        isTelling = true
    }

    private func run() {
        while true {
            monitor.lock()
            teller = pthread_self()
            guard !waiting.isEmpty else {
                (isTelling, teller) = (false, nil)
                monitor.changed()
                monitor.unlock()
                return
            }
            let next = waiting.removeFirst()
            monitor.unlock()
            tell(next)
        }
    }

    /// Nothing is told any more once it returns. Waits until all is told, but where the program's function calls it.
    package func end() {
        guard !monitor.isForked else { return }
        monitor.lock()
        defer { monitor.unlock() }
        isOn = false
        if let teller, pthread_equal(teller, pthread_self()) != 0 {
            waiting = []
            return
        }
        while isTelling { monitor.wait(50_000_000) }
    }
}

extension Connection {
    /// Tells of an error that says that the file is damaged.
    func told(_ error: CormorantError) -> CormorantError {
        if let damage { damage.met(error, alteredPage?.path ?? path, page: alteredPage?.page) }
        alteredPage = nil
        return error
    }
}
