import Cormorant
import CormorantORM
import CormorantQuery

extension Scenario {
    func bindings(_ step: inout Members) throws -> Bindings {
        switch step.take("bindings") {
        case nil: return .none
        case .object(let members)?: return .named(try members.mapValues { try scenarioValue($0) })
        case let list?: return .positional(try list.array().map { try scenarioValue($0) })
        }
    }

    func query(_ step: inout Members) throws -> Query {
        if let sql = try step.text("sql") { return Query(sql: SQL(text: sql), try bindings(&step)) }
        let attributes = try step.take("where")?.object().map { (property: $0, value: try scenarioValue($1)) } ?? []
        return Query(
            attributes: attributes, order: try step.texts("orderBy"), limit: try step.take("limit")?.integer(),
            offset: try step.take("offset")?.integer() ?? 0)
    }

    func performQuery(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try step.take("model").map { try self.model(named: $0.string()) }
        var query = try query(&step)
        if verb == "fetchOne", query.sql == nil { query.limit = min(query.limit ?? 1, 1) }
        if verb == "exists", let statement {
            let probe = try StatementCompiler.compileExists(statement.select(), database.dialect)
            return try check("found", try database.exists(probe, statement.parameters), &expected)
        }
        if verb == "count" || verb == "pageCount" {
            let count: Int64
            if let statement {
                let counting = try StatementCompiler.compileCount(statement.select(), database.dialect)
                count = try database.number(counting, statement.parameters)
            } else if let model {
                count = try database.count(model.descriptor, query)
            } else {
                count = try database.count(query.sql ?? "", bind: query.bind)
            }
            let size = try step.take("pageSize")?.integer()
            return try check("count", try size.map { try database.pages(count, $0) } ?? count, &expected)
        }
        if verb == "oneValue" {
            return try performOneValue(query, &expected)
        }
        guard let model else { throw ScenarioFailure("no model") }
        if verb == "one" {
            let found = try database.onlyRow({ try self.cursor(model, query) }) {
                try $0.next { try read(model, $0) }
            }
            if let json = expected.take("record") { try model.check(found, json) }
            return
        }
        let cursor = try cursor(model, query)
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

    private func performOneValue(_ query: Query, _ expected: inout Members) throws {
        let found = try database.onlyRow({
            if let statement { return try database.cursor(statement.compiled, statement.parameters) }
            return try database.cursor(query.sql ?? "", query.bind)
        }) { cursor in
            try cursor.nextRow() ? cursor.row { try $0.value(0) } : nil
        }
        guard try found.isExactly(scenarioValue(expected.required("value"))) else {
            throw ScenarioFailure("the value is \(found)")
        }
    }

    /// Of the step's statement, or of a query.
    func cursor(_ model: ScenarioModel, _ query: Query) throws -> StatementCursor {
        guard let statement else { return try database.cursor(model.descriptor, query) }
        return try database.cursor(model.descriptor, statement.compiled, statement.parameters)
    }

    func performSQL(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        switch verb {
        case "execute", "query", "explain":
            if let statement { return try perform(verb, statement, &expected) }
            try performRaw(verb, &step, &expected)
        case "expression":
            try check(StatementCompiler.compile(expression(step.required("expression"))), &expected)
        case "executeScript": try database.executeScript(SQL(text: try step.required("sql").string()))
        case "begin":
            let kinds: [String: TransactionKind] = [
                "immediate": .immediate, "deferred": .deferred, "exclusive": .exclusive, "read": .read,
            ]
            guard let kind = kinds[try step.text("kind") ?? "immediate"] else { throw ScenarioFailure("unknown kind") }
            try database.begin(kind)
        case "commit": try database.commit()
        case "rollback": try database.rollback()
        case "lastInsertId": try check("value", database.lastInsertID, &expected)
        case "changes": try check("value", database.changes, &expected)
        case "reopen":
            let mode = try mode(step.text("mode") ?? "create")
            let autoSync = try step.take("autoSync")?.bool() ?? false
            try reopen(mode, autoSync: autoSync, untrusted: try step.take("untrusted")?.bool() ?? false)
        default: try performMigration(verb, &step, &expected)
        }
    }

    private func performRaw(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let sql = try step.required("sql").string()
        if verb == "execute" {
            return try check("changes", try database.execute(SQL(text: sql), try bindings(&step)), &expected)
        }
        let cursor = try database.rowCursor(SQL(text: sql), try bindings(&step))
        var rows: [[Value]] = []
        while let row = try cursor.next() { rows.append(row.values) }
        try check(cursor.columnNames, rows, &expected)
    }

    private func perform(_ verb: String, _ statement: ScenarioStatement, _ expected: inout Members) throws {
        switch verb {
        case "execute":
            try check("changes", try database.execute(statement.compiled, statement.parameters), &expected)
        case "explain": try checkParts(of: database.explain(statement.compiled), &expected)
        default:
            let cursor = try database.cursor(statement.compiled, statement.parameters)
            let columns = cursor.columnNames.indices.map { Int32($0) }
            var rows: [[Value]] = []
            _ = try cursor.forEachRow { row in rows.append(try columns.map { try row.value($0) }) }
            try check(cursor.columnNames, rows, &expected)
        }
    }

    private func check(_ columns: [String], _ found: [[Value]], _ expected: inout Members) throws {
        try check("columns", columns, &expected)
        guard let json = expected.take("rows") else { return }
        let wanted = try json.array().map { try $0.array().map { try scenarioValue($0) } }
        guard found.count == wanted.count,
            zip(found, wanted).allSatisfy({ $0.count == $1.count && zip($0, $1).allSatisfy { $0.isExactly($1) } })
        else { throw ScenarioFailure("rows are \(found), not \(wanted)") }
    }
}
