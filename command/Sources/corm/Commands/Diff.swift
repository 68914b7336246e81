import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery

/// In what two schemas differ.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show in what two schemas differ.",
        discussion: "Exit status: 0 when they are equal, 2 when they differ. Names of constraints and the order of "
            + "columns are no difference. Of a server and a file what both can have is compared; what else there is is told."
    )

    @Argument(help: ArgumentHelp(stringLiteral: SchemaSource.helpWithServers), completion: .file())
    var before: String

    @Argument(help: "The same, of what is to be compared with it.", completion: .file())
    var after: String

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let before = try SchemaSource(self.before, keys, mayBeServer: true)
        let after = try SchemaSource(self.after, keys, mayBeServer: true)
        // A server says it in other words than a file: what both have is compared.
        let isPortable = before.isServer != after.isServer
        func read(_ source: SchemaSource, _ name: String) throws -> Schema {
            let (schema, leftOut) =
                try isPortable ? source.portable(isCompared: true) : (source.schema(), source.untold())
            let (style, place) = (Style(of: .error), isServerURL(name) ? shownURL(name) : name)
            for what in leftOut {
                Output.error("\(style.yellow("not compared:")) \(visible("\(what) (\(place))"))\n")
            }
            return schema
        }
        let changes = SchemaDifference(from: try read(before, self.before), to: try read(after, self.after)).changes
        if json {
            var document = JSONDocument()
            document.object { $0.array("changes", changes) { $0.value($1) } }
            try Output.standard.data(document.text)
        } else {
            for change in changes { try Output.standard.line(line(change)) }
            if changes.isEmpty { try Output.standard.line("no difference") }
        }
        if !changes.isEmpty { throw ExitCode.findings }
    }
}

extension JSONDocument {
    mutating func value(_ change: SchemaChange) {
        object {
            $0.member("kind", change.kind.rawValue)
            $0.member("table", change.table)
            $0.member("name", change.name)
            $0.member("before", change.before)
            $0.member("after", change.after)
        }
    }
}

/// A difference as a line of a list: what comes, what goes, what changes.
func line(_ change: SchemaChange) -> String {
    let style = Style(of: .output)
    let text = visible(change.description)
    switch (change.before, change.after) {
    case (nil, _?): return style.green("+ \(text)")
    case (_?, nil): return style.red("- \(text)")
    default: return style.yellow("~ \(text)")
    }
}
