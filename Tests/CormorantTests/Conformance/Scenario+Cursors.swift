import Cormorant
import CormorantORM

/// A cursor that stays open between steps: over the records of a model, or over rows.
struct OpenCursor {
    let cursor: StatementCursor
    let model: ScenarioModel?
}

extension Scenario {
    func performCursor(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        if verb == "openCursor" { return try openCursor(&step) }
        let name = try step.required("of").string()
        guard let open = cursors[name] else { throw ScenarioFailure("there is no cursor \"\(name)\"") }
        if verb == "closeCursor" { return open.cursor.close() }
        if let model = open.model {
            let found = try open.cursor.next { try read(model, $0) }
            try check("found", found != nil, &expected)
            if let json = expected.take("record"), let found { try model.check(found, json) }
        } else {
            let found = try open.cursor.nextRow()
            try check("found", found, &expected)
            guard let wanted = try expected.take("row")?.array().map({ try scenarioValue($0) }), found else { return }
            let row = try open.cursor.row { row in
                try open.cursor.columnNames.indices.map { try row.value(Int32($0)) }
            }
            guard row.count == wanted.count, zip(row, wanted).allSatisfy({ $0.isExactly($1) }) else {
                throw ScenarioFailure("the row is \(row), not \(wanted)")
            }
        }
    }

    private func openCursor(_ step: inout Members) throws {
        let name = try step.required("as").string()
        let model = try step.take("model").map { try self.model(named: $0.string()) }
        let cursor = try model.map { try self.cursor($0, query(&step)) } ?? cursor(&step)
        cursors[name] = OpenCursor(cursor: cursor, model: model)
    }
}

/// What progress is told while a step runs, each step of it once in a row, until it is stopped.
final class ScenarioProgress: @unchecked Sendable {
    private(set) var told: [String] = []
    private var calls: Int64 = 0
    private let last: Int64

    init(cancelAt: Int64) { last = cancelAt }

    /// Called on the thread of the migration, which the runner waits for.
    func tell(_ step: String) -> Bool {
        if told.last != step { told.append(step) }
        calls += 1
        return calls <= last
    }
}
