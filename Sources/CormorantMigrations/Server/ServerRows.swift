import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The tables of all schemas of a server that hold rows of their own, with their columns, as they were.
struct ServerRows {
    /// A table, or a column of one, as SQL names them, with how many rows or values are in it.
    typealias Part = (table: String, column: String?, count: Int64)

    /// In JSON.
    private var known = ""

    /// Number and name of each table, what its rows are kept in, and the number and name of each column; NULL: the table itself.
    private static let parts = """
        SELECT CAST(c.oid AS bigint) AS o, CAST(CAST(c.oid AS regclass) AS text) AS t,
            CAST(pg_catalog.pg_relation_filenode(c.oid) AS bigint) AS f, a.attnum AS n, a.attname AS c
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
            CROSS JOIN LATERAL (SELECT NULL, NULL UNION ALL SELECT attnum, attname FROM pg_catalog.pg_attribute
                WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') a(attnum, attname)
        WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND s.nspname NOT LIKE 'pg\\_%'
            AND s.nspname <> 'information_schema'
        """

    init(_ connection: Connection) throws {
        var found = ""
        try ServerCatalog(connection: connection).forEach(
            "SELECT CAST(coalesce(pg_catalog.json_agg(p), '[]') AS text) FROM (\(Self.parts)) p"
        ) { found = $0.string(0) }
        known = found
    }

    /// What this transaction has dropped, or emptied at once, as TRUNCATE does, with what is there by its name. Tables stand before
    /// their columns. Others may drop theirs meanwhile: who drops a table or a column keeps the table's lock to the end.
    /// https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-TABLES. Of a server that tells no locks, all counts.
    func gone(_ connection: Connection) throws -> [Part] {
        var found: [Part] = []
        try ServerCatalog(connection: connection).forEach(
            """
            SELECT k.t, k.c, now.o IS NOT NULL
            FROM pg_catalog.json_to_recordset(\(textLiteral(known))) AS k(o bigint, t text, f bigint, n integer, c text)
                LEFT JOIN (\(Self.parts)) now ON now.o = k.o AND now.n IS NOT DISTINCT FROM k.n
            WHERE (now.o IS NULL OR k.n IS NULL AND now.f <> k.f)
                AND (k.o IN (SELECT CAST(l.relation AS bigint) FROM pg_catalog.pg_locks l
                    WHERE l.pid = pg_catalog.pg_backend_pid() AND l.mode = 'AccessExclusiveLock')
                    OR NOT EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.pid = pg_catalog.pg_backend_pid()))
            ORDER BY k.t, k.n NULLS FIRST
            """
        ) { found.append(($0.string(0), $0.text(1), $0.int(2))) }
        return try found.compactMap { part in
            let count = try Self.count(part, connection)
            return part.count == 0 || count == 0 ? (part.table, part.column, count) : nil
        }
    }

    /// What was lost of parts that are there again.
    static func lost(_ parts: [Part], _ connection: Connection) throws -> [String] {
        var found: [String] = []
        var shortened = ""
        for part in parts where part.table != shortened {
            let count = try count(part, connection) - part.count
            guard count > 0 else { continue }
            let name = part.table.hasPrefix("\"") || contains(part.table, ".") ? part.table : "\"\(part.table)\""
            if part.column == nil { shortened = part.table }
            found.append(
                part.column.map { "\(counted(count, "value")) of \"\($0)\" of \(name)" }
                    ?? "\(counted(count, "row")) of \(name)")
        }
        return found
    }

    private static func count(_ part: Part, _ connection: Connection) throws -> Int64 {
        let values = part.column.map(quoteIdentifier) ?? "*"
        return try numberIfKnown("SELECT count(\(values)) FROM ONLY \(part.table)", connection) ?? 0
    }
}
