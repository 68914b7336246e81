import ArgumentParser
import CormorantBase
import CormorantCodegen
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension Language: ExpressibleByArgument {}

/// Writes models for the tables of a file or a server.
struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write models for the tables and views of a file or a PostgreSQL database, in Swift, C or Python.",
        discussion: """
            The models come with relations, keys, indexes, defaults and functions that find records, and agree with the file: \
            a sync has nothing to do. What a model cannot say is told, and stays in the file. Files that are right are left \
            alone.

            With --check nothing is written; the exit status is 2 when a file is not as it would be written.
            """)

    @Argument(
        help: ArgumentHelp(
            "A SQLite file, the URL of a PostgreSQL database, a script of CREATE statements, the folder of a bundle, or metadata as "
                + "JSON (NAME.json)."),
        completion: .file())
    var schema: String

    @OptionGroup var keys: KeyOptions

    @Option(help: "The language: swift, c or python.")
    var language: Language

    @Option(help: "The folder to write into; made if it is not there.", completion: .directory)
    var out: String

    @Option(help: "What the code as a whole is called: the module, the header, the enum.")
    var name = "models"

    @Option(help: "What types, functions and constants of C begin with: music_ makes music_album of album.")
    var prefix = ""

    @Flag(help: "Make an enum of a text whose CHECK lists its values: CHECK (status IN ('open', 'closed')).")
    var enums = false

    @Option(help: "A folder of Stencil templates to use instead.", completion: .directory)
    var template: String?

    @Flag(help: "Write nothing, and tell which files are out of date.")
    var check = false

    @Flag(name: .shortAndLong, help: "Do not tell which names were changed and what models cannot say.")
    var quiet = false

    func validate() throws {
        guard [".py", ".h", ".c", ".swift"].contains(where: out.hasSuffix), !isFolder(out) else { return }
        throw ValidationError(
            "--out is a folder, and '\(visible(out))' looks like a file: give the folder, and --name what the code is called"
        )
    }

    func run() throws {
        let generator = try Generator(
            metadata(), source: fileName(schema), language: language, name: name, prefix: prefix, hasEnums: enums,
            templates: template, into: out)
        let outcome = check ? generator.check() : try generator.write()
        for path in outcome.changed {
            try Output.standard.line("\(check ? "stale" : "wrote"): \(visible(out + "/" + path))")
        }
        for path in outcome.leftOver {
            try Output.standard.line("no longer made: \(visible(out + "/" + path))")
        }
        let done = check ? outcome.count - outcome.changed.count : outcome.count
        try Output.standard.line("\(done) of \(outcome.count) files are up to date")
        try Output.standard.flush()
        if !quiet { for note in outcome.notes { Output.error("note: \(visible(note))\n") } }
        if check, !outcome.changed.isEmpty || !outcome.leftOver.isEmpty { throw ExitCode.findings }
    }

    private func metadata() throws -> Metadata {
        if schema.hasSuffix(".json"), !isServerURL(schema) { return try Metadata(json: readTextFile(schema)) }
        switch try SchemaSource(schema, keys, isMain: true, mayBeServer: true) {
        case .database(let database): return try database.metadataByValues()
        case let other: return try other.schema().metadata()
        }
    }

    /// Without its folder, so that the same file gives the same code wherever it lies.
    private func fileName(_ path: String) -> String {
        if path == "-" { return "standard input" }
        if isServerURL(path) {
            // The database's name alone: which server it is on, and who asks it, is nothing to the code.
            let place = shownURL(path).split(separator: "?").first ?? ""
            let name = place.split(separator: "/").dropFirst(2).first
            return name.map { "the database \($0)" } ?? "a database of PostgreSQL"
        }
        return path.split(separator: "/").last.map(String.init) ?? path
    }
}
