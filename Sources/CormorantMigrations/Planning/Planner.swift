import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Works out a plan on a replica: a database in memory with the file's schema and no rows. Each statement is run there
/// first, so that SQLite itself says what it can alter, what a rename does to views, triggers and foreign keys, and
/// whether the end is what was asked for.
final class Planner {
    /// nil: of a server, which alone knows what it takes, or of a plan without a step.
    private(set) var replica: Replica?
    /// What there is beside the schema, of a server.
    let server: ServerSchema?
    /// Constraints that models declare, by folded table and name, on a server.
    var declared: Set<[ExactText]> = []
    /// Which tables of a server have many rows, as far as that was asked.
    var large: [ExactText: Bool] = [:]
    /// Whether all that are there count as such, of which nothing is known yet.
    var isForMany = false
    /// Tables of which something is made unique apart from the rest, on a server.
    var lateUniques: Set<ExactText> = []
    /// Unique indexes that go when the foreign keys which refer to them have gone, on a server.
    private var lateDrops: [SchemaChange] = []
    /// Foreign keys that come when all tables are there, on a server.
    var lateReferences: [(SchemaChange, TableDefinition, TableDifference)] = []
    /// What rows are counted in; nil: a plan without a file.
    let file: Connection?
    var notes: PlanNotes
    let origin: Schema
    var current: Schema
    /// What the plan leads from, renames already made, and to; set by `plan(to:)`.
    private(set) var base = Schema()
    private(set) var target = Schema()
    private var changed: Set<ExactText> = []
    /// The target's foreign keys by their parents' folded names.
    private(set) var children: [ExactText: [(table: String, key: ForeignKeyDefinition)]] = [:]
    var steps: [MigrationPlan.Step] = []
    /// Where the rows of a renamed table or column are before the plan runs.
    var origins = Origins()
    private(set) var created: [String] = []
    private var createdNames: Set<ExactText> = []
    /// Of the step that is next added.
    var guards: [String] = []

    init(_ schema: Schema, file: Connection?, notes: PlanNotes, server: ServerSchema? = nil) {
        self.server = server
        self.file = file
        self.notes = notes
        origin = schema
        current = schema
        file?.wasInterrupted.isSet = false
    }

    /// Before the first step: where nothing differs, to make thousands of tables would take longer than all else.
    private func makeReplica() throws {
        guard server == nil, replica == nil else { return }
        let made = try Replica(origin, refuseInterrupted)
        current = try made.schema()
        replica = made
    }

    func renameTable(_ name: String, to newName: String) throws {
        origins.rename(table: name, to: newName)
        let change = SchemaChange(.renameTable, name, after: newName)
        try add(
            change.description, [change],
            ["ALTER TABLE \(quoteIdentifier(name)) RENAME TO \(quoteIdentifier(newName))"], risk: .annotated)
        if server != nil { current.rename(table: name, to: newName) }
    }

    func renameColumn(_ name: String, to newName: String, of table: String) throws {
        origins.rename(column: name, to: newName, of: table)
        let change = SchemaChange(.renameColumn, table, name, after: newName)
        try add(
            change.description, [change],
            [
                "ALTER TABLE \(quoteIdentifier(table)) RENAME COLUMN \(quoteIdentifier(name)) TO "
                    + quoteIdentifier(newName)
            ], risk: .annotated)
        if server != nil { current.rename(column: name, to: newName, of: table) }
    }

    /// Adds what leads from the replica's schema to the target's.
    func plan(to target: Schema) throws -> MigrationPlan {
        var difference = SchemaDifference(from: current, to: target)
        if server == nil, replica == nil, !difference.changes.isEmpty {
            try makeReplica()
            difference = SchemaDifference(from: current, to: target)
        }
        base = current
        self.target = target
        for table in target.tables where table.mayRefer {
            for (key, _) in TableShape(table).foreignKeys {
                children[nameKey(key.table), default: []].append((table.name, key))
            }
        }
        changed = Set(difference.changes.map { nameKey($0.table) })
        try dropDependents(difference)
        let present = ObjectsByName(current)
        let changedTables = target.tables.filter { isChanged($0.name) }
        // Where nothing that is there changes, what is new is read once.
        let readsEach = changedTables.contains { present.table($0.name) != nil }
        if readsEach {
            for table in changedTables {
                if let present = current.table(table.name) {
                    try change(present, to: table, target: target)
                } else {
                    try create(table.name, sql: table.sql)
                }
            }
        } else {
            let make = { try self.create(changedTables[$0].name, sql: changedTables[$0].sql, readsAgain: false) }
            try replica?.inGroups(changedTables.map(\.name), make) ?? changedTables.indices.forEach(make)
        }
        if !readsEach, !changedTables.isEmpty, let replica { current = try replica.schema() }
        try changeVirtualTables(to: target)
        let wanted = ObjectsByName(target)
        let gone = current.tables.filter { isChanged($0.name) && wanted.table($0.name) == nil }
        // What is left is read once: to do so after each of thousands takes long.
        for (table, before) in inDroppingOrder(gone) {
            try drop(table.name, sql: table.sql, before: before, isOneOfMany: true)
        }
        if !gone.isEmpty, let replica {
            try replica.drop(gone.map(\.name))
            current = try replica.schema()
        }
        for change in lateDrops { try drop("INDEX", change.name ?? "", change, isLate: true) }
        try createDependents(server == nil ? SchemaDifference(from: current, to: target) : difference)
        if server != nil {
            try addReferences()
            try validateRest()
        }
        try seed()
        try checkEnd(target)
        try checkReferences()
        try checkDependents()
        return MigrationPlan(
            steps: steps, origin: origin, result: current, guarded: guarded(), renamed: origins.newNames)
    }

