import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Which tables and columns of a file go by the SQL of steps, with what is in them. Told by the statements: renames are
/// followed, and a table that is made anew under the name of one that goes takes its place, with the columns that it has
/// again. How much of its rows that has is counted behind the step. What a server drops or empties along with something is
/// asked of its catalogs.
struct StepLosses {
    /// A table, or a column of one, by its name in the file.
    struct Loss: Hashable {
        var table: String
        var column: String?
        /// The query of a server's catalogs that tells tables, and columns or NULL, in its place.
        var companions: String?
    }

    private struct Table {
        /// Its name in the file; nil: steps have made it.
        var origin: String?
        /// The names in the file of its columns, by their folded names now; nil of those that steps have made.
        var columns: [ExactText: String?]
        /// Whether a SELECT gave it its columns, which are not known then.
        var isSelected = false
        /// Whether a statement puts rows into it.
        var isFilled = false
    }

    /// A table that takes the place of one of the file.
    struct Successor {
        var origin: String
        var name: ExactText
        /// The columns of the file's table, by their names in both at the end.
        var columns: [ExactText: String]
        var isFilled: Bool
        /// The name of the file's table when it goes, and where in the SQL that is.
        var last: ExactText
        var drop: Int
    }

    /// Whose SQL the steps are.
    private let dialect: Dialect
    private var tables: [ExactText: Table] = [:]
    private var dropped: [(name: ExactText, table: Table, offset: Int)] = []
    private var found: [Loss] = []
    /// Of the last step.
    private(set) var successors: [Successor] = []

    init(_ schema: Schema, _ dialect: Dialect) {
        self.dialect = dialect
        for table in schema.tables {
            // What is computed can be computed again.
            let stored = TableShape(table).columns.filter { $0.computed == nil }.map(\.name)
            tables[nameKey(table.name)] = Table(
                origin: table.name,
                columns: Dictionary(stored.map { (nameKey($0), $0) }, uniquingKeysWith: { first, _ in first }))
        }
        for table in schema.virtualTables {
            tables[nameKey(table.name)] = Table(origin: table.name, columns: [:])
        }
    }

    /// What goes by one more step.
    mutating func run(_ sql: String) -> [Loss] {
        (dropped, found, successors) = ([], [], [])
        for statement in statements(sql) {
            switch words(statement.sql, 1).first.map(nameKey) {
            case "create": create(statement.sql)
            case "alter": alter(statement.sql)
            case "drop": drop(statement.sql, statement.offset)
            case "truncate" where dialect == .postgres: truncate(statement.sql)
            case "insert", "replace", "with": fill(statement.sql)
            default: break
            }
        }
        for (last, table, offset) in dropped {
            guard let origin = table.origin else { continue }
            // One that was renamed to be copied from leaves its name to the copy.
            let place = [last, nameKey(origin)].first { tables[$0].map { $0.origin == nil } ?? false }
            guard let place, let now = tables[place] else {
                found.append(Loss(table: origin, column: nil))
                continue
            }
            let (kept, gone) = table.columns.reduce(into: ([ExactText: String](), [String]())) { parts, column in
                guard let name = column.value else { return }
                if now.isSelected || now.columns[column.key] != nil {
                    parts.0[column.key] = name
                } else {
                    parts.1.append(name)
                }
            }
            found += gone.sorted().map { Loss(table: origin, column: $0) }
            successors.append(
                Successor(
                    origin: origin, name: place, columns: kept, isFilled: now.isFilled, last: last, drop: offset))
            tables[place]?.origin = origin
            for (key, column) in kept { tables[place]?.columns[key] = .some(column) }
        }
        return found
    }

    private func statements(_ sql: String) -> [(sql: String, offset: Int)] {
        if dialect == .postgres { return serverStatements(sql) }
        return ((try? SQLScript.statements(sql)) ?? []).map { ($0.sql, $0.offset) }
    }

    private func words(_ sql: String, _ count: Int) -> [String] {
        dialect == .postgres ? serverWords(sql, count) : SQLScript.words(sql, count)
    }

