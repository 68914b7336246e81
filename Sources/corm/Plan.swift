import ArgumentParser
import CormorantMigrations
import CormorantORM

/// What `migrate` would do.
struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what migrate would do, and change nothing.",
        discussion: "Exit status: 0 when there is nothing to do, 2 when there is.")

    @OptionGroup var database: DatabaseFile
    @OptionGroup var target: MigrationTarget

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let database = try database.open()
        let source = try SchemaSource(target.target, self.database.keys)
        if case .bundle(let bundle) = source {
            let steps = try database.pending(bundle)
            try Output.standard.write(json ? document(steps) : text(steps))
            if !steps.isEmpty { throw ExitCode.findings }
        } else {
            let plan = try target.plan(source, of: database)
            try Output.standard.write(json ? plan.json + "\n" : plan.description)
            if !plan.isEmpty { throw ExitCode.findings }
        }
    }

    private func text(_ steps: [MigrationStep]) -> String {
        guard !steps.isEmpty else { return "nothing to do\n" }
        var text = ""
        for (index, step) in steps.enumerated() {
            text += "\(index + 1). \(visible(step.id))\n"
            for line in sql(step).split(separator: "\n") { text += "     \(line)\n" }
        }
        return text
    }

    private func document(_ steps: [MigrationStep]) -> String {
        var document = JSONText()
        document.object {
            $0.array("steps", steps) { json, step in
                json.object {
                    $0.member("id", step.id)
                    $0.member("sql", sql(step))
                }
            }
        }
        return document.text + "\n"
    }

    /// Steps of a folder are SQL.
    private func sql(_ step: MigrationStep) -> String {
        if case .sql(let sql) = step.up { sql } else { "" }
    }
}
