import CormorantBase
import CormorantCipher
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// The schema: its health, and where it is to get.
extension StudioInterface {
    func inspect(_ file: StudioFile, _ connection: HTTPConnection) throws -> JSON {
        let summary = try DatabaseSummary(file.database(.console), encryption: file.formatName, fast: true)
        return .raw(summary.json(file.path))
    }

    /// What `corm check` finds.
    func check(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        var doctor = Doctor()
        let database = try file.database(.checks)
        let job = StudioJob(connection, seconds: 600)
        do {
            try database.withConnection { connection in
                try job.run(on: connection) { _ in
                    try database.transaction(.deferred) {
                        try doctor.checkIntegrity(database, quick: !json["isThorough"].isTrue)
                        guard doctor.isReadable else { return }
                        try doctor.checkSchema(database)
                        try doctor.checkJournal(database)
                    }
                }
            }
        } catch let error as CormorantError where [.corrupt, .altered, .truncated].contains(error.code) {
            doctor.addDamage(error.plainMessage)
        }
        return [
            "findings": .array(
                doctor.findings.map { finding in
                    [
                        "severity": .text(finding.severity.rawValue), "check": .text(finding.check),
                        "table": JSON(finding.table), "message": .text(finding.message), "hint": .text(finding.hint),
                    ]
                })
        ]
    }

    /// How far the first file is from what `--schema` or `--bundle` names.
    func target(_ file: StudioFile, _ json: JSON) throws -> JSON {
        guard let path = session.target, file === session.files.first else { return ["kind": .null] }
        let database = try file.database(.console)
        if session.isBundle {
            let bundle = try openBundle(path)
            let pending = try? database.pending(bundle)
            return [
                "kind": "bundle", "path": .text(path),
                "steps": .array(
                    try database.status(bundle).map { state in
                        [
                            "id": .text(state.id), "state": .text(state.state.name), "hint": .text(state.state.hint),
                            "finished": JSON(state.finished),
                        ]
                    }),
                "pending": .array((pending ?? []).map(Self.json)),
                "drift": .array(try drift(database, bundle).map { .text($0.description) }),
                "losses": JSON((pending ?? []).flatMap(\.losses)),
            ]
        }
        let plan = try plan(path, database, json["drops"].elements.compactMap(\.text))
        return [
            "kind": "schema", "path": .text(path), "plan": .raw(plan.forCommand.json),
            "drops": JSON(plan.problems.compactMap(\.drop)), "losses": JSON(plan.steps.flatMap(\.plainLosses)),
        ]
    }

    private func drift(_ database: Database, _ bundle: MigrationBundle) throws -> [SchemaChange] {
        let isKnown = try !database.status(bundle).contains { $0.state == .newer || $0.state == .missing }
        return isKnown ? try database.drift(bundle).steps.flatMap(\.changes) : []
    }

    private static func json(_ step: PendingStep) -> JSON {
        var sql = ""
        if case .sql(let text) = step.step.up { sql = text }
        return [
            "id": .text(step.step.id), "risk": JSON(step.risk?.name), "losses": JSON(step.losses),
            "problems": JSON(step.problems.map(\.plainMessage)), "sql": .text(sql),
        ]
    }

    private func plan(_ path: String, _ database: Database, _ drops: [String]) throws -> MigrationPlan {
        let schema = try database.withConnection { try Schema($0) }
        return try MigrationPlan(
            from: schema, to: try SchemaSource(path, session.keys).schema(), of: database,
            options: MigrationOptions(allowDrop: drops))
    }

    /// Brings the file there. What would be lost must have been named, exactly as it is now: `{"drops", "losses"}`.
    func migrate(_ file: StudioFile, _ json: JSON) throws -> JSON {
        guard file.isWritable else { throw file.notWritable() }
        guard let path = session.target, file === session.files.first else { throw malformed("there is no target") }
        let database = try file.database(.writing)
        let drops = json["drops"].elements.compactMap(\.text)
        let confirmed = json["losses"].elements.compactMap(\.text)
        if session.isBundle {
            let bundle = try openBundle(path)
            let losses = try database.pending(bundle).flatMap(\.losses)
            try refuse(losses, unless: confirmed)
            let done = try database.apply(bundle, options: MigrationOptions(allowLossy: !losses.isEmpty))
            return ["applied": JSON(done)]
        }
        let plan = try plan(path, database, drops)
        try refuseProblems(of: plan)
        try refuse(plan.steps.flatMap(\.plainLosses), unless: confirmed)
        try database.apply(plan, options: MigrationOptions(allowDrop: drops))
        return ["applied": JSON(plan.steps.map(\.summary))]
    }

    private func refuse(_ losses: [String], unless confirmed: [String]) throws {
        guard losses != confirmed else { return }
        throw CormorantError(
            .migration, "this would lose \(losses.joined(separator: " and "))",
            hint: "nothing was changed; confirm what is lost, as it is named now")
    }
}
