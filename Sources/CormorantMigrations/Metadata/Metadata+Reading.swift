import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension Reader {
    /// Everything that introspection knows about the file, without the tables that migrations keep for themselves. An
    /// object that cannot be understood is one of the `problems`, and a table among them has the columns that SQLite tells. Of a
    /// server: the tables and views that are found without the name of their schema; what no file has is among the `problems`, too.
    @available(*, noasync)
    public func metadata() throws -> Metadata { try database.withReader { try Metadata($0) } }
}

extension Schema {
    /// Everything that introspection knows about the schema. Views, and virtual tables of modules that this library has,
    /// are made in a database in memory to know their columns.
    public func metadata() throws -> Metadata {
        var metadata = Metadata(self)
        guard metadata.tables.contains(where: { $0.kind != .table }) else { return metadata }
        var options = OpenOptions()
        options.foreignKeys = false
        let connection = try Connection(path: ":memory:", options: options)
        connection.acceptForeignSchemas()
        for sql in tables.map(\.sql) + virtualTables.map(\.sql) + views.map(\.sql) {
            // What does not work here has no columns, and `problems` says so.
            try? connection.foreignScript(sql)
        }
        metadata.fillColumns(connection)
        return metadata
    }
}

extension Metadata {
    package init(_ connection: Connection) throws {
        guard connection.dialect == .sqlite else {
            try self.init(server: connection)
            return
        }
        var problems: [MetadataProblem] = []
        let schema = try Schema(connection, &problems).withoutOwnTables
        self.init(schema, problems: problems)
        for problem in problems where problem.type == "table" || problem.type == "view" {
            let kind: TableMetadata.Kind = problem.type == "view" ? .view : .table
            tables.append(TableMetadata(name: problem.name, kind: kind, sql: problem.sql))
        }
        fillColumns(connection)
    }

    /// Asks SQLite for the columns of the tables that have none.
    fileprivate mutating func fillColumns(_ connection: Connection) {
        let limits = ViewLimits(of: tables, milliseconds: 2_000)
        for place in tables.indices where tables[place].columns.isEmpty {
            do {
                try limits.watching(tables[place], most: 1_000, on: connection) {
                    try tables[place].readColumns(connection)
                }
            } catch {
                let message = (error as? CormorantError)?.plainMessage ?? "\(error)"
                problems.append(tables[place].problem(message))
            }
        }
    }
}

extension TableMetadata {
    /// https://www.sqlite.org/pragma.html#pragma_table_xinfo
    fileprivate mutating func readColumns(_ connection: Connection) throws {
        let statement = try connection.statement("PRAGMA main.table_xinfo(\(quoteIdentifier(name)))")
        defer { connection.recycle(statement) }
        while try statement.step() {
            let row = Row(statement)
            func text(_ column: Int32) -> String { String(decoding: row.cell(column).text, as: UTF8.self) }
            var column = ColumnMetadata(name: text(1), declaredType: text(2))
            column.isNullable = row.cell(3).int64 == 0
            if row.cell(4).type != StorageType.null { column.defaultSQL = text(4) }
            column.keyPosition = Int(clamping: row.cell(5).int64)
            column.isHidden = row.cell(6).int64 == 1
            column.isStored = row.cell(6).int64 == 3
            columns.append(column)
        }
        primaryKey = columns.filter(\.isKey).sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
        if columns.isEmpty { throw CormorantError(.schema, "SQLite tells no columns of it", hint: nil) }
    }

    fileprivate func problem(_ message: String) -> MetadataProblem {
        MetadataProblem(
            type: kind == .view ? "view" : "table", name: name, table: name, sql: sql,
            message: "its columns are not known: \(message)")
    }
}
