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
    ) throws -> String {
        try insertion(conflict) + values(table, columns) + skipping(conflict) + returningClause(returning)
    }

    /// INSERT that updates the row with the same key, in one statement.
    /// - Parameters:
    ///   - kept: columns that a row which is there keeps, besides the key.
    ///   - checksVersion: whether a row that is there must have the record's version.
    package func save(
        into table: String, _ columns: [WrittenColumn], key: [String], keeping kept: [String] = [],
        checksVersion: Bool = false, returning: [String] = []
    ) throws -> String {
        var others = columns.indices.filter { !key.has(columns[$0].name) && !kept.has(columns[$0].name) }
        // Where all else is kept, it counts no write.
        if !kept.isEmpty, others.allSatisfy({ columns[$0].isCounted }) { others = [] }
        // A table of keys only has nothing to update, but RETURNING needs an updated row.
        let updates = try (others.isEmpty ? Array(columns.indices) : others).map { index in
            let column = columns[index]
            let name = quoteIdentifier(column.name)
            let there = inTheWay(table) + name
            if others.isEmpty, !kept.isEmpty || column.isVersion { return "\(name) = \(there)" }
            if column.isVersion { return "\(name) = \(there) + 1" }
            if column.stamp == .created { return try created(column, index + 1, there) }
            let isKept = column.defaultSQL != nil && column.isNullable
            return try "\(name) = \(isKept ? value(column, index + 1) : "excluded.\(name)")"
        }
        let version = checksVersion ? columns.firstIndex { $0.isVersion } : nil
        let checked = try conditionInTheWay(
            of: table, columns, key: key,
            version.map { "\(inTheWay(table))\(quoteIdentifier(columns[$0].name)) = \(dialect.parameter($0 + 1))" })
        return try "INSERT INTO \(values(table, columns)) ON CONFLICT (\(keyNames(key))) DO UPDATE SET "
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
    ) throws -> String {
        var assignments = try columns.enumerated().map { index, column in
            try column.stamp == .created
                ? created(column, index + 1, quoteIdentifier(column.name))
                : "\(quoteIdentifier(column.name)) = \(value(column, index + 1))"
        }
        assignments += stamps.map { "\(quoteIdentifier($0)) = \(dialect.now)" }
        if let name = version.map({ quoteIdentifier($0) }) {
            assignments.append("\(name) = \(name) + 1")
        } else if assignments.isEmpty {
            assignments = key.map { "\(quoteIdentifier($0)) = \(quoteIdentifier($0))" }
        }
        let conditions = try matches(key + (version.map { [$0] } ?? []), from: columns.count + 1)
        return "UPDATE \(self.table(table)) SET \(assignments.joined(separator: ", "))"
            + "\(conditions)\(returningClause(returning))"
    }

    /// - Parameter key: with the version, where that is to be the record's.
    package func delete(from table: String, key: [String]) throws -> String {
        try "DELETE FROM \(self.table(table))\(matches(key, from: 1))"
    }

    /// - Parameter isView: a row comes back for each that triggers delete in its place, which SQLite does not count.
    package func deleteAll(from table: String, isView: Bool = false) throws -> String {
        try "DELETE FROM \(self.table(table))\(condition([]))\(isView ? " RETURNING 1" : "")"
    }

    package func select(_ columns: [String], from table: String, key: [String]) throws -> String {
        try "SELECT \(quotedNames(columns)) FROM \(self.table(table))\(matches(key, from: 1))"
    }

    /// By columns whose values are given as they are written.
    package func select(_ columns: [String], from table: String, written key: [WrittenColumn]) throws -> String {
        let matches = try key.enumerated().map { try match($1.name, value($1, $0 + 1)) }
        return try "SELECT \(quotedNames(columns)) FROM \(self.table(table))\(condition(matches))"
    }

    package func exists(in table: String, key: [String]) throws -> String {
        try "SELECT 1 FROM \(self.table(table))\(matches(key, from: 1))"
    }

    package func greatest(_ column: String, in table: String) throws -> String {
        try "SELECT max(\(ordered(column))) FROM \(self.table(table))\(condition([]))"
    }

    /// Parameters: the attributes (NULL equals NULL), then limit and offset if there is a limit.
    package func select(
        _ columns: [String], from table: String, attributes: [OrderedColumn], order: [OrderedColumn], limited: Bool
    ) throws -> String {
        var sql = "SELECT \(quotedNames(columns)) FROM \(self.table(table))"
        sql += try condition(attributes.enumerated().map { index, column in attribute(column, index + 1) })
        if !order.isEmpty {
            let terms = order.map(term)
            sql += " ORDER BY \(terms.joined(separator: ", "))"
        }
        if limited {
            sql += limit(attributes.count + 1)
        }
        return sql
    }

    func compared(_ column: OrderedColumn) -> String {
        quoteIdentifier(column.name) + (column.collation.map { " COLLATE " + $0 } ?? "")
    }

    /// How many rows another SELECT has. The line break ends a comment the SELECT may end with.
    package func count(_ select: String) -> String {
        "SELECT count(*) FROM (\(select)\n)" + (dialect == .postgres ? " AS \"counted\"" : "")
    }

    private func values(_ table: String, _ columns: [WrittenColumn]) throws -> String {
        guard !columns.isEmpty else { return "\(target(table)) DEFAULT VALUES" }
        let values = try newValues(columns, table).joined(separator: ", ")
        return "\(target(table)) (\(quotedNames(columns.map(\.name)))) VALUES (\(values))"
    }

    /// What a new row has in its columns.
    func newValues(_ columns: [WrittenColumn], _ table: String) throws -> [String] {
        try columns.enumerated().map { index, column in
            if column.isVersion { return "1" }
            if column.stamp == .updated { return dialect.now }
            let parameter = try value(column, index + 1, inserting: table)
            let defaultSQL = try column.stamp == .created ? dialect.now : defaultValue(of: column)
            return defaultSQL.map { dialect.value(parameter, default: $0) } ?? parameter
        }
    }

    /// What an update writes to the time of creation: a record without it does not empty it.
    /// - Parameter there: the time that the row has.
    private func created(_ column: WrittenColumn, _ parameter: Int, _ there: String) throws -> String {
        try "\(quoteIdentifier(column.name)) = \(dialect.value(value(column, parameter), default: there))"
    }

    /// - Parameter table: the table, where a new row is written.
    func value(_ column: WrittenColumn, _ parameter: Int, inserting table: String? = nil) throws -> String {
        if dialect == .postgres { return try postgresValue(column, parameter, inserting: table) }
        var parameter = dialect.parameter(parameter)
        if let constant = column.constant { return dialect.constant(constant, besides: parameter) }
        if let scale = column.scale {
            parameter = dialect.stored + parameter + dialect.stored(as: "decimal(\(scale.digits))", of: scale.property)
        }
        return column.kept?.sql(parameter) ?? parameter
    }

    private func matches(_ key: [String], from first: Int) throws -> String {
        try condition(key.enumerated().map { match($1, parameter(first + $0, beside: $1)) })
    }

    private func returningClause(_ columns: [String]) -> String {
        guard !columns.isEmpty else { return "" }
        let returned = columns.map { (records?.mustReturn($0, dialect) == true ? "+" : "") + quoteIdentifier($0) }
        return " RETURNING \(returned.joined(separator: ", "))"
    }
}

extension TableReference {
    /// Whether a column must be an expression to come back as it is: where the first column of a table is REAL, RETURNING of SQLite
    /// 3.40 makes a real of each integer.
    func mustReturn(_ name: String, _ dialect: Dialect) -> Bool {
        guard dialect == .sqlite, columns.contains(where: { $0.type == .double || $0.type == .float }) else {
            return false
        }
        return columns.contains {
            [.int64, .int32, .bool, .duration].contains($0.type) && sameIdentifier($0.name, name)
        }
    }
}