    /// CREATE [TEMP] [VIRTUAL] TABLE [IF NOT EXISTS] [schema .] name and what follows.
    private mutating func create(_ sql: String) {
        var words = words(sql, 12).dropFirst()
            .drop { ["temp", "temporary", "virtual", "unlogged"].contains(foldIdentifier($0)) }
        guard words.popFirst().map(foldIdentifier) == "table" else { return }
        if words.prefix(2).map(foldIdentifier) == ["if", "not"] { words = words.dropFirst(3) }
        // One that is there stays as it is.
        guard let name = Self.name(&words), tables[name] == nil else { return }
        guard case .table(let table)? = try? SchemaParser.object(sql) else {
            let isSelected = words.first.map(foldIdentifier) == "as"
            tables[name] = Table(origin: nil, columns: [:], isSelected: isSelected, isFilled: isSelected)
            return
        }
        let names = table.columns.map { (nameKey($0.name), String?.none) }
        tables[name] = Table(origin: nil, columns: Dictionary(names, uniquingKeysWith: { first, _ in first }))
    }

    /// INSERT INTO [schema .] name, behind a WITH or not.
    private mutating func fill(_ sql: String) {
        var words = words(sql, .max).drop { foldIdentifier($0) != "into" }.dropFirst()
        if let name = Self.name(&words) { tables[name]?.isFilled = true }
    }

    /// [schema .] name
    private static func name(_ words: inout ArraySlice<String>) -> ExactText? {
        if words.dropFirst().first == "." { words = words.dropFirst(2) }
        return words.popFirst().map(nameKey)
    }

    /// ALTER TABLE [schema .] name and what follows: on a server [IF EXISTS] [ONLY] stands before it, and several actions behind.
    private mutating func alter(_ sql: String) {
        var words = words(sql, .max).dropFirst()
        guard words.popFirst().map(foldIdentifier) == "table" else { return }
        if dialect == .postgres {
            if words.first == "if" { words = words.dropFirst(2) }
            if words.first == "only" { words = words.dropFirst() }
        }
        guard let name = Self.name(&words) else { return }
        var depth = 0
        let actions = words.split { word in
            depth += word == "(" ? 1 : word == ")" ? -1 : 0
            return word == "," && depth == 0
        }
        for action in actions { alter(name, action) }
    }

    private mutating func alter(_ name: ExactText, _ action: ArraySlice<String>) {
        var words = action
        let verb = words.popFirst().map(foldIdentifier)
        // A name in quotes may be any of these words: RENAME [COLUMN] "to" TO x, DROP "column".
        let isColumn = words.first.map(foldIdentifier) == "column" && words.count > (verb == "rename" ? 3 : 1)
        if isColumn { words = words.dropFirst() }
        if dialect == .postgres, words.first == "if", words.count > 2 {
            words = words.dropFirst(words.dropFirst().first == "not" ? 3 : 2)
        }
        guard let subject = words.first.map(nameKey) else { return }
        switch verb {
        case "rename" where subject == "to" && words.count == 2:
            guard let new = words.dropFirst().first else { return }
            tables[nameKey(new)] = tables.removeValue(forKey: name)
        case "rename":
            guard let new = words.dropFirst(2).first, let column = tables[name]?.columns.removeValue(forKey: subject)
            else { return }
            tables[name]?.columns[nameKey(new)] = .some(column)
        case "add": tables[name]?.columns[subject] = .some(nil)
        case "drop":
            if let column = tables[name]?.columns.removeValue(forKey: subject), let column,
                let origin = tables[name]?.origin
            {
                found.append(Loss(table: origin, column: column))
            }
        default: break
        }
    }

    private mutating func drop(_ sql: String, _ offset: Int) {
        var words = words(sql, .max).dropFirst()
        let kind = words.popFirst().map(foldIdentifier)
        if words.count > 2, words.prefix(2).map(foldIdentifier) == ["if", "exists"] { words = words.dropFirst(2) }
        if dialect == .postgres, words.last == "cascade" {
            words = words.dropLast()
            for name in words.split(separator: ",") { found += Self.companions(of: kind ?? "", name) }
        }
        guard kind == "table" else { return }
        // A server takes several.
        for var words in words.split(separator: ",") {
            guard let name = Self.name(&words), let table = tables.removeValue(forKey: name) else { continue }
            dropped.append((name, table, offset))
        }
    }

