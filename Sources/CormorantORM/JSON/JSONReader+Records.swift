import CormorantBase

/// Records of one model that lie at one place in their owners: the records themselves, their "albums", the "tracks" of those.
package struct JSONLevel {
    /// The level of their owners; nil for the records themselves.
    package let parent: Int?
    /// The relation, by its place in its owner's mapping.
    let relationIndex: Int
    package let relation: Relation?
    let mapping: JSONMapping
    /// Which owners have some, and how many in a row, in order.
    package fileprivate(set) var groups: [(owner: Int, count: Int)] = []
    package fileprivate(set) var count = 0

    package var model: ModelDescriptor { mapping.model }
}

/// How deep records may lie in records.
private let recordDepthLimit = 100

func checkRecordDepth(_ depth: Int) throws {
    guard depth <= recordDepthLimit else {
        throw JSONFault(.json, "records lie in records more than \(recordDepthLimit) deep", "flatten them")
    }
}

extension JSONReader {
    /// Reads the next records that are complete, with the related ones in them.
    /// - Parameters:
    ///   - limit: the greatest number.
    ///   - untilError: those before an element that is no record come first, and the next call gives its error. Of that element `read` may
    ///     have been given something, more than the levels then count: it does not belong to them.
    ///   - read: takes each record, with its level and the columns that it lacked and the binding is to fill in. Owners come
    ///     before what is related to them, and the levels grow as they are met.
    /// - Returns: how many there were.
    package func records(
        limit: Int, untilError: Bool = false,
        _ read: (_ level: Int, RecordReader, _ missing: [Int]) throws -> Void
    ) throws -> Int {
        let mapping = try mappings.mapping(of: model)
        levels = [JSONLevel(parent: nil, relationIndex: -1, relation: nil, mapping: mapping)]
        var count = 0
        var record: JSONRecord?
        while count < limit {
            do {
                let isThere = try element { scanner, index in
                    if count == 0 { firstIndex = index }
                    // One is kept for the elements; those within them have their own.
                    let one = record ?? JSONRecord(mapping, mappings, scanner, isImport: false)
                    record = one
                    scanner.position = try self.record(one, scanner, level: 0, depth: 0, read)
                }
                guard isThere else { break }
            } catch  where untilError && count > 0 {
                keep(count)
                break
            }
            count += 1
        }
        return count
    }

    /// Has the levels be of so many records.
    private func keep(_ count: Int) {
        levels[0].count = count
        // Owners come before what is related to them.
        for index in levels.indices {
            guard let parent = levels[index].parent else { continue }
            let owners = levels[parent].count
            while let last = levels[index].groups.last, last.owner >= owners { levels[index].groups.removeLast() }
            levels[index].count = levels[index].groups.reduce(0) { $0 + $1.count }
        }
    }

    /// Reads the object that the scanner stands on.
    /// - Returns: where it ends.
    private func record(
        _ record: JSONRecord, _ scanner: JSONScanner, level: Int, depth: Int,
        _ read: (_ level: Int, RecordReader, _ missing: [Int]) throws -> Void
    ) throws -> Int {
        try checkRecordDepth(depth)
        let mapping = record.mapping
        record.scanner = scanner
        mapping.scratch.reset()
        let carrier = mapping.carrier
        var writer = RecordWriter(carrier.statement, carrier.parameters, mapping.model, mapping.scratch)
        try record.write(to: &writer)
        do {
            defer { carrier.statement.reset() }
            _ = try carrier.statement.step()
            try read(
                level, RecordReader(carrier.statement, columns: carrier.results, model: mapping.model), record.missing)
        } catch let error as CormorantError {
            throw mapping.placed(error)
        }
        let owner = levels[level].count
        levels[level].count += 1
        guard !record.nested.isEmpty else { return record.end }
        for (relation, position) in record.nested {
            var inner = scanner
            inner.position = position
            do {
                try related(&inner, mapping, relation, owner: owner, level: level, depth: depth, read)
            } catch {
                throw JSONFault(error).within(.key(mapping.relationKey(relation)))
            }
        }
        return record.end
    }

    /// Reads what lies under a relation's key.
    private func related(
        _ scanner: inout JSONScanner, _ mapping: JSONMapping, _ relationIndex: Int, owner: Int, level: Int, depth: Int,
        _ read: (_ level: Int, RecordReader, _ missing: [Int]) throws -> Void
    ) throws {
        let relation = mapping.relations[relationIndex]
        let below = try self.level(below: level, relationIndex, relation)
        let record = JSONRecord(levels[below].mapping, mappings, scanner, isImport: false)
        if relation.kind == .toMany { record.filledLater = relation.referredColumns }
        var count = 0
        try relation.forEach(&scanner) { scanner in
            scanner.position = try self.record(record, scanner, level: below, depth: depth + 1, read)
            count += 1
        }
        levels[below].groups.append((owner, count))
    }

    private func level(below parent: Int, _ relationIndex: Int, _ relation: Relation) throws -> Int {
        let known = levels.firstIndex { $0.parent == parent && $0.relationIndex == relationIndex }
        if let known { return known }
        levels.append(
            JSONLevel(
                parent: parent, relationIndex: relationIndex, relation: relation,
                mapping: try mappings.mapping(of: relation.target)))
        return levels.count - 1
    }
}

extension Relation {
    /// Goes over the objects under the relation's key: one or null, or those of an array. `read` goes to the end of each.
    func forEach(_ scanner: inout JSONScanner, _ read: (inout JSONScanner) throws -> Void) throws {
        if kind == .toOne {
            if scanner.next == UInt8(ascii: "n") { return try scanner.take("null") }
            return try read(&scanner)
        }
        guard scanner.take("[") else { throw scanner.expected("an array", .json) }
        scanner.skipSpace()
        if scanner.take("]") { return }
        var index = 0
        repeat {
            scanner.skipSpace()
            do { try read(&scanner) } catch { throw JSONFault(error).within(.index(index)) }
            index += 1
            scanner.skipSpace()
        } while scanner.take(",")
    }
}

extension JSONMapping {
    func relationKey(_ relation: Int) -> String {
        for member in members {
            if case .relation(relation) = member.target { return member.key }
        }
        return relations[relation].name
    }

    /// An error about a column of a record, at the column's key.
    func placed(_ error: CormorantError) -> JSONFault {
        guard error.columns.count == 1, error.table.map({ sameIdentifier($0, model.table) }) ?? true,
            let column = model.columns.firstIndex(where: { sameIdentifier($0.column, error.columns[0]) })
        else { return JSONFault(error) }
        return JSONFault(error).within(step(column))
    }
}
