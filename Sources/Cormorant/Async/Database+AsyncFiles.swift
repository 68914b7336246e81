import Dispatch

/// Tables and files, as the synchronous calls of the same names.
extension Database {
    /// Creates the tables and indexes of records that are not there yet, in one transaction.
    public func createTables(_ types: any Record.Type...) async throws {
        try await createTables(types.map { $0.model })
    }

    /// Creates the tables and indexes of models that are known only at run time, in one transaction.
    public func createTables(_ models: [ModelDescriptor]) async throws {
        try await perform { try $0.createTables(models) }
    }

    /// Writes a copy of the database, as it was last committed, to a file that is not there.
    public func backup(
        to path: String, encryption: Encryption? = nil, progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws {
        try await run({ try $0.backup(to: path, encryption: encryption, progress: progress) }, .reading)
    }

    /// Puts the file back to what a snapshot or backup holds.
    public func restore(_ snapshot: String) async throws { try await perform { try $0.restore(snapshot) } }

    /// Puts the file back to what a snapshot or backup holds that is encrypted with another key or salt than the database.
    public func restore(_ snapshot: String, encryption: Encryption) async throws {
        try await perform { try $0.restore(snapshot, encryption: encryption) }
    }

    /// Attaches another file under a name of its own, encrypted or plain.
    public func attach(_ path: String, as name: String, encryption: Encryption? = nil) async throws {
        try await perform { try $0.attach(path, as: name, encryption: encryption) }
    }

    /// The pages of an encrypted file whose authentication fails; none for a good file.
    public func pagesNotAuthentic() async throws -> [UInt32] { try await perform { try $0.pagesNotAuthentic() } }

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

    /// Calls back after every statement; see the synchronous call of the same name.
    public func setTrace(_ callback: (@Sendable (_ sql: String, _ nanoseconds: Int64) -> Void)?) async throws {
        try await perform { try $0.setTrace(callback) }
    }
}

extension Reader {
    /// Whether the record's table is there.
    public func tableExists<R: Record>(_ type: R.Type) async throws -> Bool { try await tableExists(R.model) }

    /// Whether the table of a model that is known only at run time is there.
    public func tableExists(_ model: ModelDescriptor) async throws -> Bool {
        try await look { try $0.tableExists(model) }
    }

    /// The file's schema.
    public func schema() async throws -> Schema { try await look { try $0.schema() } }

    /// Everything that introspection knows about the file.
    public func metadata() async throws -> Metadata { try await look { try $0.metadata() } }

    /// The file's `PRAGMA user_version`.
    public func version() async throws -> Int32 { try await look { try $0.version() } }
}

/// Encrypted files, as the synchronous calls of the same names, on a thread of their own.
extension Database {
    /// Encrypts a plain file, in its place.
    public static func encrypt(
        _ path: String, with encryption: Encryption, progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws {
        try await apart { try encrypt(path, with: encryption, progress: progress) }
    }

    /// Makes an encrypted file plain.
    public static func decrypt(
        _ path: String, with encryption: Encryption, progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws {
        try await apart { try decrypt(path, with: encryption, progress: progress) }
    }

    /// Encrypts a file anew, with another key, a new salt and other settings.
    public static func rekey(
        _ path: String, from old: Encryption, to new: Encryption,
        progress: (@Sendable (Int64, Int64) -> Bool)? = nil
    ) async throws {
        try await apart { try rekey(path, from: old, to: new, progress: progress) }
    }

    /// Opens a database file as `init(path:options:)` does, and without a thread of Swift's pool waiting for it: to derive the
    /// key of an encrypted file alone takes a tenth of a second.
    public static func open(_ path: String, options: OpenOptions = OpenOptions()) async throws -> Database {
        try await apart { try Database(path: path, options: options) }
    }
}

/// Runs what waits for a file, on a thread that is not one of Swift's pool.
func apart<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        files.async { continuation.resume(with: Swift.Result { try body() }) }
    }
}

private let files = DispatchQueue(label: "cormorant.files", attributes: .concurrent)

/// Migrations that are looked at, as the synchronous calls of the same names.
extension Database {
    /// What a sync of records would do, its problems included. Changes nothing.
    public func plan(
        _ types: any Record.Type..., options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationPlan {
        try await plan(types.map { $0.model }, options: options)
    }

    /// What a sync of models that are known only at run time would do, its problems included. Changes nothing.
    public func plan(
        _ models: [ModelDescriptor], options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationPlan {
        try await perform { try $0.plan(models, options: options) }
    }

    /// What a bundle's steps are to the file.
    public func status(_ bundle: MigrationBundle) async throws -> [MigrationState] {
        try await perform { try $0.status(bundle) }
    }

    /// How the file's schema differs from what the bundle has made of it.
    public func drift(_ bundle: MigrationBundle) async throws -> MigrationPlan {
        try await perform { try $0.drift(bundle) }
    }

    /// Notes steps of a bundle as applied without running them.
    public func adopt(_ bundle: MigrationBundle, upTo last: String? = nil) async throws {
        try await perform { try $0.adopt(bundle, upTo: last) }
    }

    /// Says what became of a step that was cut short outside a transaction.
    public func resolve(_ bundle: MigrationBundle, _ id: String, applied: Bool) async throws {
        try await perform { try $0.resolve(bundle, id, applied: applied) }
    }
}
