import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What must be the same before and after a migration; read before, compared before it is committed.
struct Invariants {
    /// nil: SQL of somebody's own, which may change anything.
    private let plan: MigrationPlan?
    private let objects: [ExactText: SchemaRow]
    private let counts: [ExactText: Int64]
    private let violations: [ExactText: Int64]
    private let brokenBefore: Set<Dependent>

    private struct SchemaRow {
        var table: String
        var sql: String
    }

    init(_ connection: Connection, of plan: MigrationPlan? = nil) throws {
        self.plan = plan
        objects = try plan?.touched == nil ? [:] : Self.objects(connection)
        var counts: [ExactText: Int64] = [:]
        for table in plan?.guarded ?? [] { counts[ExactText(table)] = try Self.count(table, connection) }
        self.counts = counts
        violations = try Self.violations(connection, plan?.guarded)
        brokenBefore = Set(try Dependent.broken(connection).keys)
    }

    /// Throws when something is not as it was that should be.
    func check(_ connection: Connection) throws {
        let renamed = plan?.renamed ?? [:]
        for (table, rows) in counts.map({ ($0.text, $1) }) {
            let now = try Self.count(renamed[nameKey(table)] ?? table, connection)
            guard now == rows else {
                throw broken("table \"\(table)\" has \(now) rows after the migration and had \(rows)", table)
            }
        }
        let present = plan?.guarded.map { renamed[nameKey($0)] ?? $0 }
        for (key, count) in try Self.violations(connection, present) {
            let table = key.text
            let former =
                violations[key] ?? renamed.first { isSame($0.value, table) }.flatMap { violations[$0.key] } ?? 0
            let more = count - max(0, former)
            if count == mismatch, former != mismatch {
                throw CormorantError(
                    .migration, "a foreign key of \"\(table)\" would refer to columns that are not unique",
                    hint: "refer to the primary key, or make a unique index of the columns", table: table)
            }
            guard more > 0 else { continue }
            throw CormorantError(
                .foreignKey,
                "\(counted(more, "row")) of \"\(table)\" would refer to rows of \(try Self.parents(table, connection)) "
                    + "that are not there",
                hint: "change or delete those rows in the same migration: foreign keys do not act during one",
                table: table)
        }
        if let touched = plan?.touched { try checkObjects(try Self.objects(connection), touched) }
        let broken = try Dependent.broken(connection).filter { !brokenBefore.contains($0.key) }
        if let (what, reason) = broken.min(by: { $0.key < $1.key }) {
            throw CormorantError(
                .migration, "\(what) would no longer work: \(reason)", hint: "change or drop it in the same migration")
        }
    }

    private func checkObjects(_ now: [ExactText: SchemaRow], _ touched: Set<ExactText>) throws {
        func isTouched(_ name: ExactText, _ row: SchemaRow) -> Bool {
            touched.contains(name) || touched.contains(nameKey(row.table))
        }
        for (name, row) in objects where !isTouched(name, row) {
            guard now[name]?.sql == row.sql else {
                throw broken("\"\(name)\" would change and is not in the plan", name.text)
            }
        }
        for (name, row) in now where objects[name] == nil && !isTouched(name, row) {
            throw broken("\"\(name)\" would be made and is not in the plan", name.text)
        }
    }

    private func broken(_ message: String, _ table: String) -> CormorantError {
        CormorantError(.internal, message, hint: "nothing was changed; report this as a defect", table: table)
    }

    private static func count(_ table: String, _ connection: Connection) throws -> Int64 {
        let statement = try Statement(connection, "SELECT count(*) FROM \(quoteIdentifier(table))")
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    /// Rows without their parent, by table; -1 where a key's parent columns are not unique, which SQLite cannot check.
    private static func violations(_ connection: Connection, _ checked: [String]?) throws -> [ExactText: Int64] {
        var found: [ExactText: Int64] = [:]
        if checked == nil {
            do {
                let statement = try Statement(
                    connection, "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1")
                while try statement.step() {
                    let row = Row(statement)
                    if let table = row.cell(0).string { found[ExactText(table)] = row.cell(1).int64 }
                }
                return found
            } catch let error as CormorantError where contains(error.plainMessage, "foreign key mismatch") {
                found = [:]  // Which of them it is tells a look at each.
            }
        }
        for table in try checked ?? Dependent.names("type = 'table'", connection) {
            let sql = "SELECT count(*) FROM pragma_foreign_key_check(\(textLiteral(table)))"
            do {
                let statement = try Statement(connection, sql)
                let rows = try statement.step() ? Row(statement).cell(0).int64 : 0
                if rows > 0 { found[ExactText(table)] = rows }
            } catch let error as CormorantError where contains(error.plainMessage, "foreign key mismatch") {
                found[ExactText(table)] = mismatch
            }
        }
        return found
    }

    /// The tables that rows refer to in vain.
    private static func parents(_ table: String, _ connection: Connection) throws -> String {
        let statement = try Statement(
            connection, "SELECT DISTINCT parent FROM pragma_foreign_key_check(\(textLiteral(table)))")
        var parents: [String] = []
        while try statement.step() { if let name = Row(statement).cell(0).string { parents.append("\"\(name)\"") } }
        return parents.joined(separator: " and ")
    }

    private static func objects(_ connection: Connection) throws -> [ExactText: SchemaRow] {
        var found: [ExactText: SchemaRow] = [:]
        let shadows = try Schema.shadowTables(connection)
        let statement = try Statement(
            connection, "SELECT name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND \(notInternal)")
        while try statement.step() {
            let row = Row(statement)
            guard let name = row.cell(0).string, let table = row.cell(1).string, let sql = row.cell(2).string else {
                continue
            }
            if shadows.contains(nameKey(table)) { continue }
            found[nameKey(name)] = SchemaRow(table: table, sql: sql)
        }
        return found
    }
}

private let mismatch: Int64 = -1
