import CormorantBase

/// What the statements of record operations have otherwise in PostgreSQL, which must be told types where a parameter does not
/// stand beside its column.
extension SQLCompiler {
    private func column(_ name: String) -> TableReference.Column? { records?.columns.first { isSame($0.name, name) } }

    private func type(of name: String) -> PostgresType? {
        if let column = column(name) { return PostgresType(column) }
        return records?.hiddenKey == name ? .bigint : nil
    }

    // Rows that are written -------------------------------------------------------------------------------------------

    func insertion(_ policy: ConflictPolicy) throws -> String {
        guard dialect == .postgres else { return dialect.insert(policy) }
        if let name = records?.longName { try checkPostgresName(name) }
        switch policy {
        case .abort, .ignore: return "INSERT INTO "
        case .replace:
            throw lacksInPostgres("OR REPLACE", hint: "save the record, or upsert it, which updates the row in the way")
        case .fail, .rollback:
            throw lacksInPostgres(
                "OR \(policy == .fail ? "FAIL" : "ROLLBACK")",
                hint: "an error undoes the statement; roll back the transaction")
        }
    }

    func skipping(_ policy: ConflictPolicy) -> String {
        dialect == .postgres && policy == .ignore ? " ON CONFLICT DO NOTHING" : ""
    }

    /// What the columns of the row in the way stand with: the new row has columns of the same names.
    func inTheWay(_ table: String) -> String { dialect == .postgres ? nameInTheWay(table) + "." : "" }

    /// The condition that a row in the way meets, or is left as it is.
    func conditionInTheWay(
        of table: String, _ columns: [WrittenColumn], key: [String], _ condition: String?
    ) throws -> String {
        var conditions = [condition].compactMap { $0 }
        if dialect == .postgres, let generated = records?.generated.flatMap({ records?.columns[$0].name }),
            key.count == 1, key.has(generated), let place = columns.firstIndex(where: { isSame($0.name, generated) })
        {
            // No row is in the way of a record that has no key yet, even where the table makes one that is there.
            conditions.append("CAST(\(dialect.parameter(place + 1)) AS bigint) IS NOT NULL")
        }
        guard dialect == .postgres, let scope, let records else { return try self.condition(conditions) }
        // Within a SELECT of that row alone the scope's names meet no others.
        let key = records.key.isEmpty ? [records.hiddenKey ?? ""] : records.key.map { records.columns[$0].name }
        let same = key.map { "\"kept\".\(quoteIdentifier($0)) = \(inTheWay(table))\(quoteIdentifier($0))" }
        let inScope =
            "EXISTS (SELECT 1 FROM \(self.table(table)) AS \"kept\" WHERE \(same.joined(separator: " AND "))"
            + " AND (\(try written(scope: scope))))"
        return " WHERE " + (conditions + [inScope]).joined(separator: " AND ")
    }

    /// What a key compares.
    func keyNames(_ names: [String]) -> String {
        names.map { name in
            let quoted = quoteIdentifier(name)
            return column(name).map { dialect.key(quoted, $0) } ?? quoted
        }.joined(separator: ", ")
    }

    func defaultValue(of column: WrittenColumn) throws -> String? {
        guard dialect == .postgres, let sql = column.defaultSQL, let records, let known = self.column(column.name)
        else {
            return column.defaultSQL
        }
        return try PortableSQL.value(sql, as: PostgresType(known), of: records, "the default of \(known.property)")
    }

    /// A parameter of a column. Where something stands around it, it is told its type.
    func postgresValue(_ column: WrittenColumn, _ parameter: Int, inserting table: String?) throws -> String {
        let plain = dialect.parameter(parameter)
        guard let type = type(of: column.name) else { return plain }
        let typed = "CAST(\(plain) AS \(type.name))"
        if let constant = column.constant {
            return dialect.constant("CAST(\(constant) AS \(type.name))", besides: typed)
        }
        if let scale = column.scale {
            return
                "CASE WHEN round(\(typed), \(scale.digits)) = \(typed) THEN round(\(typed), \(scale.digits)) ELSE \(typed) END"
        }
        if let table, let records, let generated = records.generated,
            isSame(records.columns[generated].name, column.name)
        {
            // A key that is given moves what makes the others, so that these come after it.
            let sequence = sequence(of: table, column.name)
            return "CASE WHEN \(typed) IS NULL THEN nextval(\(sequence)) "
                + "WHEN \(typed) > coalesce(pg_sequence_last_value(\(sequence)), 0) "
                + "THEN coalesce(setval(\(sequence), \(typed)), \(typed)) ELSE \(typed) END"
        }
        let isWrapped = column.stamp == .created || column.defaultSQL != nil
        return isWrapped ? typed : plain
    }

    /// The INSERT of rows that are their values and nothing else, the COPY that does the same for many, and one that leaves out the
    /// key that the table makes; nil where something is made of a value. A key that is given does not move what makes the others:
    /// `raiseKeys`.
    package func copying(into table: String, _ columns: [WrittenColumn]) throws
        -> (insert: String, copy: String, keyless: String?)?
    {
        let areValues = columns.allSatisfy {
            !$0.isVersion && $0.stamp == nil && $0.defaultSQL == nil && $0.constant == nil && $0.scale == nil
        }
        guard dialect == .postgres, areValues, !columns.isEmpty else { return nil }
        let values = columns.indices.map { dialect.parameter($0 + 1) }.joined(separator: ", ")
        func copy(_ names: [String]) -> String {
            "COPY \(self.table(table)) (\(quotedNames(names))) FROM STDIN (FORMAT binary)"
        }
        let names = columns.map(\.name)
        let others = names.filter { $0 != records?.generated.flatMap { records?.columns[$0].name } }
        return try (
            insertion(.abort) + "\(self.table(table)) (\(quotedNames(names))) VALUES (\(values))", copy(names),
            others.isEmpty ? nil : copy(others)
        )
    }

