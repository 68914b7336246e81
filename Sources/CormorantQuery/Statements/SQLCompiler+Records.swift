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
        /// Of a decimal that has so many digits after the point; messages name the property.
        package var scale: (digits: Int, property: String)?
        /// Whether it counts the row's writes: 1 in a new row, and one more with each update. Its parameter, if any, is what
        /// the row must have.
        package var isVersion: Bool
        /// What time it holds. That of creation has a parameter, which counts where it is not NULL; the other has none.
        package var stamp: Stamp?
        /// The SQL of what all rows have in it, whatever is bound.
        package var constant: String?

        /// Whether each write changes it.
        var isCounted: Bool { isVersion || stamp == .updated }

        package init(
            _ name: String, defaultSQL: String? = nil, isNullable: Bool = false, kept: Kept? = nil,
            isVersion: Bool = false, stamp: Stamp? = nil, scale: (digits: Int, property: String)? = nil,
            constant: String? = nil
        ) {
            self.constant = constant
            self.stamp = stamp
            self.scale = scale
            self.isVersion = isVersion
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
    /// - Parameters:
    ///   - kept: columns that a row which is there keeps, besides the key.
    ///   - checksVersion: whether a row that is there must have the record's version.
    package func save(
        into table: String, _ columns: [WrittenColumn], key: [String], keeping kept: Set<String> = [],
        checksVersion: Bool = false, returning: [String] = []
    ) -> String {
        var others = columns.indices.filter { !key.contains(columns[$0].name) && !kept.contains(columns[$0].name) }
        // Where all else is kept, it counts no write.
        if !kept.isEmpty, others.allSatisfy({ columns[$0].isCounted }) { others = [] }
        // A table of keys only has nothing to update, but RETURNING needs an updated row.
        let updates = (others.isEmpty ? Array(columns.indices) : others).map { index in
            let column = columns[index]
            let name = quoteIdentifier(column.name)
            if others.isEmpty, !kept.isEmpty || column.isVersion { return "\(name) = \(name)" }
            if column.isVersion { return "\(name) = \(name) + 1" }
            if column.stamp == .created { return created(column, index + 1) }
            let isKept = column.defaultSQL != nil && column.isNullable
            return "\(name) = \(isKept ? value(column, index + 1) : "excluded.\(name)")"
        }
        let version = checksVersion ? columns.firstIndex { $0.isVersion } : nil
        let checked = condition(
            version.map { ["\(quoteIdentifier(columns[$0].name)) = \(dialect.parameter($0 + 1))"] } ?? [])
        return "INSERT INTO \(values(table, columns)) ON CONFLICT (\(quotedNames(key))) DO UPDATE SET "
            + updates.joined(separator: ", ") + checked + returningClause(returning)
    }

    /// Parameters: the columns, then the key, then the version. Without columns the key is set to itself, which still tells
    /// whether the row is there.
    /// - Parameters:
    ///   - stamps: columns that get the time.
    ///   - version: the column that counts the row's writes, which must be the record's.
    package func update(
        _ table: String, set columns: [WrittenColumn], stamps: [String] = [], key: [String], version: String? = nil,
        returning: [String] = []
    ) -> String {
        var assignments = columns.enumerated().map { index, column in
            column.stamp == .created
                ? created(column, index + 1) : "\(quoteIdentifier(column.name)) = \(value(column, index + 1))"
        }
        assignments += stamps.map { "\(quoteIdentifier($0)) = \(dialect.now)" }
        if let name = version.map({ quoteIdentifier($0) }) {
            assignments.append("\(name) = \(name) + 1")
        } else if assignments.isEmpty {
            assignments = key.map { "\(quoteIdentifier($0)) = \(quoteIdentifier($0))" }
        }
        let conditions = matches(key + (version.map { [$0] } ?? []), from: columns.count + 1)
        return "UPDATE \(self.table(table)) SET \(assignments.joined(separator: ", "))"
            + "\(conditions)\(returningClause(returning))"
    }

    /// - Parameter key: with the version, where that is to be the record's.
    package func delete(from table: String, key: [String]) -> String {
        "DELETE FROM \(self.table(table))\(matches(key, from: 1))"
    }

    /// - Parameter isView: a row comes back for each that triggers delete in its place, which SQLite does not count.
    package func deleteAll(from table: String, isView: Bool = false) -> String {
        "DELETE FROM \(self.table(table))\(condition([]))\(isView ? " RETURNING 1" : "")"
    }

    package func select(_ columns: [String], from table: String, key: [String]) -> String {
        "SELECT \(quotedNames(columns)) FROM \(self.table(table))\(matches(key, from: 1))"
    }

    /// By columns whose values are given as they are written.
    package func select(_ columns: [String], from table: String, written key: [WrittenColumn]) -> String {
        let matches = key.enumerated().map { "\(quoteIdentifier($1.name)) = \(value($1, $0 + 1))" }
        return "SELECT \(quotedNames(columns)) FROM \(self.table(table))\(condition(matches))"
    }

    package func exists(in table: String, key: [String]) -> String {
        "SELECT 1 FROM \(self.table(table))\(matches(key, from: 1))"
    }

    package func greatest(_ column: String, in table: String) -> String {
        "SELECT max(\(quoteIdentifier(column))) FROM \(self.table(table))\(condition([]))"
    }

    /// Parameters: the attributes (NULL equals NULL), then limit and offset if there is a limit.
    package func select(
        _ columns: [String], from table: String, attributes: [OrderedColumn], order: [OrderedColumn], limited: Bool
    ) -> String {
        var sql = "SELECT \(quotedNames(columns)) FROM \(self.table(table))"
        sql += condition(
            attributes.enumerated().map { index, column in
                compared(column) + dialect.infix(.is) + dialect.parameter(index + 1)
            })
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
        quoteIdentifier(column.name) + (column.collation.map { " COLLATE " + $0 } ?? "")
    }

    /// How many rows another SELECT has. The line break ends a comment the SELECT may end with.
    package func count(_ select: String) -> String { "SELECT count(*) FROM (\(select)\n)" }

    private func values(_ table: String, _ columns: [WrittenColumn]) -> String {
        guard !columns.isEmpty else { return "\(self.table(table)) DEFAULT VALUES" }
        let values = columns.enumerated().map { index, column in
            if column.isVersion { return "1" }
            if column.stamp == .updated { return dialect.now }
            let parameter = value(column, index + 1)
            let defaultSQL = column.stamp == .created ? dialect.now : column.defaultSQL
            return defaultSQL.map { dialect.value(parameter, default: $0) } ?? parameter
        }
        return
            "\(self.table(table)) (\(quotedNames(columns.map(\.name)))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// What an update writes to the time of creation: a record without it does not empty it.
    private func created(_ column: WrittenColumn, _ parameter: Int) -> String {
        let name = quoteIdentifier(column.name)
        return "\(name) = \(dialect.value(value(column, parameter), default: name))"
    }

    private func value(_ column: WrittenColumn, _ parameter: Int) -> String {
        var parameter = dialect.parameter(parameter)
        if let constant = column.constant { return dialect.constant(constant, besides: parameter) }
        if let scale = column.scale {
            parameter = dialect.stored + parameter + dialect.stored(as: "decimal(\(scale.digits))", of: scale.property)
        }
        return column.kept?.sql(parameter) ?? parameter
    }

    private func matches(_ key: [String], from first: Int) -> String {
        condition(
            key.enumerated().map { index, name in
                "\(quoteIdentifier(name)) = \(dialect.parameter(first + index))"
            })
    }

    private func returningClause(_ columns: [String]) -> String {
        columns.isEmpty ? "" : " RETURNING \(quotedNames(columns))"
    }
}
