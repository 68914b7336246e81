import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What models declare, as a server has it.
struct DeclaredTables {
    /// By folded table name.
    private(set) var schemas: [ExactText: Schema] = [:]

    /// Inside a transaction: the tables are made as temporary ones, read, and taken back.
    init(_ models: [ModelDescriptor], _ connection: Connection) throws {
        for model in models {
            let statements = try Self.statements(model)
            var schema = try ServerSchema.made(by: Self.scratch(statements), connection)
            // Nor the program's own temporary tables.
            schema.tables.removeAll { !sameIdentifier($0.name, model.table) }
            schema.indexes.removeAll { !sameIdentifier($0.table, model.table) }
            for sql in statements where sql.hasPrefix("CREATE ") && !sql.hasPrefix("CREATE TABLE") {
                guard
                    let place = schema.indexes.firstIndex(where: { contains(sql, " \(quoteIdentifier($0.name)) ON ") })
                else { continue }
                schema.indexes[place].sql = sql
            }
            if let place = schema.tables.firstIndex(where: { sameIdentifier($0.name, model.table) }) {
                schema.tables[place].constraints += Self.foreignKeys(model.schema.foreignKeys, of: model.table)
            }
            schemas[nameKey(model.table)] = schema
        }
    }

    /// What makes the model's tables there, foreign keys last.
    private static func statements(_ model: ModelDescriptor) throws -> [String] {
        try model.requireOwnFile()
        return try SQLCompiler.createTables([model.schema], .postgres).map(\.sql)
    }

    /// The text by which `corm_models` keeps it, and by which it can be made again.
    static func scratch(_ model: ModelDescriptor) throws -> String { scratch(try statements(model)) }

    private static func scratch(_ statements: [String]) -> String {
        statements.filter { !$0.hasPrefix("ALTER ") && !$0.hasPrefix("DO ") }.map { sql in
            let prefix = "CREATE TABLE "
            return (sql.hasPrefix(prefix) ? "CREATE TEMPORARY TABLE " + sql.dropFirst(prefix.count) : sql) + ";\n"
        }.joined()
    }

    /// What models declared that were brought to the server before, by the text for files and that for the server.
    static func former(_ sql: String, made: String, _ connection: Connection) throws -> Schema {
        // What a newer server reads otherwise is as if it had never been declared.
        guard var schema = try? ServerSchema.made(by: made, connection) else { return Schema() }
        let said = try? Schema(script: sql)
        for place in schema.tables.indices {
            guard let table = said?.table(schema.tables[place].name) else { continue }
            schema.tables[place].constraints += TableShape(table).foreignKeys.map { key, _ in
                ConstraintDefinition(name: nil, kind: .foreignKey(key), sql: key.sql)
            }
        }
        return schema
    }

    private static func foreignKeys(_ keys: [ForeignKeySchema], of table: String) -> [ConstraintDefinition] {
        keys.map { key in
            let definition = ForeignKeyDefinition(
                columns: key.columns, table: key.table, tableColumns: key.tableColumns, onDelete: key.onDelete,
                onUpdate: key.onUpdate, match: nil, isDeferred: false)
            let name = "\(table)_\(key.columns.joined(separator: "_"))_fkey"
            return ConstraintDefinition(
                name: name, kind: .foreignKey(definition), sql: "CONSTRAINT \(quoteIdentifier(name)) \(definition.sql)")
        }
    }
}
