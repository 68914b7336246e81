import Cormorant
import CormorantORM

extension Scenario {
    /// A batch of a write queue.
    func performQueue(_ step: inout Members, _ expected: inout Members) throws {
        let queue = try CormorantORM.WriteQueue(database)
        defer { try? queue.close() }
        let batch = CormorantORM.WriteBatch(queue)
        for json in try step.required("parts").array() {
            var part = try Members(json)
            try add(&part, to: batch)
            try part.end()
        }
        let continues = try step.text("onError") == "continue"
        var write: QueuedWrite?
        try batch.commit(continues: continues) { write = $0 }
        guard let write else { throw ScenarioFailure("nothing was committed") }
        let completion = try queue.perform(write)
        if let error = completion.error { throw error }
        guard let wanted = try expected.take("results")?.array() else { return }
        let found = completion.results.map { "\($0.changes) \($0.generatedKey ?? 0) \($0.error?.code.name ?? "")" }
        let texts = try wanted.map { item in
            let parts = try item.array()
            let key: Int64 = if case .null = parts[1] { 0 } else { try parts[1].integer() }
            let code: String = if case .null = parts[2] { "" } else { try parts[2].string() }
            return "\(try parts[0].integer()) \(key) \(code)"
        }
        guard found == texts else { throw ScenarioFailure("results are \(found)") }
    }

    private func add(_ part: inout Members, to batch: CormorantORM.WriteBatch) throws {
        let verb = try part.required("do").string()
        if verb == "execute" {
            let sql = try part.required("sql").string()
            let bindings = try bindings(&part)
            return batch.add(sql) { try $0.bind(bindings) }
        }
        let model = try model(&part)
        let record = try model.record(part.required("record"))
        let operation: RecordOperation =
            switch verb {
            case "insert": .insert(try policy(&part))
            case "save": .save
            case "update": .update(try part.take("properties")?.strings())
            case "delete": .delete
            default: throw ScenarioFailure("unknown part \"\(verb)\"")
            }
        guard model.descriptor.hasHooks else { return batch.add(operation, record, of: model.descriptor) }
        // Which runs on the queue's thread, where the model is to be known as it is here.
        batch.add { database in
            try self.hooked(model) {
                var record = FirstRecord(record)
                return try database.write(operation, &record, model.descriptor)
            }
        }
    }
}
