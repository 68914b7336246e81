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

    /// - Parameter isMain: as in `KeyOptions.encryption`.
    init(_ path: String, _ keys: KeyOptions, isMain: Bool = false) throws {
        if path == "-" {
            self = .script(try readStandardInput())
        } else if isFolder(path) {
            self = .bundle(try MigrationBundle(folder: path))
        } else if [.text, .empty].contains(fileHead(path).kind) {
            self = .script(try readTextFile(path))
        } else {
            self = .database(try openDatabase(path, .read, keys, isMain: isMain))
        }
    }

    /// Without the tables that keep the history of migrations.
    func schema() throws -> Schema {
        switch self {
        case .database(let database): try database.withConnection { try Schema($0).withoutOwnTables }
        case .bundle(let bundle): try bundle.lastSchema()
        case .script(let sql): try Schema(script: sql).withoutOwnTables
        }
    }
}

/// What brings a file to a schema.
struct MigrationTarget: ParsableArguments {
    @Argument(
        help: "Where the file is to get: the folder of a bundle, a script of CREATE statements, or another SQLite file."
    )
    var target: String

    @Option(
        name: .customLong("allow-drop"),
        help: ArgumentHelp(
            "A table, or a column as TABLE.COLUMN, that may be dropped with its data. A bundle needs no leave.",
            valueName: "name"))
    var allowDrop: [String] = []

    /// The plan that leads there. Without a bundle.
    func plan(_ source: SchemaSource, of database: Database) throws -> MigrationPlan {
        let schema = try database.withConnection { try Schema($0) }
        return try MigrationPlan(
            from: schema, to: try source.schema(), of: database, options: MigrationOptions(allowDrop: allowDrop))
    }
}

/// What keeps a copy of a file that is changed, and shows how far the change is.
struct MigrationRun: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A copy of the file made before anything is changed; it must not be there.", valueName: "file"),
        completion: .file())
    var snapshot: String?

    func options(_ allowDrop: [String] = []) -> MigrationOptions {
        let bar = ProgressBar()
        return MigrationOptions(allowDrop: allowDrop, snapshot: snapshot) { progress in
            let place = progress.count > 1 ? "\(progress.index + 1) of \(progress.count): " : ""
            bar.show(place + progress.step, progress.rows, of: progress.totalRows, "rows")
            return !Interruption.isRequested
        }
    }
}

/// Throws what stands in the way of a plan, with the options that allow it.
func refuseProblems(of plan: MigrationPlan) throws {
    guard !plan.problems.isEmpty else { return }
    let drops = plan.steps.filter { !$0.problems.isEmpty }.flatMap(\.changes).compactMap { change in
        switch change.kind {
        case .dropTable: change.table
        case .dropColumn: change.name.map { "\(change.table).\($0)" }
        default: nil
        }
    }
    let options = drops.map { "--allow-drop \(shellQuoted($0))" }.joined(separator: " ")
    let hint = options.isEmpty ? "mend the rows, or write a step of a bundle by hand" : "\(options) drops it"
    throw CormorantError(
        .migration, plan.problems.map(\.message).joined(separator: "; "), hint: "nothing was changed; \(hint)",
        table: plan.steps.flatMap(\.changes).first?.table)
}
