import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension Database {
    /// Applies the steps that the file lacks, each in one transaction with its record, up to and with `last` (nil: all).
    /// Processes that come together wait for one another, and each step runs once.
    /// - Returns: the ids of the steps that this call applied.
    @available(*, noasync)
    @discardableResult
    public func apply(
        _ bundle: MigrationBundle, upTo last: String? = nil, options: MigrationOptions = MigrationOptions()
    ) throws -> [String] {
        let end = try bundle.index(of: last)
        let wanted = Set(bundle.steps.prefix(end + 1).map(\.id))
        try refuseTransaction()
        let check = try transaction(.deferred) { try withConnection { try checked(bundle, $0) } }
        guard check.pending.contains(where: { wanted.contains($0.id) }) || !check.replaced.isEmpty else { return [] }
        var ahead: Unchanged<MigrationStep>?
        return try oneByOne(options) { applier, connection, done in
            try applyNext(bundle, wanted, applier, connection, done, &ahead)
        }
    }

    /// Takes steps back, the last first, until `last` is the last that is applied (nil: all go).
    /// - Returns: the ids of the steps taken back.
    @available(*, noasync)
    @discardableResult
    public func revert(
        _ bundle: MigrationBundle, downTo last: String?, options: MigrationOptions = MigrationOptions()
    ) throws -> [String] {
        let keep = try last == nil ? -1 : bundle.index(of: last)
        let going = Set(bundle.steps.suffix(from: keep + 1).map(\.id))
        try refuseTransaction()
        let check = try transaction(.deferred) { try withConnection { try checked(bundle, $0, isGoingBack: true) } }
        let ids = check.states.filter { $0.state == .applied && going.contains($0.id) }.map(\.id)
        guard !ids.isEmpty else { return [] }
        if let id = ids.last(where: { bundle.step($0)?.down == nil }) {
            throw CormorantError(
                .migration, "step \(id) has no way back", hint: "nothing was taken back; give the step a down")
        }
        var ahead: Unchanged<History.Row>?
        return try oneByOne(options) { applier, connection, done in
            try revertLast(bundle, going, applier, connection, done, of: ids.count, &ahead)
        }
    }

    /// Records the steps up to and with `last` (nil: all) as applied in a file that was made without them.
    @available(*, noasync)
    public func adopt(_ bundle: MigrationBundle, upTo last: String? = nil) throws {
        let end = try bundle.index(of: last)
        guard end >= 0 else { return }
        try transaction {
            try withConnection { connection in
                let history = History(connection: connection)
                guard try history.rows().isEmpty else {
                    throw CormorantError(
                        .migration, "the file has a history already", hint: "apply the bundle instead of adopting it")
                }
                let schema = try Schema(present: connection)
                try refuseOther(schema, than: bundle, upTo: end, connection)
                try history.create()
                let time = try history.time()
                for (index, step) in bundle.steps.prefix(end + 1).enumerated() {
                    let hash =
                        try index == end ? schema.hash : connection.dialect == .postgres ? "" : step.schemaHash() ?? ""
                    try history.insert(step, schemaBefore: "", schemaAfter: hash, started: time, .applied)
                    if index == end { try history.note(step.id, left: schema) }
                }
            }
        }
    }

    /// Refuses a schema that is not the one which steps leave. On a server others may have tables, too.
    private func refuseOther(
        _ schema: Schema, than bundle: MigrationBundle, upTo end: Int, _ connection: Connection
    ) throws {
        let (last, what) = (bundle.steps[end], "the schema that \(bundle.steps[end].id) leaves")
        if connection.dialect == .postgres, let expected = try ServerReplay.known(bundle.steps[...end], connection) {
            let changes = SchemaDifference(from: expected, to: schema).changes
            return try refuseDrift(changes.filter { expected.has($0.table) }, what)
        }
        guard let snapshot = last.schemaSQL else {
            throw CormorantError(
                .migration, "step \(last.id) has no schema to compare the file with",
                hint: "seal the bundle, or give the step the schema that it leaves")
        }
        if connection.dialect == .postgres { return try refuseLack(of: Schema(script: snapshot), in: schema, last.id) }
        try refuseDrift(from: Schema(script: snapshot), to: schema, what)
    }

    /// Says what became of a step that was cut short outside a transaction.
    @available(*, noasync)
    public func resolve(_ bundle: MigrationBundle, _ id: String, applied: Bool) throws {
        try transaction {
            try withConnection { connection in
                let history = History(connection: connection)
                guard try history.rows().contains(where: { $0.id == id && $0.state == .running }),
                    let step = bundle.step(id)
                else {
                    throw CormorantError(.migration, "step \(id) is not dirty", hint: "look at the status")
                }
                try history.delete(id)
                guard applied else { return }
                let schema = try Schema(present: connection)
                try history.insert(
                    step, schemaBefore: "", schemaAfter: schema.hash, started: try history.time(), .applied)
                try history.note(step.id, left: schema)
            }
        }
    }

    /// The steps of the bundle and of the file's history, in order.
    @available(*, noasync)
    public func status(_ bundle: MigrationBundle) throws -> [MigrationState] {
        try withConnection { try HistoryCheck(bundle, History(connection: $0).rows()).states }
    }

    /// The steps that `apply` would run, in order; what would keep it from running them is an error.
    package func pending(_ bundle: MigrationBundle) throws -> [PendingStep] {
        try transaction(.deferred) {
            try withConnection { connection in
                let schema = try Schema(present: connection)
                var losses = StepLosses(schema, connection.dialect)
                var pending = try checked(bundle, connection).pending.map { step in
                    guard let sql = step.up.sql(for: connection.dialect) else {
                        return PendingStep(step: step, losses: [], problems: [])
                    }
                    let gone = losses.run(sql)
                    return PendingStep(
                        step: step,
                        risk: gone.isEmpty && losses.successors.allSatisfy(\.isFilled) ? step.declaredRisk : .lossy,
                        losses: try losses.counted(gone, connection), problems: [])
                }
                if let first = pending.first?.step, connection.dialect == .sqlite {
                    pending[0].problems = try problems(of: first, schema, connection)
                }
                return pending
            }
        }
    }

    /// What rows have against a step, by the schema that it leaves. One that renames is not seen through.
    private func problems(
        of step: MigrationStep, _ schema: Schema, _ connection: Connection
    ) throws -> [MigrationProblem] {
        guard let target = step.schemaSQL, case .sql(let sql) = step.up else { return [] }
        let isRenaming = try SQLScript.statements(sql).contains { statement in
            let words = SQLScript.words(statement.sql, 12).map(foldIdentifier)
            return words.first == "alter" && words.contains("rename") && !words[2].hasPrefix("corm_new_")
        }
        if isRenaming { return [] }
        let planner = Planner(schema, file: connection, notes: PlanNotes(allowsAll: true))
        return (try? planner.plan(to: Schema(script: target)).problems) ?? []
    }

    /// A plan from the file's schema back to the one that its last step left; empty where there is no drift.
    @available(*, noasync)
    public func drift(_ bundle: MigrationBundle) throws -> MigrationPlan {
        try transaction(.deferred) {
            try withConnection { connection in
                let rows = try History(connection: connection).rows()
                let schema = try Schema(present: connection)
                guard let last = rows.last, !last.schemaAfter.isEmpty, schema.hash != last.schemaAfter else {
                    return MigrationPlan(steps: [])
                }
                let step = bundle.step(last.id) ?? bundle.steps.last { $0.replacedIDs.contains(last.id) }
                if step == nil { try HistoryCheck(bundle, rows).validate() }
                if connection.dialect == .postgres {
                    let place = step.flatMap { step in bundle.steps.firstIndex { $0.id == step.id } }
                    if let place,
                        let former = try ServerReplay.former(
                            bundle.steps[...place], parts: last.parts, now: schema, connection)
                    {
                        return try schemaPlan(from: schema, to: former, allowDrop: [], file: connection)
                    }
                    let changes = SchemaParts(schema).changes(to: SchemaParts(text: last.parts))
                    return MigrationPlan(
                        steps: changes.map {
                            MigrationPlan.Step(
                                summary: $0.description, changes: [$0], sql: [], decidedRisk: .undecided, problems: [])
                        })
                }
                guard let snapshot = step?.schemaSQL else {
                    throw CormorantError(
                        .migration, "step \(last.id) has no schema to compare the file with",
                        hint: "seal the bundle, or give the step the schema that it leaves")
                }
                return try schemaPlan(from: schema, to: Schema(script: snapshot), allowDrop: [], file: connection)
            }
        }
    }

}
