import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantMigrations
import CormorantORM
import CormorantSQLite

/// Saves what is left of a damaged file.
struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a new file of what can be read of a damaged one.",
        discussion: """
            The damaged file stays as it is; its write-ahead log or rollback journal counts. Rows of which is not known to \
            what table they belong are in a table lost_and_found of the new file, with the number of their page.

            Exit status: 0 when nothing was lost, as far as that can be known, 2 when something was.
            """)

    @OptionGroup var database: DatabaseFile

    @Option(help: "The new file; it must not be there.", completion: .file())
    var out: String

    @Option(
        help: "CREATE statements for tables whose own cannot be read: a script, or a file of the same schema.",
        completion: .file())
    var schema: String?

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        try refuseMissing(database.file)
        let encryption = try database.encryption()
        let script = try schema.map(createStatements)
        let bar = ProgressBar()
        Interruption.onRequest {}
        Interruption.expectLeavings()
        let report = try repair(database.file, to: out, codecs: encryption, schema: script) { pages, total in
            bar.show("reading", pages, of: total, "pages")
            return !Interruption.isRequested
        }
        bar.clear()
        try json ? write(report) : show(report)
        if !report.isWhole { throw ExitCode.findings }
    }

    private func createStatements(_ path: String) throws -> String {
        switch try SchemaSource(path, database.keys) {
        case .script(let sql): return sql
        case .bundle:
            throw CormorantError(
                .misuse, "\"\(visible(path))\" is the folder of a bundle",
                hint: "give a script of CREATE statements, or a SQLite file")
        case .database(let other):
            return try other.withConnection { connection in
                let statement = try Statement(
                    connection,
                    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
                defer { statement.finalize() }
                var script = ""
                while try statement.step() { script += (Row(statement).cell(0).string ?? "") + ";\n" }
                return script
            }
        }
    }

    private func show(_ report: RepairReport) throws {
        let style = Style(of: .output)
        for table in report.tables {
            var facts = [counted(table.rows, "row")]
            if table.lostRows > 0 { facts.append(style.red("\(counted(table.lostRows, "row")) lost")) }
            if table.lostPages > 0 { facts.append(style.red("\(counted(table.lostPages, "page")) lost")) }
            try Output.standard.line("\(visible(table.name)): \(facts.joined(separator: ", "))")
            if let problem = table.problem {
                try Output.standard.line("    \(style.red("not made:")) \(visible(problem))")
            }
        }
        if report.foundRows > 0 {
            try Output.standard.line("lost_and_found: \(counted(report.foundRows, "row")) without a table")
        }
        if report.unreadablePages > 0 {
            try Output.standard.line(
                style.red("\(counted(report.unreadablePages, "page")) of \(grouped(report.pages)) cannot be read"))
        }
        try Output.standard.line(report.isWhole ? style.green("nothing was lost") : "look at what was lost")
    }

    private func write(_ report: RepairReport) throws {
        var document = JSONDocument()
        document.object {
            $0.member("pages", report.pages)
            $0.member("unreadablePages", report.unreadablePages)
            $0.member("foundRows", report.foundRows)
            $0.array("tables", report.tables) { json, table in
                json.object {
                    $0.member("name", table.name)
                    $0.member("rows", table.rows)
                    $0.member("lostRows", table.lostRows)
                    $0.member("lostPages", table.lostPages)
                    $0.member("problem", table.problem)
                }
            }
        }
        try Output.standard.data(document.text)
    }
}
