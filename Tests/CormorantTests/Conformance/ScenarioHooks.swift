import Cormorant
import CormorantBase
import CormorantORM

/// What the hooks of a scenario's model do.
final class ScenarioHooks {
    private let model: ScenarioModel
    private unowned let scenario: Scenario

    init(_ model: ScenarioModel, _ scenario: Scenario) {
        self.model = model
        self.scenario = scenario
    }

    var kind: RecordHookKind { model.hooks != nil ? .all : model.refused.isEmpty ? .none : .validators }

    func called(_ name: String, _ record: inout DynamicRecord, _ database: Database?) throws {
        guard let items = model.hooks else { return }
        scenario.hookCalls.append(name)
        for json in items {
            var item = try Members(json)
            let isIts = try item.required("at").string() == name
            let wanted = try item.take("if").map { try $0.object() } ?? [:]
            let given = try item.take("set").map { try $0.object() } ?? [:]
            let insert = item.take("insert")
            let refusal = try item.text("refuse")
            try item.end()
            guard isIts, try wanted.allSatisfy({ try record[$0]?.isExactly(scenarioValue($1)) ?? false }) else {
                continue
            }
            for (property, value) in given { record[property] = try scenarioValue(value) }
            if let insert, let database { try scenario.insert(insert, database) }
            if let refusal {
                throw name == "validate" ? Refusal(description: refusal) : CormorantError(.callback, refusal)
            }
        }
    }

    func validate(_ values: [Value], _ validator: PropertyValidator) throws {
        for (column, refused) in model.refused where values[column] != .null {
            try validator.check(values[column], at: column) { value in
                if refused.contains(where: value.isExactly) { throw Refusal(description: "is refused") }
            }
        }
    }
}

/// An error that is none of the library's.
private struct Refusal: Error, CustomStringConvertible {
    let description: String
}

extension Scenario {
    /// What `insert` of a hook does.
    fileprivate func insert(_ json: JSONValue, _ database: Database) throws {
        var members = try Members(json)
        let model = try model(&members)
        let record = try model.record(members.required("record"))
        try members.end()
        try hooked(model) {
            var record = FirstRecord(record)
            try database.insert(&record)
        }
    }

    /// Runs `body`, in which `FirstRecord` has the model and its hooks.
    func hooked<Result>(_ model: ScenarioModel, _ body: () throws -> Result) rethrows -> Result {
        try Graph.$current.withValue(Graph(models: [model.descriptor], scenario: self), operation: body)
    }
}

extension GraphRecord {
    private static var hooks: ScenarioHooks? {
        guard let scenario = Graph.current.scenario, let model = scenario.models[model.name] else { return nil }
        return ScenarioHooks(model, scenario)
    }

    static var hookKind: RecordHookKind { hooks?.kind ?? .none }

    mutating func willInsert(in database: Database) throws { try call("beforeInsert", database) }
    mutating func didInsert(in database: Database) throws { try call("afterInsert", database) }
    mutating func willUpdate(in database: Database) throws { try call("beforeUpdate", database) }
    mutating func didUpdate(in database: Database) throws { try call("afterUpdate", database) }
    mutating func willSave(in database: Database) throws { try call("beforeSave", database) }
    mutating func didSave(in database: Database) throws { try call("afterSave", database) }

    func willDelete(in database: Database) throws {
        var copy = self
        try copy.call("beforeDelete", database)
    }

    func didDelete(in database: Database) throws {
        var copy = self
        try copy.call("afterDelete", database)
    }

    func validate() throws {
        var copy = self
        try copy.call("validate", nil)
    }

    func validateProperties(_ validator: PropertyValidator) throws {
        try Self.hooks?.validate(values.values, validator)
    }

    private mutating func call(_ name: String, _ database: Database?) throws {
        try Self.hooks?.called(name, &values, database)
    }
}

/// A record that a step writes: of a model with hooks one that calls them.
protocol WrittenRecord: RecordAccess {
    var held: DynamicRecord { get }
}

extension DynamicRecord: WrittenRecord {
    var held: DynamicRecord { self }
}

extension FirstRecord: WrittenRecord {
    var held: DynamicRecord { values }
}