    /// TRUNCATE [TABLE] [ONLY] name [*] and others, [RESTART IDENTITY] [CASCADE].
    private mutating func truncate(_ sql: String) {
        var words = words(sql, .max).dropFirst()
        if words.first == "table" { words = words.dropFirst() }
        let isCascading = words.last == "cascade"
        let end = words.firstIndex { ["restart", "continue", "cascade", "restrict"].contains($0) } ?? words.endIndex
        for var words in words[..<end].split(separator: ",") {
            if words.first == "only" { words = words.dropFirst() }
            guard let name = Self.name(&words), let origin = tables[name]?.origin else { continue }
            found.append(Loss(table: origin, column: nil))
            if isCascading { found.append(Loss(table: origin, column: nil, companions: Self.referrers(of: origin))) }
        }
    }

    /// What goes by DROP ... CASCADE of what is no table itself: tables, and columns of those that stay.
    private static func companions(of kind: String, _ words: ArraySlice<String>) -> [Loss] {
        var words = words
        let schema = words.dropFirst().first == "." ? words.first : nil
        if schema != nil { words = words.dropFirst(2) }
        guard let name = words.first else { return [] }
        let quoted = textLiteral(((schema.map { [$0] } ?? []) + [name]).map(quoteIdentifier).joined(separator: "."))
        let root: (catalog: String, number: String)
        switch kind {
        case "schema": root = ("pg_namespace", "to_regnamespace(\(quoted))")
        case "type", "domain": root = ("pg_type", "to_regtype(\(quoted))")
        case "extension":
            root = ("pg_extension", "(SELECT oid FROM pg_catalog.pg_extension WHERE extname = \(textLiteral(name)))")
        default: return []
        }
        let gone = """
            WITH RECURSIVE gone(classid, objid, objsubid) AS (
                SELECT CAST(CAST('pg_catalog.\(root.catalog)' AS regclass) AS oid), CAST(\(root.number) AS oid), 0
                UNION SELECT d.classid, d.objid, d.objsubid FROM pg_catalog.pg_depend d JOIN gone g
                    ON d.refclassid = g.classid AND d.refobjid = g.objid AND g.objsubid IN (0, d.refobjsubid))
            SELECT CAST(c.oid AS regclass), CAST(a.attname AS text)
            FROM gone g JOIN pg_catalog.pg_class c ON c.oid = g.objid
                LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = g.objsubid AND a.attnum > 0
            WHERE g.classid = CAST('pg_catalog.pg_class' AS regclass) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND (g.objsubid = 0 OR NOT EXISTS (SELECT FROM gone w
                    WHERE w.classid = g.classid AND w.objid = g.objid AND w.objsubid = 0))
            ORDER BY 1, 2
            """
        return [Loss(table: name, column: nil, companions: gone)]
    }

    /// The tables whose foreign keys lead to one, directly or through others.
    private static func referrers(of table: String) -> String {
        """
        WITH RECURSIVE gone(oid) AS (
            SELECT CAST(to_regclass(\(textLiteral(quoteIdentifier(table)))) AS oid)
            UNION SELECT k.conrelid FROM pg_catalog.pg_constraint k JOIN gone g ON k.confrelid = g.oid WHERE k.contype = 'f')
        SELECT CAST(oid AS regclass), CAST(NULL AS text) FROM gone
        WHERE oid <> to_regclass(\(textLiteral(quoteIdentifier(table)))) ORDER BY 1
        """
    }

    /// What goes by the SQL alone: those that hold something, counted in a file, and the rows of tables whose place one takes
    /// that nothing is put into, where that is outside a transaction.
    func counted(_ losses: [Loss], outsideFrom end: Int = 0, _ connection: Connection) throws -> [String] {
        let unfilled = successors.filter { $0.drop >= end && !$0.isFilled }
        return try Self.counted(losses + unfilled.map { Loss(table: $0.origin, column: nil) }, connection)
    }

    /// Whether there is a table of the name, among those that the schema had and steps have made.
    func has(_ table: String) -> Bool { tables[nameKey(table)] != nil }

    /// Those that hold something, counted in a file.
    static func counted(_ losses: [Loss], _ connection: Connection) throws -> [String] {
        try losses.flatMap { loss in
            if let sql = loss.companions { return try companions(sql, connection) }
            return try count(loss, connection).flatMap { $0 > 0 ? [told(loss, $0)] : nil } ?? []
        }
    }

