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
        let lease = try await lease(name)
        defer { try? lease.release() }
        return try await body(lease.database)
    }

    /// One thread waits for all tasks, in their order: more would take those away that give databases back.
    private func lease(_ name: String?) async throws -> Lease {
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