    /// Whether the plan makes, changes or drops the table.
    func isChanged(_ table: String) -> Bool { changed.contains(nameKey(table)) }

    private func create(_ table: String, sql: String, readsAgain: Bool = true) throws {
        let keys =
            server == nil ? [] : (notes.distributions[nameKey(table)] ?? []) + earlyReferences(of: table)
        try add(
            "create table \"\(table)\"", [SchemaChange(.createTable, table, after: sql)], [sql] + keys,
            readsAgain: readsAgain)
        created.append(table)
        createdNames.insert(nameKey(table))
    }

    func isNew(_ table: String) -> Bool { createdNames.contains(nameKey(table)) }

    /// The first rows of new tables, once all are there.
    private func seed() throws {
        for table in created {
            guard let sql = notes.seeds[nameKey(table)] else { continue }
            if server != nil { try refuseSchemaChanges(sql, table) }
            let before = current
            try add("first rows of \"\(table)\"", [], stepStatements(sql).map(\.sql))
            if let change = SchemaDifference(from: before, to: current).changes.first {
                throw CormorantError(
                    .migration, "the SQL for the first rows of \"\(table)\" changes the schema: \(change)",
                    hint: "let it only write rows, and describe tables by models", table: table)
            }
        }
    }

    /// What stands in the way of changing tables, and goes anyway.
    private func dropDependents(_ difference: SchemaDifference) throws {
        for change in difference.changes {
            switch change.kind {
            case .dropTrigger: try drop("TRIGGER", change.name ?? "", change)
            case .dropView: try drop("VIEW", change.table, change)
            case .dropIndex where isReferredTo(change): lateDrops.append(change)
            case .dropIndex: try drop("INDEX", change.name ?? "", change)
            default: break
            }
        }
    }

    /// - Parameter isLate: whether a column may have taken it along by then.
    private func drop(_ kind: String, _ name: String, _ change: SchemaChange, isLate: Bool = false) throws {
        // A view takes its triggers along.
        if kind == "TRIGGER", current.trigger(name) == nil { return }
        var judgement = Judgement(rows: 0)
        if isLost(kind, name) {
            let word = kind.lowercased()
            if notes.allows(word, name) {
                judgement.notes.append("\(word) \"\(name)\" goes")
            } else {
                judgement.problems.append(
                    MigrationProblem(
                        message: "\(word) \"\(name)\" would go", annotation: "allow_drop \"\(word):\(name)\"",
                        drop: "\(word):\(name)"))
            }
        }
        try add(
            change.description, [change],
            [
                "DROP \(kind) \(isLate ? "IF EXISTS " : "")\(quoteIdentifier(name))"
                    + (server != nil && kind == "TRIGGER" ? " ON \(quoteIdentifier(change.table))" : "")
            ], risk: risk([], judgement), judgement)
    }

    /// Whether the target has nothing of the name, and rows may come to be that were refused or otherwise.
    private func isLost(_ kind: String, _ name: String) -> Bool {
        switch kind {
        case "TRIGGER": target.trigger(name) == nil
        case "VIEW": target.view(name) == nil
        default: target.index(name) == nil && current.index(name)?.isUnique ?? false && !isUniqueElsewhere(name)
        }
    }

    /// Whether a UNIQUE of the target, or an index of another name, is over the same.
    private func isUniqueElsewhere(_ name: String) -> Bool {
        guard let index = current.index(name) else { return false }
        if target.indexes.contains(where: { $0.isEqual(index) }) { return true }
        guard index.condition == nil, let table = target.table(index.table).map(TableShape.init) else { return false }
        return table.uniques.contains {
            if case .unique(let terms, _) = $0.kind { terms == index.terms } else { false }
        }
            || table.primaryKey == index.terms
    }

