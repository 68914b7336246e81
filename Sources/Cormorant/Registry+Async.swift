import Dispatch

/// For `async` code: no thread of Swift's pool waits for a file or for room.
extension Registry {
    /// Runs `body` with a database, which stays open until it returns.
    /// - Parameter name: nil: the current one.
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
        let opening = companion { DispatchQueue(label: "cormorant.registry") }
        return try await withCheckedThrowingContinuation { continuation in
            opening.async { continuation.resume(with: Swift.Result { try self.use(name) }) }
        }
    }
}
