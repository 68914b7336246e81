import CormorantBase
import CormorantQuery
import CormorantSQLite

extension Database {
    /// Creates the tables and indexes that are missing, referenced tables first, in one transaction. A table that is
    /// there is left as it is; one that lacks a column of its model is an error and nothing is created. Views are made by SQL,
    /// and a table whose rows are told by a discriminator is made of the model of all of them: of other models nothing is created.
    @available(*, noasync)
    public func createTables(_ models: [ModelDescriptor]) throws {
        for model in models { try model.requireOwnFile() }
        try checkDistinct(models)
        try checkParts(models)
        if dialect == .sqlite { for model in models { try model.refuseComparedDecimals() } }
        try withConnection { connection in
            // Nothing to do is the usual case at start-up and must not wait for the write lock.
            if try missing(models, connection).isEmpty { return }
            try inTransaction(isBatch: true) {
                // Of programs that start at once the second finds what the first has made: a server refuses two names only when
                // both are made. "corm" in ASCII, and a number of ours.
                if connection.engine != nil {
                    try connection.script("SELECT pg_catalog.pg_advisory_xact_lock(1668247149, 2)")
                }
                for (model, sql) in try missing(models, connection) {
                    do {
                        let statement = try connection.statement(sql)
                        defer { connection.recycle(statement) }
                        _ = try statement.step()
                    } catch {
                        throw model.explain(error)
                    }
                }
            }
        }
    }

    package func checkDistinct(_ models: [ModelDescriptor]) throws {
        var byTable: [ExactText: ModelDescriptor] = [:]
        for model in models where !model.isPart {
            let other = byTable.updateValue(model, forKey: nameKey(model.table))
            if let other, other !== model {
                throw CormorantError(
                    .model, "models \(other.name) and \(model.name) share the table \"\(model.table)\"",
                    hint: "give one of them another table name", table: model.table)
            }
        }
    }

    /// Refuses models of some rows of a table that the model of all of them does not fit.
    package func checkParts(_ models: [ModelDescriptor]) throws {
        for part in models where part.isPart {
            guard let whole = models.first(where: { !$0.isPart && sameIdentifier($0.table, part.table) }) else {
                continue
            }
            let lacking = part.columns.filter { column in
                !whole.columns.contains { sameIdentifier($0.column, column.column) }
            }
            guard lacking.isEmpty else {
                let names = lacking.map(\.column).joined(separator: ", ")
                throw CormorantError(
                    .model, "model \(whole.name) lacks \(names) of model \(part.name), whose rows are in its table",
                    hint: "declare the columns there, where they may be NULL in other rows", table: part.table,
                    columns: lacking.map(\.column))
            }
        }
    }

    /// The CREATE statements that are to run, in order.
    private func missing(
        _ models: [ModelDescriptor], _ connection: Connection
    ) throws -> [(model: ModelDescriptor, sql: String)] {
        let names = try connection.catalog.names(in: nil)
        try checkReferences(models, names)
        let compiler = SQLCompiler(connection.dialect)
        let ordered = dependencyOrder(models)
        let absent = ordered.filter {
            !$0.isPart && !$0.isView && !names.tables.contains(nameKey($0.table))
        }
        var statements = try SQLCompiler.createTables(absent.map(\.schema), connection.dialect)
            .map { (absent[$0.table], $0.sql) }
        for model in ordered {
            if model.isPart {
                if names.tables.contains(nameKey(model.table)) {
                    try checkColumns(of: model, connection)
                } else if !models.contains(where: { !$0.isPart && sameIdentifier($0.table, model.table) }) {
                    throw CormorantError(
                        .model,
                        "the table \"\(model.table)\" is made of the model of all its rows, not of \(model.name)",
                        hint: "give that model, too", table: model.table)
                }
                continue
            }
            guard names.tables.contains(nameKey(model.table)) else { continue }
            try checkColumns(of: model, connection)
            for index in model.schema.indexes {
                guard let table = names.indexes[nameKey(index.name)] else {
                    statements.append((model, try compiler.create(index, of: model.schema)))
                    continue
                }
                guard sameIdentifier(table, model.table) else {
                    throw CormorantError(
                        .schema, "index \"\(index.name)\" is there already, on table \"\(table)\"",
                        hint: "name the model's key otherwise", table: model.table)
                }
            }
        }
        return statements
    }

    private func checkReferences(_ models: [ModelDescriptor], _ names: SchemaNames) throws {
        let known = names.tables.union(models.map { nameKey($0.table) })
        for model in models where !model.isView {
            for key in model.schema.foreignKeys where !known.contains(nameKey(key.table)) {
                throw CormorantError(
                    .model,
                    "model \(model.name) refers to the table \"\(key.table)\", which is neither a model nor in the file",
                    hint: "create its model together with this one, or mend the reference", table: model.table,
                    columns: key.columns)
            }
        }
    }

    private func checkColumns(of model: ModelDescriptor, _ connection: Connection) throws {
        let present = try connection.catalog.columns(of: model.table)
        let lacking = model.schema.columns.map(\.name).filter { !present.contains(nameKey($0)) }
        guard lacking.isEmpty else {
            throw CormorantError(
                .schema, "table \"\(model.table)\" lacks \(lacking.joined(separator: ", ")) of model \(model.name)",
                hint: "migrate the file, or change the model", table: model.table, columns: lacking)
        }
    }

    /// Referenced tables before those that refer to them; a cycle, which SQLite allows, in the order given.
    private func dependencyOrder(_ models: [ModelDescriptor]) -> [ModelDescriptor] {
        let byTable = Dictionary(
            models.filter { !$0.isPart }.map { (nameKey($0.table), $0) }, uniquingKeysWith: { first, _ in first }
        )
        var done = Set<ObjectIdentifier>()
        var ordered: [ModelDescriptor] = []
        for root in models {
            var stack = [(model: root, next: 0)]
            if !done.insert(ObjectIdentifier(root)).inserted { continue }
            while let top = stack.last {
                let keys = top.model.schema.foreignKeys
                if top.next < keys.count {
                    stack[stack.count - 1].next += 1
                    if let target = byTable[nameKey(keys[top.next].table)],
                        done.insert(ObjectIdentifier(target)).inserted
                    {
                        stack.append((target, 0))
                    }
                } else {
                    ordered.append(top.model)
                    stack.removeLast()
                }
            }
        }
        return ordered
    }
}

extension Reader {
    /// Whether the model's table is in the file, whatever its columns are.
    @available(*, noasync)
    public func tableExists(_ model: ModelDescriptor) throws -> Bool {
        try model.validate()
        return try database.withReader {
            try $0.catalog.names(in: model.attachment).tables.contains(nameKey(model.table))
        }
    }
}
