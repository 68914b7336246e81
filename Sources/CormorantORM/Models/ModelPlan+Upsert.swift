import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Which rows an upsert takes for the record's own, and what it leaves as it is there: columns by their places in the model.
struct UpsertTarget: Hashable {
    var key: [Int]
    var kept: [Int]
    /// Whether that row is only read.
    var isFetched = false
}

extension ModelPlan {
    /// INSERT that updates the row which has the record's values of a unique key.
    /// - Parameters:
    ///   - key: properties that are unique together; none: the primary key.
    ///   - kept: properties that the row keeps, besides its keys.
    package func upsertion(on key: [String], keeping kept: [String]) throws -> PlannedStatement {
        let target = UpsertTarget(key: try model.uniqueKey(key), kept: try kept.map(model.require))
        return try upsertion(target)
    }

    /// The rows that have the record's values of a unique key, which are one or none.
    package func lookup(on key: [String]) throws -> PlannedStatement { try lookup(model.uniqueKey(key)) }

    /// - Parameter planned: made by `upsertion`.
    package func upsert<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws {
        if record.hookKind == .none { return try upsertRow(&record, with: planned) }
        _ = try calling(around: &record, .save) { record, _ in
            try upsertRow(&record, with: planned)
            return true
        }
    }

    private func upsertRow<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws {
        guard try run(planned, &record, makesKey: true) else { throw skipped() }
    }

    /// Reads the row with the record's unique key into it.
    /// - Parameter planned: made by `lookup`.
    /// - Returns: false when there is none, and the record is as it was.
    package func fetch<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws -> Bool {
        let found: Void? = try one(
            planned, key: { try record.write(to: &$0) }, read: { try record.read(from: $0) })
        return found != nil
    }

    /// What `fetchOrInsert` of many runs.
    package func fetchingOrInserting(on key: [String]) throws -> PlannedStatement {
        let key = try model.uniqueKey(key)
        return pipeline == nil ? try lookup(key) : try findOrInsert(key)
    }

    /// Reads the row with the record's unique key into it or, when there is none, inserts the record. In a transaction that
    /// writes.
    /// - Parameter planned: made by `lookup`, or by `fetchingOrInserting`.
    /// - Returns: whether it was inserted; in a batch that is sent `receive` tells that.
    package func fetchOrInsert<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws
        -> Bool
    {
        if pipeline != nil { return try run(planned, &record, makesKey: true) }
        if try fetch(&record, with: planned) {
            madeKey = false
            return false
        }
        guard try insert(&record) else { throw skipped() }
        return true
    }

    func skipped() -> CormorantError {
        if model.scope != nil {
            return CormorantError(
                .constraint,
                "the row of \"\(model.table)\" is outside of the scope of model \(model.name), or a trigger skipped it, so it is "
                    + "not saved", hint: "save the record by the unscoped model to write that row", table: model.table)
        }
        return CormorantError(
            .constraint, "a trigger of \"\(model.table)\" skipped the row, so it is not saved",
            hint: "look for RAISE(IGNORE) in the table's triggers", table: model.table)
    }
}

extension Database {
    /// `ModelPlan.fetchOrInsert` for one record. Nobody can insert such a row in between.
    package func fetchOrInsert<Access: RecordAccess>(
        _ record: inout Access, of model: ModelDescriptor, on key: [String]
    ) throws -> Bool {
        // Most are there, and to look takes no lock of the file.
        if try withPlan(model, { try $0.fetch(&record, with: $0.lookup(on: key)) }) { return false }
        return try record.undoing { record in
            try inTransaction {
                try withPlan(model) { try $0.fetchOrInsert(&record, with: $0.lookup(on: key)) }
            }
        }
    }
}

extension ModelDescriptor {
    /// Whether one statement may find or insert a record by these properties: hooks and validators are called for what is inserted
    /// alone.
    package func isFoundOrInsertedByOne(on properties: [String]) throws -> Bool {
        try !isView && !hasHooks
            && uniqueKey(properties).allSatisfy { columns[$0].computedSQL == nil && columns[$0].stamp != .updated }
    }

    /// The columns of a key by which no two rows are the same, given in any order.
    /// - Parameter properties: none: the primary key.
    func uniqueKey(_ properties: [String]) throws -> [Int] {
        if properties.isEmpty {
            try requireKey()
            return keyColumns
        }
        let given = try properties.map(require)
        let wanted = Set(given)
        let uniques = schema.indexes.filter { $0.isUnique && $0.whereSQL == nil }.map { index in
            index.columns.compactMap { part in columns.firstIndex { sameIdentifier($0.column, part.name) } }
        }
        let keys = (keyColumns.isEmpty ? [] : [keyColumns]) + uniques
        if let key = keys.first(where: { Set($0) == wanted }) { return key }
        let shown = keys.map { key in key.map { columns[$0].name }.joined(separator: " with ") }
        let names = given.map { columns[$0].name }.joined(separator: ", ")
        throw CormorantError(
            .misuse, "\(names) \(given.count > 1 ? "are" : "is") no unique key of \(name)",
            hint: shown.isEmpty
                ? "make it unique" : "make it unique, or give a key that is: \(shown.joined(separator: "; "))",
            table: table, columns: given.map { columns[$0].column })
    }
}
