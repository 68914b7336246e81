import CormorantBase
import CormorantORM
import CormorantSQLite

/// The checks of a server's database: of tables that are found without the name of their schema. Each cure is SQL.
extension Doctor {
    mutating func checkServer(_ database: Database) throws {
        let found = try database.withReader { connection in
            (
                sequences: try Doctor.sequences(connection), indexes: try connection.texts(Doctor.invalidIndexes),
                constraints: try connection.texts(Doctor.unvalidatedConstraints),
                keys: try connection.texts(Doctor.keysWithoutIndex)
            )
        }
        for sequence in found.sequences {
            add(
                .warning, "sequences",
                "\(sequence.column) has a row with \(sequence.greatest), and the next key that is made is \(sequence.next)",
                "inserts without a key fail or meet other rows: SELECT setval(\(sequence.literal), "
                    + "(SELECT max(\(sequence.columnSQL)) FROM \(sequence.tableSQL)))", table: sequence.table)
        }
        for index in found.indexes {
            add(
                .warning, "indexes", "the index \(index[1]) of \"\(index[0])\" is invalid: building it has failed",
                "it is written and not read, and of a UNIQUE one duplicates may stand there: REINDEX INDEX CONCURRENTLY \(index[1])",
                table: index[0])
        }
        for constraint in found.constraints {
            add(
                .warning, "constraints",
                "the constraint \"\(constraint[1])\" of \"\(constraint[0])\" was never looked at in rows that were there before",
                "mend such rows, then ALTER TABLE \(constraint[2]) VALIDATE CONSTRAINT \(constraint[3])",
                table: constraint[0])
        }
        for key in found.keys {
            add(
                .warning, "indexes",
                "\"\(key[0])\" has no index on (\(key[1])), which \(key[1].contains(",") ? "refer" : "refers") to \"\(key[2])\"",
                "joins and deleting from \"\(key[2])\" read all rows: CREATE INDEX CONCURRENTLY ON \(key[3]) (\(key[4]))",
                table: key[0])
        }
    }

    private struct Sequence {
        let table: String
        let tableSQL: String
        let columnSQL: String
        let column: String
        /// The sequence's name as a text of SQL.
        let literal: String
        let greatest: Int64
        let next: Int64
    }

    /// Those that will make keys which are there.
    private static func sequences(_ connection: Connection) throws -> [Sequence] {
        try connection.texts(ownedSequences).compactMap { row in
            let (table, column, tableSQL, columnSQL, sequence) = (row[0], row[1], row[2], row[3], row[4])
            // A key that nobody may read is passed by.
            let sql = """
                SELECT CAST(max(\(columnSQL)) AS text), CAST((SELECT CASE WHEN s.is_called THEN s.last_value + 1
                    ELSE s.last_value END FROM \(sequence) s) AS text) FROM \(tableSQL)
                """
            guard let found = try connection.texts(sql).first, let greatest = Int64(found[0]),
                let next = Int64(found[1]), greatest >= next
            else { return nil }
            return Sequence(
                table: table, tableSQL: tableSQL, columnSQL: columnSQL, column: "\"\(table)\".\"\(column)\"",
                literal: row[5], greatest: greatest, next: next)
        }
    }

    private static let ownedSequences = """
        SELECT CAST(c.relname AS text), CAST(a.attname AS text), CAST(c.oid AS regclass)::text, quote_ident(a.attname),
            CAST(s.oid AS regclass)::text, quote_literal(CAST(s.oid AS regclass)::text)
        FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
            JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid AND q.seqincrement > 0 AND NOT q.seqcycle
            JOIN pg_catalog.pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p')
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
            AND pg_table_is_visible(c.oid) AND has_table_privilege(c.oid, 'SELECT')
            AND has_table_privilege(s.oid, 'SELECT')
        ORDER BY 1, 2
        """

    private static let invalidIndexes = """
        SELECT CAST(t.relname AS text), CAST(i.indexrelid AS regclass)::text
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
        WHERE NOT i.indisvalid AND pg_table_is_visible(t.oid) ORDER BY 1, 2
        """

    private static let unvalidatedConstraints = """
        SELECT CAST(t.relname AS text), CAST(k.conname AS text), CAST(t.oid AS regclass)::text, quote_ident(k.conname)
        FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid
        WHERE NOT k.convalidated AND pg_table_is_visible(t.oid) ORDER BY 1, 2
        """

    /// An index with a condition, or one that is invalid, finds not all rows.
    private static let keysWithoutIndex = """
        SELECT CAST(t.relname AS text), string_agg(a.attname::text, ', ' ORDER BY u.place), CAST(p.relname AS text),
            CAST(t.oid AS regclass)::text, string_agg(quote_ident(a.attname), ', ' ORDER BY u.place)
        FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid
            JOIN pg_catalog.pg_class p ON p.oid = k.confrelid
            CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY u(number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = u.number
        WHERE k.contype = 'f' AND k.conparentid = 0 AND pg_table_is_visible(t.oid) AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL
            AND (i.indkey::int2[])[0:(cardinality(k.conkey) - 1)] @> k.conkey AND i.indnkeyatts >= cardinality(k.conkey))
        GROUP BY k.oid, t.oid, t.relname, p.relname ORDER BY 1, 2
        """
}

extension Connection {
    /// The rows of a query of ours as texts; NULL is an empty one.
    fileprivate func texts(_ sql: String) throws -> [[String]] {
        let statement = try Statement(self, sql)
        defer { statement.finalize() }
        var rows: [[String]] = []
        while try statement.step() {
            let row = Row(statement)
            rows.append((0..<row.count).map { String(decoding: row.cell(Int32($0)).text, as: UTF8.self) })
        }
        return rows
    }
}
