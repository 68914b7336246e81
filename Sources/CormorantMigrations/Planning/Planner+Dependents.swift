import CormorantBase
import CormorantQuery
import CormorantSQLite

// What refers to tables and columns that a plan changes, and must go on to work.
extension Planner {
    /// Foreign keys that could not work: SQLite would refuse each change of their table.
    func checkReferences() throws {
        let former = Set(try brokenReferences(in: base).map { foldIdentifier($0.problem.message) })
        for (table, problem) in try brokenReferences(in: target)
        where !former.contains(foldIdentifier(problem.message)) { add(problem, to: table) }
    }

    private func brokenReferences(in schema: Schema) throws -> [(table: String, problem: MigrationProblem)] {
        let tables = Dictionary(
            schema.tables.map { (nameKey($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        var found: [(table: String, problem: MigrationProblem)] = []
        for table in schema.tables where table.mayRefer {
            for (key, _) in TableShape(table).foreignKeys where isChanged(table.name) || isChanged(key.table) {
                guard let (what, hint) = try fault(key, of: table.name, tables[nameKey(key.table)], schema)
                else { continue }
                let columns = key.columns.map { "\"\(table.name).\($0)\"" }.joined(separator: ", ")
                let problem = MigrationProblem(message: "\(columns) would refer to \(what)", annotation: hint)
                found.append((table.name, problem))
            }
        }
        return found
    }

    /// What is wrong with a foreign key, and what to do about it.
    private func fault(
        _ key: ForeignKeyDefinition, of table: String, _ parent: TableDefinition?, _ schema: Schema
    ) throws -> (String, hint: String)? {
        let name = "\"\(key.table)\", which is "
        let stays = !(server?.unlogged.contains(nameKey(table)) ?? false)
        let passing = (
            name + "an unlogged or a temporary table",
            "make it a table that stays, such as by ALTER TABLE ... SET LOGGED"
        )
        if let parent {
            if let server {
                if !isSame(parent.name, key.table), !schema.tables.contains(where: { isSame($0.name, key.table) }),
                    !isThere(key, of: table)
                {
                    return (name + "\"\(parent.name)\" on the server", "let it refer to \"\(parent.name)\"")
                }
                if stays, server.unlogged.contains(nameKey(parent.name)) { return passing }
            }
            if isUnique(key, in: parent, of: schema) { return nil }
        } else if !schema.has(key.table) {
            if server == nil {
                // In a file models may come one by one, a child before its parent. It is empty until then.
                if isNew(table), notes.isOfModels { return nil }
            } else if contains(key.table, ".") {
                // One into another schema is named with that.
                return nil
            } else if !origin.has(key.table), let persistence = try file?.persistence(of: key.table) {
                // A partition, an extension's or a temporary table, whose columns are nothing to migrations.
                if persistence != "p", persistence != "u" || stays { return passing }
                if key.tableColumns.isEmpty { return nil }
                return (
                    name + "a partition or an extension's, by its columns",
                    "name the table alone, which means its primary key"
                )
            }
            if let new = origins.newNames[nameKey(key.table)] {
                return (name + "renamed to \"\(new)\"", "let it refer to \"\(new)\"")
            }
            return (name + "not there", hintOfMissing(key.table))
        }
        let list = resolved(key, in: schema).tableColumns.map { "\"\(key.table).\($0)\"" }
        return (
            list.isEmpty ? "\"\(key.table)\", which has no key" : "\(list.joined(separator: ", ")), not unique",
            "refer to the primary key, or to columns with a UNIQUE of their own"
        )
    }

    private func hintOfMissing(_ parent: String) -> String {
        if base.has(parent) { return "keep it, or leave the reference out" }
        if !notes.isOfModels { return "make it in the same migration, or leave the reference out" }
        // Steps know only the tables that steps make.
        if file == nil {
            return "generate a step of its model first, and adopt that where the table is there, or give both in one "
                + "call"
        }
        return "sync its model first or in the same call, which models that refer to each other need, or mend the "
            + "reference"
    }

    /// Whether the key is on the server, however its parent is spelt here.
    private func isThere(_ key: ForeignKeyDefinition, of table: String) -> Bool {
        guard let present = base.table(table) else { return false }
        return TableShape(present).foreignKeys.contains { other, _ in
            sameIdentifier(other.table, key.table)
                && other.columns.map(nameKey) == key.columns.map(nameKey)
        }
    }

    /// https://www.sqlite.org/foreignkeys.html#fk_indexes
    private func isUnique(_ key: ForeignKeyDefinition, in parent: TableDefinition, of schema: Schema) -> Bool {
        let shape = TableShape(parent)
        let primary = shape.primaryKey.compactMap(\.column).map(nameKey)
        if key.tableColumns.isEmpty { return !primary.isEmpty && primary.count == key.columns.count }
        let wanted = key.tableColumns.map(nameKey)
        guard wanted.count == key.columns.count else { return false }
        func isMatch(_ terms: [IndexTerm]) -> Bool {
            guard terms.count == wanted.count else { return false }
            return wanted.allSatisfy { name in
                terms.contains { term in
                    guard let column = term.column, nameKey(column) == name else { return false }
                    let collation = shape.column(column)?.collation.map(nameKey) ?? "binary"
                    return (term.collation.map(nameKey) ?? collation) == collation
                }
            }
        }
        if isMatch(shape.primaryKey) { return true }
        for unique in shape.uniques { if case .unique(let terms, _) = unique.kind, isMatch(terms) { return true } }
        return schema.indexes.contains {
            $0.isUnique && $0.condition == nil && sameIdentifier($0.table, parent.name) && isMatch($0.terms)
        }
    }

    /// Views, triggers and virtual tables that work now and would not.
    func checkDependents() throws {
        let changes = steps.flatMap(\.changes)
        let mayBreak = changes.contains {
            ![.createTable, .createIndex, .createView, .createTrigger].contains($0.kind)
        }
        guard mayBreak, let replica, !(target.views.isEmpty && target.triggers.isEmpty && target.virtualTables.isEmpty)
        else {
            return
        }
        let former = try Replica(origin, refuseInterrupted).broken()
        for (what, reason) in try replica.broken().sorted(by: { $0.key < $1.key }) where former[what] == nil {
            add(
                MigrationProblem(
                    message: "\(what) would no longer work: \(reason)",
                    annotation: notes.isOfModels
                        ? "change it in the same migration, or drop it: allow_drop \"\(what.dropName)\"" : inTarget),
                to: changes.last?.table ?? "")
        }
    }

    /// Adds a problem to the last step of a table, or of all.
    private func add(_ problem: MigrationProblem, to table: String) {
        let step = steps.lastIndex { $0.changes.contains { sameIdentifier($0.table, table) } } ?? steps.indices.last
        if let step { steps[step].problems.append(problem) }
    }

    /// What to do about that which the target has and cannot have.
    private var inTarget: String { "change it in the schema that the plan leads to, or leave it out there" }

    /// The error of a statement that the replica did not take.
    func refusal(of statement: String, _ summary: String, _ error: CormorantError, table: String?) -> CormorantError {
        let error = error.ofMigration
        // What is no fault of the statement's: it may be done another time.
        if [.noMemory, .full, .io, .interrupted, .tooBig].contains(error.code) {
            return error.prefixed("\(summary) cannot be done: ")
        }
        var message = "\(summary) cannot be done: \(error.plainMessage)"
        var hint = error.plainHint
        if let object = try? SchemaParser.object(statement),
            current.index(object.name) != nil || current.trigger(object.name) != nil
        {
            let kind = if case .index = object { "index" } else { "trigger" }
            message = "\(summary) cannot be done: \(kind) \"\(object.name)\" stands in the way (\(error.plainMessage))"
            hint = notes.isOfModels ? "drop it, too: allow_drop \"\(kind):\(object.name)\"" : inTarget
        }
        return CormorantError(
            .migration, message, hint: hint ?? "change the schema or what is in the way, and plan again",
            sqliteCode: error.sqliteCode, sql: error.sql, table: table)
    }
}

/// A view, a trigger or a virtual table that SQLite cannot compile or begin to read.
struct Dependent: Hashable, Comparable, CustomStringConvertible {
    enum Kind: String {
        case view, trigger
        case virtualTable = "virtual table"
        /// All those of a table: which of them it is cannot be told.
        case triggers = "a trigger of"
    }

    var kind: Kind
    var name: String

    var description: String { "\(kind.rawValue) \"\(name)\"" }
    /// As allow_drop names it.
    var dropName: String { kind == .virtualTable ? name : "\(kind == .view ? "view" : "trigger"):\(name)" }

    static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    /// Each with SQLite's reason.
    static func broken(_ connection: Connection) throws -> [Dependent: String] {
        var found: [Dependent: String] = [:]
        let looked = try Looked(connection)
        for name in try names("type = 'view'", connection) where looked.isSmall(nameKey(name)) {
            found[Dependent(kind: .view, name: name)] = fault("SELECT * FROM \(quoteIdentifier(name))", connection)
        }
        for name in try names("type = 'table' AND rootpage = 0", connection) {
            // What its rows are read from is looked for with the first of them.
            found[Dependent(kind: .virtualTable, name: name)] = fault(
                "SELECT * FROM \(quoteIdentifier(name)) LIMIT 1", connection, isRun: true)
        }
        for table in Set(try names("type = 'trigger'", connection, column: "tbl_name"))
        where try found[Dependent(kind: .view, name: table)] == nil
            && looked.areSmall(
                names("type = 'trigger' AND tbl_name = \(textLiteral(table))", connection, column: "sql"))
        {
            if let reason = try faultOfTriggers(table, connection) {
                found[Dependent(kind: .triggers, name: table)] = reason
            }
        }
        return found
    }

    /// What SQLite can look at in a moment: it puts into each view what that reads, those of views over views times over.
    private struct Looked {
        private let sizes: [ExactText: Int]
        private let most = 1_000

        init(_ connection: Connection) throws {
            let objects = try Statement(
                connection, "SELECT name, sql, type FROM sqlite_schema WHERE type IN ('table', 'view')")
            defer { objects.finalize() }
            var all: [(String, String?)] = []
            while try objects.step() {
                let row = Row(objects)
                all.append((row.cell(0).string ?? "", row.cell(2).string == "view" ? row.cell(1).string : nil))
            }
            sizes = expandedSizes(of: all)
        }

        func isSmall(_ view: ExactText) -> Bool { sizes[view, default: 1] <= most }

        func areSmall(_ triggers: [String]) -> Bool { triggers.allSatisfy { identifiers(in: $0).allSatisfy(isSmall) } }
    }

    static func faultOfTriggers(_ table: String, _ connection: Connection) throws -> String? {
        let name = quoteIdentifier(table)
        // Nobody can tell the columns of a view that does not work.
        if let reason = fault("SELECT * FROM \(name)", connection) { return reason }
        let columns = try Statement(
            connection, "SELECT name FROM pragma_table_xinfo(\(textLiteral(table))) WHERE hidden = 0")
        var assignments: [String] = []
        while try columns.step() {
            if let column = Row(columns).cell(0).string { assignments.append("\(quoteIdentifier(column)) = NULL") }
        }
        let statements = [
            "DELETE FROM \(name)", "INSERT INTO \(name) DEFAULT VALUES",
            "UPDATE \(name) SET \(assignments.joined(separator: ", "))",
        ]
        return statements.lazy.compactMap { fault($0, connection) }.first
    }

    private static func fault(_ sql: String, _ connection: Connection, isRun: Bool = false) -> String? {
        do {
            let statement = try Statement(connection, sql)
            if isRun { _ = try statement.step() }
            return nil
        } catch {
            return (error as? CormorantError)?.plainMessage ?? "\(error)"
        }
    }

    static func names(_ condition: String, _ connection: Connection, column: String = "name") throws -> [String] {
        let statement = try Statement(
            connection, "SELECT \(column) FROM sqlite_schema WHERE \(condition) AND \(notInternal)")
        var names: [String] = []
        while try statement.step() { if let name = Row(statement).cell(0).string { names.append(name) } }
        return names
    }
}

/// SQLite keeps tables of its own, which come and go by themselves.
let notInternal = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
