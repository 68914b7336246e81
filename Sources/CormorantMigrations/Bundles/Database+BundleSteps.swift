import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

// One step of a bundle: what must hold before it, its record, and the schema that it leaves.
extension Database {
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
            if done.isEmpty, !applier.hasCommitted { applier.dropSnapshot() }
            throw error
        }
        applier.keepOrDropSnapshot()
        return done
    }

    func checked(
        _ bundle: MigrationBundle, _ connection: Connection, isGoingBack: Bool = false, _ applier: Applier? = nil
    ) throws -> HistoryCheck {
        let rows = try History(connection: connection).rows()
        let isOnServer = connection.dialect == .postgres
        let check = HistoryCheck(bundle, rows, isOnServer: isOnServer, goesOn: isOnServer && !isGoingBack)
        try check.validate(isGoingBack: isGoingBack)
        if let last = rows.last, !last.schemaAfter.isEmpty, !rows.contains(where: { $0.state == .running }) {
            try refuseDrift(bundle, last, applier?.schemaBefore(connection) ?? KnownSchema(connection))
        }
        return check
    }

    func refuseDrift(_ bundle: MigrationBundle, _ last: History.Row, _ now: KnownSchema) throws {
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

    func refuseDrift(from expected: Schema, to schema: Schema, _ what: String) throws {
        try refuseDrift(SchemaDifference(from: expected, to: schema).changes, what)
    }

    func refuseDrift(_ changes: [SchemaChange], _ what: String) throws {
        guard !changes.isEmpty else { return }
        throw CormorantError(
            .migrationDrift,
            "the file differs from \(what): \(changes.map(\.description).joined(separator: "; "))",
            hint: "undo what was changed by hand, or put it into a step", table: changes[0].table)
    }

    /// The next step with its record, or nil. Everything is read again under the lock, unless nobody else has been here.
    /// - Parameter ahead: the steps to come, as the one before has left them.
    func applyNext(
        _ bundle: MigrationBundle, _ wanted: Set<String>, _ applier: Applier, _ connection: Connection, _ done: Int,
        _ ahead: inout Unchanged<MigrationStep>?
    ) throws -> String? {
        let history = History(connection: connection)
        var outside: MigrationStep?
        var begun: Int?
        var following: Unchanged<MigrationStep>?
        let id: String? = try applier.transaction(connection) {
            let version = try connection.commitsOfOthers()
            let pending: ArraySlice<MigrationStep>
            if let ahead, ahead.version == version {
                pending = ahead.items
            } else {
                let check = try checked(bundle, connection, applier)
                for step in check.replaced { try replace(step, history) }
                pending = check.pending.filter { wanted.contains($0.id) }[...]
            }
            guard let step = pending.first else { return nil }
            if dialect == .postgres { try step.refuseSQLOfFiles() }
            if done == 0 { try applier.takeSnapshot() }
            try history.create()
            let started = try history.time()
            let before = try applier.schemaBefore(connection)
            let end = step.transactionEnd(dialect)
            if end != nil {
                outside = step
                if dialect == .postgres { try applier.refuseOutside(step, connection) }
                begun = nil
                if let row = try history.rows().first(where: { $0.id == step.id }) {
                    let rest = step.serverRest(from: Int(clamping: row.done))
                    _ = try applier.refuseLosses(of: rest, step.id, endsAt: 0, before.schema, connection)
                    return step.id
                }
            }
            let inventory = try applier.refuseLosses(
                of: step.up.sql(for: dialect), step.id, endsAt: end, before.schema, connection)
            let past = end != 0 && step.up.mayChangeHistory(before.schema, dialect) ? try history.rows() : nil
            if end != 0 {
                try applier.refusingLosses(inventory, step.id, connection) {
                    try applier.run(
                        step.up, of: step.id, connection, index: done, count: done + pending.count, endsAt: end,
                        inventory: inventory)
                }
                if let past { try history.check(past, step.id) }
            }
            if let end {
                try history.insert(step, schemaBefore: before.hash, schemaAfter: "", started: started, .running)
                begun = step.serverStatementCount(before: end)
                if let begun, dialect == .postgres { try history.note(step.id, done: begun) }
                return step.id
            }
            let after = try applier.schemaAfter(connection)
            try history.insert(
                step, schemaBefore: before.hash, schemaAfter: after.hash, started: started, .applied)
            try history.note(step.id, left: after.schema)
            following = past == nil ? Unchanged(version, pending.dropFirst()) : nil
            return step.id
        }
        ahead = following
        if let step = outside {
            applier.hasCommitted = true
            // Its record says that it is under way, until it is through.
            if dialect == .postgres {
                try applier.runOutside(step, connection, index: done, begun: begun, history)
            } else {
                try applier.run(
                    step.up, of: step.id, connection, index: done, count: done + 1, inTransaction: false)
            }
            try finish(step, applier, connection)
        }
        return id
    }

    /// Records that a step is through which ran outside a transaction, unless another process has.
    private func finish(_ step: MigrationStep, _ applier: Applier, _ connection: Connection) throws {
        try applier.transaction(connection) {
            let history = History(connection: connection)
            guard let row = try history.rows().first(where: { $0.id == step.id && $0.state == .running }) else {
                return
            }
            let schema = try applier.schemaAfter(connection)
            try history.insert(step, schemaBefore: "", schemaAfter: schema.hash, started: row.started, .applied)
            try history.note(step.id, left: schema.schema)
        }
    }

    private func replace(_ step: MigrationStep, _ history: History) throws {
        let rows = try history.rows()
        let last = rows.last { step.replacedIDs.contains($0.id) }
        for id in step.replacedIDs { try history.delete(id) }
        try history.insert(
            step, schemaBefore: "", schemaAfter: last?.schemaAfter ?? "", started: try history.time(), .applied)
    }

    func revertLast(
        _ bundle: MigrationBundle, _ going: Set<String>, _ applier: Applier, _ connection: Connection, _ done: Int,
        of count: Int, _ ahead: inout Unchanged<History.Row>?
    ) throws -> String? {
        let history = History(connection: connection)
        var following: Unchanged<History.Row>?
        let id: String? = try applier.transaction(connection) {
            let version = try connection.commitsOfOthers()
            let rows: ArraySlice<History.Row>
            if let ahead, ahead.version == version {
                rows = ahead.items
                if let last = rows.last, !last.schemaAfter.isEmpty {
                    try refuseDrift(bundle, last, applier.schemaBefore(connection))
                }
            } else {
                for step in try checked(bundle, connection, isGoingBack: true, applier).replaced {
                    try replace(step, history)
                }
                rows = try history.rows()[...]
            }
            guard let row = rows.last, going.contains(row.id), let step = bundle.step(row.id), let down = step.down
            else { return nil }
            let before = try applier.schemaBefore(connection).schema
            let inventory = try applier.refuseLosses(
                of: down.sql(for: dialect), step.id, endsAt: nil, before, connection)
            if done == 0 { try applier.takeSnapshot() }
            let past = down.mayChangeHistory(before, dialect) ? Array(rows) : nil
            try applier.refusingLosses(inventory, step.id, connection) {
                try applier.run(
                    down, of: step.id, connection, index: done, count: count, isDown: true, inventory: inventory)
            }
            if let past { try history.check(past, step.id) }
            try history.delete(row.id)
            try checkReturn(step, row, bundle, applier.schemaAfter(connection))
            following = past == nil ? Unchanged(version, rows.dropLast()) : nil
            return row.id
        }
        ahead = following
        return id
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

/// What is known of the history without reading it again, as long as no other connection has committed: each of hundreds of steps would
/// read all of it.
struct Unchanged<Item> {
    let version: Int64
    let items: ArraySlice<Item>

    /// - Parameter version: nil: it cannot be told.
    init?(_ version: Int64?, _ items: ArraySlice<Item>) {
        guard let version else { return nil }
        (self.version, self.items) = (version, items)
    }
}

extension Connection {
    /// A number that changes with the commits of other connections; nil on a server.
    fileprivate func commitsOfOthers() throws -> Int64? { dialect == .sqlite ? try pragma("data_version") : nil }
}

extension MigrationStep.Action {
    /// Whether the history is to be looked at behind it: what changes that table names it, here or in a trigger. A server's functions
    /// may make up its name.
    fileprivate func mayChangeHistory(_ schema: Schema, _ dialect: Dialect) -> Bool {
        guard dialect == .sqlite, let sql = sql(for: .sqlite) else { return true }
        func names(_ sql: String) -> Bool { contains(foldIdentifier(sql), History.table) }
        return names(sql) || schema.triggers.contains { names($0.sql) }
    }
}

extension MigrationStep {
    /// How many statements stand before a place of what a server runs.
    fileprivate func serverStatementCount(before end: Int) -> Int {
        serverStatements(up.sql(for: .postgres) ?? "").prefix { $0.offset < end }.count
    }

    /// What a server runs behind so many statements.
    fileprivate func serverRest(from done: Int) -> String {
        serverStatements(up.sql(for: .postgres) ?? "").dropFirst(done).map { $0.sql + ";\n" }.joined()
    }

    func schemaHash() throws -> String? { try schemaSQL.map { try Schema(script: $0).hash } }
}
