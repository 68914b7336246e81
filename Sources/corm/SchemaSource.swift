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

    init(_ path: String) throws {
        if path == "-" {
            self = .script(try readStandardInput())
        } else if isFolder(path) {
            self = .bundle(try MigrationBundle(folder: path))
        } else if fileHead(path).isText {
            self = .script(try readTextFile(path))
        } else {
            self = .database(try openDatabase(path, .read))
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
        help: "A table, or a column as TABLE.COLUMN, that may be dropped with its data. A bundle needs no leave.")
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
    @Option(help: "A copy of the file made before anything is changed; it must not be there.", completion: .file())
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

/// The same error, its hint in terms of the command.
func explained(_ error: CormorantError) -> CormorantError {
    guard error.code == .migration, error.message.contains("allow_drop") else { return error }
    return CormorantError(
        error.code, error.message,
        hint: "nothing was changed; allow it with --allow-drop TABLE or --allow-drop TABLE.COLUMN, or keep it",
        table: error.table)
}
