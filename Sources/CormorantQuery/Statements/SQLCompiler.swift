import CormorantBase

/// Turns schema values and record operations into SQL text.
package struct SQLCompiler: Sendable {
    let dialect: Dialect
    private let attachment: String?
    /// The condition of all rows that are read, changed or deleted.
    let scope: String?
    /// The table of the records: PostgreSQL is told the types of its columns.
    let records: TableReference?

    /// - Parameters:
    ///   - attachment: the name under which the file of the records' tables is attached.
    ///   - records: their table; PostgreSQL's statements of records need it.
    package init(
        _ dialect: Dialect = .sqlite, in attachment: String? = nil, scope: String? = nil,
        of records: TableReference? = nil
    ) {
        self.scope = scope
        self.records = records
        self.dialect = dialect
        self.attachment = attachment
    }

    /// WHERE with conditions, and that of the scope; nothing where there are none.
    func condition(_ conditions: [String]) throws -> String {
        let all = try conditions + (scope.map { ["(\(try written(scope: $0)))"] } ?? [])
        return all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
    }

    /// The condition of the scope, as the engine has it.
    func written(scope: String) throws -> String {
        guard dialect == .postgres, let records else { return scope }
        return try PortableSQL.condition(scope, of: records)
    }

    /// A table of records.
    package func table(_ name: String) -> String {
        let name = quoteIdentifier(name)
        return attachment.map { "\(quoteIdentifier($0)).\(name)" } ?? name
    }

    /// What rows are inserted into, followed by the name that the row in the way stands with where that is not the table's.
    func target(_ name: String) -> String {
        isNamedAsNewRow(name) ? "\(table(name)) AS \(nameInTheWay(name))" : table(name)
    }

    /// Of the row that is in the way of a new one.
    func nameInTheWay(_ name: String) -> String {
        isNamedAsNewRow(name) ? quoteIdentifier("\(name) in the way") : table(name)
    }
}
