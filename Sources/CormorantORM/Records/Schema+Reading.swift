import CormorantBase
import CormorantQuery
import CormorantSQLite

extension Schema {
    /// What the main database has, read from the statements that it was made by, in the order they are in the file. Left
    /// out is what SQLite makes for itself: `sqlite_...`, the indexes of constraints, and the tables behind virtual tables.
    package init(_ connection: Connection) throws {
        self.init()
        try connection.requireSQLite("reading of its schema")
        try read(connection, leavingOut: Self.shadowTables(connection)) { error, _ in throw error }
    }

    /// - Parameter problems: gets what cannot be understood, which this schema has not.
    package init(_ connection: Connection, _ problems: inout [MetadataProblem]) throws {
        self.init()
        try connection.requireSQLite("reading of its schema")
        try read(connection, leavingOut: Self.shadowTables(connection)) { _, problem in problems.append(problem) }
    }

    /// Adds a table with its indexes and triggers.
    package mutating func read(_ connection: Connection, table: String) throws {
        try read(connection, table: table, leavingOut: []) { error, _ in throw error }
    }

    private mutating func read(
        _ connection: Connection, table: String? = nil, leavingOut shadows: Set<ExactText>,
        _ fail: (any Error, MetadataProblem) throws -> Void
    ) throws {
        let statement = try connection.statement(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_schema
            WHERE sql IS NOT NULL AND (?1 IS NULL OR tbl_name = ?1 COLLATE NOCASE) ORDER BY rowid
            """)
        defer { connection.recycle(statement) }
        try statement.bind(table.map(Value.text) ?? .null, 1)
        while try statement.step() {
            let row = Row(statement)
            try requireMemory(4 * row.cell(3).text.count)
            let texts = (0..<4).map { String(decoding: row.cell($0).text, as: UTF8.self) }
            let (type, name, table, sql) = (texts[0], texts[1], texts[2], texts[3])
            if foldIdentifier(name).hasPrefix("sqlite_") || shadows.contains(nameKey(table)) { continue }
            do {
                for column: Int32 in 0..<4 where row.cell(column).string == nil {
                    throw CormorantError(
                        .encoding, "the schema's entry of the \(type) \(quoteIdentifier(name)) is not UTF-8",
                        hint: "make the \(type) anew with the sqlite3 shell, under names that are UTF-8")
                }
                append(try Self.object(sql, type: type, name: name))
            } catch {
                if let error = error as? CormorantError, error.code == .noMemory { throw error }
                let message = (error as? CormorantError)?.message ?? "\(error)"
                try fail(error, MetadataProblem(type: type, name: name, table: table, sql: sql, message: message))
            }
        }
    }

    /// The folded names of tables that come and go with virtual tables: https://www.sqlite.org/pragma.html#pragma_table_list; for
    /// it SQLite works out the columns of every view, which may take long, so it is asked only where there are modules. It goes by
    /// names alone.
    package static func shadowTables(_ connection: Connection) throws -> Set<ExactText> {
        let modules = try connection.statement(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0")
        defer { connection.recycle(modules) }
        var hasModules = false
        var foreign: [ExactText] = []
        while try modules.step() {
            hasModules = true
            let row = Row(modules)
            guard let name = row.cell(0).string, let sql = row.cell(1).string,
                case .virtualTable(let table)? = try? object(sql, type: "table", name: name)
            else { continue }
            if let content = table.foreignContent { foreign.append(content) }
        }
        guard hasModules else { return [] }
        let statement = try connection.statement("PRAGMA main.table_list")
        defer { connection.recycle(statement) }
        var names = Set<ExactText>()
        while try statement.step() {
            let row = Row(statement)
            if row.cell(2).string == "shadow", let name = row.cell(1).string { names.insert(nameKey(name)) }
        }
        return names.subtracting(foreign)
    }

    private static func object(_ sql: String, type: String, name: String) throws -> SchemaObject {
        let object: SchemaObject
        do throws(CormorantError) {
            object = try SchemaParser.object(sql)
        } catch {
            if error.code == .noMemory { throw error }
            throw CormorantError(
                .schema, "the file's \(type) \"\(name)\" cannot be understood: \(error.plainMessage)",
                hint: error.plainHint,
                sql: sql, offset: error.offset, table: name)
        }
        guard sameIdentifier(object.name, name) else {
            throw CormorantError(
                .schema, "the file's \(type) \"\(name)\" was made by a statement for \"\(object.name)\"",
                hint: "the file's schema was edited; drop it and create it again", sql: sql, table: name)
        }
        return object
    }
}
