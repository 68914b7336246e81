import Cormorant
import CormorantORM
import CormorantQuery

/// A statement of a step, with the values of its parameters.
struct ScenarioStatement {
    let tree: StatementTree
    let compiled: CompiledStatement
    let parameters: [String: ParameterValue]

    /// The SELECT to be counted.
    func select() throws -> Select {
        guard case .select(let select) = tree else { throw ScenarioFailure("no SELECT is counted") }
        return select
    }
}

extension Scenario {
    /// The statement of a step, if it has one, compared with the SQL and bindings that are expected.
    func statement(_ step: inout Members, _ expected: inout Members) throws -> ScenarioStatement? {
        guard let json = step.take("statement") else { return nil }
        let parameters = try step.take("parameters")?.object().mapValues(parameterValue) ?? [:]
        let tree = try statementTree(json)
        let compiled = try StatementCompiler.compile(tree, database.dialect)
        // What is expected is SQLite's.
        if database.dialect == .sqlite {
            try check(compiled, &expected)
        } else if let shown = try? StatementCompiler.compile(tree) {
            try check(shown, &expected)
        }
        return ScenarioStatement(tree: tree, compiled: compiled, parameters: parameters)
    }

    private func parameterValue(_ json: JSONValue) throws -> ParameterValue {
        guard case .array(let items) = json else { return .value(try scenarioValue(json)) }
        return .list(try items.map { try scenarioValue($0) })
    }

    func check(_ compiled: CompiledStatement, _ expected: inout Members) throws {
        try check("sql", compiled.sql, &expected)
        guard let json = expected.take("bindings") else { return }
        let wanted = try wantedBindings(json)
        let found = compiled.bindings.flatMap { binding -> [ScenarioBinding] in
            binding.parameterName.map { [.parameter($0)] } ?? (binding.values ?? []).map { .value($0) }
        }
        guard found.count == wanted.count, zip(found, wanted).allSatisfy({ $0.isExactly($1) }) else {
            throw ScenarioFailure("bindings are \(found.prefix(100)), not \(wanted.prefix(100))")
        }
    }

    private func wantedBindings(_ json: JSONValue) throws -> [ScenarioBinding] {
        guard case .array(let items) = json else { return try scenarioValues(json).map { .value($0) } }
        return try items.map { item in
            if case .object(let members) = item, let name = try members["parameter"]?.string() {
                return .parameter(name)
            }
            return .value(try scenarioValue(item))
        }
    }

    private func statementTree(_ json: JSONValue) throws -> StatementTree {
        var members = try Members(json)
        if let model = try members.text("insert") { return try change(.insertValues, model, &members) }
        if let model = try members.text("update") { return try change(.update, model, &members) }
        if let model = try members.text("delete") { return try change(.delete, model, &members) }
        return .select(try select(json))
    }

    private func change(_ kind: Change.Kind, _ model: String, _ members: inout Members) throws -> StatementTree {
        let table = try self.model(named: model).descriptor.tableReference
        var change = Change(kind, table)
        func assignments(_ json: JSONValue?) throws -> [(column: Int, value: Expression)] {
            try json?.array().map { pair in
                let pair = try pair.array()
                return (try table.require(pair[0].string()), try expression(pair[1]))
            } ?? []
        }
        change.commonTables = try commonTables(&members)
        if case .update = kind, let json = members.take("from") {
            var source = try Members(json)
            change.source = try self.source(&source)
            try source.end()
        }
        change.assignments = try assignments(members.take("set"))
        change.rows = try members.take("values")?.array().map { try assignments($0) } ?? []
        if let json = members.take("rows") {
            var rows = try Members(json)
            let columns = try rows.texts("properties").map { try table.require($0) }
            change.kind = .insertSelect(columns, try select(rows.required("select")))
            try rows.end()
        }
        change.policy = try policy(&members)
        if let target = try members.take("upsert")?.strings() {
            change.upsert = Upsert(target: try target.map { try table.require($0) })
            change.upsert?.assignments = try assignments(members.take("upsertSet"))
        }
        change.conditions = try expressions(members.take("where"))
        change.returning = try expressions(members.take("returning"))
        try members.end()
        return .change(change)
    }

