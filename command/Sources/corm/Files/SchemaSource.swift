import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Where a schema is read from.
enum SchemaSource {
    case database(Database)
    case bundle(MigrationBundle)
    case script(String)

    /// What an argument of that kind is called.
    static let help = "A SQLite file, a script of CREATE statements, or the folder of a bundle."
    /// Of those that only look.
    static let helpWithServers =
        "A SQLite file, the URL of a PostgreSQL database, a script of CREATE statements, or the folder of a bundle."

    /// - Parameters:
    ///   - isMain: as in `KeyOptions.encryption`.
    ///   - mayBeServer: whether it may be the URL of a server's database.
    init(_ path: String, _ keys: KeyOptions, isMain: Bool = false, mayBeServer: Bool = false) throws {
        if isServerURL(path), mayBeServer {
            self = .database(try openServer(path, .read, keys))
        } else if path == "-" {
            self = .script(try readStandardInput())
        } else if !isServerURL(path), isFolder(path) {
            self = .bundle(try openBundle(path))
        } else if !isServerURL(path), isStream(path) || [.text, .empty].contains(fileHead(path).kind) {
            self = .script(try readTextFile(path))
        } else {
            self = .database(try openDatabase(path, .read, keys, isMain: isMain))
        }
    }

    /// Whether it is a server's database.
    var isServer: Bool { if case .database(let database) = self { database.dialect == .postgres } else { false } }

    /// What both engines have of it, as a file would have it: tables with their columns, keys, indexes, checks and defaults; and
    /// what else there is.
    /// - Parameter isCompared: whether it is to be compared, without what a server has no words for.
    func portable(isCompared: Bool = false) throws -> (schema: Schema, leftOut: [String]) {
        let metadata: Metadata
        switch self {
        case .database(let database): metadata = try database.metadata()
        case .bundle, .script: metadata = try schema().metadata()
        }
        let source = MoveSchema(metadata, from: isServer ? .postgres : .sqlite, to: .sqlite, isCompared: isCompared)
        let tables = source.tables.map { table in
            var schema = table.schema
            for place in schema.columns.indices {
                schema.columns[place].defaultSQL = schema.columns[place].defaultSQL.map(withPlainNumbers)
                schema.columns[place].computedSQL = schema.columns[place].computedSQL.map(withPlainNumbers)
            }
            for place in schema.checks.indices {
                schema.checks[place].condition = withPlainNumbers(schema.checks[place].condition)
            }
            for place in schema.indexes.indices {
                schema.indexes[place].whereSQL = schema.indexes[place].whereSQL.map(withPlainNumbers)
            }
            return schema
        }
        let script = try SQLCompiler.createTables(tables, .sqlite).map { $0.sql + ";\n" }.joined()
        return (try Schema(script: script), source.leftOut)
    }

    /// What a server has that its schema does not say.
    func untold() throws -> [String] {
        guard isServer, case .database(let database) = self else { return [] }
        let told: Set = ["identity", "collation", "trigger", "unique", "materialized view"]
        return try database.metadata().problems.filter { problem in
            switch problem.type {
            case "index": contains(problem.message, "operators")
            case "foreign key": contains(problem.message, "NOT VALID")
            default: !told.contains(problem.type)
            }
        }.map { "\($0.type) \($0.name): \($0.message)" }
    }

    /// Without the tables that keep the history of migrations.
    func schema() throws -> Schema {
        switch self {
        case .database(let database): try database.schema()
        case .bundle(let bundle): try bundle.lastSchema()
        case .script(let sql): try Schema(script: sql).withoutOwnTables
        }
    }
}

/// SQL with whole numbers as such: beside fractions a server is told `0.0` where a file has `0`.
private func withPlainNumbers(_ sql: String) -> String {
    var tokens = SQLTokenizer(sql)
    var (text, place): ([UInt8], Int) = ([], 0)
    while let token = try? tokens.next() {
        guard token.kind == .number else { continue }
        let number = tokens.bytes[token.range]
        guard number.suffix(2).elementsEqual(".0".utf8) else { continue }
        text += tokens.bytes[place..<token.range.upperBound - 2]
        place = token.range.upperBound
    }
    return String(decoding: text + tokens.bytes[place...], as: UTF8.self)
}

