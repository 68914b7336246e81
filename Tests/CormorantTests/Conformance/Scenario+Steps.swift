import Cormorant
import CormorantORM
import CormorantQuery

extension Scenario {
    func perform(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        switch verb {
        case "createTables":
            try database.createTables(step.texts("models").map { try model(named: $0).descriptor })
        case "tableExists":
            try check("found", try database.tableExists(model(&step).descriptor), &expected)
        case "makeModel":
            let model = try ScenarioModel(step.required("definition"))
            try model.descriptor.validate()
            try addRelations(of: model)
        case "describe": try describe(model(&step).descriptor, &expected)
        case "createSQL":
            try checkParts(of: model(&step).descriptor.createSQL, &expected)
        case "insert", "save", "update", "delete", "refresh": try performRecord(verb, &step, &expected)
        case "updateChanges": try performChanges(&step, &expected)
        case "insertMany", "saveMany", "updateMany", "deleteMany": try performBatch(verb, &step, &expected)
        case "upsert", "upsertMany", "getOrCreate", "getOrCreateMany": try performUpsert(verb, &step, &expected)
        case "exists" where statement != nil: try performQuery(verb, &step, &expected)
        case "readJson", "importJson": try performJSON(verb, &step, &expected)
        case "find", "exists", "deleteKey", "deleteAll", "maxKey": try performKey(verb, &step, &expected)
        case "fetchAll", "fetchOne", "one", "oneValue", "stream", "count", "pageCount":
            try performQuery(verb, &step, &expected)
        case "openCursor", "next", "closeCursor": try performCursor(verb, &step, &expected)
        case "load": try load(&step, &expected)
        case "hookCalls":
            try check("calls", hookCalls, &expected)
            hookCalls = []
        case "batch": try performQueue(&step, &expected)
        case "saveRelated": try saveRelated(&step, &expected)
        case _ where try performStore(verb, &step, &expected): break
        case _ where try performDatabases(verb, &step, &expected): break
        case _ where try performObservation(verb, &step, &expected): break
        case _ where try performColumns(verb, &step, &expected): break
        default: try performSQL(verb, &step, &expected)
        }
    }

    func check<Found: Equatable>(_ member: String, _ found: Found, _ expected: inout Members) throws {
        guard let json = expected.take(member) else { return }
        let wanted: Any =
            switch found {
            case is Bool: try json.bool()
            case is [String]: try json.strings()
            case is String: try json.string()
            case is Int: Int(try json.integer())
            default: try json.integer()
            }
        guard wanted as? Found == found else { throw ScenarioFailure("\(member) is \(found), not \(wanted)") }
    }

    func checkParts(of text: String, _ expected: inout Members) throws {
        for part in try expected.texts("contains") where !text.contains(part) {
            throw ScenarioFailure("no \(part) in \(text)")
        }
        for part in try expected.texts("lacks") where text.contains(part) {
            throw ScenarioFailure("\(part) in \(text)")
        }
    }

    private func describe(_ model: ModelDescriptor, _ expected: inout Members) throws {
        try check("table", model.table, &expected)
        try check("columns", model.columns.map(\.column), &expected)
        try check("properties", model.columns.map(\.name), &expected)
        try check("key", model.keyColumns.map { model.columns[$0].name }, &expected)
        try check("generatesKey", model.generatesKey, &expected)
    }

    func policy(_ step: inout Members) throws -> ConflictPolicy {
        let policies: [String: ConflictPolicy] = [
            "abort": .abort, "ignore": .ignore, "replace": .replace, "fail": .fail, "rollback": .rollback,
        ]
        let name = try step.text("conflict") ?? "abort"
        guard let policy = policies[name] else { throw ScenarioFailure("unknown policy \"\(name)\"") }
        return policy
    }

    private func performRecord(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        let record = try model.record(step.required("record"))
        if model.descriptor.hasHooks {
            try hooked(model) { try write(FirstRecord(record), model, verb, &step, &expected) }
        } else {
            try write(record, model, verb, &step, &expected)
        }
    }

    private func write(
        _ record: some WrittenRecord, _ model: ScenarioModel, _ verb: String, _ step: inout Members,
        _ expected: inout Members
    ) throws {
        var record = record
        let policy = try policy(&step)
        let properties = try step.take("properties")?.strings()
        try database.withPlan(model.descriptor) { plan in
            switch verb {
            case "insert":
                let ignored = try !plan.insert(&record, policy)
                if ignored != (try expected.flag("ignored")) { throw ScenarioFailure("ignored: \(ignored)") }
            case "save": try plan.save(&record)
            case "update": _ = try plan.update(&record, named: properties)
            case "delete": try check("found", try plan.delete(&record), &expected)
            default: try plan.refresh(&record)
            }
        }
        if let json = expected.take("record") { try model.check(record.held, json) }
    }

