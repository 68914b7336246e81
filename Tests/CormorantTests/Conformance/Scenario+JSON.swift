import Cormorant
import CormorantORM

extension Scenario {
    func performJSON(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let model = try model(&step)
        let text = try step.required("text").string()
        let isSave = try step.flag("save")
        _ = try step.texts("relations")  // What was read within the records is written there, whatever it is.
        let names: [String: JSONNames] = ["properties": .properties, "columns": .columns]
        guard let chosen = names[try step.text("names") ?? "properties"] else { throw ScenarioFailure("unknown names") }
        var options = JSONOptions(
            path: try step.text("path") ?? "$", names: chosen, refusesUnknown: try step.flag("refuseUnknown"),
            isLines: try step.flag("lines"))
        let reader = try JSONReader(model.descriptor, options)
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 7) {
            try bytes[start..<min(start + 7, bytes.count)].withUnsafeBytes { try reader.feed($0) }
        }
        try reader.feed(UnsafeRawBufferPointer(start: nil, count: 0))
        if verb == "importJson" {
            let count = try reader.importRecords(into: database, isSave: isSave)
            return try check("count", Int64(count), &expected)
        }
        var levels: [[DynamicRecord]] = [[]]
        let count = try reader.records(limit: .max) { level, row, _ in
            while levels.count <= level { levels.append([]) }
            var record = DynamicRecord(reader.levels[level].model)
            try record.read(from: row)
            levels[level].append(record)
        }
        while levels.count < reader.levels.count { levels.append([]) }
        try check("count", Int64(count), &expected)
        if let json = expected.take("records") { try model.check(levels[0], json) }
        options.path = "$"
        let writer = DynamicWriter(try JSONWriter(options), reader.levels, levels)
        try writer.json.document(count) { try writer.write(0, $0) }
        try check("text", String(decoding: writer.json.json, as: UTF8.self), &expected)
    }
}

/// Writes records of models that are known only at run time as they were read.
private struct DynamicWriter {
    let json: JSONWriter
    private let levels: [JSONLevel]
    private let records: [[DynamicRecord]]

    init(_ json: JSONWriter, _ levels: [JSONLevel], _ records: [[DynamicRecord]]) {
        self.json = json
        self.levels = levels
        self.records = records
    }

    func write(_ level: Int, _ index: Int) throws {
        let mapping = try json.mapping(of: levels[level].model)
        try json.object(records[level][index], mapping) {
            for (below, inner) in levels.enumerated() where inner.parent == level {
                guard let relation = inner.relation, let group = inner.groups.firstIndex(where: { $0.owner == index })
                else { continue }
                let first = inner.groups[..<group].reduce(0) { $0 + $1.count }
                try json.relation(mapping.relationIndex(relation.name), of: mapping, inner.groups[group].count) {
                    try write(below, first + $0)
                }
            }
        }
    }
}
