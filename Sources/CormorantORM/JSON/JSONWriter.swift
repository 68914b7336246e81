import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Writes records as JSON. Their owner walks them; this writes what belongs to one record.
package final class JSONWriter {
    package private(set) var json: [UInt8] = []
    private let mappings: JSONMappings
    /// Whether what is written next comes after something else in its object or array.
    private var needsComma = false

    package init(_ options: JSONOptions) throws {
        guard options.path == "$" else {
            throw CormorantError(.misuse, "a path says where to read", hint: "leave it out when writing")
        }
        mappings = try JSONMappings(options)
    }

    package func mapping(of model: ModelDescriptor) throws -> JSONMapping { try mappings.mapping(of: model) }

    /// Writes the records of a document: an array or, by the options, lines.
    /// - Parameter write: writes the one at a position.
    package func document(_ count: Int, _ write: (Int) throws -> Void) throws {
        let isLines = mappings.options.isLines
        if !isLines { json.append(UInt8(ascii: "[")) }
        for index in 0..<count {
            if index > 0, !isLines { json.append(UInt8(ascii: ",")) }
            do {
                try write(index)
            } catch {
                throw JSONFault(error).within(.index(index)).explained(at: "$")
            }
            if isLines { json.append(0x0A) }
        }
        if !isLines { json.append(UInt8(ascii: "]")) }
    }

    /// Writes a record as an object.
    /// - Parameter related: writes its related records, each with `relation`.
    package func object<Access: RecordAccess>(
        _ record: Access, _ mapping: JSONMapping, related: () throws -> Void
    ) throws {
        do {
            try columns(of: record, mapping)
        } catch let error as CormorantError {
            throw mapping.placed(error)
        }
        try related()
        json.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes the records at the end of a relation within the object that was begun.
    /// - Parameters:
    ///   - count: how many there are.
    ///   - write: writes the one at a position as an object.
    package func relation(_ index: Int, of mapping: JSONMapping, _ count: Int, _ write: (Int) throws -> Void) throws {
        if needsComma { json.append(UInt8(ascii: ",")) }
        json.append(contentsOf: mapping.quotedKey(ofRelation: index))
        let isToOne = mapping.relations[index].kind == .toOne
        do {
            if isToOne {
                if count == 0 { json.append(contentsOf: "null".utf8) } else { try write(0) }
            } else {
                json.append(UInt8(ascii: "["))
                for position in 0..<count {
                    if position > 0 { json.append(UInt8(ascii: ",")) }
                    do { try write(position) } catch { throw JSONFault(error).within(.index(position)) }
                }
                json.append(UInt8(ascii: "]"))
            }
        } catch {
            throw JSONFault(error).within(.key(mapping.relationKey(index)))
        }
        needsComma = true
    }

    /// The object without its end, through a statement that gives back what the record writes to it.
    private func columns<Access: RecordAccess>(of record: Access, _ mapping: JSONMapping) throws {
        let carrier = mapping.carrier
        mapping.scratch.reset()
        var writer = RecordWriter(carrier.statement, carrier.parameters, mapping.model, mapping.scratch)
        try record.write(to: &writer)
        defer { carrier.statement.reset() }
        _ = try carrier.statement.step()
        try append(Row(carrier.statement), mapping)
    }

    private func append(_ row: Row, _ mapping: JSONMapping) throws {
        // Taken out, for properties of a class are checked at each access.
        var json = json
        self.json = []
        defer { self.json = json }
        json.append(UInt8(ascii: "{"))
        var isFirst = true
        for fact in mapping.facts where fact.column >= 0 {
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            do {
                try json.makeRoom(fact.quoted.count + 64)
                json.append(contentsOf: fact.quoted)
                let start = json.count
                try row.appendJSON(Int32(truncatingIfNeeded: fact.column), as: fact.type, to: &json)
                if fact.type == .json, mappings.options.isLines { json.removeLineBreaks(from: start) }
            } catch {
                throw JSONFault(error).within(mapping.step(fact.column))
            }
        }
        needsComma = !isFirst
    }
}

extension Row {
    /// Appends a value as its column's type has it in JSON, where that is another than its storage has.
    fileprivate func appendJSON(_ column: Int32, as type: ColumnType, to json: inout [UInt8]) throws {
        let cell = cell(column)
        switch (type, cell.type) {
        case (.bool, StorageType.integer): json.append(contentsOf: (cell.int64 == 0 ? "false" : "true").utf8)
        case (.float, StorageType.real) where cell.double.isFinite:
            json.append(contentsOf: "\(Float(cell.double))".utf8)
        case (.datetime, StorageType.text)
        where cell.text.count == Timestamp.textSize || cell.text.count == Timestamp.wholeTextSize:
            let text = cell.text
            json.append(UInt8(ascii: "\""))
            json.append(contentsOf: text[..<10])
            json.append(UInt8(ascii: "T"))
            json.append(contentsOf: text[11...])
            json.append(contentsOf: (text.count == Timestamp.textSize ? "Z\"" : ".000000Z\"").utf8)
        case (.offsetDatetime, StorageType.text):
            guard let time = OffsetTimestamp(stored: cell.text) else {
                return try appendJSON(column: column, to: &json)
            }
            json.append(contentsOf: "\"\(time.iso(isFull: true))\"".utf8)
        case (.json, StorageType.text):
            let text = cell.text
            guard let base = text.baseAddress else { throw JSONScanner.notJSON }
            var scanner = JSONScanner(base: base, end: text.count, offset: 0, position: 0)
            do { try scanner.skipValue() } catch { throw JSONScanner.notJSON }
            scanner.skipSpace()
            guard scanner.position == scanner.end else { throw JSONScanner.notJSON }
            try json.makeRoom(text.count)
            json.append(contentsOf: text)
        default: try appendJSON(column: column, to: &json)
        }
    }
}

extension JSONScanner {
    fileprivate static var notJSON: JSONFault {
        JSONFault(.json, "the text of the column is no JSON", "mend the value")
    }
}

extension [UInt8] {
    /// Of JSON, within whose strings there are none.
    fileprivate mutating func removeLineBreaks(from start: Int) {
        let line = self[start...].filter { $0 != 0x0A && $0 != 0x0D }
        if start + line.count < count { replaceSubrange(start..., with: line) }
    }
}
