import CormorantBase

/// SQL of a model's own that means the same to both engines.
enum PortableSQL {
    static func condition(_ sql: String, of table: TableReference) throws -> String { sql }
    static func condition(_ sql: String, of table: TableSchema, _ place: String) throws -> String { sql }
    static func value(_ sql: String, as type: PostgresType, of table: TableReference, _ place: String) throws -> String
    {
        sql
    }
    static func value(_ sql: String, as type: PostgresType, of table: TableSchema, _ place: String) throws -> String {
        sql
    }
}
