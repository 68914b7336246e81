import CormorantThreads

/// Migrations of records, as the calls of the same names over models, which programs that keep a list of models use.
extension Database {
    /// Brings the tables of records to what their structs say; see `sync(_:options:)` over models.
    ///
    /// ```swift
    /// try database.sync(Person.self, Album.self)
    /// ```
    @available(*, noasync)
    @discardableResult
    public func sync(
        _ types: any Record.Type..., options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        try sync(types.map { $0.model }, options: options)
    }

    /// What `sync` would do, its problems included. Changes nothing.
    @available(*, noasync)
    public func plan(
        _ types: any Record.Type..., options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        try plan(types.map { $0.model }, options: options)
    }
}

extension MigrationBundle {
    /// Writes the step that leads from the folder's last schema to the structs of records; see the call over models.
    @discardableResult
    public static func generate(
        _ folder: String, name: String, models types: any Record.Type...,
        options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        try generate(folder, name: name, models: types.map { $0.model }, options: options)
    }
}

extension Schema {
    /// The schema that records make in an empty file.
    public init(models types: any Record.Type...) throws {
        try self.init(models: types.map { $0.model })
    }
}

/// Migrations from `async` code, as the synchronous calls of the same names: off the calling task, on the database's
/// queue. Cancelling the task cancels the migration, which leaves the file as it was and throws `interrupted`.
extension Database {
    /// Brings the tables to the models, and returns the plan that it carried out.
    @discardableResult
    public func sync(
        _ types: any Record.Type..., options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationPlan {
        try await sync(types.map { $0.model }, options: options)
    }

    /// Brings the tables to models that are known only at run time, and returns the plan that it carried out.
    @discardableResult
    public func sync(
        _ models: [ModelDescriptor], options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationPlan {
        try await migrate(options) { try $0.sync(models, options: $1) }
    }

    /// Carries out a plan.
    public func apply(_ plan: MigrationPlan, options: MigrationOptions = MigrationOptions()) async throws {
        try await migrate(options) { try $0.apply(plan, options: $1) }
    }

    /// Applies the steps of a bundle that the file lacks, and returns their names.
    @discardableResult
    public func apply(
        _ bundle: MigrationBundle, upTo last: String? = nil, options: MigrationOptions = MigrationOptions()
    ) async throws -> [String] {
        try await migrate(options) { try $0.apply(bundle, upTo: last, options: $1) }
    }

    /// Takes back the steps after `downTo`, the last one first, and returns their names; nil: all.
    @discardableResult
    public func revert(
        _ bundle: MigrationBundle, downTo last: String?, options: MigrationOptions = MigrationOptions()
    ) async throws -> [String] {
        try await migrate(options) { try $0.revert(bundle, downTo: last, options: $1) }
    }

    /// Brings the file's `user_version` up or down to a version, by the steps between; nil: the last.
    public func setVersion(
        _ version: Int32? = nil, steps: [VersionStep], options: MigrationOptions = MigrationOptions()
    ) async throws {
        try await migrate(options) { try $0.setVersion(version, steps: steps, options: $1) }
    }

    /// Runs `body` on the database's queue with options whose progress also stops when the task is cancelled.
    private func migrate<Result: Sendable>(
        _ options: MigrationOptions, _ body: @escaping @Sendable (Database, MigrationOptions) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        var cancellable = options
        cancellable.progress = { progress in
            !cancellation.isRequested && options.progress?(progress) ?? true
        }
        return try await withTaskCancellationHandler {
            try await perform { [cancellable] in try body($0, cancellable) }
        } onCancel: {
            cancellation.request()
        }
    }
}

/// Tells the thread of a migration that its task was cancelled.
private final class Cancellation: @unchecked Sendable {  // `lock` guards `requested`
    private let lock = RecursiveLock(.binding)
    private var requested = false

    var isRequested: Bool {
        lock.lock()
        defer { lock.unlock() }
        return requested
    }

    func request() {
        lock.lock()
        defer { lock.unlock() }
        requested = true
    }
}