    private func createDependents(_ difference: SchemaDifference) throws {
        for kind in [SchemaChange.Kind.createIndex, .createView, .createTrigger] {
            for change in difference.changes where change.kind == kind {
                guard let sql = change.after else { continue }
                var judgement = Judgement(rows: 0)
                if let name = change.name, server != nil, kind == .createIndex, let index = target.index(name) {
                    if index.isUnique, let future = future(index.table) {
                        try checkUnique(index.terms, where: index.condition, of: future, &judgement)
                    }
                    let (sql, isApart) = try indexOnServer(index)
                    try add(
                        change.description, [change], sql, risk: risk([], judgement), judgement, isApart: isApart)
                    continue
                }
                if kind == .createIndex { try duplicates(sql, &judgement) }
                try add(change.description, [change], [sql], risk: risk([], judgement), judgement, readsAgain: false)
            }
        }
        // Once: to read what views become takes long.
        if !difference.changes.isEmpty, let replica { current = try replica.schema() }
    }

    private func duplicates(_ sql: String, _ judgement: inout Judgement) throws {
        guard case .index(let index) = try SchemaParser.object(sql), index.isUnique,
            let future = future(index.table)
        else { return }
        try checkUnique(index.terms, where: index.condition, of: future, &judgement)
    }

    private func changeVirtualTables(to target: Schema) throws {
        for table in current.virtualTables {
            let wanted = target.virtualTable(table.name)
            if wanted.map(table.isEqual) ?? false { continue }
            try drop(table.name, sql: table.sql)
        }
        for table in target.virtualTables where current.virtualTable(table.name) == nil {
            try create(table.name, sql: table.sql)
        }
    }

    /// - Parameters:
    ///   - before: what makes that possible.
    ///   - isOneOfMany: whether the caller drops all of them in the replica at once.
    private func drop(_ table: String, sql: String, before: [String] = [], isOneOfMany: Bool = false) throws {
        let rows = try rowCount(of: table)
        var judgement = Judgement(rows: rows)
        if notes.allows(dropOf: table) {
            if rows != 0 {
                judgement.losses.append((rows.map { counted($0, "row") } ?? "the rows") + " of \"\(table)\"")
            }
        } else {
            let what = rows.map { $0 == 0 ? ", which is empty" : " with \(counted($0, "row"))" } ?? " with its rows"
            judgement.problems.append(
                MigrationProblem(
                    message: "table \"\(table)\" would go\(what)", annotation: "allow_drop \"\(table)\"", drop: table))
        }
        for what in server?.companions[nameKey(table)] ?? [] {
            judgement.notes.append("\(what) goes along with it")
        }
        try add(
            "drop table \"\(table)\"", [SchemaChange(.dropTable, table, before: sql)],
            before + ["DROP TABLE \(quoteIdentifier(table))"], risk: .lossy, judgement, isRun: !isOneOfMany,
            readsAgain: !isOneOfMany)
    }

    func refuseInterrupted() throws {
        guard let file, file.wasInterrupted.isSet else { return }
        throw CormorantError(.interrupted, "the migration was cancelled", hint: "nothing was changed; try again")
    }

    /// Adds a step and takes the replica through it.
    func add(
        _ summary: String, _ changes: [SchemaChange], _ sql: [String], risk: MigrationRisk = .safe,
        _ judgement: Judgement = Judgement(rows: 0), rebuilt: [String] = [], isRun: Bool = true,
        readsAgain: Bool = true, isApart: Bool = false
    ) throws {
        try refuseInterrupted()
        try makeReplica()
        for statement in replica == nil || !isRun ? [] : sql {
            do {
                try replica?.run(statement)
            } catch let error as CormorantError {
                throw refusal(of: statement, summary, error, table: changes.first?.table)
            }
        }
        // To read all else anew for each of thousands of tables takes long.
        if !readsAgain || replica == nil {
            // The caller does.
        } else if !changes.isEmpty, changes.allSatisfy(\.kind.staysInTable), !sql.contains(where: isVirtual),
            !changes.contains(where: { current.virtualTable($0.table) != nil })
        {
            for table in Set(changes.map(\.table)) { try replica?.read(table, into: &current) }
        } else if let replica {
            current = try replica.schema()
        }
        steps.append(
            MigrationPlan.Step(
                summary: summary, changes: changes, sql: sql, decidedRisk: risk, plainLosses: judgement.losses,
                plainNotes: judgement.notes, rows: file == nil ? nil : judgement.rows, problems: judgement.problems,
                guards: guards, rebuilt: rebuilt, isApart: isApart))
        guards = []
    }

