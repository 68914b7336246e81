import CormorantBase
import CormorantORM
import CormorantSQLite

extension OpenOptions {
    /// Whether a model is synced, with those that its relations lead to, before it is first used with the database: by a call
    /// on records, or a statement that selects from it first or changes it. As `sync`, and with its errors; inside a
    /// transaction only what rebuilds no table (`transaction`), and it is rolled back with it. Inside one that only reads, in a
    /// file open for reading, and for tables of attached files and views, nothing is done.
    public var autoSync: Bool {
        get { preparation != nil }
        set {
            let sync: ModelPreparation = { try $0.syncBeforeUse($1) }
            preparation = newValue ? sync : nil
        }
    }
}

extension Database {
    /// - Returns: the models that are in the file as they say now; none when nothing could be done.
    fileprivate func syncBeforeUse(_ model: ModelDescriptor) throws -> [ModelDescriptor] {
        guard model.attachment == nil else { return [model] }
        let related = try model.withRelated { table in
            try withReader { try $0.catalog.names(in: nil).tables.contains(nameKey(table)) }
        }
        let models = related.filter { !$0.isView && !$0.isPart }
        if try withReader({ try ModelRegistry(connection: $0).isCurrent(models) }) {
            tableOwners.note(models)
            return related
        }
        if isOnlyReading { return [] }
        return try withConnectionAfterCursors { connection in
            // A step of a migration brings the file where it is to be by itself.
            if isMigrating { return [] }
            if connection.isReadOnly { return related }
            let tables = try models.filter { try !isView($0.table, connection) }
            if connection.isInTransaction {
                try syncInTransaction(tables, connection)
            } else {
                try sync(tables)
            }
            return related
        }
    }
}

/// A model may read a view, which nothing is to be done for.
private func isView(_ name: String, _ connection: Connection) throws -> Bool {
    if connection.dialect == .postgres { return try ["v", "m"].contains(connection.kind(of: name) ?? "") }
    let statement = try connection.statement(
        "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE")
    defer { connection.recycle(statement) }
    try statement.bind(.text(name), 1)
    return try statement.step()
}

extension ModelDescriptor {
    /// The model and those that relations and foreign keys lead to, directly or through others, each with the one of all rows of
    /// its table. A relation that is wrong is passed by: it is an error where it is used.
    /// - Parameter isThere: whether a table is in the file, so that a foreign key that names it needs no model of it.
    fileprivate func withRelated(_ isThere: (_ table: String) throws -> Bool) rethrows -> [ModelDescriptor] {
        var found = [self]
        var tables = Set([ObjectIdentifier(tableReference)])
        var next = 0
        while next < found.count {
            let model = found[next]
            next += 1
            if model.isPart, let whole = model.whole, tables.insert(ObjectIdentifier(whole.tableReference)).inserted {
                found.append(whole)
            }
            model.relations.complete()
            let related = model.relations.names.compactMap { try? model.relation(named: $0) }
            let referred = try model.relations.referred.filter { try !$0.byName || !isThere($0.model.table) }
            for other in related.flatMap({ [$0.target, $0.junction] }) + referred.map(\.model) {
                if let other, tables.insert(ObjectIdentifier(other.tableReference)).inserted { found.append(other) }
            }
        }
        return found
    }
}
