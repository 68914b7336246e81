import CormorantBase
import CormorantORM
import CormorantSQLite

/// What became of one database of a fleet.
public struct RegistryMigration: Sendable {
    /// The database's name in the registry.
    public var name: String
    /// Its place among them, from 0, and how many they are.
    public var index: Int
    /// How many databases there are.
    public var count: Int
    /// The steps that were applied, or what went wrong. No step: it had them all.
    public var result: Result<[String], CormorantError>
}

extension Registry {
    /// Applies the steps of a bundle that each database lacks, as `Database.apply`. A failure does not stop the others. What
    /// is done stays done: after a crash, or when it was stopped, the same call goes on, and passes by those that lack nothing.
    /// Those that were not open are closed again, so that the ones in use stay open.
    /// - Parameters:
    ///   - names: nil: all whose files are there.
    ///   - last: the step to go to; nil: all.
    ///   - allowLossy: whether steps may drop tables and columns that hold something; else they are failures.
    ///   - progress: told of each, must not use the registry; false stops, and the call throws `interrupted`.
    /// - Returns: the failures by name.
    @available(*, noasync)
    public func migrate(
        _ bundle: MigrationBundle, _ names: [String]? = nil, upTo last: String? = nil, allowLossy: Bool = false,
        progress: (RegistryMigration) -> Bool = { _ in true }
    ) throws -> [String: CormorantError] {
        var failures: [String: CormorantError] = [:]
        try migrate(names, bundle, upTo: last) {
            try $0.database.apply(bundle, upTo: last, options: MigrationOptions(allowLossy: allowLossy))
        } told: { migration in
            if case .failure(let error) = migration.result { failures[migration.name] = error }
            return progress(migration)
        }
        return failures
    }

    /// - Parameters:
    ///   - body: applies the steps to one database.
    ///   - told: is told of each; false stops.
    package func migrate(
        _ names: [String]?, _ bundle: MigrationBundle, upTo last: String?, _ body: (Lease) throws -> [String],
        told: (RegistryMigration) -> Bool
    ) throws {
        _ = try bundle.index(of: last)
        let names = try names ?? allNames().filter { fileExists(try location($0).path) }
        for (index, name) in names.enumerated() {
            let result: Result<[String], CormorantError>
            do {
                let lease = try use(name, isPassing: true)
                defer { try? lease.release() }
                result = .success(try body(lease))
            } catch let error as CormorantError {
                result = .failure(error)
            }
            guard told(RegistryMigration(name: name, index: index, count: names.count, result: result)) else {
                throw CormorantError(
                    .interrupted, "stopped after \(index + 1) of \(names.count) databases",
                    hint: "call again to go on: what is done is not done anew")
            }
        }
    }
}
