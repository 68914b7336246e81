import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM

/// Where a file stands in a bundle.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which steps of a bundle a file has, and what was changed by hand.",
        discussion: "Exit status: 0 when the file has all steps and nothing else, 2 when not.")

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The folder of the bundle.", completion: .directory)
    var bundle: String

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let bundle = try openBundle(bundle)
        let database = try database.open()
        let states = try database.status(bundle)
        // From what the last step left to what is there now; steps that are not known here cannot tell.
        let isKnown = !states.contains { $0.state == .newer || $0.state == .missing }
        let drift = isKnown ? try database.drift(bundle).steps.flatMap(\.changes) : []
        try json ? write(states, drift) : show(states, drift)
        if !drift.isEmpty || states.contains(where: { $0.state != .applied }) { throw ExitCode.findings }
    }

    private func show(_ states: [MigrationState], _ drift: [SchemaChange]) throws {
        var table = TextTable(["step", "state", "applied at (UTC)", "what to do"])
        for state in states {
            try table.add([
                .init(state.id), .init(state.state.name), .init(state.finished ?? ""),
                .init(state.state.hint, isFaint: true),
            ])
        }
        try table.end()
        guard !drift.isEmpty else { return }
        try Output.standard.line("\nchanged by hand since the last step; undone by")
        for change in drift { try Output.standard.line(line(change)) }
    }

    private func write(_ states: [MigrationState], _ drift: [SchemaChange]) throws {
        var document = JSONDocument()
        document.object {
            $0.array("steps", states) { json, state in
                json.object {
                    $0.member("id", state.id)
                    $0.member("state", state.state.name)
                    $0.member("started", state.started)
                    $0.member("finished", state.finished)
                }
            }
            $0.array("drift", drift) { $0.value($1) }
        }
        try Output.standard.data(document.text)
    }
}

extension MigrationState.State {
    /// What to do; empty where nothing is.
    var hint: String {
        switch self {
        case .applied: ""
        case .pending: "corm migrate runs it"
        case .modified: "undo the change of its files"
        case .missing: "bring its folder back"
        case .order: "give it a later id, or apply first the steps that it joins"
        case .dirty: "it was cut short: look at the file, then say so with corm resolve"
        case .newer: "use the newer bundle"
        }
    }
}
