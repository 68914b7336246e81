import ArgumentParser
import CormorantBase
import CormorantMigrations

/// Makes one step of a bundle's first ones.
struct Squash: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make one step of the first ones of a bundle.",
        discussion: "Files that have them all go on as if they had that one.")

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @Option(help: ArgumentHelp("The last step that goes into it; without it all do.", valueName: "step"))
    var to: String?

    func run() throws {
        let before = try MigrationBundle(folder: bundle).steps.map(\.id)
        try MigrationBundle.squash(bundle, upTo: to)
        let after = try MigrationBundle(folder: bundle).steps.map(\.id)
        let count = before.count - after.count + 1
        try Output.standard.line("joined \(count) steps into \(visible(before[count - 1]))")
    }
}
