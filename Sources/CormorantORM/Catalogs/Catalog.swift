import CormorantBase
import CormorantSQLite

/// What an engine's catalogs know of its tables.
package protocol Catalog {
    /// - Parameter attachment: the name of an attached file; nil: the database's own.
    func names(in attachment: String?) throws -> SchemaNames
    /// The names of a table's columns, in lower case; none where it is not there.
    func columns(of table: String) throws -> Set<ExactText>
    /// The columns that keep a table's rows from being deleted, as "book.author_id", where an error of it does not name them.
    func columns(referringTo table: String) throws -> [String]
}

/// The names that there are now, in lower case.
package struct SchemaNames {
    /// Tables and views.
    package internal(set) var tables: Set<ExactText> = []
    /// The table of each index.
    package internal(set) var indexes: [ExactText: String] = [:]

    /// - Parameter sql: gives type, name and table of each.
    init(_ connection: Connection, _ sql: String) throws {
        let statement = try connection.statement(sql)
        defer { connection.recycle(statement) }
        while try statement.step() {
            let row = Row(statement)
            guard case .text(let type) = try row.value(0), case .text(let name) = try row.value(1),
                case .text(let table) = try row.value(2)
            else { continue }
            if type == "table" || type == "view" { tables.insert(nameKey(name)) }
            if type == "index" { indexes[nameKey(name)] = table }
        }
    }
}

extension Connection {
    package var catalog: any Catalog {
        engine == nil ? SQLiteCatalog(connection: self) : PostgresCatalog(connection: self)
    }

    /// The texts in the first column of what a query about a table gives.
    package func texts(_ sql: String, about table: String) throws -> [String] {
        let statement = try statement(sql)
        defer { recycle(statement) }
        try statement.bind(.text(table), 1)
        var texts: [String] = []
        while try statement.step() {
            if case .text(let text) = try Row(statement).value(0) { texts.append(text) }
        }
        return texts
    }
}
