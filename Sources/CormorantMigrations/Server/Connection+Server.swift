import CormorantBase
import CormorantQuery
import CormorantSQLite

extension Connection {
    /// A number that is another as soon as any table, column, constraint or index that is found without the name of its schema is.
    func serverVersion() throws -> Int64 {
        let catalog = ServerCatalog(connection: self)
        var version: Int64 = 0
        try catalog.forEach(catalog.version) { version = $0.int(0) }
        return version
    }

    /// The count of changes of the schema, of whichever engine.
    func schemaVersion() throws -> Int64 { try dialect == .sqlite ? pragma("schema_version") : serverVersion() }

    /// Whether the server has a table of the name.
    func hasTable(_ name: String) throws -> Bool { try kind(of: name) != nil }

    /// What the server has by the name, as `pg_class` says: `r` a table, `v` a view, and so on.
    func kind(of name: String) throws -> String? { try said("relkind", of: name) }

    /// How long the rows of a table last, of any that can be referred to: `p` for good, `u` unlogged, `t` temporary.
    func persistence(of name: String) throws -> String? {
        try said("relpersistence", of: name, where: " AND relkind IN ('r', 'p')")
    }

    private func said(_ column: String, of name: String, where condition: String = "") throws -> String? {
        let table = textLiteral(quoteIdentifier(name))
        var text: String?
        try ServerCatalog(connection: self).forEach(
            "SELECT CAST(\(column) AS text) FROM pg_catalog.pg_class WHERE oid = to_regclass(\(table))\(condition)"
        ) { text = $0.text(0) }
        return text
    }
}
