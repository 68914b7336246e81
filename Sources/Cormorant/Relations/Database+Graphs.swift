import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Records with their related records.
extension Database {
    /// Saves a record with all related records that are loaded in it, and in these, in one transaction: what foreign keys
    /// need first goes first, keys are filled in on both sides, rows that are there are updated. A relation that was not
    /// loaded is left alone; of one that was, rows that are no longer in it stay related unless it was declared
    /// `@Relation(removed: .delete)`. A foreign key that is neither the one that the row has nor that of the related record
    /// is an error.
    ///
    /// After an error nothing is saved, and the record is as it was.
    @available(*, noasync)
    public func save<R: Record>(graph record: inout R) throws {
        var saved = record
        try inTransaction { try self.saveGraph(&saved) }
        record = saved
    }

    fileprivate func saveGraph<R: Record>(_ record: inout R, asChildBy columns: [Int]? = nil) throws {
        var before = GraphSaver(self, R.model, .toOne, parentColumns: columns)
        try record.visitRelations(&before)
        try record.set(before.foreignKeys, in: self)
        try save(&record)
        var after = GraphSaver(self, R.model, .toMany)
        after.owner = try (0..<R.model.columns.count).map { try record.columnValue(at: $0) }
        try record.visitRelations(&after)
    }
}

extension Record {
    /// Writes foreign keys into the record, by the one way that its columns can be set: it is read from a row of them.
    fileprivate mutating func set(_ foreignKeys: [ForeignKey], in database: Database) throws {
        guard !foreignKeys.isEmpty else { return }
        let columns = Array(Self.model.columns.indices)
        var values = try columns.map { try columnValue(at: $0) }
        try database.refuseContradictions(Self.self, values, foreignKeys)
        for key in foreignKeys { values[key.column] = key.value }
        try database.assign(values, to: Self.model, columns) { try read(from: $0) }
    }
}

/// What a column of a record is to refer to.
private struct ForeignKey {
    let column: Int
    let value: Value
    let relation: Relation

    /// Whether the column has another value; one of a record that another one owns may lack it.
    func differs(from given: Value) -> Bool {
        RowKey([given]) != RowKey([value]) && !(given == .null && relation.kind == .toMany)
    }
}

extension Database {
    /// Where a foreign key was changed, and not to that of the related record, nobody can tell which of both is meant.
    fileprivate func refuseContradictions<R: Record>(_: R.Type, _ values: [Value], _ keys: [ForeignKey]) throws {
        let model = R.model
        let differing = keys.filter { $0.differs(from: values[$0.column]) }
        let rowKey = model.keyColumns.map { values[$0] }
        guard !differing.isEmpty, !rowKey.isEmpty, !rowKey.contains(.null) else { return }
        let row = try withFindingPlan(model) { plan in
            try plan.find(cached: { nil }, key: { try plan.write(key: rowKey, to: &$0) }, read: { try R(from: $0) })
        }
        guard let row else { return }
        for key in differing {
            let (value, stored) = (values[key.column], try row.columnValue(at: key.column))
            if RowKey([value]) == RowKey([stored]) || (value == .null && key.differs(from: stored)) { continue }
            let column = model.columns[key.column]
            throw CormorantError(
                .misuse,
                "\(model.name).\(column.name) is \(value.json) where the row has \(stored.json), but the record of relation "
                    + "\(key.relation.name) has \(key.value.json)",
                hint: "give \(column.name) the key of that record, or take the record out of the relation",
                table: model.table, columns: [column.column])
        }
    }
}

/// Saves the related records of a record: those that it refers to before it is saved, the others after.
private struct GraphSaver: RelationVisitor {
    enum Phase {
        case toOne
        case toMany
    }

    private let database: Database
    private let model: ModelDescriptor
    private let phase: Phase
    /// The foreign key by which the record belongs to the one that it is saved with: that one is not saved again.
    private let parentColumns: [Int]?
    /// What the record is to refer to.
    private(set) var foreignKeys: [ForeignKey] = []
    /// The values of the record, once it is saved.
    var owner: [Value] = []

    init(_ database: Database, _ model: ModelDescriptor, _ phase: Phase, parentColumns: [Int]? = nil) {
        self.database = database
        self.model = model
        self.phase = phase
        self.parentColumns = parentColumns
    }

    mutating func visitOne<Target: Record>(_ name: String, _ property: inout ToOne<Target>) throws {
        guard phase == .toOne, property.isLoaded, let related = try property.record else { return }
        let relation = try model.relation(named: name)
        guard relation.ownerColumns != parentColumns else { return }
        var target = related
        try database.saveGraph(&target)
        let key = try relation.referredColumns.map { try target.columnValue(at: $0) }
        foreignKeys += zip(relation.ownerColumns, key).map { ForeignKey(column: $0, value: $1, relation: relation) }
        property = .loaded(target)
    }

    mutating func visitMany<Target: Record>(
        _ name: String, _ property: inout ToMany<Target>, removed: RemovedRecords
    ) throws {
        guard phase == .toMany, property.isLoaded else { return }
        var related = try property.records
        let relation = try model.relation(named: name)
        let key = relation.ownerColumns.map { owner[$0] }
        for index in related.indices {
            do {
                try save(&related[index], relation, key)
            } catch let error as CormorantError {
                throw error.at(record: index)
            }
        }
        if removed == .delete {
            let columns = relation.kind == .toMany ? relation.target.keyColumns : relation.referredColumns
            let kept = try related.flatMap { record in try columns.map { try record.columnValue(at: $0) } }
            _ = try database.execute(relation.deletion(of: key, except: kept, database.dialect))
        }
        property = .loaded(related)
    }

    private func save<Target: Record>(_ record: inout Target, _ relation: Relation, _ key: [Value]) throws {
        guard relation.kind == .toMany else {
            try database.saveGraph(&record)
            let other = try relation.referredColumns.map { try record.columnValue(at: $0) }
            _ = try database.execute(relation.junctionRow(key, other, database.dialect))
            return
        }
        let keys = zip(relation.referredColumns, key).map { ForeignKey(column: $0, value: $1, relation: relation) }
        try record.set(keys, in: database)
        try database.saveGraph(&record, asChildBy: relation.referredColumns)
    }
}
