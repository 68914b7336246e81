import CormorantBase

/// The columns of constraints and unique indexes, which an error names alone. What a statement can break is read when it is
/// prepared: an error ends the transaction, in which nothing can be asked then.
struct ConstraintCatalog {
    struct Constraint {
        let isPrimaryKey: Bool
        /// Of an expression, those in it.
        var columns: [String]
    }

    struct Key: Hashable {
        let schema: String
        let table: String
        let name: String
    }

    private var constraints: [Key: Constraint] = [:]
    /// Tables as statements name them.
    private var known: Set<[String]> = []
    private var copied: Set<[String]> = []

    func knows(_ table: [String]) -> Bool { known.contains(table) }

    /// Whether rows that are copied into a table are written as an INSERT of each would write them, with the same errors: COPY
    /// knows no rules and no row-level security, calls a statement's triggers once, and does not say which row lacks the one
    /// that it refers to.
    func copies(_ table: [String]) -> Bool { copied.contains(table) }

    func find(_ schema: String, _ table: String, _ name: String) -> Constraint? {
        constraints[Key(schema: schema, table: table, name: name)]
    }

    /// When the schema may have changed.
    mutating func removeAll() {
        constraints = [:]
        known = []
        copied = []
    }

    /// When the table may have changed.
    mutating func remove(_ table: [String]) {
        known.remove(table)
        copied.remove(table)
    }

    /// - Parameters:
    ///   - rows: what `query` gave.
    ///   - isCopied: what `copyQuery` gave.
    mutating func add(_ table: [String], _ rows: [[String?]], isCopied: Bool) {
        known.insert(table)
        if isCopied { copied.insert(table) }
        var isFirst: Set<Key> = []
        for row in rows where row.count == 5 {
            guard let schema = row[0], let table = row[1], let name = row[2] else { continue }
            let key = Key(schema: schema, table: table, name: name)
            if isFirst.insert(key).inserted {
                constraints[key] = Constraint(isPrimaryKey: row[3] == "p", columns: [])
            }
            if let column = row[4] { constraints[key]?.columns.append(column) }
        }
    }

    /// Of a table, its name being the parameter, and of those that refer to it.
    static let query = """
        SELECT n.nspname, t.relname, k.name, k.kind, a.attname
        FROM (SELECT conrelid AS rel, conname AS name, contype::text AS kind, conkey AS keys, 0::oid AS index
            FROM pg_catalog.pg_constraint
            WHERE contype IN ('f', 'c', 'x')
            AND (conrelid = pg_catalog.to_regclass($1) OR confrelid = pg_catalog.to_regclass($1))
            UNION ALL
            SELECT i.indrelid, c.relname, CASE WHEN i.indisprimary THEN 'p' ELSE 'u' END,
                (i.indkey::int2[])[0:i.indnkeyatts - 1], i.indexrelid
            FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
            WHERE i.indisunique AND i.indrelid = pg_catalog.to_regclass($1)) k
        JOIN pg_catalog.pg_class t ON t.oid = k.rel
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(k.keys) WITH ORDINALITY AS u(number, place)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = k.rel AND (a.attnum = u.number
            OR u.number = 0 AND a.attnum > 0
            AND position(a.attname::text IN pg_catalog.pg_get_indexdef(k.index, u.place::int, true)) > 0
            AND EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass
                AND d.objid = k.index AND d.refobjid = k.rel AND d.refobjsubid = a.attnum))
        ORDER BY 1, 2, 3, u.place
        """

    /// Of a table, its name being a parameter or a text: whether it is as `copies` says. The outbox's triggers note a COPY as they do any
    /// other statement; 1644 and 1645 are those of a foreign key. One table beside that of the tables is quickly planned.
    /// Its value is whether the transaction's snapshot has the newest version of the table's row: a rule, row-level security and a first
    /// trigger make a new one, and the snapshot does not show them.
    static func copyQuery(of table: String) -> String {
        """
        SELECT pg_catalog.currtid2('pg_catalog.pg_class', c.ctid) = c.ctid FROM pg_catalog.pg_class c
        WHERE c.oid = pg_catalog.to_regclass(\(table)) AND c.relkind = 'r'
        AND NOT c.relrowsecurity AND NOT c.relhasrules
        AND NOT (c.relhastriggers AND EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid
            AND (t.tgfoid IN (1644, 1645) OR NOT t.tgisinternal AND t.tgname NOT IN
                ('corm_change_insert', 'corm_change_update', 'corm_change_delete', 'corm_change_truncate'))))
        """
    }
}
