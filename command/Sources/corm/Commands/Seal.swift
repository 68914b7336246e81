import ArgumentParser
import CormorantMigrations

/// Accepts the files of a bundle as they are.
struct Seal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Accept the steps of a bundle as they are, after one was written or changed by hand.",
        discussion: "All of them run on an empty database first, and the schema that each leaves is written beside it.")

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    func run() throws {
        try MigrationBundle.seal(bundle)
        let count = try openBundle(bundle).steps.count
        try Output.standard.line("sealed \(count) \(count == 1 ? "step" : "steps")")
    }
}