    /// Tables whose number of rows must stay: those that are rebuilt, and those that refer to them. By their names before.
    private func guarded() -> [String] {
        let rebuilt = Set(steps.flatMap(\.rebuilt).map(nameKey))
        guard !rebuilt.isEmpty else { return [] }
        let children = current.tables.filter { table in
            TableShape(table).foreignKeys.contains { rebuilt.contains(nameKey($0.key.table)) }
        }
        let new = Set(created.map(nameKey))
        return rebuilt.union(children.map { nameKey($0.name) }).subtracting(new).map { origins.table($0.text) }.sorted()
    }

    /// What SQLite made of the plan must be what was wanted.
    private func checkEnd(_ target: Schema) throws {
        guard let replica else {
            if server != nil { current = target }
            return
        }
        current = try replica.schema()
        guard let left = SchemaDifference(from: current, to: target).changes.first else { return }
        throw CormorantError(
            .internal, "the plan would leave a difference: \(left)", hint: "report this as a defect", table: left.table)
    }
}

extension TableDefinition {
    /// Whether it has foreign keys; cheaper than to ask for its shape.
    var mayRefer: Bool {
        func refers(_ constraint: ConstraintDefinition) -> Bool {
            if case .foreignKey = constraint.kind { true } else { false }
        }
        return constraints.contains(where: refers) || columns.contains { $0.constraints.contains(where: refers) }
    }
}

/// What a plan is told beside the two schemas.
struct PlanNotes {
    /// Folded names of tables, and of columns as `table.column`, that may be dropped.
    var allowedDrops = Set<ExactText>()
    /// SQL for the values of a column, by folded table and column.
    var conversions: [ExactText: [ExactText: String]] = [:]
    /// What has a server spread the rows of a new table, by folded table.
    var distributions: [ExactText: [String]] = [:]
    /// Statements that fill a new table, by folded table.
    var seeds: [ExactText: String] = [:]
    /// Whether the target is of models: what it lacks besides tables and columns is what they declared before, and no longer.
    var isOfModels = false
    /// Whether everything may go, as on the way back.
    var allowsAll = false

    /// Whether a trigger, a view, an index or the constraints of a table may go: `trigger:name`, `check:table`.
    func allows(_ kind: String, _ name: String) -> Bool {
        isOfModels || allowsAll || allowedDrops.contains(nameKey("\(kind):\(name)"))
    }

    func allows(dropOf table: String, column: String? = nil) -> Bool {
        allowsAll || allowedDrops.contains(nameKey(column.map { "\(table).\($0)" } ?? table))
    }

    /// What gives a value where there is none.
    var remedyOfNull: String { isOfModels ? "give it default_sql or convert_sql" : "give it a default" }
    /// What converts values: an annotation of the model, which a schema has no place for.
    var remedy: String { isOfModels ? "give it convert_sql" : "convert it in a step written by hand" }

    /// Leave to drop a column, which stands at its model or in the call.
    func leave(toDrop column: String, of table: String) -> String {
        "allow_drop \"\(isOfModels ? column : "\(table).\(column)")\""
    }

    func conversion(of column: String, in table: String) -> String? {
        conversions[nameKey(table)]?[nameKey(column)]
    }
}

/// Where the rows of the plan's tables and columns are in the file, which still has the former names.
struct Origins {
    private var tables: [ExactText: String] = [:]
    private var columns: [ExactText: [ExactText: String]] = [:]

    mutating func rename(table: String, to newName: String) {
        let origin = tables.removeValue(forKey: nameKey(table)) ?? table
        tables[nameKey(newName)] = origin
        columns[nameKey(newName)] = columns.removeValue(forKey: nameKey(table))
    }

    mutating func rename(column: String, to newName: String, of table: String) {
        let key = nameKey(table)
        let origin = columns[key]?.removeValue(forKey: nameKey(column)) ?? column
        columns[key, default: [:]][nameKey(newName)] = origin
    }

    func table(_ name: String) -> String { tables[nameKey(name)] ?? name }

    func column(_ name: String, of table: String) -> String {
        columns[nameKey(table)]?[nameKey(name)] ?? name
    }

    /// The new names of tables, by their folded names before.
    var newNames: [ExactText: String] {
        Dictionary(tables.map { (nameKey($1), $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    /// The table's rows with the names of the plan, as SQL for a FROM clause.
    func source(_ table: TableDefinition) -> String {
        let key = nameKey(table.name)
        guard tables[key] != nil || columns[key] != nil else { return quoteIdentifier(table.name) }
        let list = table.columns.map { column -> String in
            let name = quoteIdentifier(column.name)
            guard let origin = columns[key]?[nameKey(column.name)] else { return name }
            return "\(quoteIdentifier(origin)) AS \(name)"
        }
        return "(SELECT \(list.joined(separator: ", ")) FROM \(quoteIdentifier(self.table(table.name)))) AS "
            + quoteIdentifier(table.name)
    }
}
