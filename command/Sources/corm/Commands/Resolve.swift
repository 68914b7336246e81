import ArgumentParser
import CormorantMigrations
import CormorantORM

/// Says what became of a step that was cut short.
struct Resolve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what became of a step that was cut short outside a transaction.",
        discussion: "Look at the file first: nobody but you can tell whether the step did its work.")

    enum Outcome: String, EnumerableFlag {
        case applied, undone

        static func help(for value: Outcome) -> ArgumentHelp? {
            switch value {
            case .applied: "It did its work."
            case .undone: "It did nothing, or what it did was undone; it runs again."
            }
        }
    }

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @Argument(help: "The step.")
    var step: String

    @Flag(help: "What became of it.")
    var outcome: Outcome

    func run() throws {
        let bundle = try openBundle(bundle)
        try database.open(.write).resolve(bundle, step, applied: outcome == .applied)
    }
}
