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
    func hasTable(_ name: String) throws -> Bool {
        try number(
            "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass(\(textLiteral(quoteIdentifier(name))))",
            self) == 1
    }
}
