import CormorantBase
import CormorantEngine
import CormorantSQLite

/// What PostgreSQL's catalogs say of the tables that are found without the name of a schema: one query for each kind of object,
/// however many there are.
struct ServerCatalog {
    let connection: Connection
    /// Whether it tells of the connection's own temporary tables, and of no others.
    var isScratch = false

    /// A row of a query.
    struct Row {
        fileprivate let row: CormorantSQLite.Row

        func isNull(_ column: Int32) -> Bool { row.cell(column).type == StorageType.null }

        func text(_ column: Int32) -> String? { isNull(column) ? nil : row.cell(column).string }

        func string(_ column: Int32) -> String { text(column) ?? "" }

        func int(_ column: Int32) -> Int64 { isNull(column) ? 0 : row.cell(column).int64 }

        func bool(_ column: Int32) -> Bool { int(column) != 0 }

        /// The numbers of a list: `{1,2}` of an array, `1 2` of a vector.
        func ints(_ column: Int32) -> [Int64] {
            guard let text = text(column) else { return [] }
            return text.split { !(("0"..."9").contains($0) || $0 == "-") }.compactMap { Int64($0) }
        }
    }

    func forEach(_ sql: String, _ body: (Row) -> Void) throws {
        let statement = try Statement(connection, sql)
        defer { statement.finalize() }
        while try statement.step() { body(Row(row: CormorantSQLite.Row(statement))) }
    }

    /// The schemas in which names are looked for.
    private var schemas: String {
        isScratch
            ? "(SELECT pg_catalog.pg_my_temp_schema())"
            : """
            (SELECT oid FROM pg_catalog.pg_namespace
            WHERE nspname = ANY (pg_catalog.current_schemas(false)) AND nspname NOT LIKE 'pg\\_temp\\_%')
            """
    }

    /// Tables, those that are partitioned or foreign, and views.
    private var isTable: String { "c.relnamespace IN \(schemas) AND c.relkind IN ('r', 'p', 'f', 'v', 'm')" }

    /// Who makes an extension makes what belongs to it.
    private func isOwn(_ catalog: String, _ oid: String) -> String {
        """
        NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = CAST('pg_catalog.\(catalog)' AS regclass)
        AND e.objid = \(oid) AND e.deptype = 'e')
        """
    }

    /// In the order in which they were made: number, name, kind, persistence, whether it is a partition, of what it is one or what it
    /// inherits, its bounds, how it is partitioned, what a view selects, whether it has row security.
    var tables: String {
        """
        SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relispartition,
            (SELECT pg_catalog.string_agg(CAST(CAST(i.inhparent AS regclass) AS text), ', ' ORDER BY i.inhseqno)
                FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid),
            CASE WHEN c.relispartition THEN pg_catalog.pg_get_expr(c.relpartbound, c.oid) END,
            CASE WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid) END,
            CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END, c.relrowsecurity
        FROM pg_catalog.pg_class c
        WHERE \(isTable) AND (c.relpersistence <> 't') = \(isScratch ? "false" : "true") AND c.relname <> 'corm_change' AND pg_catalog.pg_table_is_visible(c.oid) AND \(isOwn("pg_class", "c.oid"))
        ORDER BY c.oid
        """
    }

    /// Table, number, name, type as it is declared, the type's number and modifier, whether NULL is refused, default, how it is an
    /// identity, how it is generated, the number of its collation and that of its type, whether its default is a sequence of its own.
    var columns: String {
        """
        SELECT a.attrelid, a.attnum, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypid, a.atttypmod,
            a.attnotnull, pg_catalog.pg_get_expr(d.adbin, d.adrelid), CAST(a.attidentity AS text), CAST(a.attgenerated AS text), a.attcollation,
            t.typcollation,
            CASE WHEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' AND a.attnotnull
                THEN EXISTS (SELECT FROM pg_catalog.pg_depend s JOIN pg_catalog.pg_class q ON q.oid = s.objid AND q.relkind = 'S'
                    WHERE s.refclassid = CAST('pg_catalog.pg_class' AS regclass) AND s.refobjid = a.attrelid
                    AND s.refobjsubid = a.attnum AND s.classid = CAST('pg_catalog.pg_class' AS regclass)
                    AND s.deptype = 'a') END
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE \(isTable) AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY a.attrelid, a.attnum
        """
    }

