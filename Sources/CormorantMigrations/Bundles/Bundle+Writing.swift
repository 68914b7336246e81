import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension MigrationBundle {
    /// Writes the step that leads from the folder's last schema to the models. The folder is made where it is missing.
    /// - Returns: what the step does; empty when the models had not changed, and then nothing was written.
    @discardableResult
    public static func generate(
        _ folder: String, name: String, models: [ModelDescriptor], options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        for model in models { try model.validate() }
        let models = models.filter { !$0.isView && !$0.isPart }
        return try generate(folder, name, models: models, options) { bundle, schema in
            let former =
                try bundle.steps.last { $0.modelsSQL != nil }?.modelsSQL.map { try Schema(script: $0).byTable } ?? [:]
            return try modelPlan(models, from: schema, former: former, allowDrop: options.allowDrop, file: nil)
        }
    }

    /// The same to any schema, such as another file's.
    @discardableResult
    public static func generate(
        _ folder: String, name: String, to schema: Schema, options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationPlan {
        guard options.server == nil else {
            throw CormorantError(
                .unsupported, "a step to a schema has the SQL of files alone", hint: "generate it of models")
        }
        return try generate(folder, name, models: nil, options) { _, last in
            try schemaPlan(from: last, to: schema.withoutOwnTables, allowDrop: options.allowDrop, file: nil)
        }
    }

    private static func generate(
        _ folder: String, _ name: String, models: [ModelDescriptor]?, _ options: MigrationOptions,
        _ makePlan: (MigrationBundle, Schema) throws -> MigrationPlan
    ) throws -> MigrationPlan {
        guard !name.isEmpty, name.utf8.allSatisfy(isNameByte) else {
            throw CormorantError(
                .migration, "a step cannot be named \"\(oneLine(name))\"", hint: "use letters, digits and underscores")
        }
        let files = BundleFolder(path: folder)
        let bundle = isFolder(folder) ? try MigrationBundle(folder: folder) : MigrationBundle()
        let schema = try bundle.lastSchema()
        let plan = try makePlan(bundle, schema)
        guard plan.problems.isEmpty else { throw refusal(plan.problems) }
        let onServer = try options.server.map { try bundle.planOnServer($0, of: models ?? [], options) }
        guard !plan.isEmpty || !(onServer?.plan.isEmpty ?? true), let result = plan.result else { return plan }
        let back = try wayBack(plan, from: result, to: schema)
        func text(_ sql: String, _ other: String?) -> String {
            guard let other else { return sql }
            return "\(engineComment)sqlite\n\(sql)\(engineComment)postgresql\n\(other)\(engineComment)all\n"
        }
        var step = MigrationStep(
            try bundle.nextID(name), up: .sql(text(plan.commentedSQL, onServer?.up)),
            down: .sql(text(back.commentedSQL, onServer?.down)))
        step.schemaSQL = result.sql
        step.modelsSQL = models.map { $0.map(\.createSQL).joined() }
        step.serverModelsSQL = try options.server.map { _ in try (models ?? []).map(DeclaredTables.scratch).joined() }
        try files.write(step)
        try files.writeManifest()
        return onServer?.plan ?? plan
    }

    /// The schema that the last step leaves.
    package func lastSchema() throws -> Schema {
        guard let last = steps.last else { return Schema() }
        guard let sql = last.schemaSQL else {
            throw CormorantError(.migration, "step \(last.id) has no schema.sql", hint: "seal the bundle first")
        }
        return try Schema(script: sql)
    }

    private func nextID(_ name: String) throws -> String {
        // Longer numbers are no count of steps.
        let numbers = steps.compactMap { Int($0.id.prefix(9).prefix { $0.isASCII && $0.isNumber }) }
        let digits = String((numbers.max() ?? 0) + 1)
        let id = String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
        guard steps.last.map({ precedes($0.id, id) }) ?? true else {
            throw CormorantError(
                .migration, "\(id) would not come last: \(steps.last?.id ?? "") stands behind it",
                hint: "number the steps with four digits")
        }
        return id
    }

    /// Accepts the files as they are: runs the steps on an empty database, writes what schema each leaves, and the manifest.
    public static func seal(_ folder: String) throws {
        let files = BundleFolder(path: folder)
        let steps = try files.steps()
        let database = try Database(path: ":memory:")
        var schema = Schema()
        for var step in steps {
            let applier = Applier(database, MigrationOptions())
            try applier.run { connection in
                let before = schema
                if step.isOutsideTransaction {
                    try applier.run(step.up, of: step.id, connection, index: 0, count: 1, inTransaction: false)
                } else {
                    try applier.transaction(connection) {
                        try applier.run(step.up, of: step.id, connection, index: 0, count: 1)
                    }
                }
                schema = try Schema(connection).withoutOwnTables
                step.schemaSQL = schema.sql
                try applier.checkWayBack(of: step, to: before, connection)
            }
            try writeText(step.schemaSQL ?? "", to: files.path(step.id, "schema.sql"))
        }
        try files.writeManifest()
    }

    /// Makes one step of the first ones, up to and with `last` (nil: all): their SQL one after the other. Files that have
    /// applied them all go on as if they had applied it. What a step does on a server outside a transaction is then done plainly, in
    /// the one, to tables that steps have made; anything else outside one is refused.
    public static func squash(_ folder: String, upTo last: String? = nil) throws {
        let bundle = try MigrationBundle(folder: folder)
        let joined = bundle.steps.prefix(try bundle.index(of: last) + 1)
        guard let end = joined.last, joined.count > 1 else {
            throw CormorantError(
                .migration, "there are no two steps to join",
                hint: last == nil ? "the bundle has but one" : "name a later step")
        }
        if let step = joined.first(where: \.isOutsideTransaction) {
            throw CormorantError(
                .migration, "step \(step.id) runs outside a transaction and cannot be joined with others",
                hint: "squash the steps before it")
        }
        // What one says of engines would be taken as said of all.
        if joined.contains(where: { contains($0.up.text, engineComment) }) {
            for step in joined { try step.refuseSQLOfFiles() }
        }
        func text(_ step: MigrationStep, _ sql: String) throws -> String {
            let isForEngines = contains(sql, engineComment)
            var text = "-- \(step.id)\n\(ended(sql))"
            // Each step begins with it off.
            if try leavesLegacyRenames(MigrationStep.Action.sql(sql).sql(for: .sqlite) ?? "") {
                text += (isForEngines ? "\(engineComment)sqlite\n" : "") + "PRAGMA legacy_alter_table = OFF;\n"
            }
            return text + (isForEngines ? "\(engineComment)all\n" : "")
        }
        var tables = StepLosses(Schema(), .postgres)
        var squashed = MigrationStep(
            end.id, up: .sql(try joined.map { try text($0, $0.inTransaction(&tables)) }.joined()))
        let downs = try joined.reversed().compactMap { step in try step.down.map { try text(step, $0.text) } }
        if downs.count == joined.count { squashed.down = .sql(downs.joined()) }
        squashed.schemaSQL = end.schemaSQL
        squashed.modelsSQL = joined.last { $0.modelsSQL != nil }?.modelsSQL
        squashed.serverModelsSQL = joined.last { $0.serverModelsSQL != nil }?.serverModelsSQL
        // What a joined step stood for itself stands behind it, as `step/former step`.
        squashed.replaces = joined.flatMap { step in
            [(step.id, step.sha256)] + step.replaces.map { ("\(step.id)/\($0.id)", $0.sha256) }
        }
        try BundleFolder(path: folder).replace(joined.map(\.id), with: squashed)
    }
}

/// Whether `PRAGMA legacy_alter_table` is on behind it: https://www.sqlite.org/pragma.html#pragma_legacy_alter_table
private func leavesLegacyRenames(_ sql: String) throws -> Bool {
    guard contains(foldIdentifier(sql), "legacy_alter_table") else { return false }
    var isOn = false
    for statement in try SQLScript.statements(sql) where statement.keyword == "PRAGMA" {
        var source = SQLTokenizer(statement.sql)
        let words = try source.all().map { nameKey(source.unquoted($0)) }
        guard words.count > 3, words[1] == "legacy_alter_table" else { continue }
        isOn = !["0", "off", "no", "false"].contains(words[3])
    }
    return isOn
}

extension MigrationStep.Action {
    /// Of a folder's step, which is SQL.
    fileprivate var text: String { if case .sql(let sql) = self { sql } else { "" } }
}

extension MigrationStep {
    /// Its SQL as a part of a transaction: what a server does outside of one is done plainly where steps have made the table, in which
    /// are no rows then.
    /// - Parameter tables: those that steps have made.
    fileprivate func inTransaction(_ tables: inout StepLosses) throws -> String {
        guard let sql = up.sql(for: .postgres) else { return up.text }
        _ = tables.run(sql)
        guard let end = transactionEnd(.postgres) else { return up.text }
        func refusal(_ what: String, _ hint: String = "squash the steps before it") -> CormorantError {
            CormorantError(
                .migration, "step \(id) \(what) outside a transaction and cannot be joined with others", hint: hint)
        }
        var text = String(decoding: sql.utf8.prefix(end), as: UTF8.self)
        let outside = String(decoding: sql.utf8.dropFirst(end + outsideTransaction.utf8.count), as: UTF8.self)
        var place = 0
        for statement in serverStatements(outside) {
            guard let plain = ServerReplay.inTransaction(statement.sql), !isAlone(plain) else {
                throw refusal("runs \(oneLine(statement.sql))")
            }
            if let table = changedOnline(statement.sql), !tables.has(table) {
                throw refusal("changes \"\(table)\", which no step has made,")
            }
            text +=
                String(decoding: outside.utf8.dropFirst(place).prefix(statement.offset - place), as: UTF8.self) + plain
            place = statement.offset + statement.sql.utf8.count
        }
        text += String(decoding: outside.utf8.dropFirst(place), as: UTF8.self)
        let parts = [("sqlite", up.sql(for: .sqlite) ?? ""), ("postgresql", text)].map { name, sql in
            var lines = sql.drop(while: \.isNewline)
            while lines.last?.isNewline ?? false { lines.removeLast() }
            return lines.isEmpty ? "" : "\(engineComment)\(name)\n\(ended(String(lines)))"
        }
        return parts.joined()
    }
}

/// The plan back, which brings tables and columns back but no values that went: NULL, or a zero or empty value where NULL
/// is not allowed.
func wayBack(
    _ plan: MigrationPlan, from schema: Schema, to former: Schema, server: ServerSchema? = nil
) throws -> MigrationPlan {
    let notes = PlanNotes(allowsAll: true)
    let planner = Planner(schema, file: nil, notes: notes, server: server)
    // Columns were renamed after their tables, and go back before them.
    for change in plan.steps.flatMap(\.changes).reversed() {
        guard let after = change.after else { continue }
        if change.kind == .renameTable { try planner.renameTable(after, to: change.table) }
        if change.kind == .renameColumn, let name = change.name {
            try planner.renameColumn(after, to: name, of: change.table)
        }
    }
    for table in former.tables {
        guard let present = planner.current.table(table.name).map(TableShape.init) else { continue }
        for column in TableShape(table).columns where column.notNull != nil && column.defaultValue == nil {
            let empty =
                server == nil
                ? column.affinity == .text ? "''" : column.affinity == .blob ? "x''" : "0"
                : emptyOnServer(column.definition.type)
            let value =
                present.column(column.name) == nil ? empty : "coalesce(\(quoteIdentifier(column.name)), \(empty))"
            planner.notes.conversions[nameKey(table.name), default: [:]][nameKey(column.name)] = value
        }
    }
    return try planner.plan(to: former)
}

/// A value of a type where there is none.
private func emptyOnServer(_ type: String) -> String {
    let values: [(prefix: String, value: String)] = [
        ("bool", "false"), ("date", "epoch"), ("timestamp", "epoch"), ("time", "00:00"), ("interval", "0"),
        ("uuid", "00000000-0000-0000-0000-000000000000"), ("json", "null"), ("bytea", ""), ("text", ""),
        ("character", ""),
    ]
    return "CAST('\(values.first { type.hasPrefix($0.prefix) }?.value ?? "0")' AS \(type))"
}

private func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A || byte == 0x5F
}

