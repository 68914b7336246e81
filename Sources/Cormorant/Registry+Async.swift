import Dispatch

/// For `async` code: no thread of Swift's pool waits for a file or for room.
extension Registry {
    /// Runs `body` with a database, which stays open until it returns.
    /// - Parameter name: nil: the current one.
    public func use<Result: Sendable>(
        _ name: String? = nil, _ body: @Sendable (Database) async throws -> Result
    ) async throws -> Result {
        let lease = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try self.use(name) }) }
        }
        defer { try? lease.release() }
        return try await body(lease.database)
    }
}
