import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Columns of tables that other programs made, whose declared type makes other values of those that a model writes: of the
/// text '007' in a NUMERIC column SQLite makes the number 7. What such a column would convert is refused when it is written.
extension Connection {
    /// The columns of a table that would convert some values of the model's type, and what refuses those.
    func converted(_ table: TableReference) throws -> [Int: SQLCompiler.Kept] {
        // Other engines refuse what a column does not take.
        guard engine == nil else { return [:] }
        let known = lookedAt
        if let columns = known.converted(table, schemaChanges) { return columns }
        guard let owner = table.modelTable else { return [:] }
        var columns: [Int: SQLCompiler.Kept] = [:]
        for (index, column) in table.columns.enumerated() where !column.isComputed {
            // A table that is not there yet.
            guard let declared = declaredType(of: column.name, in: owner.name, of: owner.attachment) else {
                return [:]
            }
            guard column.type.isConverted(by: Affinity(declaredType: declared)),
                try !sameIdentifier(declared, "ANY") || !isStrict(owner)
            else { continue }
            columns[index] = SQLCompiler.Kept(
                column.name, in: owner.name, of: owner.attachment, declared: declared)
        }
        known.keep(columns, of: table)
        return columns
    }

    /// The SQL of a statement to run, whose values go through what refuses those that a column would convert.
    func keeping(_ compiled: CompiledStatement) throws -> String {
        guard let table = compiled.assigned.first?.column.table else { return compiled.checkedSQL }
        let converted = try converted(table)
        guard !converted.isEmpty else { return compiled.checkedSQL }
        var sql = Array(compiled.checkedSQL.utf8)
        for (column, range) in compiled.assigned.reversed() {
            guard let kept = converted[column.index] else { continue }
            guard let range else {
                throw CormorantError(
                    .type,
                    "the column \(table.name).\(column.column.name) has another type in the file, which may convert "
                        + "what a query inserts",
                    hint: "fetch the rows and insert them as records, which are looked at one by one",
                    sql: compiled.sql,
                    table: table.name, columns: [column.column.name])
            }
            let value = String(decoding: sql[range], as: UTF8.self)
            sql.replaceSubrange(range, with: Array(kept.sql(value).utf8))
        }
        return String(decoding: sql, as: UTF8.self)
    }

    private func isStrict(_ table: ModelTable) throws -> Bool {
        let statement = try Statement(self, "SELECT strict FROM pragma_table_list(?1) WHERE schema = ?2")
        defer { statement.finalize() }
        try statement.bind(.text(table.name), 1)
        try statement.bind(.text(table.attachment ?? "main"), 2)
        return try statement.step() && Row(statement).cell(0).int64 == 1
    }
}

extension ColumnType {
    /// Whether a column of that affinity makes a value of another kind of some that the type has.
    fileprivate func isConverted(by affinity: Affinity) -> Bool {
        switch self {
        case .int64, .int32, .bool, .duration: affinity == .real || affinity == .text
        case .double, .float: affinity == .text
        case .text, .varchar, .decimal, .json: affinity != .text && affinity != .blob
        // No text form of them is a number.
        case .datetime, .date, .time, .offsetDatetime, .uuid, .blob: false
        }
    }
}
