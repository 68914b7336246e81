import ArgumentParser
import CormorantMigrations
import CormorantORM

/// Takes steps of a bundle back.
struct Down: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take steps of a bundle back, the last first.",
        discussion: "Without --to or --all the last step goes. Values that a step dropped do not come back: keep a "
            + "snapshot where they matter. What would drop a table or a column that holds something asks for --allow-lossy."
    )

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @OptionGroup var migration: MigrationRun

    @Option(help: ArgumentHelp("The step that is to be the last one.", valueName: "step"))
    var to: String?

    @Flag(help: "Take all steps back.")
    var all = false

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
        if all, to != nil { throw ValidationError("--all leaves no step that --to could name; give one of them") }
    }

    func run() throws {
        let bundle = try openBundle(bundle)
        let database = try database.open(.write)
        let applied = try database.status(bundle).filter { $0.state == .applied }.map(\.id)
        let last = all ? nil : to ?? applied.dropLast().last
        try tell(try database.revert(bundle, downTo: last, options: migration.options()), as: "reverted", json)
    }
}
