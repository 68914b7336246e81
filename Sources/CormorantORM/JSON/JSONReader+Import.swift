import CormorantBase
import CormorantQuery

extension JSONReader {
    /// Writes the records that are complete into a database, with the related ones in them, in one transaction.
    /// - Parameter isSave: rows that are there are updated; else they are an error.
    /// - Returns: how many there were, without related ones.
    package func importRecords(into database: Database, isSave: Bool) throws -> Int {
        let mapping = try mappings.mapping(of: model)
        try refuseHooks(of: model)
        let saver = JSONImport(database: database, mappings: mappings, isSave: isSave)
        // What is related needs the key of what it belongs to, and the other way round; a version is that of its record.
        let isSent = database.dialect != .sqlite && mapping.relations.isEmpty && !(isSave && model.versionColumn != nil)
        var count = 0
        // The number of the first element, of a text that is fed in parts.
        var first = 0
        var record: JSONRecord?
        do {
            try database.batch(model, .max, isSent: isSent, isInsert: !isSave, tellsKeys: false) { _, failing, end in
                while count < end {
                    let isThere = try element { scanner, number in
                        if count == 0 { first = number ?? 0 }
                        failing = isSent ? count : number ?? 0
                        let one = record ?? JSONRecord(mapping, mappings, scanner, isImport: true, isSave: isSave)
                        record = one
                        do {
                            scanner.position = try saver.save(one, scanner, depth: 0)
                        } catch let error as CormorantError {
                            throw mapping.placed(error)
                        }
                    }
                    guard isThere else { return }
                    count += 1
                    if isSent { failing = count }
                }
            } receive: { plan, _ in
                guard var one = record else { return }
                _ = try plan.receive(&one, isSave ? .save : .insert)
            }
        } catch let error as CormorantError {
            // Where nothing was read yet, the call may be repeated.
            guard count > 0 || hasFailed else { throw error }
            guard isSent else { throw hasFailed ? error : fail(error) }
            let number = error.recordIndex.map { first + $0 }
            throw hasFailed ? error.at(record: number) : refused(mapping.placed(error), number)
        }
        return count
    }
}

/// Saves objects as they stand in the text: those that foreign keys need first go first.
private struct JSONImport {
    let database: Database
    let mappings: JSONMappings
    let isSave: Bool

    /// Saves the object that the scanner stands on.
    /// - Returns: where it ends.
    func save(_ record: JSONRecord, _ scanner: JSONScanner, depth: Int) throws -> Int {
        try checkRecordDepth(depth)
        record.scanner = scanner
        let mapping = record.mapping
        if mapping.relations.isEmpty {
            record.given.removeAll { $0.column == mapping.model.generatedColumn }
            try write(record)
            return record.end
        }
        try survey(record)
        let (nested, end) = (record.nested, record.end)
        let around = record.given
        for (index, position) in nested where mapping.relations[index].kind == .toOne {
            try within(mapping, index) { relation in
                try forEach(relation, scanner, position, depth, wanted: relation.referredColumns) { key in
                    record.given += zip(relation.ownerColumns, key).map { ($0, $1) }
                }
            }
        }
        let wanted = record.wanted
        record.wanted += nested.flatMap { mapping.relations[$0.relation].ownerColumns }
        try write(record)
        for (index, position) in nested where mapping.relations[index].kind != .toOne {
            try within(mapping, index) { relation in
                let key = try values(of: record, relation.ownerColumns)
                if relation.kind == .toMany {
                    let given = zip(relation.referredColumns, key).map { ($0, $1) }
                    try forEach(relation, scanner, position, depth, given: given, wanted: []) { _ in }
                } else {
                    try forEach(relation, scanner, position, depth, wanted: relation.referredColumns) { other in
                        _ = try database.execute(relation.junctionRow(key, other, database.dialect))
                    }
                }
            }
        }
        if depth == 0 { (record.given, record.wanted) = (around, wanted) }
        return end
    }

    /// Looks through an object for related records, and whether it is well-formed, before anything is written.
    private func survey(_ record: JSONRecord) throws {
        let mapping = record.mapping
        record.isSurvey = true
        defer { record.isSurvey = false }
        mapping.scratch.reset()
        let carrier = mapping.carrier
        var writer = RecordWriter(carrier.statement, carrier.parameters, mapping.model, mapping.scratch)
        try record.write(to: &writer)
    }

    private func write(_ record: JSONRecord) throws {
        var record = record
        try database.withPlan(record.mapping.model) { plan in
            if isSave { try plan.save(&record) } else { try plan.insert(&record) }
        }
    }

    private func within(_ mapping: JSONMapping, _ index: Int, _ body: (Relation) throws -> Void) throws {
        do {
            try body(mapping.relations[index])
        } catch {
            throw JSONFault(error).within(.key(mapping.relationKey(index)))
        }
    }

    /// Saves what lies under a relation's key.
    /// - Parameter body: gets the wanted columns of each record that was saved.
    private func forEach(
        _ relation: Relation, _ scanner: JSONScanner, _ position: Int, _ depth: Int, given: [(Int, Value)] = [],
        wanted: [Int],
        _ body: ([Value]) throws -> Void
    ) throws {
        let mapping = try mappings.mapping(of: relation.target)
        try refuseHooks(of: relation.target)
        var inner = scanner
        inner.position = position
        try relation.forEach(&inner) { scanner in
            let record = JSONRecord(mapping, mappings, scanner, isImport: true, isSave: isSave)
            record.given = given.map { (column: $0.0, value: $0.1) }
            record.wanted = wanted
            do {
                scanner.position = try save(record, scanner, depth: depth + 1)
                try body(values(of: record, wanted))
            } catch let error as CormorantError {
                throw mapping.placed(error)
            }
        }
    }

    private func values(of record: JSONRecord, _ columns: [Int]) throws -> [Value] {
        guard !columns.isEmpty else { return [] }
        return try database.values(of: record.mapping.model, columns, count: 1) { _ in record }
    }
}

/// No record is made of what goes into the table.
private func refuseHooks(of model: ModelDescriptor) throws {
    try model.refuseHooks(
        "the JSON would go into the table", hint: "read its records from the JSON first, and insert or save these")
}
