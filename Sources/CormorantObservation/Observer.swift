import CormorantBase
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// One watch. It ends when it is cancelled, when its database closes, or with its last reference.
package final class Observer: @unchecked Sendable {  // `watched` belongs to the hub
    /// Events that wait for being taken; beyond, the newest ones are made into one.
    private static let greatestCount = 1000

    package let isLatestOnly: Bool
    let keepsValues: Bool
    let live: LiveQuery?
    let reads: LiveReads?
    var watched: [WatchedTable] = []
    /// Of a query: it may read other tables when the schema has changed.
    let sql: String?
    /// Whether it may read other tables by now. It belongs to who tells.
    var isUnsure = false
    private weak let hub: ObservationHub?
    private let mailbox: Mailbox<Result<Pending, CormorantError>>
    private let fork = ForkMark()
    /// Whether a server could not be asked: it is to be run again when it can be reached.
    let isBehind = AtomicFlag()
    /// Held while a result of the live query becomes an event, which is told by what changed since the one before.
    private let taking = RecursiveLock(.event)
    private let layouts: TableLayouts

    /// What was told and not taken.
    private struct Pending {
        var isForeign: Bool
        var changes: [RowChange] = []
        var result: LiveResult?

        /// Called for each that is taken, in their order; nil where a live query's result is what it was.
        func event(_ live: LiveQuery?, _ layouts: TableLayouts) throws -> ObservationEvent? {
            if let live, let result { return try live.event(result, isForeign: isForeign) }
            return ObservationEvent(isForeign: isForeign, changes, layouts)
        }
    }

    /// - Parameters:
    ///   - model: by whose columns the values of its changes are read.
    ///   - callback: called with each event; nil: events wait to be taken.
    init(
        _ hub: ObservationHub, model: ModelDescriptor?, sql: String?, live: LiveQuery?, reads: LiveReads?,
        keepsValues: Bool, isLatestOnly: Bool,
        callback: ((Result<ObservationEvent, CormorantError>) -> Void)?
    ) {
        self.hub = hub
        self.sql = sql
        let layouts = TableLayouts(model)
        self.layouts = layouts
        self.live = live
        self.reads = reads
        self.keepsValues = keepsValues
        self.isLatestOnly = isLatestOnly
        mailbox = Mailbox(
            callback: callback.map { callback in
                { told in
                    do {
                        if let event = try Observer.event(told, live, layouts) { callback(.success(event)) }
                    } catch let error as CormorantError {
                        callback(.failure(error))
                    } catch {}
                }
            })
    }

    /// Ends it: nothing is told from here on, but a callback that runs on another thread runs to its end. A second call
    /// does nothing. May be called from the callback.
    package func cancel() {
        end()
        hub?.remove(self)
    }

    /// Nothing comes any more.
    func end() { mailbox.end(discarding: true) }

    package var isCancelled: Bool { mailbox.isEnded }

    /// Whether an event that comes is made into one with the last of so many that wait.
    package func merges(_ count: Int) -> Bool {
        count > 0 && (isLatestOnly || isLive || count >= Observer.greatestCount)
    }

    /// Whether it runs what it tells of.
    var isLive: Bool { live != nil || reads != nil }

    /// A file descriptor that can be read while events wait or the watch has ended. It belongs to the observer.
    package func descriptor() throws -> Int32 {
        try fork.refuse()
        return try mailbox.descriptor()
    }

    /// Has `ready` called when events begin to wait, and at the end.
    package func onReady(_ ready: @escaping () -> Void) { mailbox.onReady(ready) }

    /// The next event; nil when none waits. Throws what kept a live query from being run.
    package func next() throws -> ObservationEvent? {
        try fork.refuse()
        taking.lock()
        defer { taking.unlock() }
        while let told = mailbox.next() {
            if let event = try Observer.event(told, live, layouts) { return event }
        }
        return nil
    }

    private static func event(
        _ told: Result<Pending, CormorantError>, _ live: LiveQuery?, _ layouts: TableLayouts
    ) throws -> ObservationEvent? {
        do {
            return try told.get().event(live, layouts)
        } catch {
            live?.fail()
            throw error
        }
    }
}

// What the hub tells it, one thread at a time --------------------------------------------------------------------------

extension Observer {
    /// A transaction was committed.
    func tell(_ committed: CommittedChanges) {
        if committed.isUnknown {
            return tell(Pending(isForeign: true, changes: watched.map { RowChange(unknown: $0.table) }))
        }
        let relevant = committed.changes.filter { change in watched.contains { $0.concerns(change) } }
        if relevant.isEmpty { return }
        let isForeign = committed.isForeign
        guard relevant.count > 1 else { return tell(Pending(isForeign: isForeign, changes: relevant)) }
        var folder = ChangeFolder()
        for change in relevant { folder.add(change) }
        if !folder.folded.isEmpty { tell(Pending(isForeign: isForeign, changes: folder.folded)) }
    }

    /// What it watches is told no more.
    func tell(_ error: CormorantError) { mailbox.put(.failure(error)) }

    /// Runs the live query, or the reads, and tells what is new.
    func runLive(isForeign: Bool, changedSchema: Bool) {
        guard !isCancelled else { return }
        isBehind.isSet = false
        do {
            if let live {
                tell(Pending(isForeign: isForeign, result: try live.run()))
            } else if let reads, let hub {
                if isForeign || changedSchema { reads.forgetStatements() }
                if try hub.run(reads, of: self) { tellOfReads(isForeign: isForeign) }
            }
        } catch let error as CormorantError
            where error.code == .connection || error.code == .interrupted && Threads.isCancelled
        {
            // Of the thread that has committed, and of nobody's watch, is the limit of time.
            isBehind.isSet = true
        } catch {
            // The last state is told in the end.
            if (error as? CormorantError)?.code == .busy {
                isBehind.isSet = true
                hub?.deliverLater()
            }
            // Nothing, where its database was closed meanwhile.
            mailbox.put(
                .failure(
                    error as? CormorantError ?? CormorantError(.callback, "the reads failed: \(error)", cause: error)))
        }
    }

    /// The reads have something new.
    func tellOfReads(isForeign: Bool) { tell(Pending(isForeign: isForeign)) }

    /// Runs the live query before anything else is told of it.
    func tellFirst() throws {
        guard let live else { return }
        let result = try live.run()
        try live.checkKey(result)
        tell(Pending(isForeign: false, result: result))
    }

    private func tell(_ pending: Pending) {
        mailbox.put(.success(pending)) { newest, count in
            guard merges(count), case .success(let newest) = newest else { return nil }
            return .success(Observer.merged(newest, pending))
        }
    }

    private static func merged(_ first: Pending, _ second: Pending) -> Pending {
        var folder = ChangeFolder()
        for change in first.changes + second.changes { folder.add(change) }
        return Pending(
            isForeign: first.isForeign || second.isForeign, changes: folder.folded,
            result: second.result ?? first.result)
    }
}
