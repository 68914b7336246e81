import CormorantBase
import CormorantORM
import CormorantSQLite

/// One watch. It ends when it is cancelled, when its database closes, or with its last reference.
package final class Observer: @unchecked Sendable {  // `lock` guards everything below it; `watched` belongs to the hub
    /// Events that wait for being taken; beyond, the newest ones are made into one.
    private static let greatestCount = 1000

    package let isLatestOnly: Bool
    let keepsValues: Bool
    let live: LiveQuery?
    var watched: [WatchedTable] = []
    var layout = RowLayout.plain
    private weak var hub: ObservationHub?
    /// Called with each event; nil: events wait to be taken.
    private let callback: ((Result<ObservationEvent, CormorantError>) -> Void)?
    private let lock = RecursiveLock()
    private var waiting: [Result<Pending, CormorantError>] = []
    private var isEnded = false
    private var signal: EventSignal?
    private var whenReady: (() -> Void)?

    /// What was told and not taken.
    private struct Pending {
        var isForeign: Bool
        var changes: [RowChange] = []
        var result: LiveResult?
    }

    init(
        _ hub: ObservationHub, live: LiveQuery?, keepsValues: Bool, isLatestOnly: Bool,
        callback: ((Result<ObservationEvent, CormorantError>) -> Void)?
    ) {
        self.hub = hub
        self.live = live
        self.keepsValues = keepsValues
        self.isLatestOnly = isLatestOnly
        self.callback = callback
    }

    /// Ends it: nothing is told from here on, but a callback that runs on another thread runs to its end. A second call
    /// does nothing. May be called from the callback.
    package func cancel() {
        end()
        hub?.remove(self)
    }

    /// Nothing comes any more.
    func end() {
        lock.lock()
        isEnded = true
        waiting = []
        signal?.set()
        let ready = whenReady
        whenReady = nil
        lock.unlock()
        ready?()
    }

    package var isCancelled: Bool { locked { isEnded } }

    /// A file descriptor that can be read while events wait or the watch has ended. It belongs to the observer.
    package func descriptor() throws -> Int32 {
        guard callback == nil else {
            throw CormorantError(
                .misuse, "the observer has a callback, which takes its events", hint: "observe without a callback")
        }
        lock.lock()
        defer { lock.unlock() }
        if let signal { return signal.descriptor }
        let made = try EventSignal()
        signal = made
        if isEnded || !waiting.isEmpty { made.set() }
        return made.descriptor
    }

    /// Has `ready` called when events begin to wait, and at the end.
    package func onReady(_ ready: @escaping () -> Void) {
        let isReady = locked {
            if !isEnded { whenReady = ready }
            return isEnded || !waiting.isEmpty
        }
        if isReady { ready() }
    }

    /// The next event; nil when none waits. Throws what kept a live query from being run.
    package func next() throws -> ObservationEvent? {
        lock.lock()
        defer { lock.unlock() }
        while !waiting.isEmpty {
            let pending = try take().get()
            if let event = try event(pending) { return event }
        }
        if !isEnded { signal?.clear() }
        return nil
    }

    private func take() -> Result<Pending, CormorantError> { waiting.removeFirst() }

    private func event(_ pending: Pending) throws -> ObservationEvent? {
        if let live, let result = pending.result { return try live.event(result, isForeign: pending.isForeign) }
        return ObservationEvent(
            isForeign: pending.isForeign, changes: pending.changes.map(ObservedChange.init), layout: layout)
    }

    private func locked<T>(_ body: () -> T) -> T {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}

// What the hub tells it, one thread at a time --------------------------------------------------------------------------

extension Observer {
    /// A transaction was committed.
    func tell(_ committed: CommittedChanges) {
        if committed.isForeign {
            return tell(Pending(isForeign: true, changes: watched.map { RowChange(unknown: $0.table) }))
        }
        let relevant = committed.changes.filter { change in watched.contains { $0.concerns(change) } }
        if relevant.isEmpty { return }
        guard relevant.count > 1 else { return tell(Pending(isForeign: false, changes: relevant)) }
        var folder = ChangeFolder()
        for change in relevant { folder.add(change) }
        if !folder.folded.isEmpty { tell(Pending(isForeign: false, changes: folder.folded)) }
    }

    /// Runs the live query and tells its result, when that is another one.
    func runLive(isForeign: Bool) {
        guard let live, !isCancelled else { return }
        do {
            let result = try live.run()
            tell(Pending(isForeign: isForeign, result: result))
        } catch let error as CormorantError {
            // Its database was closed meanwhile.
            if !isCancelled { tell(error) }
        } catch {}
    }

    /// Runs the live query before anything else is told of it.
    func tellFirst() throws {
        guard let live else { return }
        let result = try live.run()
        try live.checkKey(result)
        tell(Pending(isForeign: false, result: result))
    }

    private func tell(_ pending: Pending) {
        if let callback {
            guard !isCancelled else { return }
            do {
                if let event = try event(pending) { callback(.success(event)) }
            } catch let error as CormorantError {
                callback(.failure(error))
            } catch {}
            return
        }
        wait(.success(pending))
    }

    private func tell(_ error: CormorantError) {
        if let callback { callback(.failure(error)) } else { wait(.failure(error)) }
    }

    private func wait(_ new: Result<Pending, CormorantError>) {
        let ready: (() -> Void)? = locked {
            if isEnded { return nil }
            let merges = isLatestOnly || live != nil || waiting.count >= Observer.greatestCount
            if merges, case .success(let last)? = waiting.last, case .success(let next) = new {
                waiting[waiting.count - 1] = .success(Observer.merged(last, next))
            } else {
                waiting.append(new)
            }
            signal?.set()
            return whenReady
        }
        ready?()
    }

    private static func merged(_ first: Pending, _ second: Pending) -> Pending {
        var folder = ChangeFolder()
        for change in first.changes + second.changes { folder.add(change) }
        return Pending(
            isForeign: first.isForeign || second.isForeign, changes: folder.folded,
            result: second.result ?? first.result)
    }
}
