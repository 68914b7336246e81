import Cormorant
import CormorantORM
import CormorantQuery

/// Related records, through the typed face.
extension Scenario {
    func load(_ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        var graph = Graph(models: [model.descriptor])
        let levels = try step.required("levels").array().map { json in
            var members = try Members(json)
            let target = try extend(&graph, along: members.required("relation").string())
            let options = RelatedOptions(
                conditions: try members.take("where").map { [try expression($0)] } ?? [],
                order: try members.texts("orderBy").map { try target.descriptor.orderTerm($0) },
                limit: try members.take("limit")?.integer())
            try members.end()
            return options
        }
        let owners = try model.records(&step)
        try Graph.$current.withValue(graph) {
            var records = owners.map { FirstRecord($0) }
            guard !records.contains(where: \.isLoaded) else { throw ScenarioFailure("new records seem to be loaded") }
            nonisolated(unsafe) var statements: Int64 = 0
            try database.setTrace { sql, _ in statements += sql.contains("FROM") ? 1 : 0 }
            defer { try? database.setTrace(nil) }
            let (name, isToOne) = graph.relations[0]
            let which = { SecondRecord.loading(levels[...], by: $0) }
            if isToOne {
                try database.load(\.[one: name], of: &records, which)
            } else {
                try database.load(\.[many: name], of: &records, which)
            }
            try check("statements", statements, &expected)
            try check("count", Int64(records.map { try $0.related.count }.reduce(0, +)), &expected)
            guard let wanted = try expected.take("related")?.array() else { return }
            guard wanted.count == records.count else { throw ScenarioFailure("\(records.count) records") }
            for (record, list) in zip(records, wanted) { try check(record, list) }
        }
    }

    func saveRelated(_ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        var graph = Graph(models: [model.descriptor], scenario: self)
        let targets = try step.required("relation").string().split(separator: ".").map {
            try extend(&graph, along: String($0))
        }
        let (own, related) = (try step.required("record"), try step.required("related"))
        if try step.text("removed") == "delete" { graph.removed = .delete }
        try Graph.$current.withValue(graph) {
            var record = FirstRecord(try model.record(own))
            try relate(&record, to: related, targets[...])
            try database.save(graph: &record)
            if let json = expected.take("record") { try model.check(record.values, json) }
            if let json = expected.take("related") { try check(record, json) }
        }
    }

    /// Gives a record its related records, and these theirs, which they have as `related`.
    private func relate<Owner: GraphRecord>(
        _ record: inout Owner, to json: JSONValue, _ targets: ArraySlice<ScenarioModel>
    ) throws {
        guard let target = targets.first else { throw ScenarioFailure("a level more than the relation has") }
        let related = try json.array().map { item in
            var members = try item.object()
            let below = members.removeValue(forKey: "related")
            var next = Owner.Next(try target.record(.object(members)))
            if let below { try relate(&next, to: below, targets.dropFirst()) }
            return next
        }
        if Owner.relation?.isToOne == true {
            record.one = .loaded(related.first)
        } else {
            record.many = .loaded(related)
        }
    }

    /// Adds the next relation of a graph; gives the model that it leads to.
    private func extend(_ graph: inout Graph, along name: String) throws -> ScenarioModel {
        let last = try model(named: graph.models[graph.models.count - 1].name)
        guard
            let relation = try last.relations.map({ try $0.object() }).first(where: { try $0["name"]?.string() == name }
            )
        else { throw ScenarioFailure("\(last.descriptor.name) has no relation \(name)") }
        let target = try model(named: relation["target"]?.string() ?? "")
        graph.relations.append((name, try relation["kind"]?.string() == "toOne"))
        graph.models.append(target.descriptor)
        return target
    }

    /// Compares the related records of one, and theirs.
    private func check(_ record: some GraphRecord, _ expected: JSONValue) throws {
        let related = try record.related
        let wanted = try expected.array()
        guard related.count == wanted.count else {
            throw ScenarioFailure("\(related.count) related to \(record.values)")
        }
        for (found, json) in zip(related, wanted) {
            var members = try json.object()
            if let below = members.removeValue(forKey: "related") { try check(found, below) }
            try model(named: found.values.model.name).check(found.values, .object(members))
        }
    }
}
