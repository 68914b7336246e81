/// Makes records of JSON text that is fed to it in chunks as they come, so that an array of any length is read in the memory
/// of one chunk and one element.
///
/// ```swift
/// let records = try JSONRecords<Album>(JSONOptions(path: "$.data.items"))
/// for chunk in chunks {
///     try records.feed(chunk)
///     for album in try records.next() { ... }
/// }
/// try records.end()
/// for album in try records.next() { ... }
/// ```
///
/// After an error every call gives that error again. One thread at a time.
public final class JSONRecords<R: Record> {
    private let reader: JSONReader

    /// A reader of records from JSON text that comes in pieces. Throws `misuse` for options that do not go
    /// together.
    public init(_ options: JSONOptions = JSONOptions()) throws { reader = try JSONReader(R.model, options) }

    /// Takes the next bytes of the text.
    public func feed(_ bytes: [UInt8]) throws {
        if !bytes.isEmpty { try bytes.withUnsafeBytes { try reader.feed($0) } }
    }

    /// Takes the next part of the text.
    public func feed(_ text: String) throws {
        var text = text
        try text.withUTF8 { if !$0.isEmpty { try reader.feed(UnsafeRawBufferPointer($0)) } }
    }

    /// Takes the end of the text, without which it counts as not complete.
    public func end() throws { try reader.feed(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// The records that are complete, with the related ones in them.
    /// - Parameter limit: the greatest number. With one, those before an element that is no record come first, and the next call
    ///   throws; without, this one does.
    public func next(limit: Int = .max) throws -> [R] {
        let root = RecordLevel<R>()
        var levels: [any AnyRecordLevel] = [root]
        _ = try reader.records(limit: limit, untilError: limit < .max) { level, row, _ in
            if level == 0 { return try root.append(row) }
            while levels.count <= level { try levels.append(below(levels, levels.count)) }
            try levels[level].append(row)
        }
        while levels.count < reader.levels.count { try levels.append(below(levels, levels.count)) }
        // From below: what lies deepest is complete first.
        for index in levels.indices.dropFirst().reversed() {
            let level = reader.levels[index]
            guard let parent = level.parent, let relation = level.relation else { continue }
            try levels[parent].give(relation.name, level.groups, levels[index])
        }
        root.records.removeSubrange(reader.levels[0].count...)
        return root.records
    }

    private func below(_ levels: [any AnyRecordLevel], _ index: Int) throws -> any AnyRecordLevel {
        let level = reader.levels[index]
        return try levels[level.parent ?? 0].below(level.relation?.name ?? "")
    }

    /// Writes the records that are complete, and the related ones within them, into a database in one transaction, within
    /// the caller's where there is one: that makes one of many feeds. The rest as `Database.importJSON`.
    /// - Returns: how many there were, without related ones.
    @available(*, noasync)
    @discardableResult
    public func importAll(into database: Database, saves: Bool = false) throws -> Int {
        _ = R.notedModel
        return try reader.importRecords(into: database, isSave: saves)
    }
}

/// Records that lie at one place in their owners, whatever their type.
private protocol AnyRecordLevel: AnyObject {
    func append(_ row: RecordReader) throws

    /// An empty level of what a relation leads to.
    func below(_ relation: String) throws -> any AnyRecordLevel

    /// Gives records those of a level below, some in a row to each owner.
    func give(_ relation: String, _ groups: [(owner: Int, count: Int)], _ level: any AnyRecordLevel) throws
}

private final class RecordLevel<R: Record>: AnyRecordLevel {
    var records: [R] = []

    func append(_ row: RecordReader) throws { records.append(try R(from: row)) }

    func below(_ relation: String) throws -> any AnyRecordLevel {
        var maker = LevelMaker(relation: relation)
        if var record = records.last { try record.visitRelations(&maker) }
        guard let level = maker.level else {
            throw CormorantError(
                .misuse, "\(R.model.name) has no property for its relation \(relation)",
                hint: "mark one @Relation, or let visitRelations show it")
        }
        return level
    }

    func give(_ relation: String, _ groups: [(owner: Int, count: Int)], _ level: any AnyRecordLevel) throws {
        var giver = LevelGiver(relation: relation, level: level)
        for group in groups {
            giver.range = giver.range.upperBound..<giver.range.upperBound + group.count
            try records[group.owner].visitRelations(&giver)
        }
    }
}

private struct LevelMaker: RelationVisitor {
    let relation: String
    var level: (any AnyRecordLevel)?

    mutating func visitOne<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) {
        if name == self.relation { level = RecordLevel<Target>() }
    }

    mutating func visitMany<Target: Record>(_ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords) {
        if name == self.relation { level = RecordLevel<Target>() }
    }
}

private struct LevelGiver: RelationVisitor {
    let relation: String
    let level: any AnyRecordLevel
    var range = 0..<0

    mutating func visitOne<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) {
        guard name == self.relation, let level = level as? RecordLevel<Target> else { return }
        relation = level.records[range].first.map { .loaded($0) } ?? .read(nil)
    }

    mutating func visitMany<Target: Record>(_ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords) {
        guard name == self.relation, let level = level as? RecordLevel<Target> else { return }
        relation = .loaded(Array(level.records[range]))
    }
}
