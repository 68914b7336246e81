import ArgumentParser
import CormorantBase

/// The command line. Each subcommand is in a file of its own name.
struct Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corm",
        abstract: "Looks into SQLite files, writes models for them, and moves them from one schema to the next.",
        discussion: """
            What a program may read is JSON with --json. Colours and progress are shown on a terminal alone, and colours not \
            where NO_COLOR is set.

            Exit status: 0 done; 1 failed, with a message; 2 done, and there is something to see to: a difference, a pending \
            step, a warning; 3 the file is damaged; 64 the command was not understood; 130 interrupted.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Looking",
                subcommands: [Studio.self, Inspect.self, Diagram.self, Query.self, Check.self, Diff.self]),
            CommandGroup(
                name: "Migrations",
                subcommands: [
                    Plan.self, Migrate.self, Down.self, Status.self, GenerateMigration.self, Seal.self, Squash.self,
                    Adopt.self, Resolve.self,
                ]),
            CommandGroup(name: "Code", subcommands: [Generate.self]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    Import.self, Export.self, Move.self, KeyValue.self, Backup.self, Restore.self, Repair.self,
                ]),
            CommandGroup(name: "Encryption", subcommands: [Encrypt.self, Decrypt.self, Rekey.self]),
        ])
}

/// The library's, which include/cormorant/base.h names first.
let version = "0.1.0"

@main
enum Main {
    static func main() {
        Interruption.install()
        Output.ignoreWriteSignals()
        exitProcess(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Bytes that are no UTF-8 would become other characters, and so perhaps the name of another file.
    private static func refuseOtherEncodings() throws {
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        for (index, argument) in arguments.enumerated() {
            guard let argument, String(validatingCString: argument) == nil else { continue }
            throw CormorantError(
                .encoding, "argument \(index) is not UTF-8: \(visible(String(cString: argument)))",
                hint: "give what has such a name another one, or a symbolic link to it")
        }
    }

    /// The parser says of a command that is not there only that it was not expected.
    private static func refuseOtherCommands(_ name: String?) throws {
        let names = Command.configuration.subcommands.map { $0._commandName } + ["help"]
        guard let name, !name.hasPrefix("-"), !names.contains(name) else { return }
        throw ValidationError(
            "there is no command '\(visible(name))': \(nearNames(to: name, names) ?? "corm --help names them")")
    }

    /// Runs a command to its end. Returns its exit status; whatever it holds is released by then.
    private static func run(_ arguments: [String]) -> Int32 {
        do {
            try refuseOtherEncodings()
            try refuseOtherCommands(arguments.first)
            var command = try Command.parseAsRoot(arguments)
            try command.run()
            try Output.standard.flush()
            return 0
        } catch {
            return report(error)
        }
    }
}