extension Database {
    /// The metadata, where values tell what declarations do not: a column declared as times whose values have another form
    /// than such a column's has the type of numbers if they are such, and else none; one declared as NUMERIC or DECIMAL that
    /// holds integers alone is of integers, and a column that a view computes has the type of its values.
    func metadataByValues() throws -> Metadata {
        var metadata = try metadata()
        // A server's columns hold what they are declared as.
        guard dialect == .sqlite else { return metadata }
        let limits = ViewLimits(of: metadata.tables, milliseconds: 2_000)
        for place in metadata.tables.indices where metadata.tables[place].kind != .virtual {
            let table = metadata.tables[place]
            guard table.kind == .view else {
                for column in table.columns.indices { try look(at: &metadata.tables[place].columns[column], of: table) }
                continue
            }
            // It may not work here, for want of a function of the program's own perhaps.
            try? withConnection { connection in
                // SQLite refuses more in one statement, having made it.
                try limits.watching(table, most: 200, on: connection) {
                    for column in table.columns.indices {
                        do {
                            try look(at: &metadata.tables[place].columns[column], of: table)
                        } catch let error as CormorantError where error.code == .tooBig {
                            // The others may have types.
                        }
                    }
                }
            }
        }
        return metadata
    }

    private func look(at column: inout ColumnMetadata, of table: TableMetadata) throws {
        if column.type == .double, column.affinity == .numeric {
            let number = try numberType(of: column.name, table.name)
            if number == .int64 { column.type = .int64 }
            column.holdsFractions = number == .double
        } else if column.type == nil, column.declaredType.isEmpty, table.kind == .view {
            column.type = try valueType(of: column.name, table.name)
        }
        guard let form = column.type?.timeForm,
            let first = try otherTimes(than: form, in: column.name, of: table.name, limit: 1).first
        else { return }
        let number = try numberType(of: column.name, table.name)
        // Such texts may be what no time is, or times in the form of another program.
        column.type = number ?? (form == .datetime ? nil : .text)
        column.otherTime = first.what
    }

    /// The type of the values that a column has; nil where they are of several, or there are none.
    func valueType(of column: String, _ table: String) throws -> ColumnType? {
        switch try storageTypes(of: column, table) {
        case ("integer", "integer")?: .int64
        case ("integer", "real")?, ("real", "real")?: .double
        case ("text", "text")?: .text
        case ("blob", "blob")?: .blob
        default: nil
        }
    }

    private func numberType(of column: String, _ table: String) throws -> ColumnType? {
        switch try storageTypes(of: column, table) {
        case ("integer", "integer")?: .int64
        case ("integer", "real")?, ("real", "real")?: .double
        default: nil
        }
    }

    /// The first and the last by name of the storage types that the values of a column have.
    private func storageTypes(of column: String, _ table: String) throws -> (String, String)? {
        let sql =
            "SELECT min(typeof(\(quoteIdentifier(column)))), max(typeof(\(quoteIdentifier(column)))) "
            + "FROM \(quoteIdentifier(table)) WHERE \(quoteIdentifier(column)) IS NOT NULL"
        return try withConnection { connection in
            let statement = try connection.statement(sql)
            defer { connection.recycle(statement) }
            guard try statement.step() else { return nil }
            let row = Row(statement)
            guard let first = row.cell(0).string, let last = row.cell(1).string else { return nil }
            return (first, last)
        }
    }
}

/// The steps of a folder, which must have some: with the path of another folder there would be nothing to do.
func openBundle(_ path: String) throws -> MigrationBundle {
    let bundle = try MigrationBundle(folder: path)
    guard !bundle.steps.isEmpty else {
        throw CormorantError(
            .migration, "the folder \"\(path)\" has no steps",
            hint: "check the path; corm generate-migration writes a bundle's first step")
    }
    return bundle
}

