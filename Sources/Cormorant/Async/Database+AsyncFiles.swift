/// Tables and files, as the synchronous calls of the same names.
extension Database {
    /// Creates the tables and indexes of records that are not there yet, in one transaction.
    public func createTables(_ types: any Record.Type...) async throws {
        let models = types.map { $0.model }
        try await perform { try $0.createTables(models) }
    }

    /// Whether the record's table is there.
    public func tableExists<R: Record>(_ type: R.Type) async throws -> Bool {
        try await look { try $0.tableExists(type) }
    }

    /// Writes a copy of the database, as it was last committed, to a file that is not there.
    public func backup(
        to path: String, encryption: Encryption? = nil, progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws {
        try await look { try $0.backup(to: path, encryption: encryption, progress: progress) }
    }

    /// Rebuilds the file without free pages.
    public func vacuum() async throws { try await perform { try $0.vacuum() } }

    /// Has SQLite gather what its planner needs to know.
    public func optimize() async throws { try await perform { try $0.optimize() } }

    /// Copies the log into the file.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointPages {
        try await perform { try $0.checkpoint(mode) }
    }

    /// Lends the connection that writes to `body`, for what only SQLite's own calls can do.
    public func useConnection<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing RawConnection) throws -> Result
    ) async throws -> Result {
        try await perform { try $0.useConnection(body) }
    }

    /// The file's schema.
    public func schema() async throws -> Schema { try await look { try $0.schema() } }

    /// Everything that introspection knows about the file.
    public func metadata() async throws -> Metadata { try await look { try $0.metadata() } }
}

/// Migrations that are looked at, as the synchronous calls of the same names.
extension Database {
    /// What a bundle's steps are to the file.
    public func status(_ bundle: MigrationBundle) async throws -> [MigrationState] {
        try await look { try $0.status(bundle) }
    }

    /// How the file's schema differs from what the bundle has made of it.
    public func drift(_ bundle: MigrationBundle) async throws -> MigrationPlan {
        try await look { try $0.drift(bundle) }
    }

    /// Notes steps of a bundle as applied without running them.
    public func adopt(_ bundle: MigrationBundle, upTo last: String? = nil) async throws {
        try await perform { try $0.adopt(bundle, upTo: last) }
    }
}