/// SQL that ends with a semicolon and a new line, so that more can follow.
func ended(_ sql: String) -> String {
    var source = SQLTokenizer(sql)
    var last: SQLToken?
    while let token = try? source.next() { last = token }
    // A comment at the end must take in neither the semicolon nor what follows.
    let closed = source.endsInComment ? sql + " */" : sql
    let line = closed.hasSuffix("\n") ? closed : closed + "\n"
    guard let last, last.kind != .semicolon else { return line }
    return last.range.upperBound == source.bytes.count ? sql + ";\n" : line + ";\n"
}

extension MigrationPlan {
    /// The way from one schema to another; what the second lacks is dropped, which the options must allow where rows go
    /// with it.
    /// - Parameter database: the file with the first schema, whose rows are counted and looked at; nil: a plan without.
    public init(
        from schema: Schema, to target: Schema, of database: Database?, options: MigrationOptions = MigrationOptions()
    ) throws {
        let (schema, target) = (schema.withoutOwnTables, target.withoutOwnTables)
        guard schema.dialect == target.dialect, database?.dialect ?? schema.dialect == schema.dialect else {
            throw CormorantError(
                .unsupported,
                "a plan leads from one schema to another of the same engine, and one of these is a server's",
                hint:
                    "sync brings a server to models; corm move makes its tables of a file's, and corm diff compares them"
            )
        }
        guard let database else {
            self = try schemaPlan(from: schema, to: target, allowDrop: options.allowDrop, file: nil)
            return
        }
        self = try database.transaction(.deferred) {
            try database.withConnection {
                try schemaPlan(from: schema, to: target, allowDrop: options.allowDrop, file: $0)
            }
        }
    }
}

func schemaPlan(
    from schema: Schema, to target: Schema, allowDrop: [String], file: Connection?
) throws -> MigrationPlan {
    let notes = PlanNotes(allowedDrops: Set(allowDrop.map(nameKey)))
    let server = try schema.dialect == .postgres ? file.map { try ServerSchema($0) } ?? ServerSchema(of: schema) : nil
    return try Planner(schema, file: file, notes: notes, server: server).plan(to: target)
}

extension Schema {
    /// Each table with its indexes, by folded name.
    var byTable: [ExactText: Schema] {
        var found: [ExactText: Schema] = [:]
        for table in tables {
            var one = Schema()
            one.tables = [table]
            one.indexes = indexes.filter { sameIdentifier($0.table, table.name) }
            found[nameKey(table.name)] = one
        }
        for table in virtualTables {
            var one = Schema()
            one.virtualTables = [table]
            found[nameKey(table.name)] = one
        }
        return found
    }
}