    private static func companions(_ sql: String, _ connection: Connection) throws -> [String] {
        var found: [(table: String, column: String?)] = []
        try ServerCatalog(connection: connection).forEach(sql) { found.append(($0.string(0), $0.text(1))) }
        return try found.compactMap { table, column in
            let values = column.map(quoteIdentifier) ?? "*"
            guard let count = try numberIfKnown("SELECT count(\(values)) FROM \(table)", connection), count > 0 else {
                return nil
            }
            let name = table.hasPrefix("\"") ? table : "\"\(table)\""
            guard let column else { return "\(CormorantBase.counted(count, "row")) of \(name)" }
            return "\(CormorantBase.counted(count, "value")) of \"\(column)\" of \(name)"
        }
    }

    /// How many rows, or values, are in a file; nil: there is no such table or column.
    private static func count(_ loss: Loss, _ connection: Connection) throws -> Int64? {
        let column = loss.column.map { "\(quoteIdentifier(loss.table)).\(quoteIdentifier($0))" } ?? "*"
        return try numberIfKnown("SELECT count(\(column)) FROM \(quoteIdentifier(loss.table))", connection)
    }

    private static func told(_ loss: Loss, _ count: Int64) -> String {
        guard let name = loss.column else { return "\(CormorantBase.counted(count, "row")) of \"\(loss.table)\"" }
        return "\(CormorantBase.counted(count, "value")) of \"\(loss.table).\(name)\""
    }

    /// What tables that others take the place of hold when they go, to be looked for behind the step.
    final class Inventory {
        private let successors: [Successor]
        private var counts: [(loss: Loss, there: Loss, count: Int64)] = []

        init(_ successors: [Successor]) { self.successors = successors }

        /// Before a step runs again.
        func clear() { counts = [] }

        /// Counts what the statement at this place of the SQL is about to drop.
        func count(before offset: Int, _ connection: Connection) throws {
            for table in successors where table.drop == offset {
                let columns = table.columns.sorted { $0.value < $1.value }
                for (now, old) in [(nil, nil)] + columns.map({ (Optional($0.key), Optional($0.value)) }) {
                    let count = try StepLosses.count(Loss(table: table.last.text, column: now?.text), connection)
                    guard let count, count > 0 else { continue }
                    counts.append(
                        (Loss(table: table.origin, column: old), Loss(table: table.name.text, column: now?.text), count)
                    )
                }
            }
        }

        /// What is not there any more. Of a table that lost rows, these alone.
        func missing(_ connection: Connection) throws -> [String] {
            var shortened: Set<String> = []
            return try counts.compactMap { loss, there, count in
                guard !shortened.contains(loss.table) else { return nil }
                let left = try StepLosses.count(there, connection) ?? 0
                guard left < count else { return nil }
                if loss.column == nil { shortened.insert(loss.table) }
                return StepLosses.told(loss, count - left)
            }
        }
    }
}

/// A step that a file lacks, with what it would do to its rows.
package struct PendingStep {
    package var step: MigrationStep
    /// As its SQL says in comments or shows; nil: it says nothing, or is a function.
    package var risk: MigrationRisk?
    /// What the file would lose, counted as it is now.
    package var losses: [String]
    /// What rows of the file have against it; known of the first step alone.
    package var problems: [MigrationProblem]
}

extension MigrationStep {
    /// What `-- risk:` lines of its SQL say, as generated steps have them.
    var declaredRisk: MigrationRisk? {
        guard case .sql(let sql) = up else { return nil }
        let words = sql.split(separator: "\n").compactMap { line in
            line.hasPrefix(riskComment) ? line.dropFirst(riskComment.count).prefix { $0.isLetter } : nil
        }
        let risks = words.compactMap { word in
            [MigrationRisk.safe, .annotated, .unchecked, .lossy].first { $0.name == word }
        }
        return risks.max { $0.weight < $1.weight }
    }
}

private let riskComment = "-- risk: "

extension MigrationPlan {
    /// All statements, each step's behind a comment that says what it does and how it treats the rows.
    var commentedSQL: String {
        steps.map { step in
            var text = "\(riskComment)\(step.risk.name); \(visible(step.summary))"
            if step.risk == .lossy { text += " \(visible(step.danger))" }
            return text + "\n" + step.plainNotes.map { "--   \(visible($0))\n" }.joined() + step.sqlText
        }.joined()
    }

    /// The same for a server: what runs apart stands behind the line that ends the transaction.
    var onServer: String {
        var (inside, apart) = (self, self)
        inside.steps.removeAll(where: \.isApart)
        apart.steps.removeAll { !$0.isApart }
        return inside.commentedSQL + (apart.isEmpty ? "" : "\(outsideTransaction)\n\(apart.commentedSQL)")
    }
}
