import Cormorant
import CormorantORM

extension Scenario {
    private func bindings(_ step: inout Members) throws -> Bindings {
        switch step.take("bindings") {
        case nil: return .none
        case .object(let members)?: return .named(try members.mapValues { try scenarioValue($0) })
        case let list?: return .positional(try list.array().map { try scenarioValue($0) })
        }
    }

    private func query(_ step: inout Members) throws -> Query {
        if let sql = try step.text("sql") { return Query(sql: sql, try bindings(&step)) }
        let attributes = try step.take("where")?.object().map { (property: $0, value: try scenarioValue($1)) } ?? []
        return Query(
            attributes: attributes, order: try step.texts("orderBy"), limit: try step.take("limit")?.integer(),
            offset: try step.take("offset")?.integer() ?? 0)
    }

    func performQuery(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try step.take("model").map { try self.model(named: $0.string()) }
        let query = try query(&step)
        if verb == "count" || verb == "pageCount" {
            let count: Int64
            if let model {
                count = try database.count(model.descriptor, query)
            } else {
                count = try database.fetchCount(query.sql ?? "", query.bindings)
            }
            let size = try step.take("pageSize")?.integer()
            return try check("count", try size.map { try database.pages(count, $0) } ?? count, &expected)
        }
        guard let model else { throw ScenarioFailure("no model") }
        let cursor = try database.cursor(model.descriptor, query)
        defer { cursor.close() }
        var records: [DynamicRecord] = []
        switch verb {
        case "fetchAll": try cursor.forEach { records.append(try read(model, $0)) }
        case "stream": while let record = try cursor.next({ try read(model, $0) }) { records.append(record) }
        default:
            let found = try cursor.next { try read(model, $0) }
            try check("found", found != nil, &expected)
            if let json = expected.take("record"), let found { try model.check(found, json) }
            return
        }
        try check("count", Int64(records.count), &expected)
        if let json = expected.take("records") { try model.check(records, json) }
    }

    func performSQL(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        switch verb {
        case "execute":
            let sql = try step.required("sql").string()
            try check("changes", try database.execute(sql, try bindings(&step)), &expected)
        case "executeScript": try database.executeScript(try step.required("sql").string())
        case "query":
            let cursor = try database.rowCursor(try step.required("sql").string(), try bindings(&step))
            var rows: [ResultRow] = []
            while let row = try cursor.next() { rows.append(row) }
            try check("columns", cursor.columnNames, &expected)
            if let json = expected.take("rows") { try check(rows, json) }
        case "begin":
            let kinds: [String: TransactionKind] = [
                "immediate": .immediate, "deferred": .deferred, "exclusive": .exclusive,
            ]
            guard let kind = kinds[try step.text("kind") ?? "immediate"] else { throw ScenarioFailure("unknown kind") }
            try database.begin(kind)
        case "commit": try database.commit()
        case "rollback": try database.rollback()
        case "lastInsertId": try check("value", database.lastInsertID, &expected)
        case "changes": try check("value", database.changes, &expected)
        case "reopen":
            let modes: [String: OpenOptions.Mode] = ["create": .create, "readWrite": .readWrite, "readOnly": .readOnly]
            guard let mode = modes[try step.text("mode") ?? "create"] else { throw ScenarioFailure("unknown mode") }
            try reopen(mode)
        default: throw ScenarioFailure("unknown step \"\(verb)\"")
        }
    }

    private func check(_ rows: [ResultRow], _ json: JSONValue) throws {
        let wanted = try json.array().map { try $0.array().map { try scenarioValue($0) } }
        let found = rows.map(\.values)
        guard found.count == wanted.count,
            zip(found, wanted).allSatisfy({ $0.count == $1.count && zip($0, $1).allSatisfy { $0.isExactly($1) } })
        else { throw ScenarioFailure("rows are \(found), not \(wanted)") }
    }
}