    /// The row with the values of a unique key or, where there is none, a new one; behind the columns that come back stands 1 for
    /// a new one, else 0. No row comes back where another transaction makes it at the same time.
    /// - Parameter key: by their places among the columns that are written.
    package func findOrInsert(
        into table: String, _ columns: [WrittenColumn], key: [Int], returning: [String]
    ) throws -> String {
        let names = quotedNames(returning)
        let matches = try key.map { try match(columns[$0].name, value(columns[$0], $0 + 1)) }
        let values = try newValues(columns, table).joined(separator: ", ")
        return try "WITH \"found\" AS (SELECT \(names) FROM \(self.table(table))\(condition(matches))), \"made\" AS ("
            + insertion(.abort) + "\(self.table(table)) (\(quotedNames(columns.map(\.name)))) SELECT \(values)"
            + " WHERE NOT EXISTS (SELECT 1 FROM \"found\") ON CONFLICT (\(keyNames(key.map { columns[$0].name })))"
            + " DO NOTHING RETURNING \(names)) SELECT *, 0 FROM \"found\" UNION ALL SELECT *, 1 FROM \"made\""
    }

    /// Has the keys that are made from now on come after the parameter.
    package func raiseKeys(of table: String, _ column: String) -> String {
        let (sequence, key) = (sequence(of: table, column), "CAST(\(dialect.parameter(1)) AS bigint)")
        return "SELECT setval(\(sequence), \(key)) WHERE \(key) > coalesce(pg_sequence_last_value(\(sequence)), 0)"
    }

    /// Takes as many new keys as the parameter says from what makes those of the table; a row of each.
    package func reserveKeys(of table: String, _ column: String) -> String {
        "SELECT nextval(\(sequence(of: table, column))) FROM generate_series(1, CAST(\(dialect.parameter(1)) AS bigint))"
    }

    private func sequence(of table: String, _ column: String) -> String {
        "CAST(pg_get_serial_sequence(\(quoteText(self.table(table))), \(quoteText(column))) AS regclass)"
    }

    // Rows that are looked for ----------------------------------------------------------------------------------------

    /// A parameter that is compared with a column, and may be a number beyond it.
    func parameter(_ number: Int, beside name: String) -> String {
        let plain = dialect.parameter(number)
        guard dialect == .postgres, let type = type(of: name), type == .smallint || type == .integer || type == .real
        else { return plain }
        return "CAST(\(plain) AS \(type.calculated.name))"
    }

    func match(_ name: String, _ value: String) -> String {
        let quoted = quoteIdentifier(name)
        guard dialect == .postgres, let column = column(name), let collation = column.collation,
            PostgresType(column) == .text
        else { return "\(quoted) = \(value)" }
        let text = #"CAST(\#(value) AS text) COLLATE "C""#
        return "\(dialect.key(quoted, column)) = \(dialect.folded(text, collation: collation))"
    }

    /// That a column has a value, which may be NULL.
    func attribute(_ attribute: OrderedColumn, _ number: Int) -> String {
        guard dialect == .postgres else {
            return compared(attribute) + dialect.infix(.is) + dialect.parameter(number)
        }
        let value = parameter(number, beside: attribute.name)
        var match = match(attribute.name, value)
        if attribute.collation == Dialect.sqlite.momentCollation {
            let size = OffsetTimestamp.momentSize
            match =
                "substr(\(quoteIdentifier(attribute.name)), 1, \(size)) = substr(CAST(\(value) AS text), 1, \(size))"
        }
        if column(attribute.name)?.isNotNull ?? false { return match }
        // An index is looked into, as by IS NOT DISTINCT FROM it is not.
        let type = type(of: attribute.name)?.name ?? "text"
        return "(\(match) OR CAST(\(dialect.parameter(number)) AS \(type)) IS NULL"
            + " AND \(quoteIdentifier(attribute.name)) IS NULL)"
    }

    func term(_ term: OrderedColumn) -> String {
        guard dialect == .postgres else {
            return compared(term) + dialect.direction(descending: term.descending, nullsFirst: nil)
        }
        let column = column(term.name)
        let text = column.map { dialect.key(quoteIdentifier(term.name), $0) } ?? quoteIdentifier(term.name)
        let isNotNull = column?.isNotNull ?? (records?.hiddenKey == term.name)
        return text + dialect.direction(descending: term.descending, nullsFirst: isNotNull ? nil : !term.descending)
    }

    /// LIMIT and OFFSET, of which a negative LIMIT is none.
    func limit(_ number: Int) -> String {
        let (limit, offset) = (dialect.parameter(number), dialect.parameter(number + 1))
        guard dialect == .postgres else { return " LIMIT \(limit) OFFSET \(offset)" }
        return " LIMIT nullif(greatest(CAST(\(limit) AS bigint), -1), -1) OFFSET CAST(\(offset) AS bigint)"
    }

    /// A column as it is put in order.
    func ordered(_ name: String) -> String {
        let quoted = quoteIdentifier(name)
        guard dialect == .postgres else { return quoted }
        switch type(of: name) {
        case .uuid: return "CAST(\(quoted) AS text)"
        case .boolean: return "CAST(\(quoted) AS integer)"
        default: return quoted
        }
    }
}
