import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Which tables and columns of a file go by the SQL of steps, with what is in them. Told by the statements: renames are
/// followed, and a table that is made anew under its name keeps the columns that it has again.
struct StepLosses {
    /// A table, or a column of one, by its name in the file.
    struct Loss: Hashable {
        var table: String
        var column: String?
    }

    private struct Table {
        /// Its name in the file; nil: steps have made it.
        var origin: String?
        /// The names in the file of its columns, by their folded names now; nil of those that steps have made.
        var columns: [String: String?]
    }

    private var tables: [String: Table] = [:]
    private var dropped: [(name: String, table: Table)] = []
    private var found: [Loss] = []

    init(_ schema: Schema) {
        for table in schema.tables {
            // What is computed can be computed again.
            let stored = TableShape(table).columns.filter { $0.computed == nil }.map(\.name)
            tables[foldIdentifier(table.name)] = Table(
                origin: table.name,
                columns: Dictionary(stored.map { (foldIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first }))
        }
        for table in schema.virtualTables {
            tables[foldIdentifier(table.name)] = Table(origin: table.name, columns: [:])
        }
    }

    /// What goes by one more step.
    mutating func run(_ sql: String) -> [Loss] {
        (dropped, found) = ([], [])
        for statement in (try? SQLScript.statements(sql)) ?? [] {
            switch statement.keyword {
            case "CREATE": create(statement.sql)
            case "ALTER": alter(statement.sql)
            case "DROP": drop(statement.sql)
            default: break
            }
        }
        for (name, table) in dropped {
            guard let origin = table.origin else { continue }
            if let now = tables[name], now.origin == nil {
                let gone = table.columns.filter { now.columns[$0.key] == nil }.values.compactMap(\.self)
                found += gone.sorted().map { Loss(table: origin, column: $0) }
                tables[name]?.origin = origin
                for (key, column) in table.columns where now.columns[key] != nil {
                    tables[name]?.columns[key] = .some(column)
                }
            } else {
                found.append(Loss(table: origin, column: nil))
            }
        }
        return found
    }

    private mutating func create(_ sql: String) {
        guard case .table(let table)? = try? SchemaParser.object(sql) else { return }
        let names = table.columns.map { (foldIdentifier($0.name), String?.none) }
        tables[foldIdentifier(table.name)] = Table(
            origin: nil, columns: Dictionary(names, uniquingKeysWith: { first, _ in first }))
    }

    /// ALTER TABLE [schema .] name and what follows.
    private mutating func alter(_ sql: String) {
        var words = SQLScript.words(sql, 12)[...].dropFirst(2)
        if words.dropFirst().first == "." { words = words.dropFirst(2) }
        guard let name = words.popFirst().map(foldIdentifier) else { return }
        let verb = words.popFirst().map(foldIdentifier)
        let isColumn = words.first.map { foldIdentifier($0) == "column" } ?? false
        if isColumn, words.count > 1 { words = words.dropFirst() }
        guard let subject = words.first.map(foldIdentifier) else { return }
        switch verb {
        case "rename" where subject == "to" && !isColumn:
            guard let new = words.dropFirst().first else { return }
            tables[foldIdentifier(new)] = tables.removeValue(forKey: name)
        case "rename":
            guard let new = words.dropFirst(2).first, let column = tables[name]?.columns.removeValue(forKey: subject)
            else { return }
            tables[name]?.columns[foldIdentifier(new)] = .some(column)
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

    private mutating func drop(_ sql: String) {
        var words = SQLScript.words(sql, 7).dropFirst()
        guard words.popFirst().map(foldIdentifier) == "table" else { return }
        if words.first.map(foldIdentifier) == "if" { words = words.dropFirst(2) }
        if words.dropFirst().first == "." { words = words.dropFirst(2) }
        guard let name = words.first.map(foldIdentifier), let table = tables.removeValue(forKey: name) else { return }
        dropped.append((name, table))
    }

    /// Those that hold something, counted in a file.
    static func counted(_ losses: [Loss], _ connection: Connection) throws -> [String] {
        try losses.compactMap { loss in
            let column = loss.column.map(quoteIdentifier) ?? "*"
            guard let count = try rows("SELECT count(\(column)) FROM \(quoteIdentifier(loss.table))", connection),
                count > 0
            else { return nil }
            guard let name = loss.column else {
                return "\(CormorantMigrations.counted(count, "row")) of \"\(loss.table)\""
            }
            return "\(CormorantMigrations.counted(count, "value")) of \"\(loss.table).\(name)\""
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
            return text + "\n" + step.notes.map { "--   \(visible($0))\n" }.joined() + step.sqlText
        }.joined()
    }
}
