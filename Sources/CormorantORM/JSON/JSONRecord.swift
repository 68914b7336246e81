import CormorantBase
import CormorantQuery
import CormorantSQLite

/// An object in a JSON text as a record of its model: its members go straight into the statement that wants them.
final class JSONRecord: RecordAccess {
    let mapping: JSONMapping
    private let mappings: JSONMappings
    /// Stands on the object; once it is written, `end` is behind it.
    var scanner: JSONScanner
    private(set) var end = 0
    /// The related records in it: which relation, and where its value begins.
    private(set) var nested: [(relation: Int, position: Int)] = []
    /// Columns that were missing and are the binding's to fill in.
    private(set) var missing: [Int] = []
    /// Whether it goes into a database, or into a record of the program.
    private let isImport: Bool
    /// Whether rows that are there are updated.
    private let isSave: Bool
    /// Values that others decide, as the file has them: foreign keys to records around it or in it, a key that was made.
    var given: [(column: Int, value: Value)] = []
    /// Foreign keys that saving fills in.
    var filledLater: [Int] = []
    /// Whether it is only looked through for related records.
    var isSurvey = false
    /// Which columns of the row that comes back are given from then on.
    var wanted: [Int] = []
    /// For each member, in which object it was seen last.
    private let seen: UnsafeMutablePointer<UInt64>
    private var object: UInt64 = 0

    init(
        _ mapping: JSONMapping, _ mappings: JSONMappings, _ scanner: JSONScanner, isImport: Bool, isSave: Bool = false
    ) {
        self.mapping = mapping
        self.mappings = mappings
        self.scanner = scanner
        self.isImport = isImport
        self.isSave = isSave
        seen = .allocate(capacity: mapping.facts.count)
        seen.initialize(repeating: 0, count: mapping.facts.count)
    }

    deinit { seen.deallocate() }

    func write(to writer: inout RecordWriter) throws {
        var scanner = scanner
        object &+= 1
        // Properties of a class are checked at each access; these are not.
        let (object, mapping) = (object, mapping)
        var columnsLeft = mapping.columnCount
        nested.removeAll(keepingCapacity: true)
        missing.removeAll(keepingCapacity: true)
        guard scanner.take("{") else { throw scanner.expected("an object", .json) }
        var guess = 0
        scanner.skipSpace()
        if !scanner.take("}") {
            repeat {
                scanner.skipSpace()
                let key = try scanner.key()
                if let member = find(key, scanner, guess, mapping) {
                    guess = member &+ 1
                    do {
                        guard seen[member] != object else {
                            throw JSONFault(.json, "the key is given twice", "give each key once")
                        }
                        seen[member] = object
                        let fact = mapping.facts[member]
                        if fact.column >= 0 {
                            columnsLeft &-= 1
                            try scanner.write(fact, of: mapping, &writer, isImport: isImport)
                        } else {
                            nested.append((fact.relation, scanner.position))
                            try scanner.skipValue()
                        }
                    } catch {
                        throw JSONFault(error).within(.key(mapping.members[member].key))
                    }
                } else {
                    try skipUnknown(key, &scanner)
                }
                scanner.skipSpace()
            } while scanner.take(",")
            guard scanner.take("}") else { throw scanner.malformed("expected , or }") }
        }
        end = scanner.position
        if isSurvey { return }
        if columnsLeft > 0 { try complete(&writer) }
        for (column, value) in given where writer.uses(column) {
            try writer.statement.bind(value, writer.parameters[column])
        }
    }

    @inline(__always)
    private func find(
        _ key: JSONScanner.Token, _ scanner: JSONScanner, _ guess: Int, _ mapping: JSONMapping
    ) -> Int? {
        if !key.isRich { return mapping.member(key.bytes, from: guess) }
        return Array(scanner.text(of: key).utf8).withUnsafeBufferPointer { mapping.member($0, from: guess) }
    }

    private func skipUnknown(_ key: JSONScanner.Token, _ scanner: inout JSONScanner) throws {
        let step = JSONStep.key(scanner.text(of: key))
        if mappings.options.refusesUnknown {
            let known = nearestNames(to: scanner.text(of: key), mapping.members.map(\.key))
            throw JSONFault(.json, "model \(mapping.model.name) has no such key", known).within(step)
        }
        do { try scanner.skipValue() } catch { throw JSONFault(error).within(step) }
    }

