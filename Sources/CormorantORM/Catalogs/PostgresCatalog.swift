import CormorantBase
import CormorantQuery
import CormorantSQLite

/// `pg_catalog`, as far as names are found without that of their schema.
struct PostgresCatalog: Catalog {
    let connection: Connection

    func names(in attachment: String?) throws -> SchemaNames {
        try SchemaNames(
            connection,
            """
            SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index'
                ELSE 'table' END, CAST(c.relname AS text), CAST(coalesce(t.relname, c.relname) AS text)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
                LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
            WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'i', 'I') AND pg_catalog.pg_table_is_visible(c.oid)
                AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
            """)
    }

    func columns(of table: String) throws -> Set<ExactText> {
        let sql = """
            SELECT CAST(attname AS text) FROM pg_catalog.pg_attribute
            WHERE attrelid = pg_catalog.to_regclass(CAST(?1 AS text)) AND attnum > 0 AND NOT attisdropped
            """
        return Set(try connection.texts(sql, about: quoteIdentifier(table)).map(nameKey))
    }

    /// The server's error names the constraint.
    func columns(referringTo table: String) throws -> [String] { [] }
}
