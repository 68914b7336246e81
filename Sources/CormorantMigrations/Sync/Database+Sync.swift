import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension Database {
    /// Brings the file's tables to what the models say, in one transaction, and gives the plan that was carried out. What
    /// adds runs by itself. What could lose something, or cannot be decided, is an error that lists each change and the
    /// annotation that would allow it, and then nothing is done. A second sync does nothing.
    @available(*, noasync)
    @discardableResult
    public func sync(
        _ models: [ModelDescriptor], options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        let models = try checked(models)
        try refuseTransaction()
        if options.allowDrop.isEmpty, try withConnection({ try ModelRegistry(connection: $0).isCurrent(models) }) {
            tableOwners.note(models)
            return MigrationPlan(steps: [])
        }
        if try withConnection({ $0.isReadOnly }) {
            let plan = try plan(models, options: options)
            guard !plan.isEmpty else { return plan }
        }
        let plan = try bring(models, options)
        // What ran apart from the rest leaves to note what was declared, and whoever was cut off to go on.
        var rest = plan
        for _ in 0..<4 where rest.steps.contains(where: \.isApart) { rest = try bring(models, options) }
        return plan
    }

    private func bring(_ models: [ModelDescriptor], _ options: MigrationOptions) throws -> MigrationPlan {
        guard dialect == .postgres else { return try bringOnce(models, options) }
        // Another tool may have changed the tables between the plan and the lock.
        for _ in 0..<4 {
            let version = try withConnection { try $0.schemaVersion() }
            do {
                return try bringOnce(models, options)
            } catch let error as CormorantError where error.code == .sql || error.code == .schema {
                guard try withConnection({ try $0.schemaVersion() }) != version else { throw error }
            }
        }
        return try bringOnce(models, options)
    }

    private func bringOnce(_ models: [ModelDescriptor], _ options: MigrationOptions) throws -> MigrationPlan {
        let plan = try atOnce(options) { applier, connection in
            let plan = try makePlan(models, options, connection)
            guard plan.problems.isEmpty else { throw refusal(plan.problems) }
            if !plan.isEmpty { try applier.takeSnapshot() }
            try applier.bring(models, plan, connection)
            return plan
        }
        try runApart(plan, options)
        return plan
    }

    private func runApart(_ plan: MigrationPlan, _ options: MigrationOptions) throws {
        guard plan.steps.contains(where: \.isApart) else { return }
        let applier = Applier(self, options)
        try applier.run { try applier.executeApart(plan.steps, $0) }
    }

    /// What of a sync can be done inside the caller's transaction, with which it is rolled back.
    func syncInTransaction(_ models: [ModelDescriptor], _ connection: Connection) throws {
        let models = try checked(models)
        let applier = Applier(self, MigrationOptions())
        try applier.runWithForeignKeys(connection) { connection in
            // Planned where no other migration can come between.
            try applier.nested(connection) {
                try refuseMadeMeanwhile(models, connection)
                let plan = try makePlan(models, MigrationOptions(), connection)
                guard plan.problems.isEmpty else { throw refusal(plan.problems) }
                if let step = plan.steps.first(where: { !$0.rebuilt.isEmpty || $0.isApart }) {
                    throw CormorantError(
                        .transaction,
                        "inside a transaction \(step.isApart ? "nothing is done apart" : "no table is rebuilt"), which takes \(step.summary)",
                        hint: "sync the models before the transaction, or use them once")
                }
                try applier.bring(models, plan, connection)
            }
        }
    }

    /// A transaction of a server sees the catalogs as they were at its first query, which may be before the lock was had; names are looked
    /// up as they are now.
    private func refuseMadeMeanwhile(_ models: [ModelDescriptor], _ connection: Connection) throws {
        guard connection.dialect == .postgres else { return }
        for model in models {
            let there = "pg_catalog.to_regclass(\(textLiteral(quoteIdentifier(model.table))))"
            let isHidden = try Statement(
                connection,
                "SELECT 1 WHERE \(there) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = \(there))"
            )
            defer { isHidden.finalize() }
            guard try isHidden.step() else { continue }
            throw CormorantError(
                .conflict, "another program has made the table \(model.table) since this transaction began",
                hint: "run the transaction again", table: model.table)
        }
    }

    /// Runs a migration of one transaction.
    private func atOnce<Result>(
        _ options: MigrationOptions, _ body: (Applier, Connection) throws -> Result
    ) throws -> Result {
        let applier = Applier(self, options)
        do {
            let result = try applier.run { connection in
                try applier.transaction(connection) { try body(applier, connection) }
            }
            applier.keepOrDropSnapshot()
            return result
        } catch {
            applier.dropSnapshot()
            throw error
        }
    }

    /// What `sync` would do, its problems included. Changes nothing.
    @available(*, noasync)
    public func plan(
        _ models: [ModelDescriptor], options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        let models = try checked(models)
        if dialect == .sqlite || transactionDepth > 0 {
            return try transaction(.deferred) { try withConnection { try makePlan(models, options, $0) } }
        }
        // What models declare is made as temporary tables.
        return try withConnection { connection in
            try connection.beginScratch()
            defer { try? connection.rollback() }
            return try makePlan(models, options, connection)
        }
    }

    /// Carries out a plan that was made of this file. The file must be as it was then.
    @available(*, noasync)
    public func apply(_ plan: MigrationPlan, options: MigrationOptions = MigrationOptions()) throws {
        guard plan.problems.isEmpty else { throw refusal(plan.problems) }
        guard !plan.isEmpty else { return }
        try atOnce(options) { applier, connection in
            let schema = try Schema(present: connection)
            guard schema.hash == plan.origin?.hash else {
                throw CormorantError(
                    .migrationDrift, "the file's schema is not the one that the plan was made for",
                    hint: "make the plan again")
            }
            for step in plan.steps {
                guard try step.guards.allSatisfy({ try numberIfKnown($0, connection) ?? 0 == 0 }) else {
                    throw CormorantError(
                        .migration, "rows that were written since the plan was made are in the way of \(step.summary)",
                        hint: "make the plan again, which names them")
                }
            }
            try applier.takeSnapshot()
            try applier.carryOut(plan, connection)
        }
        try runApart(plan, options)
    }

    private func makePlan(
        _ models: [ModelDescriptor], _ options: MigrationOptions, _ connection: Connection
    ) throws -> MigrationPlan {
        let records = try ModelRegistry(connection: connection).records()
        let server = try connection.dialect == .postgres ? ServerSchema(connection) : nil
        let schema = try server?.schema ?? Schema(present: connection)
        try refuseTaking(models, schema)
        try refuseFormerNames(models, schema, records)
        let named = Set(
            models.flatMap { [$0.table] + [$0.migration.renamedFrom].compactMap(\.self) }.map(nameKey))
        var former: [ExactText: Schema] = [:]
        for (table, record) in records {
            if server == nil {
                former[table] = try Schema(script: record.sql)
            } else if named.contains(table) {
                former[table] = try DeclaredTables.former(record.sql, made: record.made, connection)
            }
        }
        return try modelPlan(
            models, from: schema, former: former, records: records, allowDrop: options.allowDrop, file: connection,
            server: server)
    }

    /// Refuses a rename of the table of a model that this database was synced with before.
    private func refuseTaking(_ models: [ModelDescriptor], _ schema: Schema) throws {
        for model in models {
            guard let source = model.migration.renamedFrom, schema.has(source), !schema.has(model.table),
                let owner = tableOwners.model(of: source), owner != model.name
            else { continue }
            throw taking(model, source, of: owner)
        }
    }

    /// Refuses to make a table under the name that another's was renamed from: the rows of the model are in that one.
    private func refuseFormerNames(
        _ models: [ModelDescriptor], _ schema: Schema, _ records: [ExactText: ModelRegistry.Record]
    ) throws {
        for model in models where !schema.has(model.table) {
            let name = nameKey(model.table)
            // What a model of this call says counts, and a table may get its former name back.
            let heirs = records.filter { $0.value.renamedFrom == name }.map(\.key.text).filter { heir in
                schema.has(heir) && !sameIdentifier(heir, model.migration.renamedFrom ?? "")
                    && !models.contains { sameIdentifier($0.table, heir) }
            }
            guard let heir = heirs.min() else { continue }
            throw CormorantError(
                .model,
                "the table \"\(model.table)\" of model \(model.name) is \"\(heir)\" now: the model of that is renamed from it",
                hint:
                    "use the program that has renamed it; a new model takes another table, or first a sync of the model of "
                    + "\"\(heir)\" without renamed_from", table: model.table)
        }
    }

    /// The models that tables are made of: not views, which SQL makes, nor those of some rows.
    private func checked(_ models: [ModelDescriptor]) throws -> [ModelDescriptor] {
        for model in models { try model.validate() }
        try checkDistinct(models)
        try checkParts(models)
        try checkRenames(models)
        return models.filter { !$0.isView && !$0.isPart }
    }
}

