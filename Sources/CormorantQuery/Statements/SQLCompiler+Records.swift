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
        private let arguments: String

        /// - Parameter declared: the column's declared type.
        package init(_ column: String, in table: String, of schema: String?, declared: String) {
            let letter = Affinity(declaredType: declared).rawValue.prefix(1)
            arguments = [letter + declared, schema ?? "", table, column].map { ", " + quoteText($0) }.joined() + ")"
        }

        package func sql(_ value: String) -> String { "corm_kept(" + value + arguments }
    }

    package func insert(
        into table: String, _ columns: [WrittenColumn], conflict: ConflictPolicy, returning: [String] = []
    ) -> String {
        "INSERT \(conflict.keyword)INTO \(values(table, columns))\(returningClause(returning))"
    }

    /// INSERT that updates the row with the same key, in one statement.
    package func save(
        into table: String, _ columns: [WrittenColumn], key: [String], returning: [String] = []
    ) -> String {
        let others = columns.indices.filter { !key.contains(columns[$0].name) }
        // A table of keys only has nothing to update, but RETURNING needs an updated row.
        let updates = (others.isEmpty ? Array(columns.indices) : others).map { index in
            let column = columns[index]
            let name = dialect.identifier(column.name)
            let isKept = column.defaultSQL != nil && column.isNullable
            return "\(name) = \(isKept ? value(column, index + 1) : "excluded.\(name)")"
        }
        return "INSERT INTO \(values(table, columns)) ON CONFLICT (\(dialect.list(key))) DO UPDATE SET "
            + updates.joined(separator: ", ") + returningClause(returning)
    }

    /// Parameters: the columns, then the key. Without columns the key is set to itself, which still tells whether the
    /// row is there.
    package func update(_ table: String, set columns: [WrittenColumn], key: [String], returning: [String] = [])
        -> String
    {
        let assignments =
            columns.isEmpty
            ? key.map { "\(dialect.identifier($0)) = \(dialect.identifier($0))" }
            : columns.enumerated().map { "\(dialect.identifier($1.name)) = \(value($1, $0 + 1))" }
        return "UPDATE \(self.table(table)) SET \(assignments.joined(separator: ", ")) "
            + "WHERE \(matches(key, from: columns.count + 1))\(returningClause(returning))"
    }

    package func delete(from table: String, key: [String]) -> String {
        "DELETE FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func deleteAll(from table: String) -> String { "DELETE FROM \(self.table(table))" }

    package func select(_ columns: [String], from table: String, key: [String]) -> String {
        "SELECT \(dialect.list(columns)) FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func exists(in table: String, key: [String]) -> String {
        "SELECT 1 FROM \(self.table(table)) WHERE \(matches(key, from: 1))"
    }

    package func greatest(_ column: String, in table: String) -> String {
        "SELECT max(\(dialect.identifier(column))) FROM \(self.table(table))"
    }

    /// Parameters: the attributes (NULL equals NULL), then limit and offset if there is a limit.
    package func select(
        _ columns: [String], from table: String, attributes: [OrderedColumn], order: [OrderedColumn], limited: Bool
    ) -> String {
        var sql = "SELECT \(dialect.list(columns)) FROM \(self.table(table))"
        if !attributes.isEmpty {
            let conditions = attributes.enumerated().map { index, column in
                "\(compared(column)) IS \(dialect.parameter(index + 1))"
            }
            sql += " WHERE \(conditions.joined(separator: " AND "))"
        }
        if !order.isEmpty {
            let terms = order.map { compared($0) + ($0.descending ? " DESC" : "") }
            sql += " ORDER BY \(terms.joined(separator: ", "))"
        }
        if limited {
            sql += " LIMIT \(dialect.parameter(attributes.count + 1)) OFFSET \(dialect.parameter(attributes.count + 2))"
        }
        return sql
    }

    private func compared(_ column: OrderedColumn) -> String {
        dialect.identifier(column.name) + (column.isDecimal ? " COLLATE corm_decimal" : "")
    }

    /// How many rows another SELECT has. The line break ends a comment the SELECT may end with.
    package func count(_ select: String) -> String { "SELECT count(*) FROM (\(select)\n)" }

    private func values(_ table: String, _ columns: [WrittenColumn]) -> String {
        guard !columns.isEmpty else { return "\(self.table(table)) DEFAULT VALUES" }
        let values = columns.enumerated().map { index, column in
            let parameter = value(column, index + 1)
            return column.defaultSQL.map { "ifnull(\(parameter), (\($0)))" } ?? parameter
        }
        return
            "\(self.table(table)) (\(dialect.list(columns.map(\.name)))) VALUES (\(values.joined(separator: ", ")))"
    }

    private func value(_ column: WrittenColumn, _ parameter: Int) -> String {
        let parameter = dialect.parameter(parameter)
        return column.kept?.sql(parameter) ?? parameter
    }

    private func matches(_ key: [String], from first: Int) -> String {
        key.enumerated().map { index, name in
            "\(dialect.identifier(name)) = \(dialect.parameter(first + index))"
        }.joined(separator: " AND ")
    }

    private func returningClause(_ columns: [String]) -> String {
        columns.isEmpty ? "" : " RETURNING \(dialect.list(columns))"
    }
}

extension ConflictPolicy {
    var keyword: String {
        switch self {
        case .abort: ""
        case .ignore: "OR IGNORE "
        case .replace: "OR REPLACE "
        case .fail: "OR FAIL "
        case .rollback: "OR ROLLBACK "
        }
    }
}