    /// Table, name, kind, columns, the table that is referred to and its columns, what a delete and an update do, whether it is
    /// deferred, whether it is validated, how it is written, the condition of a check, the name of the table that is referred to, whether it
    /// can be deferred, whether it matches fully, the columns that are set when the other row goes (since PostgreSQL 15).
    var constraints: String {
        """
        SELECT k.conrelid, k.conname, k.contype, CAST(k.conkey AS text), k.confrelid, CAST(k.confkey AS text), k.confdeltype,
            k.confupdtype, k.condeferred, k.convalidated, pg_catalog.pg_get_constraintdef(k.oid),
            CASE WHEN k.contype = 'c' THEN pg_catalog.pg_get_expr(k.conbin, k.conrelid, true) END,
            CASE WHEN k.contype = 'f' THEN CAST(CAST(k.confrelid AS regclass) AS text) END, k.condeferrable,
            k.confmatchtype = 'f', pg_catalog.to_jsonb(k) ->> 'confdelsetcols'
        FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
        WHERE \(isTable) AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND (k.contype <> 'f' OR k.conparentid = 0)
        ORDER BY k.conrelid, k.oid
        """
    }

    /// Table, name, method, whether it is unique, whether it is the primary key's, whether it is valid, how many of its columns are its key, how many
    /// it has, their numbers, collations and directions, its condition, how it is made, the kind of its constraint, its terms where some are
    /// expressions, the numbers of what compares them.
    var indexes: String {
        """
        SELECT x.indrelid, i.relname, m.amname, x.indisunique, x.indisprimary, x.indisvalid, x.indnkeyatts, x.indnatts,
            CAST(x.indkey AS text), CAST(x.indcollation AS text), CAST(x.indoption AS text),
            pg_catalog.pg_get_expr(x.indpred, x.indrelid, true), pg_catalog.pg_get_indexdef(x.indexrelid), k.contype,
            CASE WHEN x.indexprs IS NOT NULL THEN (SELECT pg_catalog.string_agg(
                pg_catalog.pg_get_indexdef(x.indexrelid, s.n, true), E'\\x01' ORDER BY s.n)
                FROM pg_catalog.generate_series(1, x.indnkeyatts) s(n)) END,
            CAST(x.indclass AS text)
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
            JOIN pg_catalog.pg_am m ON m.oid = i.relam JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
            LEFT JOIN pg_catalog.pg_constraint k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u', 'x')
        WHERE \(isTable)
        ORDER BY x.indrelid, x.indexrelid
        """
    }

    /// Table, name, when and for what (pg_trigger.h), columns, how it is made. Without those of the outbox, by which programs watch.
    var triggers: String {
        """
        SELECT t.tgrelid, t.tgname, t.tgtype, CAST(t.tgattr AS text), pg_catalog.pg_get_triggerdef(t.oid)
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
        WHERE \(isTable) AND NOT t.tgisinternal AND t.tgname NOT LIKE 'corm\\_change\\_%'
        ORDER BY t.tgrelid, t.tgname
        """
    }

    /// Of all schemas: number, name, kind, the type below a domain and its modifier, whether it is one of those schemas' own, how it is made.
    var types: String {
        """
        SELECT t.oid, t.typname, t.typtype, t.typbasetype, t.typtypmod,
            t.typnamespace IN \(schemas) AND \(isOwn("pg_type", "t.oid")),
            'CREATE ' || CASE t.typtype WHEN 'd' THEN 'DOMAIN ' ELSE 'TYPE ' END || pg_catalog.format_type(t.oid, NULL) || ' AS '
            || CASE t.typtype
                WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod)
                    || coalesce(' DEFAULT ' || t.typdefault, '') || CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END
                    || coalesce((SELECT pg_catalog.string_agg(' CONSTRAINT ' || pg_catalog.quote_ident(k.conname) || ' '
                        || pg_catalog.pg_get_constraintdef(k.oid), '' ORDER BY k.oid)
                        FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'), '')
                WHEN 'e' THEN 'ENUM (' || coalesce((SELECT pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ', '
                    ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid), '') || ')'
                WHEN 'r' THEN 'RANGE (SUBTYPE = ' || coalesce((SELECT pg_catalog.format_type(r.rngsubtype, NULL)
                    FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid), '') || ')'
                ELSE '(' || coalesce((SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || ' '
                    || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
                    FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped), '')
                    || ')' END
        FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
        WHERE (t.typtype IN ('d', 'e', 'r') OR t.typtype = 'c' AND c.relkind = 'c')
            AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        ORDER BY t.oid
        """
    }