/// What brings a file to a schema.
struct MigrationTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Where it is to get: the folder of a bundle; of a file also a script of CREATE statements, another SQLite file or the URL "
                + "of a PostgreSQL database; of such a database also the URL of another.")
    )
    var target: String

    @Option(
        name: .customLong("allow-drop"),
        help: ArgumentHelp(
            "What may go: a table, a column as TABLE.COLUMN, or trigger:NAME, view:NAME, index:NAME, check:TABLE, "
                + "unique:TABLE, foreign_key:TABLE.",
            valueName: "name"))
    var allowDrop: [String] = []

    /// The plan that leads there. Without a bundle.
    func plan(_ source: SchemaSource, of database: Database) throws -> MigrationPlan {
        guard database.dialect == .sqlite || source.isServer else {
            let name = target == "-" ? "SCRIPT" : shellQuoted(target)
            var ways = [
                "corm generate \(name) --language python --out FOLDER writes models, to which a program's sync brings the server",
                "corm diff shows in what the two differ",
            ]
            if case .database = source {
                ways.insert("corm move \(name) URL makes the tables that are not there, with their rows", at: 0)
            }
            throw CormorantError(
                .unsupported,
                "the schema of a \(ways.count > 2 ? "file" : "script") does not say all that a server's tables need: a server is "
                    + "brought to the steps of a bundle, or to what another server has",
                hint: ways.joined(separator: "; "))
        }
        let isOfBoth = database.dialect == .sqlite && source.isServer
        return try MigrationPlan(
            from: database.schema(), to: isOfBoth ? source.portable().schema : source.schema(), of: database,
            options: MigrationOptions(allowDrop: allowDrop))
    }
}

/// What keeps a copy of a file that is changed, and shows how far the change is.
struct MigrationRun: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A copy of the file made before anything is changed; it must not be there.", valueName: "file"),
        completion: .file())
    var snapshot: String?

    @Flag(help: "Let steps of a bundle drop tables and columns that hold something.")
    var allowLossy = false

    func options(_ allowDrop: [String] = []) -> MigrationOptions {
        let bar = ProgressBar()
        return MigrationOptions(allowDrop: allowDrop, allowLossy: allowLossy, snapshot: snapshot) { progress in
            let place = progress.count > 1 ? "\(progress.index + 1) of \(progress.count): " : ""
            bar.show(place + progress.step, progress.done, of: progress.total, "rows")
            return !Interruption.isRequested
        }
    }
}

extension MigrationPlan {
    /// With the command's options in place of what programs write.
    var forCommand: MigrationPlan {
        var plan = self
        for step in steps.indices {
            for problem in steps[step].problems.indices {
                guard let drop = steps[step].problems[problem].drop else { continue }
                plan.steps[step].problems[problem].plainAnnotation = "--allow-drop \(shellQuoted(drop))"
            }
        }
        return plan
    }
}

/// Throws what stands in the way of a plan, with the options that allow it.
func refuseProblems(of plan: MigrationPlan) throws {
    guard !plan.problems.isEmpty else { return }
    let drops = plan.problems.compactMap(\.drop)
    let options = drops.map { "--allow-drop \(shellQuoted($0))" }.joined(separator: " ")
    var advice = drops.isEmpty ? [] : ["\(options) \(drops.count == 1 ? "drops it" : "drop them")"]
    for problem in plan.problems where problem.drop == nil && !advice.contains(problem.plainAnnotation) {
        advice.append(problem.plainAnnotation)
    }
    throw CormorantError(
        .migration, plan.problems.map(\.plainMessage).joined(separator: "; "),
        hint: "nothing was changed; \(advice.joined(separator: "; "))",
        table: plan.steps.flatMap(\.changes).first?.table)
}
