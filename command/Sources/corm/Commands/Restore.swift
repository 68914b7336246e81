import ArgumentParser
import CormorantMigrations
import CormorantORM

/// Puts a file back to what a copy of it holds.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a file back to what a backup or a snapshot of it holds.",
        discussion: "What was written since is gone. A crash leaves the one or the other.")

    @OptionGroup var database: DatabaseFile

    @Argument(help: "The copy.", completion: .file())
    var copy: String

    func run() throws {
        try database.withoutLeavings {
            let database = try database.open(.create)
            let bar = ProgressBar()
            try database.restore(copy, codecs: self.database.keys.encryption(of: copy, isMain: false)) { left, total in
                bar.show("restoring", total - left, of: total, "pages")
                return !Interruption.isRequested
            }
        }
    }
}
