/// Records as JSON text, the related ones within them.
extension Record {
    /// Makes records of JSON text: of an array of objects or of one object, wherever `options.path` says.
    ///
    /// A missing key stands for the column's default, else for NULL; under a relation's name there may be its records, which
    /// are then loaded: `save(graph:)` takes them. Errors name the path: `$.items[3].price: expected a number, found a
    /// string`. What is too long to be in memory goes through `JSONRecords`.
    public static func readJSON(_ text: String, _ options: JSONOptions = JSONOptions()) throws -> [Self] {
        let records = try JSONRecords<Self>(options)
        try records.feed(text)
        try records.end()
        return try records.next()
    }

    /// The record as a JSON object, with the related records that are loaded.
    public func writeJSON(_ options: JSONOptions = JSONOptions()) throws -> String {
        var options = options
        options.isLines = true
        return String(try [self].writeJSON(options).dropLast())
    }
}

extension Array where Element: Record {
    /// The records as a JSON array or, by the options, as lines, with the related records that are loaded. What a cursor
    /// gives is written in parts as lines, one text after the other.
    public func writeJSON(_ options: JSONOptions = JSONOptions()) throws -> String {
        let writer = try JSONWriter(options)
        try writer.document(count) { try writer.write(self[$0]) }
        return String(decoding: writer.json, as: UTF8.self)
    }
}

extension Database {
    /// Inserts the records of JSON text, and the related ones within them, in one transaction.
    ///
    /// No values of the record's type are made: JSON has what the file has, and what is missing gets the table's default.
    /// - Parameters:
    ///   - type: the record's type.
    ///   - text: an array of objects, or one object; see `options`.
    ///   - saves: rows that are there are updated instead of an error.
    ///   - options: how the text is read.
    /// - Returns: how many there were, without related ones.
    @available(*, noasync)
    @discardableResult
    public func importJSON<R: Record>(
        _ type: R.Type, _ text: String, saves: Bool = false, _ options: JSONOptions = JSONOptions()
    ) throws -> Int {
        let records = try JSONRecords<R>(options)
        try records.feed(text)
        try records.end()
        return try records.importAll(into: self, saves: saves)
    }
}

extension JSONWriter {
    fileprivate func write<R: Record>(_ record: R) throws {
        let mapping = try mapping(of: R.model)
        try object(WholeRecord(record: record), mapping) {
            var visitor = RelatedWriter(writer: self, mapping: mapping)
            var copy = record
            try copy.visitRelations(&visitor)
        }
    }
}

/// Writes the related records of a record.
private struct RelatedWriter: RelationVisitor {
    let writer: JSONWriter
    let mapping: JSONMapping

    mutating func visitOne<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) throws {
        guard relation.isLoaded else { return }
        let record = try relation.record
        try writer.relation(mapping.relationIndex(name), of: mapping, record == nil ? 0 : 1) { _ in
            if let record { try writer.write(record) }
        }
    }

    mutating func visitMany<Target: Record>(
        _ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords
    ) throws {
        guard relation.isLoaded else { return }
        let records = try relation.records
        try writer.relation(mapping.relationIndex(name), of: mapping, records.count) { try writer.write(records[$0]) }
    }
}

/// A record that gives its computed columns as well, which a database does not want.
struct WholeRecord<R: Record>: RecordAccess {
    var record: R

    func write(to writer: inout RecordWriter) throws {
        try record.write(to: &writer)
        for (index, column) in R.model.columns.enumerated() where column.computedSQL != nil && writer.uses(index) {
            try writer.statement.bind(record.columnValue(at: index), writer.parameters[index])
        }
    }

    mutating func read(from reader: RecordReader) throws { try record.read(from: reader) }
    mutating func setGeneratedKey(_ key: Int64) throws { try record.setGeneratedKey(key) }
    mutating func clearGeneratedKey() { record.clearGeneratedKey() }
}
