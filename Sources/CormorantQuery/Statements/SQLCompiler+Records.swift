import CormorantBase

/// The statements of record operations. Parameters are numbered in the order of the columns given, from 1.
extension SQLCompiler {
    /// One column that is written; in an INSERT the default takes the place of a NULL.
    package struct WrittenColumn {
        package var name: String
        package var defaultSQL: String?
        /// Whether a row that is there keeps NULL, which only a new one gets its default for.
        package var isNullable: Bool
        /// What takes the value, instead of the column itself.
        package var kept: Kept?

        package init(_ name: String, defaultSQL: String? = nil, isNullable: Bool = false, kept: Kept? = nil) {
            self.name = name
            self.defaultSQL = defaultSQL
            self.isNullable = isNullable
            self.kept = kept
        }
    }

    /// What refuses the values that a column would convert.
    package struct Kept: Sendable {
        private let dialect: Dialect
        private let arguments: String

        /// - Parameter declared: the column's declared type.
        package init(
            _ column: String, in table: String, of schema: String?, declared: String, _ dialect: Dialect = .sqlite
        ) {
            self.dialect = dialect
            arguments = dialect.kept(declared: declared, schema, table, column)
        }

        package func sql(_ value: String) -> String { dialect.kept + value + arguments }
    }

    package func insert(
        into table: String, _ columns: [WrittenColumn], conflict: ConflictPolicy, returning: [String] = []
    ) -> String {
        dialect.insert(conflict) + "\(values(table, columns))\(returningClause(returning))"
    }

    /// INSERT that updates the row with the same key, in one statement.
    /// - Parameter kept: columns that a row which is there keeps, besides the key.
    package func save(
        into table: String, _ columns: [WrittenColumn], key: [String], keeping kept: Set<String> = [],
        returning: [String] = []
    ) -> String {
        let others = columns.indices.filter { !key.contains(columns[$0].name) && !kept.contains(columns[$0].name) }
        // A table of keys only has nothing to update, but RETURNING needs an updated row.
        let updates = (others.isEmpty ? Array(columns.indices) : others).map { index in
            let column = columns[index]
            let name = quoteIdentifier(column.name)
            if others.isEmpty, !kept.isEmpty { return "\(name) = \(name)" }
            let isKept = column.defaultSQL != nil && column.isNullable
            return "\(name) = \(isKept ? value(column, index + 1) : "excluded.\(name)")"
        }
        return "INSERT INTO \(values(table, columns)) ON CONFLICT (\(quotedNames(key))) DO UPDATE SET "
            + updates.joined(separator: ", ") + returningClause(returning)
    }

    /// Parameters: the columns, then the key. Without columns the key is set to itself, which still tells whether the
    /// row is there.
    package func update(_ table: String, set columns: [WrittenColumn], key: [String], returning: [String] = [])
        -> String
    {
        let assignments =
            columns.isEmpty
            ? key.map { "\(quoteIdentifier($0)) = \(quoteIdentifier($0))" }
            : columns.enumerated().map { "\(quoteIdentifier($1.name)) = \(value($1, $0 + 1))" }
        return "UPDATE \(self.table(table)) SET \(assignments.joined(separator: ", ")) "
            + "WHERE \(matches(key, from: columns.count + 1))\(returningClause(returning))"
    }

    package func delete(from table: String, key: [String]) -> String {
        "DELETE FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func deleteAll(from table: String) -> String { "DELETE FROM \(self.table(table))" }

    package func select(_ columns: [String], from table: String, key: [String]) -> String {
        "SELECT \(quotedNames(columns)) FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func exists(in table: String, key: [String]) -> String {
        "SELECT 1 FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func greatest(_ column: String, in table: String) -> String {
        "SELECT max(\(quoteIdentifier(column))) FROM \(self.table(table))"
    }

    /// Parameters: the attributes (NULL equals NULL), then limit and offset if there is a limit.
    package func select(
        _ columns: [String], from table: String, attributes: [OrderedColumn], order: [OrderedColumn], limited: Bool
    ) -> String {
        var sql = "SELECT \(quotedNames(columns)) FROM \(self.table(table))"
        if !attributes.isEmpty {
            let conditions = attributes.enumerated().map { index, column in
                compared(column) + dialect.infix(.is) + dialect.parameter(index + 1)
            }
            sql += " WHERE \(conditions.joined(separator: " AND "))"
        }
        if !order.isEmpty {
            let terms = order.map { compared($0) + dialect.direction(descending: $0.descending, nullsFirst: nil) }
            sql += " ORDER BY \(terms.joined(separator: ", "))"
        }
        if limited {
            sql += " LIMIT \(dialect.parameter(attributes.count + 1)) OFFSET \(dialect.parameter(attributes.count + 2))"
        }
        return sql
    }

    private func compared(_ column: OrderedColumn) -> String {
        quoteIdentifier(column.name) + (column.isDecimal ? " COLLATE " + dialect.decimalCollation : "")
    }

    /// How many rows another SELECT has. The line break ends a comment the SELECT may end with.
    package func count(_ select: String) -> String { "SELECT count(*) FROM (\(select)\n)" }

    private func values(_ table: String, _ columns: [WrittenColumn]) -> String {
        guard !columns.isEmpty else { return "\(self.table(table)) DEFAULT VALUES" }
        let values = columns.enumerated().map { index, column in
            let parameter = value(column, index + 1)
            return column.defaultSQL.map { dialect.value(parameter, default: $0) } ?? parameter
        }
        return
            "\(self.table(table)) (\(quotedNames(columns.map(\.name)))) VALUES (\(values.joined(separator: ", ")))"
    }

    private func value(_ column: WrittenColumn, _ parameter: Int) -> String {
        let parameter = dialect.parameter(parameter)
        return column.kept?.sql(parameter) ?? parameter
    }

    private func matches(_ key: [String], from first: Int) -> String {
        key.enumerated().map { index, name in
            "\(quoteIdentifier(name)) = \(dialect.parameter(first + index))"
        }.joined(separator: " AND ")
    }

    private func returningClause(_ columns: [String]) -> String {
        columns.isEmpty ? "" : " RETURNING \(quotedNames(columns))"
    }
}