/// The way from a schema to one with the models' tables as they say.
/// - Parameter scratch: where a server is asked what it makes of models, of a plan for rows that nobody has seen; nil: where the rows
///   are.
func modelPlan(
    _ models: [ModelDescriptor], from schema: Schema, former: [ExactText: Schema],
    records: [ExactText: ModelRegistry.Record] = [:], allowDrop: [String], file: Connection?,
    server: ServerSchema? = nil,
    scratch: Connection? = nil
) throws -> MigrationPlan {
    let dropping = allowDrop.map(nameKey)
    var notes = PlanNotes(allowedDrops: Set(dropping), isOfModels: true)
    for model in models {
        let table = nameKey(model.table)
        for column in model.migration.allowDrop { notes.allowedDrops.insert(nameKey("\(model.table).\(column)")) }
        if let sql = model.migration.seedSQL { notes.seeds[table] = sql }
        notes.distributions[table] = SQLCompiler.distribution(of: model.schema)
        for column in model.columns {
            if let sql = column.convertSQL {
                notes.conversions[table, default: [:]][nameKey(column.column)] = sql
            }
        }
    }
    if server == nil { for model in models { try model.refuseComparedDecimals() } }
    let planner = Planner(schema, file: file, notes: notes, server: server)
    planner.isForMany = scratch != nil
    try renameTables(models, planner)
    try renameColumns(models, planner)
    let former = try server == nil ? renamed(former, planner.steps) : renamedOnServer(former, planner.steps)
    let named = Set(models.map { nameKey($0.table) })
    let onServer = try server.flatMap { _ in try (scratch ?? file).map { try DeclaredTables(models, $0) } }
    for (table, schema) in onServer?.schemas ?? [:] {
        for name in schema.tables.flatMap(\.constraints).compactMap(\.name) {
            planner.declared.insert([table, ExactText(name)])
        }
    }
    let target = try ModelTarget(
        models, file: planner.current, former: former, dropping: Set(dropping).subtracting(named), onServer: onServer)
    var plan = try planner.plan(to: target.schema)
    if server != nil { return plan }
    try planner.readTypes(of: models, former, records, into: &plan)
    return plan
}