    /// What no table has in SQLite: kind, name, number of the table, how it is made.
    var others: String {
        """
        SELECT 'policy', CAST(p.polname AS text), p.polrelid, 'CREATE POLICY ' || pg_catalog.quote_ident(p.polname) || ' ON '
            || CAST(CAST(p.polrelid AS regclass) AS text) || CASE WHEN p.polpermissive THEN '' ELSE ' AS RESTRICTIVE' END
            || ' FOR ' || CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                WHEN 'd' THEN 'DELETE' ELSE 'ALL' END
            || CASE WHEN p.polroles = CAST('{0}' AS oid[]) THEN '' ELSE ' TO '
                || (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(r.role)), ', ')
                    FROM pg_catalog.unnest(p.polroles) r(role)) END
            || coalesce(' USING (' || pg_catalog.pg_get_expr(p.polqual, p.polrelid) || ')', '')
            || coalesce(' WITH CHECK (' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
        FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid WHERE \(isTable)
        UNION ALL
        SELECT 'rule', CAST(r.rulename AS text), r.ev_class, pg_catalog.pg_get_ruledef(r.oid)
        FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
        WHERE \(isTable) AND r.rulename <> '_RETURN'
        UNION ALL
        SELECT 'statistics', CAST(s.stxname AS text), s.stxrelid, pg_catalog.pg_get_statisticsobjdef(s.oid)
        FROM pg_catalog.pg_statistic_ext s JOIN pg_catalog.pg_class c ON c.oid = s.stxrelid WHERE \(isTable)
        UNION ALL
        SELECT 'sequence', CAST(c.relname AS text), CAST(0 AS oid), 'CREATE SEQUENCE ' || CAST(CAST(c.oid AS regclass) AS text)
        FROM pg_catalog.pg_class c
        WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND c.relnamespace IN \(schemas) AND \(isOwn("pg_class", "c.oid"))
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = CAST('pg_catalog.pg_class' AS regclass)
                AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
        ORDER BY 3, 1, 2
        """
    }

    /// A hash of the versions of all rows that say what tables are.
    var version: String {
        let rows = [
            ("pg_attribute", "k.attrelid", "k.attnum"), ("pg_constraint", "k.conrelid", "k.oid"),
            ("pg_index", "k.indrelid", "k.indexrelid"), ("pg_attrdef", "k.adrelid", "k.oid"),
            ("pg_trigger", "k.tgrelid", "k.oid"),
        ].map { catalog, table, number in
            """
            SELECT CAST(\(table) AS bigint), CAST(\(number) AS bigint), CAST(CAST(k.xmin AS text) AS bigint)
            FROM pg_catalog.\(catalog) k JOIN pg_catalog.pg_class c ON c.oid = \(table) WHERE \(isTable)
            """
        }
        return """
            SELECT coalesce(CAST(CAST('x' || substr(md5(string_agg(s.a || ' ' || s.b || ' ' || s.x, ',' ORDER BY s.a, s.b, s.x)), 1, 15)
            AS bit(60)) AS bigint), 0) FROM (\(rows.joined(separator: " UNION ALL "))) s(a, b, x)
            """
    }

    static let collations = "SELECT oid, collname FROM pg_catalog.pg_collation"

    /// What compares otherwise than a type by itself.
    static let comparisons = "SELECT oid FROM pg_catalog.pg_opclass WHERE NOT opcdefault"
}
