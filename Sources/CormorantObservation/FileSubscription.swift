import CormorantBase
import CormorantSQLite

/// Calls back when a database file or its log may have been written, by whatever process. On systems other than Linux and Apple's
/// nobody watches the file, and what is observed is what is committed through the database.
final class FileSubscription: Sendable {
    let path: String
    let changed: @Sendable () -> Void

    /// - Parameter changed: called on the watcher's thread, once for many writes; and then again and again, at growing
    ///   distances, since a commit is visible only some time after it was written.
    init(_ path: String, _ changed: @escaping @Sendable () -> Void) throws {
        self.path = path
        self.changed = changed
        #if os(Linux) || canImport(Darwin)
            try FileWatcher.shared.add(self)
        #endif
    }

    deinit {
        #if os(Linux) || canImport(Darwin)
            FileWatcher.shared.remove(ObjectIdentifier(self))
        #endif
    }
}