/// Renames tables whose new name is free, those first that make room for others.
private func renameTables(_ models: [ModelDescriptor], _ planner: Planner) throws {
    var isMoving = true
    while isMoving {
        isMoving = false
        for model in models {
            guard let former = model.migration.renamedFrom, !planner.current.has(model.table),
                let present = planner.current.table(former)?.name ?? planner.current.virtualTable(former)?.name
            else { continue }
            try planner.renameTable(present, to: model.table)
            isMoving = true
        }
    }
    for model in models {
        guard let former = model.migration.renamedFrom, planner.current.has(former),
            !models.contains(where: { sameIdentifier($0.table, former) })
        else { continue }
        throw CormorantError(
            .migration, "\"\(former)\" cannot be renamed to \"\(model.table)\", which is there already",
            hint: "move the rows of one into the other and drop it, or take renamed_from out of model \(model.name)",
            table: model.table)
    }
}

private func renameColumns(_ models: [ModelDescriptor], _ planner: Planner) throws {
    for model in models {
        for column in model.columns {
            guard let former = column.renamedFrom, let table = planner.current.table(model.table),
                let present = table.columns.first(where: { sameIdentifier($0.name, former) })
            else { continue }
            guard !table.columns.contains(where: { sameIdentifier($0.name, column.column) }) else {
                throw CormorantError(
                    .migration,
                    "\"\(model.table).\(former)\" cannot be renamed to \"\(column.column)\", which is there already",
                    hint: "move the values of one into the other and drop it, or take renamed_from out of the model",
                    table: model.table, columns: [former, column.column])
            }
            try planner.renameColumn(present.name, to: column.column, of: table.name)
        }
    }
}

/// What the models declared, with the names that the file has after the steps.
private func renamed(_ former: [ExactText: Schema], _ steps: [MigrationPlan.Step]) throws -> [ExactText: Schema] {
    var former = former
    for step in steps {
        guard let change = step.changes.first, let declared = former.removeValue(forKey: nameKey(change.table))
        else { continue }
        let replica = try Replica(declared)
        // A column that was made by hand is not there.
        for sql in step.sql where replica.accepts(sql) { try replica.run(sql) }
        let table = change.kind == .renameTable ? change.after ?? change.table : change.table
        former[nameKey(table)] = try replica.schema()
    }
    return former
}

