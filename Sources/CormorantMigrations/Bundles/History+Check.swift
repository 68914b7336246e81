import CormorantBase

/// Where one step stands.
public struct MigrationState: Sendable {
    /// A step of the bundle, of the file's history, or of both.
    public enum State: Int32, Sendable {
        /// In the bundle, and not applied.
        case pending = 0
        /// In both, and the same.
        case applied = 1
        /// Applied, and changed since.
        case modified = 2
        /// Applied, and not in the bundle.
        case missing = 3
        /// Pending, before one that is applied.
        case order = 4
        /// Begun and not finished.
        case dirty = 5
        /// Applied, later than all of the bundle.
        case newer = 6

        /// As JSON has it, such as `pending`.
        public var name: String {
            switch self {
            case .pending: "pending"
            case .applied: "applied"
            case .modified: "modified"
            case .missing: "missing"
            case .order: "order"
            case .dirty: "dirty"
            case .newer: "newer"
            }
        }
    }

    /// The step's id.
    public var id: String
    /// Where it stands.
    public var state: State
    /// When it began, in UTC, as `2026-01-31 12:00:00.000`; nil: not yet.
    public var started: String?
    /// When it ended, likewise.
    public var finished: String?

    /// States as one JSON document: `[{"id", "state", "started", "finished"}]`.
    package static func json(_ states: [MigrationState]) -> String {
        var out = JSONDocument()
        out.array(states) { out, state in
            out.object {
                $0.member("id", state.id)
                $0.member("state", state.state.name)
                $0.member("started", state.started)
                $0.member("finished", state.finished)
            }
        }
        return out.text
    }
}

/// A bundle's steps beside a file's history.
struct HistoryCheck {
    private(set) var states: [MigrationState] = []
    private(set) var pending: [MigrationStep] = []
    /// Squashed steps that the file has by those that they stand for.
    private(set) var replaced: [MigrationStep] = []
    /// Steps of which the file has a part of those that they stand for.
    private var joining: [MigrationStep] = []
    private let bundle: MigrationBundle
    private let rows: [String: History.Row]

    private let isOnServer: Bool
    /// Whether a step that was cut off outside a transaction goes on by itself, as on a server.
    private let goesOn: Bool

    init(_ bundle: MigrationBundle, _ rows: [History.Row], isOnServer: Bool = false, goesOn: Bool = false) {
        self.isOnServer = isOnServer
        self.goesOn = goesOn
        self.bundle = bundle
        self.rows = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var known = Set<String>()
        let newest = rows.map(\.id).max(by: precedes)
        for step in bundle.steps {
            known.insert(step.id)
            known.formUnion(step.replacedIDs)
            add(step, newest: newest)
        }
        for row in rows where !known.contains(row.id) {
            let isNewer = bundle.steps.last.map { precedes($0.id, row.id) } ?? true
            add(row, isNewer ? .newer : .missing)
        }
        states.sort { precedes($0.id, $1.id) }
    }

    private mutating func add(_ step: MigrationStep, newest: String?) {
        if let row = rows[step.id], row.state == .running {
            if goesOn, row.sha256 == step.sha256 { pending.append(step) }
            return add(row, .dirty)
        }
        if let row = rows[step.id], row.sha256 == step.sha256 { return add(row, .applied) }
        let stoodFor = step.replaces.filter { rows[lastPart($0.id)]?.sha256 == $0.sha256 }
        if !step.replaces.isEmpty, hasAll(step.replaces, under: ""),
            let row = step.replacedIDs.compactMap({ rows[$0] }).last
        {
            replaced.append(step)
            return add(row, .applied, id: step.id)
        }
        if let row = rows[step.id], stoodFor.isEmpty { return add(row, .modified) }
        let isLate = newest.map { precedes(step.id, $0) } ?? false
        if !stoodFor.isEmpty { joining.append(step) }
        states.append(MigrationState(id: step.id, state: isLate || !stoodFor.isEmpty ? .order : .pending))
        pending.append(step)
    }

    /// Whether the file has each replaced step of one level, or all that it stood for in its turn.
    private func hasAll(_ replaces: [(id: String, sha256: String)], under parent: String) -> Bool {
        let level = replaces.filter { $0.id.hasPrefix(parent) && !$0.id.dropFirst(parent.count).contains("/") }
        return !level.isEmpty
            && level.allSatisfy { step in
                rows[lastPart(step.id)]?.sha256 == step.sha256 || hasAll(replaces, under: step.id + "/")
            }
    }

    private mutating func add(_ row: History.Row, _ state: MigrationState.State, id: String? = nil) {
        states.append(
            MigrationState(id: id ?? row.id, state: state, started: row.started, finished: row.finished))
    }

    /// Throws what keeps steps from being applied or taken back.
    /// - Parameter isGoingBack: steps that came late are then no hindrance: it is the way out.
    func validate(isGoingBack: Bool = false) throws {
        for checked in [MigrationState.State.dirty, .newer, .missing, .modified, .order] {
            if isGoingBack, checked == .order { continue }
            let ids = states.filter { state in
                state.state == checked && !(checked == .dirty && pending.contains { $0.id == state.id })
            }.map(\.id)
            let state = checked
            if state == .order, let step = joining.first { throw problem(joining: step) }
            if !ids.isEmpty { throw problem(state, ids) }
        }
    }

    private func problem(joining step: MigrationStep) -> CormorantError {
        let there = step.replacedIDs.filter { rows[$0] != nil }.joined(separator: ", ")
        return CormorantError(
            .migrationOrder,
            "\(step.id) joins \(step.replacedIDs.joined(separator: ", ")), of which the file has \(there) alone",
            hint: "apply the others first, with the bundle as it was before they were joined")
    }

    private func problem(_ state: MigrationState.State, _ all: [String]) -> CormorantError {
        let ids = all.joined(separator: ", ")
        let are = all.count == 1 ? "is" : "are"
        return switch state {
        case .dirty:
            CormorantError(
                .migrationDirty, "step \(ids) began outside a transaction and did not finish",
                hint: isOnServer
                    ? "apply the bundle that began it, which goes on with it, or say with resolve whether it is applied"
                    : "look at the file, then say with resolve whether the step is applied")
        case .newer:
            CormorantError(
                .migrationNewer, "the file has \(ids), which \(are) later than every step known here",
                hint: "use the newer version of the program, or go back with the bundle that has what is later")
        case .missing:
            CormorantError(
                .migrationMissing, "the file has \(ids), which \(are) not among the steps",
                hint: "take the bundle that the file was migrated with, or bring back what it lacks; squash joins steps"
            )
        case .modified:
            CormorantError(
                .migrationModified,
                all.count == 1
                    ? "\(ids) is not the step that was applied to the file by that name"
                    : "\(ids) are not the steps that were applied to the file by those names",
                hint:
                    "undo the change, and put what is new into a step of its own; a file of another program takes that "
                    + "one's steps")
        default:
            CormorantError(
                .migrationOrder,
                "\(ids) \(are) not applied and \(all.count == 1 ? "stands" : "stand") before steps that are",
                hint: "give what is new an id behind the last applied step")
        }
    }
}

extension MigrationStep {
    /// The ids of all steps that it stands for, in their order.
    var replacedIDs: [String] {
        Set(replaces.map { lastPart($0.id) }).sorted(by: precedes)
    }
}

/// The id at the end of `step/former step`.
private func lastPart(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
}