    func select(_ json: JSONValue) throws -> Select {
        var members = try Members(json)
        var select = Select()
        var models: [(name: String, model: ModelDescriptor)] = []
        let alias = try members.text("as")
        if case .string(let name)? = members.take("select") {
            let model = try self.model(named: name).descriptor
            select.source = Source(.table(model.tableReference), alias: alias)
            models.append((alias ?? model.table, model))
        }
        select.commonTables = try commonTables(&members)
        if let json = members.take("from") {
            var source = try Members(json)
            select.source = try self.source(&source)
            try source.end()
        }
        for json in try members.take("join")?.array() ?? [] { try join(json, &select, &models) }
        select.isDistinct = try members.flag("distinct")
        select.columns = try expressions(members.take("columns"))
        select.conditions = try expressions(members.take("where"))
        select.groupBy = try expressions(members.take("groupBy"))
        select.having = try expressions(members.take("having"))
        for json in try members.take("compound")?.array() ?? [] { select.compounds.append(try compound(json)) }
        select.order = try expressions(members.take("orderBy"))
        if let values = try members.take("after").map(scenarioValues) { select = try select.after(values) }
        select.limit = try members.take("limit").map(expression)
        select.offset = try members.take("offset").map(expression)
        try members.end()
        return select
    }

    private func source(_ members: inout Members) throws -> Source {
        let alias = try members.text("as")
        if let name = try members.text("model") {
            return Source(.table(try model(named: name).descriptor.tableReference), alias: alias)
        }
        if let function = try members.text("function") {
            return Source(.function(Call(function, try expressions(members.take("arguments")))), alias: alias)
        }
        if let select = members.take("select") { return Source(.select(try self.select(select)), alias: alias) }
        return Source(.name(try members.required("name").string()), alias: alias)
    }

    private func join(
        _ json: JSONValue, _ select: inout Select, _ models: inout [(name: String, model: ModelDescriptor)]
    ) throws {
        var members = try Members(json)
        let kinds: [String: JoinKind] = [
            "inner": .inner, "left": .left, "cross": .cross, "right": .right, "full": .full,
        ]
        guard let kind = kinds[try members.required("kind").string()] else { throw ScenarioFailure("unknown join") }
        if let relation = try members.text("relation") {
            let from = try members.text("from")
            let alias = try members.text("as")
            guard let start = from == nil ? models.first : models.first(where: { $0.name == from }) else {
                throw ScenarioFailure("no source \(from ?? "")")
            }
            let name = start.name == start.model.table ? nil : start.name
            try select.join(along: relation, of: start.model, as: name, alias: alias, kind)
            let target = try start.model.relation(named: relation).target
            models.append((alias ?? target.table, target))
        } else {
            let source = try self.source(&members)
            select.joins.append(Join(kind, source, on: try members.take("on").map(expression)))
        }
        try members.end()
    }

    private func compound(_ json: JSONValue) throws -> Compound {
        let kinds: [String: CompoundOperator] = [
            "union": .union, "unionAll": .unionAll, "intersect": .intersect, "except": .except,
        ]
        guard let (name, select) = try json.object().first, let kind = kinds[name] else {
            throw ScenarioFailure("\(json) combines nothing")
        }
        return Compound(kind, try self.select(select))
    }

    private func commonTables(_ members: inout Members) throws -> [CommonTable] {
        try members.take("with")?.array().map { json in
            var table = try Members(json)
            let made = CommonTable(
                try table.required("name").string(), columns: try table.texts("columns"),
                try select(table.required("select")))
            try table.end()
            return made
        } ?? []
    }
}

private enum ScenarioBinding {
    case value(Value)
    case parameter(String)

    func isExactly(_ other: ScenarioBinding) -> Bool {
        switch (self, other) {
        case (.value(let left), .value(let right)): left.isExactly(right)
        case (.parameter(let left), .parameter(let right)): left == right
        default: false
        }
    }
}