private func renamedOnServer(_ former: [ExactText: Schema], _ steps: [MigrationPlan.Step]) -> [ExactText: Schema] {
    var former = former
    for step in steps {
        guard let change = step.changes.first, var declared = former.removeValue(forKey: nameKey(change.table))
        else { continue }
        var table = change.table
        if change.kind == .renameTable, let name = change.after {
            declared.rename(table: table, to: name)
            table = name
        } else if let name = change.name, let new = change.after {
            declared.rename(column: name, to: new, of: table)
        }
        former[nameKey(table)] = declared
    }
    return former
}

/// Models that are renamed in a circle cannot tell whether they already were.
private func checkRenames(_ models: [ModelDescriptor]) throws {
    let sources = Dictionary(
        models.compactMap { model in
            model.migration.renamedFrom.map { (nameKey(model.table), nameKey($0)) }
        },
        uniquingKeysWith: { first, _ in first })
    for start in sources.keys.sorted() {
        var name = start
        for _ in sources {
            guard let next = sources[name] else { break }
            name = next
            guard name != start else {
                throw CormorantError(
                    .model, "the table \"\(start)\" is renamed in a circle",
                    hint: "rename in two steps with a name between", table: start.text)
            }
        }
    }
    for model in models {
        guard let source = model.migration.renamedFrom,
            let other = models.first(where: { sameIdentifier($0.table, source) && $0.migration.renamedFrom == nil })
        else { continue }
        throw taking(model, source, of: other.name)
    }
    var taken: [ExactText: String] = [:]
    for model in models {
        guard let source = model.migration.renamedFrom.map(nameKey) else { continue }
        if let other = taken.updateValue(model.name, forKey: source) {
            throw CormorantError(
                .model, "models \(other) and \(model.name) are both renamed from \"\(source)\"", hint: "keep one",
                table: model.table)
        }
    }
}

private func taking(_ model: ModelDescriptor, _ source: String, of other: String) -> CormorantError {
    CormorantError(
        .model, "model \(model.name) is renamed from \"\(source)\", which is the table of model \(other)",
        hint:
            "give one of them another table, or take renamed_from out; a model that is gone is forgotten when the file "
            + "is opened anew", table: model.table)
}

/// One error for everything that is in the way.
func refusal(_ problems: [MigrationProblem]) -> CormorantError {
    let list = problems.map { "\($0.plainMessage) (\($0.plainAnnotation))" }.joined(separator: "; ")
    return CormorantError(
        .migration, "\(problems.count == 1 ? "a change needs" : "\(problems.count) changes need") a decision: \(list)",
        hint: "nothing was changed; do what stands in brackets, and try again")
}

extension Applier {
    /// Runs the plan of a sync and keeps what the models declared.
    fileprivate func bring(_ models: [ModelDescriptor], _ plan: MigrationPlan, _ connection: Connection) throws {
        let version = try connection.schemaVersion()
        let registry = ModelRegistry(connection: connection)
        let former = try registry.records()
        if !plan.isEmpty { try carryOut(plan, connection) }
        // What is left is noted when that is done.
        if plan.steps.contains(where: \.isApart) { return }
        for model in models where connection.dialect == .sqlite && former[nameKey(model.table)] == nil {
            try connection.checkForms(of: model.tableReference, wholly: true)
        }
        try registry.store(models, former: plan.touched == nil ? nil : version)
        database.tableOwners.note(models)
    }

    /// Runs a plan inside the transaction and sees to it that nothing else changed.
    func carryOut(_ plan: MigrationPlan, _ connection: Connection) throws {
        let invariants = try connection.dialect == .sqlite ? Invariants(connection, of: plan) : nil
        try execute(plan.steps, connection)
        if plan.steps.contains(where: \.isApart) { return }
        let server = try connection.dialect == .postgres ? ServerSchema(connection) : nil
        let present = try server?.schema ?? Schema(present: connection)
        if let result = plan.result?.followingRenames(plan, present),
            let change = SchemaDifference(from: result, to: present).changes.first(where: {
                !(server?.heirs.contains(nameKey($0.table)) ?? false)
            })
        {
            throw CormorantError(
                .internal, "the migration left a difference: \(change)", hint: "report this as a defect")
        }
        try invariants?.check(connection)
    }
}

extension Schema {
    /// With the views and triggers that a server has written anew because a plan renames what they name.
    fileprivate func followingRenames(_ plan: MigrationPlan, _ present: Schema) -> Schema {
        guard dialect == .postgres, plan.touched == nil else { return self }
        var schema = self
        schema.views = views.map { present.view($0.name) ?? $0 }
        schema.triggers = triggers.map { trigger in
            present.triggers.first { isSame($0.name, trigger.name) && sameIdentifier($0.table, trigger.table) }
                ?? trigger
        }
        return schema
    }
}
