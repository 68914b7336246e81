import CormorantBase
import CormorantQuery
import CormorantSQLite

/// `sqlite_schema`, and what pragmas tell.
struct SQLiteCatalog: Catalog {
    let connection: Connection

    func names(in attachment: String?) throws -> SchemaNames {
        let place = attachment.map { quoteIdentifier($0) + "." } ?? ""
        return try SchemaNames(connection, "SELECT type, name, tbl_name FROM \(place)sqlite_schema")
    }

    func columns(of table: String) throws -> Set<ExactText> {
        Set(try connection.texts("SELECT name FROM pragma_table_xinfo(?1)", about: table).map(nameKey))
    }

    func columns(referringTo table: String) throws -> [String] {
        let sql = """
            SELECT t.name || '.' || k."from" FROM main.sqlite_schema t CROSS JOIN pragma_foreign_key_list(t.name, 'main') k
            WHERE t.type = 'table' AND k."table" = ?1 COLLATE NOCASE AND k.on_delete IN ('NO ACTION', 'RESTRICT')
            ORDER BY 1 LIMIT 20
            """
        return try connection.texts(sql, about: table)
    }
}
