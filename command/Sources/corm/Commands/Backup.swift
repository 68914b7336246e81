import ArgumentParser
import CormorantORM

/// Copies a database while it is in use.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a file while others use it.",
        discussion: "The copy is whole or not there, and needs no other file beside it.")

    @OptionGroup var database: DatabaseFile

    @Argument(help: "The copy; it must not be there.", completion: .file())
    var copy: String

    func run() throws {
        let database = try database.open()
        Interruption.expectLeavings()
        let bar = ProgressBar()
        try database.backup(to: copy) { copied, total in
            bar.show("copying", copied, of: total, "pages")
            return !Interruption.isRequested
        }
    }
}
