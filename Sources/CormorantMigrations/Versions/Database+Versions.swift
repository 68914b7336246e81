import CormorantBase
import CormorantORM
import CormorantSQLite

/// One step of a file whose schema has a number.
public struct VersionStep: Sendable {
    /// The version that it leads to, from the one before. 0: sets an empty file up at the newest version at once.
    public var version: Int32
    /// What brings a file to the version.
    public var up: MigrationStep.Action
    /// nil: there is no way back.
    public var down: MigrationStep.Action?

    /// The step to a version.
    public init(_ version: Int32, up: MigrationStep.Action, down: MigrationStep.Action? = nil) {
        self.version = version
        self.up = up
        self.down = down
    }
}

extension Reader {
    /// The file's `PRAGMA user_version`; of a server the number in the table `corm_version`.
    @available(*, noasync)
    public func version() throws -> Int32 {
        try database.withReader { connection in
            guard connection.dialect == .postgres else { return Int32(clamping: try connection.pragma("user_version")) }
            guard try connection.hasTable(versionTable) else { return 0 }
            return Int32(clamping: try number("SELECT version FROM \(versionTable)", connection) ?? 0)
        }
    }
}

extension Database {
    /// Brings the file from its version to another (nil: the newest), each step with its number in one transaction; down
    /// where the other is less. Without bundle or history, for files made so.
    @available(*, noasync)
    public func setVersion(
        _ version: Int32? = nil, steps: [VersionStep], options: MigrationOptions = MigrationOptions()
    ) throws {
        let steps = try VersionSteps(steps)
        let goal = version ?? steps.newest
        guard (0...steps.newest).contains(goal) else {
            throw CormorantError(
                .migration, "there is no version \(goal)", hint: "the versions are 0 to \(steps.newest)")
        }
        let present = try self.version()
        try steps.check(present)
        guard present != goal else { return }
        if goal < present, let stuck = steps.steps[Int(goal)..<Int(present)].first(where: { $0.down == nil }) {
            throw CormorantError(
                .migration, "version \(stuck.version) has no way back",
                hint: "nothing was taken back; give its step a down")
        }
        let count = Int(abs(goal - present))
        try refuseTransaction()
        _ = try oneByOne(options) { applier, connection, done in
            try goOn(to: goal, steps, applier, connection, done, of: count)
        }
    }

    /// One step with its number; nil at the goal.
    private func goOn(
        to goal: Int32, _ steps: VersionSteps, _ applier: Applier, _ connection: Connection, _ done: Int, of count: Int
    ) throws -> String? {
        try applier.transaction(connection) {
            let present = try version()
            try steps.check(present)
            guard present != goal else { return nil }
            if done == 0 { try applier.takeSnapshot() }
            let step: (action: MigrationStep.Action, next: Int32)
            if present == 0, goal == steps.newest, let setup = steps.setup, try isEmpty(connection) {
                step = (setup.up, goal)
            } else if present < goal {
                step = (steps.steps[Int(present)].up, present + 1)
            } else {
                guard let down = steps.steps[Int(present) - 1].down else {
                    throw CormorantError(
                        .migration, "version \(present) has no way back", hint: "give its step a down")
                }
                step = (down, present - 1)
            }
            let label = "to version \(step.next)"
            try applier.run(
                step.action, of: label, connection, index: done, count: count, isDown: step.next < present)
            try note(step.next, connection)
            return label
        }
    }

    private func note(_ version: Int32, _ connection: Connection) throws {
        guard connection.dialect == .postgres else { return try connection.script("PRAGMA user_version = \(version)") }
        if try !connection.hasTable(versionTable) {
            try connection.script("CREATE TABLE \(versionTable) (version integer NOT NULL)")
        }
        try connection.script("DELETE FROM \(versionTable); INSERT INTO \(versionTable) VALUES (\(version))")
    }

    private func isEmpty(_ connection: Connection) throws -> Bool {
        if connection.dialect == .postgres { return try ServerSchema(connection).schema.tables.isEmpty }
        let statement = try Statement(connection, "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
        return try statement.step() && Row(statement).cell(0).int64 == 1
    }
}

/// Where a server keeps the number of its schema.
let versionTable = "corm_version"

/// Steps 1 to the newest, without a gap.
private struct VersionSteps {
    let steps: [VersionStep]
    let setup: VersionStep?
    var newest: Int32 { Int32(clamping: steps.count) }

    init(_ all: [VersionStep]) throws {
        setup = all.first { $0.version == 0 }
        steps = all.filter { $0.version != 0 }.sorted { $0.version < $1.version }
        if all.count > steps.count + (setup == nil ? 0 : 1) {
            throw CormorantError(.migration, "there are two steps of version 0", hint: "keep one")
        }
        if steps.isEmpty, setup != nil {
            throw CormorantError(
                .migration, "a setup alone leads to no version", hint: "add the steps of the versions 1, 2 and so on")
        }
        for (index, step) in steps.enumerated() where step.version != Int32(clamping: index + 1) {
            throw CormorantError(
                .migration, "the step of version \(index + 1) is missing or there twice",
                hint: "number the steps 1, 2, 3 and so on")
        }
    }

    func check(_ present: Int32) throws {
        guard present <= newest else {
            throw CormorantError(
                .migrationNewer, "the file has version \(present), and \(newest) is the newest known here",
                hint: "use a newer version of the program")
        }
        guard present >= 0 else {
            throw CormorantError(.migration, "the file has version \(present)", hint: "versions count from 0")
        }
    }
}
