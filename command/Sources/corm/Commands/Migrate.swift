import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantSQLite

/// Brings a file to a bundle's steps or to a schema.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a file to the steps of a bundle, or to a schema.",
        discussion: """
            Each step of a bundle is one transaction; the way to a schema is one as a whole. Ctrl-C leaves the file as it was \
            before the step under way.
            """)

    @OptionGroup var database: DatabaseSource
    @OptionGroup var target: MigrationTarget
    @OptionGroup var migration: MigrationRun

    @Option(help: ArgumentHelp("The last step of the bundle to run.", valueName: "step"))
    var to: String?

    @Flag(help: "Make the file if it is not there.")
    var create = false

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let source = try SchemaSource(target.target, database.keys, mayBeServer: true)
        try database.withoutLeavings { try migrate(source) }
    }

    private func migrate(_ source: SchemaSource) throws {
        let database = try database.open(create ? .create : .write)
        if case .bundle(let bundle) = source {
            let done = try database.apply(bundle, upTo: to, options: migration.options())
            try tell(done, as: "applied", json)
            return
        }
        guard to == nil else {
            throw CormorantError(
                .misuse, "--to names a step, and a schema has none", hint: "leave it out, or give a bundle")
        }
        var plan = try target.plan(source, of: database)
        // Another process may change the file between plan and lock: what is left to do is planned anew.
        for attempt in 1... {
            try refuseProblems(of: plan)
            do {
                try database.apply(plan, options: migration.options(target.allowDrop))
                break
            } catch let error as CormorantError where error.code == .migrationDrift && attempt < 10 {
                plan = try target.plan(source, of: database)
            }
        }
        try json ? Output.standard.data(plan.json) : Output.standard.write(plan.plainDescription)
    }
}

/// Lists the steps that a command has run.
func tell(_ steps: [String], as verb: String, _ json: Bool) throws {
    if json {
        var document = JSONDocument()
        document.object { $0.array(verb, steps) { $0.value($1) } }
        try Output.standard.data(document.text)
    } else {
        for step in steps { try Output.standard.line("\(verb) \(visible(step))") }
        if steps.isEmpty { try Output.standard.line("nothing to do") }
    }
}
