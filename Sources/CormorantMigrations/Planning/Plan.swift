import CormorantBase
import CormorantQuery

/// How a change treats the rows that are there.
public enum MigrationRisk: Int32, Sendable {
    /// Nothing is lost: it adds, or every row was looked at and fits.
    case safe = 0
    /// It could lose something, or cannot be decided; the annotation that decides it is there.
    case annotated = 1
    /// It drops data, as it was told to.
    case lossy = 2
    /// It depends on rows that could not be looked at, as of a plan that was made without a file.
    case unchecked = 3
    /// It needs a decision, as its problems say, and does not run.
    case undecided = 4
}

/// The way from one schema to another. A value: making one changes nothing.
public struct MigrationPlan: Sendable {
    /// What is done at once, for one or more differences.
    public struct Step: Sendable {
        /// What is done, such as `rebuild "album"`.
        public var summary: String
        /// Each difference that the step removes.
        public var changes: [SchemaChange]
        /// The statements, in order.
        public var sql: [String]
        /// How it treats the rows that are there.
        public var risk: MigrationRisk {
            problems.isEmpty || decidedRisk == .lossy && !plainLosses.isEmpty ? decidedRisk : .undecided
        }
        /// The same, were its problems decided.
        var decidedRisk: MigrationRisk
        /// What goes, counted, such as `1,204 values of "person.fax"`.
        public var losses: [String] { plainLosses.map(inSwift) }
        /// What else it does to values, and which constraints go, such as `2 NULLs of "t.v" become 'n/a'`.
        public var notes: [String] { plainNotes.map(inSwift) }
        /// Both with the names that C and Python have.
        package var plainLosses: [String] = []
        package var plainNotes: [String] = []
        /// Rows that it writes again; nil where the plan was made without a file.
        public var rows: Int64?
        /// Why it may not run, each with what would allow it; empty: it may.
        public var problems: [MigrationProblem]
        /// The statements, each ended by a semicolon and a new line.
        public var sqlText: String { sql.map(ended).joined() }
        /// Queries that count rows in the step's way; they gave 0 when the plan was made.
        var guards: [String] = []
        /// The tables whose rows it copies.
        var rebuilt: [String] = []
        /// Whether it runs by itself on a server, when all before it is committed.
        var isApart = false
    }

    /// In the order in which they run.
    public var steps: [Step]
    /// The schemas that it leads from and to.
    var origin: Schema?
    package var result: Schema?
    /// Tables, by their names before, whose number of rows must stay.
    var guarded: [String] = []
    /// New names of tables, by their folded names before.
    var renamed: [ExactText: String] = [:]
    /// What stands in the way of steps.
    public var problems: [MigrationProblem] { steps.flatMap(\.problems) }
    /// Whether there is nothing to do.
    public var isEmpty: Bool { steps.isEmpty }
    /// Folded names of everything that it makes, changes or drops; nil where a rename lets SQLite change other objects.
    var touched: Set<ExactText>? {
        let changes = steps.flatMap(\.changes)
        if changes.contains(where: { $0.kind == .renameTable || $0.kind == .renameColumn }) { return nil }
        return Set(changes.flatMap { [$0.table, $0.name ?? $0.table] }.map(nameKey))
    }
    /// Greatest of the steps' risks.
    public var risk: MigrationRisk { steps.map(\.risk).max { $0.weight < $1.weight } ?? .safe }
    /// All statements, each ended by a semicolon and a new line.
    public var sql: String { steps.map(\.sqlText).joined() }
}

/// Whether a statement makes a virtual table.
func isVirtual(_ sql: String) -> Bool { foldIdentifier(sql).hasPrefix("create virtual") }

/// Why a change may not run by itself.
public struct MigrationProblem: Sendable, Hashable {
    /// Such as `37 rows hold NULL in "person.age"`.
    public var message: String { inSwift(plainMessage) }
    /// What would allow it, such as `allowDrop "age"`.
    public var annotation: String { inSwift(plainAnnotation) }
    /// Both with the names that C and Python have.
    package var plainMessage: String
    package var plainAnnotation: String
    /// What `MigrationOptions.allowDrop` must name, such as `person.age`; nil where that does not allow it.
    package var drop: String?

