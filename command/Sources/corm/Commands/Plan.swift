import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery

/// What `migrate` would do.
struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what migrate would do, and change nothing.",
        discussion: "Exit status: 0 when there is nothing to do, 2 when there is.")

    @OptionGroup var database: DatabaseSource
    @OptionGroup var target: MigrationTarget

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let database = try database.open()
        let source = try SchemaSource(target.target, self.database.keys, mayBeServer: true)
        if case .bundle(let bundle) = source {
            let steps = try database.pending(bundle)
            try json
                ? Output.standard.data(document(steps, database.dialect))
                : Output.standard.write(text(steps, database.dialect))
            if !steps.isEmpty { throw ExitCode.findings }
        } else {
            let plan = try target.plan(source, of: database).forCommand
            try json ? Output.standard.data(plan.json) : Output.standard.write(plan.plainDescription)
            if !plan.isEmpty { throw ExitCode.findings }
        }
    }

    private func text(_ steps: [PendingStep], _ dialect: Dialect) -> String {
        guard !steps.isEmpty else { return "nothing to do\n" }
        var text = ""
        for (index, step) in steps.enumerated() {
            let risk = step.losses.isEmpty ? step.risk?.name : "LOSES " + step.losses.joined(separator: " and ")
            text += "\(index + 1). \(visible(step.step.id))\(risk.map { " (\(visible($0)))" } ?? "")\n"
            for problem in step.problems { text += "   ! \(visible(problem.plainMessage))\n" }
            for line in sql(step, dialect).split(separator: "\n") { text += "     \(visible(String(line)))\n" }
        }
        return text
    }

    private func document(_ steps: [PendingStep], _ dialect: Dialect) -> String {
        var document = JSONDocument()
        document.object {
            $0.array("steps", steps) { json, step in
                json.object {
                    $0.member("id", step.step.id)
                    $0.member("risk", step.risk?.name)
                    $0.array("losses", step.losses) { $0.value($1) }
                    $0.array("problems", step.problems) { $0.value($1.plainMessage) }
                    $0.member("sql", sql(step, dialect))
                }
            }
        }
        return document.text
    }

    /// Steps of a folder are SQL.
    private func sql(_ step: PendingStep, _ dialect: Dialect) -> String { step.step.up.sql(for: dialect) ?? "" }
}
