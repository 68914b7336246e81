import ArgumentParser
import CormorantMigrations
import CormorantORM

/// Records steps without running them.
struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the steps of a bundle in a file that was made without them.",
        discussion: "The file's schema must be the one that the last of them leaves.")

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @Option(help: ArgumentHelp("The last step to record; without it all are.", valueName: "step"))
    var to: String?

    func run() throws {
        let bundle = try openBundle(bundle)
        let database = try database.open(.write)
        try database.adopt(bundle, upTo: to)
        try tell(database.status(bundle).filter { $0.state == .applied }.map(\.id), as: "adopted", false)
    }
}