    /// What it is, and what would allow it.
    package var plainText: String { "\(plainMessage): \(plainAnnotation)" }

    package init(message: String, annotation: String, drop: String? = nil) {
        plainMessage = message
        plainAnnotation = annotation
        self.drop = drop
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// For a person to read: a line per step with its risk, its changes, its statements, and what stands in the way.
    public var description: String { described(inSwift) }

    /// The same with the names that C and Python have.
    package var plainDescription: String { described { $0 } }

    /// - Parameter words: makes a text one of the language; no SQL.
    private func described(_ words: (String) -> String) -> String {
        guard !isEmpty else { return "nothing to do\n" }
        var text = ""
        for (index, step) in steps.enumerated() {
            let rows = step.rows.map { $0 > 0 ? ", \(counted($0, "row"))" : "" } ?? ""
            text += "\(index + 1). \(visible(step.summary)) (\(visible(words(step.danger)))\(rows))\n"
            if step.changes.count != 1 || step.changes[0].description != step.summary {
                for change in step.changes { text += "   - \(visible(change.description))\n" }
            }
            for note in step.plainNotes { text += "   * \(visible(words(note)))\n" }
            for problem in step.problems { text += "   ! \(visible(words(problem.plainText)))\n" }
            for sql in step.sql { text += indented(sql) }
        }
        return text
    }

    private func indented(_ sql: String) -> String {
        sql.split(separator: "\n", omittingEmptySubsequences: false).map { "     \(visible(String($0)))\n" }.joined()
    }
}

extension MigrationPlan {
    /// The plan as one JSON document: `{"risk": ..., "steps": [{"summary", "risk", "rows", "losses", "notes", "changes",
    /// "problems", "sql"}]}`. Its texts are the same in all languages: they have the names that C and Python have.
    public var json: String {
        var out = JSONDocument()
        out.object {
            $0.member("risk", risk.name)
            $0.array("steps", steps) { out, step in
                out.object {
                    $0.member("summary", step.summary)
                    $0.member("risk", step.risk.name)
                    $0.member("rows", step.rows)
                    $0.array("losses", step.plainLosses) { $0.value($1) }
                    $0.array("notes", step.plainNotes) { $0.value($1) }
                    $0.array("changes", step.changes) { out, change in
                        out.object {
                            $0.member("kind", change.kind.rawValue)
                            $0.member("table", change.table)
                            $0.member("name", change.name)
                            $0.member("before", change.before)
                            $0.member("after", change.after)
                        }
                    }
                    $0.array("problems", step.problems) { out, problem in
                        out.object {
                            $0.member("message", problem.plainMessage)
                            $0.member("annotation", problem.plainAnnotation)
                        }
                    }
                    $0.array("sql", step.sql) { $0.value($1) }
                }
            }
        }
        return out.text
    }
}

extension MigrationRisk {
    /// As descriptions and JSON have it.
    public var name: String {
        switch self {
        case .safe: "safe"
        case .annotated: "annotated"
        case .lossy: "lossy"
        case .unchecked: "unchecked"
        case .undecided: "undecided"
        }
    }

    /// Greater for what is to be looked at more.
    var weight: Int {
        switch self {
        case .safe: 0
        case .annotated: 1
        case .unchecked: 2
        case .undecided: 3
        case .lossy: 4
        }
    }
}

extension MigrationPlan.Step {
    /// The risk for a person: what is lost stands out. With the names that C and Python have.
    var danger: String {
        switch risk {
        case .safe, .annotated: risk.name
        case .unchecked: "depends on the rows, which were not looked at"
        case .undecided: "needs a decision"
        case .lossy:
            plainLosses.isEmpty ? "drops what holds nothing" : "LOSES \(plainLosses.joined(separator: " and "))"
        }
    }
}
