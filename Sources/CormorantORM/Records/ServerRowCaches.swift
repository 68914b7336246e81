import CormorantBase
import CormorantEngine
import CormorantSQLite
import CormorantThreads

/// The caches of a server's rows, which the connections of one database share, and how far it is known what was committed there:
/// by readings of the server's outbox, of which each has the rows go that it tells of.
package final class ServerRowCaches: @unchecked Sendable {  // `lock` guards the caches
    private let lock = RecursiveLock(.database)
    private var byModel: [ObjectIdentifier: RowCache] = [:]
    /// How long after the beginning of a reading that is the newest rows count, in nanoseconds.
    private let greatestAge: Int64
    /// When the newest reading was begun that has come to its end.
    private let newest = AtomicNumber()
    /// Readings count that were begun after this.
    private let needed = AtomicNumber()
    /// Another one when readings begin anew, as with another server.
    private let source = AtomicNumber(1)
    /// Reads the outbox by a connection that nobody else uses.
    private let read: (Connection) -> Void

    /// - Parameter interval: how often others' commits are looked for, in milliseconds.
    package init(_ interval: Int, read: @escaping (Connection) -> Void) {
        greatestAge = Int64(clamping: 2 * interval + 1000) * 1_000_000
        self.read = read
    }

    deinit { for number in [newest, needed, source] { number.deallocate() } }

    package var all: [RowCache] { lock.locked { Array(byModel.values) } }

    func cache(of model: ModelDescriptor) -> RowCache? { lock.locked { byModel[ObjectIdentifier(model)] } }

    /// - Returns: those in whose place it is, or whose models are gone.
    func put(_ cache: RowCache?, of model: ModelDescriptor) -> [RowCache] {
        lock.locked {
            let gone = byModel.filter { $0.key == ObjectIdentifier(model) || $0.value.model.isFreed }
            for id in gone.keys { byModel[id] = nil }
            byModel[ObjectIdentifier(model)] = cache
            return Array(gone.values)
        }
    }

    // What is known --------------------------------------------------------------------------------------------------

    /// Whether all that this database has committed is known, and of others' commits those of the time before `greatestAge`.
    var areCurrent: Bool {
        let newest = newest.load()
        return newest > needed.load() && monotonicTime() &- newest <= greatestAge
    }

    /// A reading has come to its end, and what it told is gone from the caches.
    /// - Parameter begun: when it was begun, by `monotonicTime`.
    package func have(readBy connection: Connection, begun: Int64) {
        let heard = HeardConnection(self, source.load(), connection.engine?.schemaChanges ?? 0)
        connection.setAttachment(heard)
        connection.keepsRows = true
        newest.raise(to: begun)
    }

    /// Something may have been committed that only readings tell which begin after this.
    package func areBehind() { needed.raise(to: monotonicTime()) }

    /// Whether commits are told at once, where that is wanted; while nothing listens, rows are read from the server.
    package func listens(_ isListening: Bool) { needed.store(isListening ? monotonicTime() : .max) }

    /// It is not known what was committed between two readings.
    package func beginAnew() {
        source.store(source.load() &+ 1)
        for cache in all { cache.removeAll() }
    }

    fileprivate func isHeard(_ connection: Connection, _ heard: HeardConnection) -> Bool {
        heard.source == source.load() && heard.schemaChanges == connection.engine?.schemaChanges
            && connection.engine?.hasOwnSettings == false
    }

    /// Has a connection that is the calling thread's take part.
    func prepare(_ connection: Connection) {
        guard !connection.isHeard, connection.engine?.hasOwnSettings == false, !connection.isInTransaction else {
            return
        }
        connection.keepsRows = false
        read(connection)
    }
}

/// A connection by which the outbox was read, so that what it reads afterwards is not older than what the caches know.
final class HeardConnection: ConnectionAttachment {
    let caches: ServerRowCaches
    fileprivate let source: Int64
    /// Those of its session, which grow when it is opened anew, too.
    fileprivate let schemaChanges: Int

    fileprivate init(_ caches: ServerRowCaches, _ source: Int64, _ schemaChanges: Int) {
        self.caches = caches
        self.source = source
        self.schemaChanges = schemaChanges
    }
}

extension Connection {
    /// Whether the server that it is connected to is the one whose commits its database's caches are told of, and it finds there
    /// what the other connections would find.
    var isHeard: Bool { attachment(HeardConnection.self).map { $0.caches.isHeard(self, $0) } ?? false }
}

extension Database {
    /// Puts a cache of a server's rows in the place of the one before; limits of 0: none. It keeps nothing before `follow`.
    /// - Parameter made: gives the caches of the database, where there are none yet. Under the lock of who sets caches.
    /// - Returns: the new one, and those that are gone.
    package func setServerCache(
        _ model: ModelDescriptor, count: Int64, bytes: Int64, _ made: () -> ServerRowCaches
    ) -> (new: RowCache?, gone: [RowCache]) {
        let caches = serverCaches ?? made()
        serverCaches = caches
        let new =
            count > 0 ? RowCache(model, count: Int(clamping: count), bytes: Int(clamping: bytes), caches) : nil
        let gone = caches.put(new, of: model)
        writer.hasCaches.isSet = !caches.all.isEmpty
        return (new, gone)
    }
}
