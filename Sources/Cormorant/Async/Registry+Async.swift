import CormorantSQLite
import CormorantThreads
import Dispatch

/// For `async` code: no thread of Swift's pool waits for a file or for room.
extension Registry {
    /// Runs `body` with a database, which stays open until it returns.
    /// - Parameters:
    ///   - name: nil: the current one.
    ///   - body: what is run with the database.
    public func use<Result: Sendable>(
        _ name: String? = nil, _ body: @Sendable (Database) async throws -> Result
    ) async throws -> Result {
        let lease = try await use(name)
        defer { try? lease.release() }
        return try await body(lease.database)
    }

    /// A database, which stays open until the lease is released or goes away.
    /// - Parameter name: nil: the current one.
    // One thread waits for all tasks, in their order: more would take those away that give databases back.
    public func use(_ name: String? = nil) async throws -> Lease {
        if let lease = try useIfOpen(name) { return lease }
        let opening = companion(OpeningQueue.init).queue
        let pending = PendingLease()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending.wait(continuation)
                opening.async {
                    guard pending.isWaited else { return }
                    pending.end(Swift.Result { try self.use(name) })
                }
            }
        } onCancel: {
            pending.cancel()
        }
    }

    /// The names of all databases: those registered, and those in the folder whose files are there.
    public func allNames() async throws -> [String] { try await apart { try self.allNames() } }

    /// Closes a database's file, if it is open: to move or remove it.
    public func closeFile(_ name: String) async throws { try await apart { try self.closeFile(name) } }

    /// Closes the registry and all its databases.
    public func close() async throws { try await apart { try self.close() } }

    /// Attaches a database of the registry to another one, under a name of its own, until that one is given back.
    public func attach(_ name: String, to database: Database, as schema: String) async throws {
        try await database.perform { try self.attach(name, to: $0, as: schema) }
    }

    /// Applies the steps of a bundle that each database lacks; see the synchronous call of the same name.
    public func migrate(
        _ bundle: MigrationBundle, _ names: [String]? = nil, upTo last: String? = nil, allowLossy: Bool = false,
        progress: @escaping @Sendable (RegistryMigration) -> Bool = { _ in true }
    ) async throws -> [String: CormorantError] {
        try await apart {
            try self.migrate(bundle, names, upTo: last, allowLossy: allowLossy, progress: progress)
        }
    }
}

/// A lease that a task waits for; one that comes when the task is gone goes back with its last reference.
private final class PendingLease: @unchecked Sendable {  // `lock` guards what stands below it
    private let lock = RecursiveLock(.binding)
    private var continuation: CheckedContinuation<Lease, any Error>?
    private var isCancelled = false

    func wait(_ continuation: CheckedContinuation<Lease, any Error>) {
        lock.lock()
        self.continuation = continuation
        let isCancelled = isCancelled
        lock.unlock()
        if isCancelled { cancel() }
    }

    var isWaited: Bool {
        lock.lock()
        defer { lock.unlock() }
        return continuation != nil
    }

    func cancel() {
        lock.lock()
        isCancelled = true
        lock.unlock()
        end(.failure(CancellationError()))
    }

    func end(_ result: Result<Lease, any Error>) {
        lock.lock()
        let waiting = continuation
        continuation = nil
        lock.unlock()
        waiting?.resume(with: result)
    }
}

/// Where tasks wait for files to be opened.
private final class OpeningQueue: Companion {
    let queue = DispatchQueue(label: "cormorant.registry")
}
