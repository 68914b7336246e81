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
        let tables = schema.tables
        let indexes = Dictionary(grouping: schema.indexes) { nameKey($0.table) }
        try inGroups(tables.map(\.name), besides: schema.indexes.map(\.name)) { number in
            try pulse()
            try run(tables[number].sql)
            for index in indexes[nameKey(tables[number].name)] ?? [] { try run(index.sql) }
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
        for sql in schema.views.map(\.sql) + schema.triggers.map(\.sql) {
            try pulse()
            try connection.foreignScript(sql)
        }
    }

    private var missingModules: [VirtualTableDefinition] = []

    func run(_ sql: String) throws { try connection.foreignScript(sql) }

    /// Makes tables that know nothing of each other. SQLite goes through all that there are for each one, the square of thousands: so
    /// those of a group stand alone while they are made, and what there was before is put aside.
    /// - Parameter indexes: that are made along with them.
    func inGroups(_ tables: [String], besides indexes: [String] = [], _ make: (Int) throws -> Void) throws {
        let size = 500
        // A name that is taken is refused by SQLite, which has to see both.
        guard tables.count > size, try areFree(tables + indexes) else { return try tables.indices.forEach(make) }
        try connection.script("CREATE TEMP TABLE corm_aside (type, name, tbl_name, rootpage, sql)")
        for number in tables.indices {
            if number % size == 0 { try putAside() }
            try make(number)
        }
        try putAside()
        try changeSchema("INSERT INTO main.sqlite_schema SELECT * FROM temp.corm_aside ORDER BY rowid")
        try connection.script("DROP TABLE temp.corm_aside")
    }

    private func areFree(_ names: [String]) throws -> Bool {
        let taken = try Dependent.names("type <> 'trigger'", connection)
        return Set((names + taken).map(nameKey)).count == names.count + taken.count
    }

    private func putAside() throws {
        // SQLite makes sqlite_sequence only once.
        let rest = "FROM main.sqlite_schema WHERE name <> 'sqlite_sequence'"
        try changeSchema("INSERT INTO temp.corm_aside SELECT * \(rest) ORDER BY rowid; DELETE \(rest)")
    }

    /// Drops tables with what belongs to them; there are no rows that could stand in the way.
    func drop(_ tables: [String]) throws {
        let names = tables.map(textLiteral).joined(separator: ", ")
        try changeSchema(
            "DELETE FROM main.sqlite_schema WHERE tbl_name COLLATE NOCASE IN (\(names)) AND type <> 'view'")
    }

    private func changeSchema(_ sql: String) throws {
        try connection.script("PRAGMA writable_schema = ON; \(sql); PRAGMA writable_schema = RESET")
    }

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