    /// Columns that the object did not have.
    private func complete(_ writer: inout RecordWriter) throws {
        var isSeen = [Bool](repeating: false, count: mapping.columnCount)
        for (index, fact) in mapping.facts.enumerated() where seen[index] == object && fact.column >= 0 {
            isSeen[fact.column] = true
        }
        for column in isSeen.indices where !isSeen[column] {
            if given.contains(where: { $0.column == column }) { continue }
            do {
                try writeMissing(column, &writer)
            } catch {
                throw JSONFault(error).within(mapping.step(column))
            }
        }
    }

    private func writeMissing(_ column: Int, _ writer: inout RecordWriter) throws {
        let descriptor = mapping.model.columns[column]
        let isFilledLater =
            filledLater.contains(column)
            || nested.contains { relation, position in
                mapping.relations[relation].kind == .toOne && mapping.relations[relation].ownerColumns.contains(column)
                    && (mapping.takesNull[column] || !scanner.isNull(at: position))
            }
        if descriptor.isJSONOptional, !isImport { missing.append(column) }
        let isGenerated = column == mapping.model.generatedColumn
        if isImport ? isGenerated : mapping.holdsNull[column] && mapping.takesNull[column] {
            writer.writeNull(at: column)
        } else if isFilledLater || descriptor.computedSQL != nil
            || (descriptor.isJSONOptional && !isImport)
        {
            try writeNothing(column, &writer)
        } else if let sql = descriptor.defaultSQL {
            guard writer.uses(column) else { return }
            // An INSERT fills it in; a row that is there would become NULL.
            if isImport, descriptor.isOptional, !isSave || descriptor.notNull { return writer.writeNull(at: column) }
            try writer.statement.bind(mappings.defaultValue(sql), writer.parameters[column])
        } else if mapping.takesNull[column], !isGenerated {
            try writeNothing(column, &writer)
        } else {
            let (place, hint) = descriptor.isJSONOptional ? (" in the database", "default_sql") : ("", "default")
            throw JSONFault(
                .json, "the key is missing, and \(mapping.model.name).\(descriptor.name) has no default\(place)",
                "give a value, or the column a \(hint)")
        }
    }

    /// NULL, or what stands for it in a record that has none.
    private func writeNothing(_ column: Int, _ writer: inout RecordWriter) throws {
        if isImport || mapping.holdsNull[column] {
            writer.writeNull(at: column)
        } else {
            try writer.writeZero(at: column)
        }
    }

    func read(from reader: RecordReader) throws {
        if mapping.model.generatedColumn >= 0 { give(mapping.model.generatedColumn, from: reader) }
        for column in wanted { give(column, from: reader) }
    }

    private func give(_ column: Int, from reader: RecordReader) {
        guard let value = try? reader.row.value(reader.columns[column]) else { return }
        given.removeAll { $0.column == column }
        given.append((column, value))
    }

    func setGeneratedKey(_ key: Int64) {
        guard mapping.model.generatedColumn >= 0 else { return }
        given.removeAll { $0.column == mapping.model.generatedColumn }
        given.append((mapping.model.generatedColumn, .integer(key)))
    }

    func clearGeneratedKey() { given.removeAll { $0.column == mapping.model.generatedColumn } }
}

extension RecordWriter {
    /// What stands for nothing where there is no NULL.
    mutating func writeZero(at column: Int) throws {
        switch model.columns[column].type {
        case .int64, .int32, .bool, .duration: write(0 as Int64, at: column)
        case .double, .float: try write(0.0, at: column)
        case .text, .varchar: try write("", at: column)
        case .blob: try write([UInt8](), at: column)
        case .datetime: try write(.datetime, 0, at: column)
        case .date: try write(.date, 0, at: column)
        case .time: try write(.time, 0, at: column)
        case .offsetDatetime: try write(.offsetDatetime, 0, at: column)
        case .uuid: try write(UUIDBytes(high: 0, low: 0), at: column)
        case .decimal: try write("0", at: column)
        case .json: try write("null", at: column)
        }
    }
}
