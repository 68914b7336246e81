import CormorantBase
import CormorantEngine
import CormorantObservation
import CormorantSQLite

/// A table, or a view, and those of its columns whose updates count. Names as in the file.
public struct Region: Sendable {
    /// The table or view, by its name in the file.
    public var table: String
    /// Empty: all.
    public var columns: [String]

    /// A table, and those of its columns that count; none: all.
    public init(_ table: String, columns: [String] = []) {
        self.table = table
        self.columns = columns
    }
}

/// A row that changed: of a table, or of the result of a live query.
public struct RowChange<Row: Sendable>: Sendable {
    /// `unknown` stands for the whole table: another connection committed, and its rows are not known.
    public let kind: ChangeKind
    /// nil in a live query.
    public let table: String?
    /// 0 in a table WITHOUT ROWID, and in a live query.
    public let rowID: Int64
    /// The primary key, or else the rowid; in a live query what tells its rows apart.
    public let key: [Value]
    /// The row before and after, where asked for.
    public let old: Row?
    /// The row after the change, where asked for; nil for one that was deleted.
    public let new: Row?
    /// Where the row stands in a live query's new result; nil where it left it, and in a table.
    public let position: Int?
}

/// What one transaction did, of what is watched.
public struct Event<Row: Sendable>: Sendable {
    /// Whether another connection committed, in this process or another one.
    public let isForeign: Bool
    /// Each row once; of a live query first those that left its result, then the others in its order.
    public let changes: [RowChange<Row>]
    /// The new result of a live query.
    public let rows: [Row]
}

/// A watch. It ends by `cancel`, with its last reference, or with its database. Without a callback its events wait to be
/// taken: by `next`, or by `for await` loops, each of which gets every event from its own beginning on. Of a live query, with
/// `latestOnly`, and from 1,000 on, those that wait for a loop become one.
public final class Observer<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Event<Row>
    typealias Read = @Sendable (StoredRow, RowLayout) throws -> Row?

    private let observer: CormorantObservation.Observer
    private let read: Read
    private let loops: Loops<ObservationEvent>

    init(_ observer: CormorantObservation.Observer, _ read: @escaping Read) {
        self.observer = observer
        // What waits for a loop that rests is as bounded as what waits for the first.
        loops = Loops { [weak observer] last, next, count in
            guard observer?.merges(count) ?? false else { return nil }
            return try last.merged(with: next).map { [$0] } ?? []
        }
        self.read = read
    }

    deinit { observer.cancel() }

    /// Ends the watch. It does not wait: a callback that runs on another thread runs to its end. A second call does
    /// nothing. May be called in the callback.
    public func cancel() { observer.cancel() }

    /// The next event; nil when none waits. Throws what kept a live query from being run.
    public func next() throws -> Event<Row>? { try observer.next().map { try event($0, read) } }

    public func makeAsyncIterator() -> AsyncIterator {
        let loop = loops.begin()
        observer.onReady { [loops] in loops.wake() }
        return AsyncIterator(observer: self, loop: loop, wakes: loop.wakes.makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: Observer
        let loop: LoopState<ObservationEvent>
        var wakes: AsyncStream<Void>.Iterator

        /// The next event; nil once the watch has ended, or the task is cancelled.
        public mutating func next() async throws -> Event<Row>? {
            let observer = observer
            let next = try await loop.next(
                &wakes, { try observer.observer.next() }, isOver: { observer.observer.isCancelled })
            return try next.map { try event($0, observer.read) }
        }
    }
}

/// The engine's event with rows of a type.
private func event<Row>(_ event: ObservationEvent, _ read: @escaping Observer<Row>.Read) throws -> Event<Row> {
    let row = { (observed: ObservedRow?) in try observed.flatMap { try read($0.row, $0.layout) } }
    return Event(
        isForeign: event.isForeign,
        changes: try event.changes.map { change in
            RowChange(
                kind: change.kind, table: change.table.isEmpty ? nil : change.table, rowID: change.rowID,
                key: change.key, old: try row(change.old), new: try row(change.new),
                position: change.position < 0 ? nil : change.position)
        }, rows: try (event.rows ?? []).compactMap { try read($0, event.layout) })
}

extension Observer {
    /// What is called with each event, or with what kept a live query from being run.
    public typealias Callback = @Sendable (Result<Event<Row>, CormorantError>) -> Void

    /// The callback as the engine calls it.
    static func engine(
        _ callback: Callback?, _ read: @escaping Read
    ) -> ((Result<ObservationEvent, CormorantError>) -> Void)? {
        guard let callback else { return nil }
        return { result in
            switch result {
            case .success(let told):
                do {
                    callback(.success(try event(told, read)))
                } catch {
                    callback(.failure(error as? CormorantError ?? CormorantError(.callback, "\(error)")))
                }
            case .failure(let error): callback(.failure(error))
            }
        }
    }
}
