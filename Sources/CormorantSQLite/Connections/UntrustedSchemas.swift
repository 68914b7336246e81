import CSQLite

enum UntrustedSchemas {
    /// Whether SQLite, where it does not trust a schema, takes its own JSON functions for harmful, as 3.40 does by mistake: many
    /// schemas have them in CHECKs and generated columns. What may do harm of the functions that it or this library brings is
    /// refused in every schema, trusted or not.
    static let refuseJSON: Bool = {
        var memory: OpaquePointer?
        defer { sqlite3_close_v2(memory) }
        guard sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return false }
        let sql = "PRAGMA trusted_schema = OFF; CREATE TABLE t (a CHECK (json_valid(a))); INSERT INTO t VALUES ('1')"
        return sqlite3_exec(memory, sql, nil, nil, nil) != SQLITE_OK
    }()
}
