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
        return try oneByOne(options) { applier, connection, done in
            try applyNext(bundle, wanted, applier, connection, done)
        }
    }

    /// Runs steps, each in a transaction of its own, until there is none.
    /// - Parameter next: gets how many were run; gives the id of the one that it has run.
    func oneByOne(
        _ options: MigrationOptions, _ next: (Applier, Connection, Int) throws -> String?
    ) throws -> [String] {
        let applier = Applier(self, options)
        var done: [String] = []
        do {
            try applier.run { connection in
                while let id = try next(applier, connection, done.count) { done.append(id) }
            }
        } catch {
            // What was committed before the failure can be undone by the snapshot alone.
            if done.isEmpty { applier.dropSnapshot() }
            throw error
        }
        applier.keepOrDropSnapshot()
        return done
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
        return try oneByOne(options) { applier, connection, done in
            try revertLast(bundle, going, applier, connection, done, of: ids.count)
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
                guard let snapshot = bundle.steps[end].schemaSQL else {
                    throw CormorantError(
                        .migration, "step \(bundle.steps[end].id) has no schema to compare the file with",
                        hint: "seal the bundle, or give the step the schema that it leaves")
                }
                if connection.dialect == .postgres {
                    try refuseLack(of: Schema(script: snapshot), in: schema, bundle.steps[end].id)
                } else {
                    try refuseDrift(
                        from: Schema(script: snapshot), to: schema, "the schema that \(bundle.steps[end].id) leaves")
                }
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
        let planner = try Planner(schema, file: connection, notes: PlanNotes(allowsAll: true))
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

    // One step ---------------------------------------------------------------------------------------------------------

    private func checked(
        _ bundle: MigrationBundle, _ connection: Connection, isGoingBack: Bool = false, _ applier: Applier? = nil
    ) throws -> HistoryCheck {
        let rows = try History(connection: connection).rows()
        let check = HistoryCheck(bundle, rows, goesOn: connection.dialect == .postgres)
        try check.validate(isGoingBack: isGoingBack)
        if let last = rows.last, !last.schemaAfter.isEmpty, !rows.contains(where: { $0.state == .running }) {
            try refuseDrift(bundle, last, applier?.schemaBefore(connection) ?? KnownSchema(connection))
        }
        return check
    }

    private func refuseDrift(_ bundle: MigrationBundle, _ last: History.Row, _ now: KnownSchema) throws {
        guard now.hash != last.schemaAfter else { return }
        let what = "the schema that \(last.id) left"
        if dialect == .postgres, !last.parts.isEmpty {
            try refuseDrift(SchemaParts(text: last.parts).changes(to: SchemaParts(now.schema)), what)
        }
        if dialect == .sqlite, let snapshot = bundle.step(last.id)?.schemaSQL {
            try refuseDrift(from: Schema(script: snapshot), to: now.schema, what)
        }
        throw CormorantError(
            .migrationDrift, "the file's schema is not \(what)",
            hint: "undo what was changed by hand, or put it into a step")
    }

    private func refuseDrift(from expected: Schema, to schema: Schema, _ what: String) throws {
        try refuseDrift(SchemaDifference(from: expected, to: schema).changes, what)
    }

    private func refuseDrift(_ changes: [SchemaChange], _ what: String) throws {
        guard !changes.isEmpty else { return }
        throw CormorantError(
            .migrationDrift,
            "the file differs from \(what): \(changes.map(\.description).joined(separator: "; "))",
            hint: "undo what was changed by hand, or put it into a step", table: changes[0].table)
    }

    /// The next step with its record, or nil. Everything is read again under the lock: another process may have been here.
    private func applyNext(
        _ bundle: MigrationBundle, _ wanted: Set<String>, _ applier: Applier, _ connection: Connection, _ done: Int
    ) throws -> String? {
        let history = History(connection: connection)
        var outside: MigrationStep?
        var finished = 0
        let id: String? = try applier.transaction(connection) {
            let check = try checked(bundle, connection, applier)
            for step in check.replaced { try replace(step, history) }
            let pending = check.pending.filter { wanted.contains($0.id) }
            guard let step = pending.first else { return nil }
            if done == 0 { try applier.takeSnapshot() }
            try history.create()
            let started = try history.time()
            let before = try applier.schemaBefore(connection)
            let inventory = try applier.refuseLosses(of: step.up, of: step, before.schema, connection)
            guard !step.isOutsideTransaction(dialect) else {
                let row = try history.rows().first { $0.id == step.id }
                finished = Int(clamping: row?.done ?? 0)
                if row == nil {
                    try history.insert(step, schemaBefore: before.hash, schemaAfter: "", started: started, .running)
                }
                outside = step
                return step.id
            }
            let past = try history.rows()
            try applier.run(
                step.up, of: step.id, connection, index: done, count: done + pending.count,
                inventory: inventory)
            try applier.refuseLosses(inventory, step.id, connection)
            try history.check(past, step.id)
            let after = try applier.schemaAfter(connection)
            try history.insert(
                step, schemaBefore: before.hash, schemaAfter: after.hash, started: started, .applied)
            try history.note(step.id, left: after.schema)
            return step.id
        }
        if let step = outside {
            // Its record says that it is under way, until it is through.
            if dialect == .postgres {
                try applier.runOutside(step, connection, index: done, from: finished, history)
            } else {
                try applier.run(
                    step.up, of: step.id, connection, index: done, count: done + 1, inTransaction: false)
            }
            try resolve(bundle, step.id, applied: true)
        }
        return id
    }

    private func replace(_ step: MigrationStep, _ history: History) throws {
        let rows = try history.rows()
        let last = rows.last { step.replacedIDs.contains($0.id) }
        for id in step.replacedIDs { try history.delete(id) }
        try history.insert(
            step, schemaBefore: "", schemaAfter: last?.schemaAfter ?? "", started: try history.time(), .applied)
    }

    private func revertLast(
        _ bundle: MigrationBundle, _ going: Set<String>, _ applier: Applier, _ connection: Connection, _ done: Int,
        of count: Int
    ) throws -> String? {
        let history = History(connection: connection)
        return try applier.transaction(connection) {
            for step in try checked(bundle, connection, isGoingBack: true, applier).replaced {
                try replace(step, history)
            }
            guard let row = try history.rows().last, going.contains(row.id), let step = bundle.step(row.id),
                let down = step.down
            else { return nil }
            let inventory = try applier.refuseLosses(
                of: down, of: step, applier.schemaBefore(connection).schema, connection)
            if done == 0 { try applier.takeSnapshot() }
            let past = try history.rows()
            try applier.run(
                down, of: step.id, connection, index: done, count: count, isDown: true, inventory: inventory)
            try applier.refuseLosses(inventory, step.id, connection)
            try history.check(past, step.id)
            try history.delete(row.id)
            try checkReturn(step, row, bundle, applier.schemaAfter(connection))
            return row.id
        }
    }

    /// A way back must lead to the schema that the step found.
    private func checkReturn(
        _ step: MigrationStep, _ row: History.Row, _ bundle: MigrationBundle, _ now: KnownSchema
    ) throws {
        // An adopted or squashed step did not see it.
        guard !row.schemaBefore.isEmpty, now.hash != row.schemaBefore else { return }
        let what = "the schema before \(step.id), to which its way back must lead"
        let place = bundle.steps.firstIndex { $0.id == step.id } ?? 0
        if dialect == .sqlite, place > 0, let sql = bundle.steps[place - 1].schemaSQL {
            try refuseDrift(from: Schema(script: sql), to: now.schema, what)
        }
        throw CormorantError(
            .migrationDrift, "the file's schema is not \(what)", hint: "mend the step's down; nothing was taken back")
    }
}

extension Applier {
    /// Refuses SQL that drops what holds something, without leave.
    /// - Returns: what is to be looked for when the SQL has run; nil: nothing.
    func refuseLosses(
        of action: MigrationStep.Action, of step: MigrationStep, _ schema: Schema, _ connection: Connection
    ) throws -> StepLosses.Inventory? {
        guard let sql = action.sql(for: connection.dialect), !options.allowLossy else { return nil }
        var losses = StepLosses(schema, connection.dialect)
        let gone = losses.run(sql)
        // What ran outside a transaction is not taken back.
        let found =
            try step.isOutsideTransaction(connection.dialect)
            ? losses.counted(gone, connection) : StepLosses.counted(gone, connection)
        guard found.isEmpty else { throw lost(found, step.id, "the step was not run") }
        return step.isOutsideTransaction(connection.dialect) ? nil : StepLosses.Inventory(losses.successors)
    }

    /// Refuses a step that has run and left less than there was.
    func refuseLosses(_ inventory: StepLosses.Inventory?, _ id: String, _ connection: Connection) throws {
        guard let found = try inventory?.missing(connection), !found.isEmpty else { return }
        throw lost(found, id, "the step was taken back")
    }

    private func lost(_ found: [String], _ id: String, _ outcome: String) -> CormorantError {
        CormorantError(
            .migration, "step \(id) would lose \(found.joined(separator: " and "))",
            hint: "keep a copy, and allow it with the option allow_lossy; \(outcome)")
    }

    /// Sees that a step's SQL down leads to the schema before it, and undoes that.
    func checkWayBack(of step: MigrationStep, to before: Schema, _ connection: Connection) throws {
        guard let down = step.down, !step.isOutsideTransaction else { return }
        struct Undo: Error {}
        var left: SchemaChange?
        do {
            try transaction(connection) {
                try run(down, of: step.id, connection, index: 0, count: 1, isDown: true)
                left = SchemaDifference(from: try Schema(present: connection), to: before).changes.first
                throw Undo()
            }
        } catch is Undo {}
        guard let left else { return }
        throw CormorantError(
            .migration, "the way back of step \(step.id) does not lead to the schema before it: \(left)",
            hint: "mend its down.sql, or remove it", table: left.table)
    }

    /// Runs one way of a step inside its transaction.
    func run(
        _ action: MigrationStep.Action, of id: String, _ connection: Connection, index: Int, count: Int,
        inTransaction: Bool = true, isDown: Bool = false, inventory: StepLosses.Inventory? = nil
    ) throws {
        let invariants = try connection.dialect == .sqlite ? Invariants(connection) : nil
        do {
            try monitored(connection, step: id, index: index, count: count, total: 0) {
                switch action {
                case .sql where connection.dialect == .postgres:
                    let sql = action.sql(for: .postgres) ?? ""
                    let statements = serverStatements(sql)
                    for statement in statements { try refuseOnServer(statement.sql, sql) }
                    for statement in statements {
                        do {
                            try inventory?.count(before: statement.offset, connection)
                            try connection.script(statement.sql)
                        } catch let error as CormorantError {
                            throw error.placed(after: statement.offset, of: sql, isDown ? "down" : "up")
                        }
                    }
                case .sql:
                    let sql = action.sql(for: .sqlite) ?? ""
                    for statement in try stepStatements(sql, inTransaction: inTransaction) {
                        do {
                            try inventory?.count(before: statement.offset, connection)
                            try connection.script(statement.sql)
                        } catch let error as CormorantError {
                            throw error.placed(after: statement.offset, of: sql, isDown ? "down" : "up")
                        }
                    }
                case .function(let function): try call(function, connection)
                }
            }
            if !inTransaction { try connection.setForeignKeys(false) }
            try invariants?.check(connection)
        } catch let error as CormorantError {
            throw error.ofMigration.prefixed("step \(id): ")
        }
    }

    private func call(_ function: (Database) throws -> Void, _ connection: Connection) throws {
        let depth = connection.transactionDepth
        connection.setTransactionGuard(true)
        defer {
            connection.setTransactionGuard(false)
            // The step's own is then rolled back by who began it.
            while connection.transactionDepth > depth, (try? database.rollback()) != nil {}
        }
        do {
            try function(database)
        } catch let error as CormorantError where error.sqliteCode == notAuthorized {
            throw CormorantError(
                .migration, "a step may not begin or end transactions, nor attach files",
                hint: "nest with the transaction calls, which make savepoints; what reaches beyond the file is no step",
                sql: error.sql)
        }
        guard connection.transactionDepth == depth, connection.isInTransaction else {
            throw CormorantError(
                .migration, "the step's function has left transactions open or ended its own",
                hint: "end what it begins, and leave the step's own transaction alone")
        }
    }
}

/// The statements of a step, those refused that would end its transaction or reach beyond the file.
/// - Parameter inTransaction: false also lets VACUUM and every PRAGMA pass.
func stepStatements(_ sql: String, inTransaction: Bool = true) throws -> [SQLScript.Statement] {
    let statements = try SQLScript.statements(sql)
    for statement in statements {
        let isRefused: Bool
        switch statement.keyword {
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "ATTACH", "DETACH": isRefused = true
        case "VACUUM": isRefused = inTransaction
        case "PRAGMA": isRefused = try inTransaction && !isHarmless(pragma: statement.sql)
        default: isRefused = false
        }
        guard !isRefused else {
            throw CormorantError(
                .migration, "a step may not hold \(oneLine(statement.sql))",
                hint:
                    "each step has a transaction of its own; VACUUM and PRAGMAs can stand in one whose SQL begins with "
                    + "the line \"\(outsideTransaction)\"", sql: sql)
        }
    }
    return statements
}

private func isHarmless(pragma sql: String) throws -> Bool {
    var tokens = SQLTokenizer(sql)
    _ = try tokens.next()
    guard let name = try tokens.next() else { return false }
    let text = foldIdentifier(String(decoding: tokens.bytes[name.range], as: UTF8.self))
    return text == "legacy_alter_table" || text == "defer_foreign_keys"
}

/// SQLITE_AUTH, https://www.sqlite.org/rescode.html#auth
private let notAuthorized: Int32 = 23

extension CormorantError {
    /// The same error, naming the line of a step's SQL, up or down, that it is in.
    func placed(after start: Int, of sql: String, _ way: String) -> CormorantError {
        let before = sql.utf8.prefix(start + (offset ?? 0))
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return CormorantError(
            code, "line \(line) of \(way): \(plainMessage)",
            hint: plainHint?.hasPrefix("it stands in line ") == true ? nil : plainHint,
            sqliteCode: sqliteCode, sql: self.sql, offset: offset, table: table, columns: columns,
            constraint: constraint)
    }

    /// The same error in words of the tables that there are, not of those that are made to take their places.
    var ofMigration: CormorantError {
        func named(_ text: String) -> String {
            var text = text[...]
            var named = ""
            while let character = text.first {
                if text.hasPrefix("corm_new_") {
                    text = text.dropFirst(9)
                } else {
                    named.append(character)
                    text = text.dropFirst()
                }
            }
            return named
        }
        let message = plainMessage
        var hint = plainHint
        if contains(message, "no such collation sequence") || contains(message, "no such function") {
            hint = "the file's own program registers it, and it is not known here: migrate the file with that program"
        } else if code == .unique {
            hint = "another row has the same value: mend the rows first, or in the same step"
        }
        return CormorantError(
            code, named(message), hint: hint,
            sqliteCode: sqliteCode, sql: sql, offset: offset, table: table.map(named), columns: columns,
            constraint: constraint.map(named))
    }
}

extension MigrationStep {
    func schemaHash() throws -> String? { try schemaSQL.map { try Schema(script: $0).hash } }
}
