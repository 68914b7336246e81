import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantQuery
import CormorantSQLite

/// Writes a bundle's next step.
struct GenerateMigration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-migration",
        abstract: "Write the step that leads from a bundle's last schema to another.",
        discussion:
            "The folder is made where it is missing. The step has a way down, and can be changed by hand before "
            + "it is sealed with corm seal.")

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @Argument(help: "What the step does, in letters, digits and underscores, such as add_email.")
    var name: String

    @Argument(help: "The schema to lead to: a SQLite file or a script of CREATE statements.", completion: .file())
    var schema: String

    @OptionGroup var keys: KeyOptions

    @Option(
        name: .customLong("allow-drop"),
        help: ArgumentHelp(
            "What may go: a table, a column as TABLE.COLUMN, or trigger:NAME, view:NAME, index:NAME, check:TABLE, "
                + "unique:TABLE, foreign_key:TABLE.", valueName: "name"))
    var allowDrop: [String] = []

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let schema = try SchemaSource(schema, keys, isMain: true).schema()
        let options = MigrationOptions(allowDrop: allowDrop)
        let last = isFolder(bundle) ? try MigrationBundle(folder: bundle).lastSchema() : Schema()
        try refuseProblems(of: MigrationPlan(from: last, to: schema, of: nil, options: options))
        let plan = try MigrationBundle.generate(bundle, name: name, to: schema, options: options)
        if json { return try Output.standard.data(plan.json) }
        if !plan.isEmpty, let step = try MigrationBundle(folder: bundle).steps.last {
            try Output.standard.line("wrote \(visible(bundle))/\(visible(step.id))")
        }
        try Output.standard.write(plan.plainDescription)
    }
}
