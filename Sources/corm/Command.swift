import ArgumentParser

/// The command line. Each subcommand is in a file of its own name.
@main
struct Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corm",
        abstract: "Looks into SQLite files, writes models for them, and moves them from one schema to the next.")
}