    private func performChanges(_ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        var record = try FirstRecord(model.record(step.required("record")))
        let since = try model.record(step.required("since"))
        let changed = model.descriptor.changes(from: since.values, to: record.values.values)
        let wanted = expected.take("changed")
        if !changed.isEmpty {
            try hooked(model) {
                try database.withPlan(model.descriptor) { try $0.update(&record, with: $0.update(named: changed)) }
            }
        }
        if let wanted, (try? wanted.string()) != (changed.isEmpty ? nil : changed.joined(separator: ", ")) {
            throw ScenarioFailure("changed are \(changed), not \(wanted)")
        }
        if let json = expected.take("record") { try model.check(record.values, json) }
    }

    private func performBatch(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        let records = try model.records(&step)
        if model.descriptor.hasHooks {
            try hooked(model) { try write(records.map(FirstRecord.init), model, verb, &step, &expected) }
        } else {
            try write(records, model, verb, &step, &expected)
        }
    }

    private func write(
        _ records: [some WrittenRecord], _ model: ScenarioModel, _ verb: String, _ step: inout Members,
        _ expected: inout Members
    ) throws {
        var records = records
        let policy = try policy(&step)
        let properties = try step.take("properties")?.strings()
        let count: Int64 =
            try records.isEmpty
            ? 0
            : database.batch(model.descriptor) { plan, index in
                var count: Int64 = 0
                while index < records.count {
                    switch verb {
                    case "insertMany": count += try plan.insert(&records[index], policy) ? 1 : 0
                    case "saveMany": try plan.save(&records[index])
                    case "updateMany": _ = try plan.update(&records[index], named: properties)
                    default: count += try plan.delete(&records[index]) ? 1 : 0
                    }
                    index += 1
                }
                return count
            }
        try check("count", count, &expected)
        if let json = expected.take("records") { try model.check(records.map(\.held), json) }
    }

    private func performUpsert(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        let (key, kept) = (try step.texts("unique"), try step.texts("keep"))
        if verb == "getOrCreateMany" {
            var records = try model.records(&step).map(FirstRecord.init)
            var (inserted, found) = (0, 0)
            try hooked(model) {
                let areSent = try model.descriptor.isFoundOrInsertedByOne(on: key)
                try database.batch(model.descriptor, records.count, isSent: areSent) { plan, index, end in
                    while index < end {
                        let planned = try plan.fetchingOrInserting(on: key)
                        if try plan.fetchOrInsert(&records[index], with: planned) { inserted += 1 }
                        index += 1
                    }
                } receive: { plan, index in
                    if try !plan.receive(&records[index], .save) { found += 1 }
                }
            }
            try check("count", inserted - found, &expected)
            if let json = expected.take("records") { try model.check(records.map(\.values), json) }
            return
        }
        if verb == "upsertMany" {
            var records = try model.records(&step).map(FirstRecord.init)
            try hooked(model) {
                try database.batch(model.descriptor) { plan, index in
                    while index < records.count {
                        try plan.upsert(&records[index], with: plan.upsertion(on: key, keeping: kept))
                        index += 1
                    }
                }
            }
            if let json = expected.take("records") { try model.check(records.map(\.values), json) }
            return
        }
        var record = try FirstRecord(model.record(step.required("record")))
        if verb == "upsert" {
            try hooked(model) {
                try database.withPlan(model.descriptor) {
                    try $0.upsert(&record, with: $0.upsertion(on: key, keeping: kept))
                }
            }
        } else {
            let isNew = try hooked(model) { try database.fetchOrInsert(&record, of: model.descriptor, on: key) }
            try check("found", !isNew, &expected)
        }
        if let json = expected.take("record") { try model.check(record.values, json) }
    }

    private func performKey(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        let key = try step.take("key")?.array().map { try scenarioValue($0) } ?? []
        switch verb {
        case "deleteAll": try check("count", try database.withPlan(model.descriptor) { try $0.deleteAll() }, &expected)
        case "maxKey":
            let found = try database.maxKey(model.descriptor)
            try check("found", found != nil, &expected)
            if let wanted = try expected.take("value").map({ try scenarioValue($0) }), found?.isExactly(wanted) != true
            {
                throw ScenarioFailure("the greatest key is \(String(describing: found)), not \(wanted)")
            }
        case "deleteKey":
            let found = try database.withPlan(model.descriptor) { plan in
                try plan.delete(key: { try plan.write(key: key, to: &$0) })
            }
            try check("found", found, &expected)
        case "exists":
            let found = try database.withReadingPlan(model.descriptor) { plan in
                try plan.one(plan.existence(), key: { try plan.write(key: key, to: &$0) }, read: { _ in true }) ?? false
            }
            try check("found", found, &expected)
        default:
            let found = try database.withFindingPlan(model.descriptor) { plan in
                try plan.find(
                    cached: { model.descriptor.rowKey(key) }, key: { try plan.write(key: key, to: &$0) },
                    read: { reader in try read(model, reader) }
                )
            }
            try check("found", found != nil, &expected)
            if let json = expected.take("record"), let found { try model.check(found, json) }
        }
    }

    func read(_ model: ScenarioModel, _ reader: RecordReader) throws -> DynamicRecord {
        var record = DynamicRecord(model.descriptor)
        try record.read(from: reader)
        return record
    }
}
