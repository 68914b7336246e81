import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A database in memory with a file's schema and no rows, to try statements on.
final class Replica {
    private let connection: Connection

    /// - Parameter pulse: called before each object is made, of which there may be thousands; what it throws ends that.
    init(_ schema: Schema, _ pulse: () throws -> Void = {}) throws {
        var options = OpenOptions()
        options.foreignKeys = false
        options.statementCacheSize = 0
        connection = try Connection(path: ":memory:", options: options)
        connection.acceptForeignSchemas()
        for sql in schema.tables.map(\.sql) {
            try pulse()
            try connection.foreignScript(sql)
        }
        for table in schema.virtualTables {
            do {
                try connection.script(table.sql)
            } catch let error as CormorantError where error.code == .sql || error.code == .sqlite {
                // A module that is not here: its place is held, so that what refers to it can be read.
                try connection.script("CREATE TABLE \(quoteIdentifier(table.name)) (placeholder)")
                missingModules.append(table)
            }
        }
        for sql in schema.indexes.map(\.sql) + schema.views.map(\.sql) + schema.triggers.map(\.sql) {
            try pulse()
            try connection.foreignScript(sql)
        }
    }

    private var missingModules: [VirtualTableDefinition] = []

    func run(_ sql: String) throws { try connection.foreignScript(sql) }

    /// Whether the statement would work; it is not kept.
    func accepts(_ sql: String) -> Bool {
        do {
            try connection.script("SAVEPOINT attempt")
            defer { try? connection.script("ROLLBACK TO attempt; RELEASE attempt") }
            try connection.foreignScript(sql)
            return true
        } catch {
            return false
        }
    }

    /// What cannot work here, each with SQLite's reason; of triggers the very ones.
    func broken() throws -> [Dependent: String] {
        var found = try Dependent.broken(connection)
        for dependent in found.keys where dependent.kind == .triggers {
            let triggers = try Dependent.names(
                "type = 'trigger' AND tbl_name = \(textLiteral(dependent.name))", connection)
            for trigger in triggers {
                let others = triggers.filter { $0 != trigger }.map { "DROP TRIGGER \(quoteIdentifier($0));" }
                try connection.script("SAVEPOINT attempt;" + others.joined())
                defer { try? connection.script("ROLLBACK TO attempt; RELEASE attempt") }
                guard let reason = try Dependent.faultOfTriggers(dependent.name, connection) else { continue }
                found[Dependent(kind: .trigger, name: trigger)] = reason
                found[dependent] = nil
            }
        }
        return found
    }

    /// Reads a table with its indexes and triggers again.
    func read(_ table: String, into schema: inout Schema) throws {
        schema.removeTable(table)
        try schema.read(connection, table: table)
    }

    func schema() throws -> Schema {
        var schema = try Schema(connection)
        for table in missingModules where schema.table(table.name) != nil {
            schema.removeTable(table.name)
            schema.virtualTables.append(table)
        }
        return schema
    }
}
