import CormorantBase
import CormorantQuery
import CormorantSQLite

extension ModelPlan {
    /// Adds to a constraint error what SQLite leaves out: the table, and the columns of a CHECK or FOREIGN KEY.
    /// - Parameter isWriting: whether it was an insert or update, which break the table's own references; a delete
    ///   breaks those of others.
    package func explain(_ error: any Error, isWriting: Bool = true) -> any Error {
        guard let error = error as? CormorantError else { return error }
        switch error.code {
        case .check:
            let check = model.schema.checks.first { $0.name == error.constraint }
            // A check that the model makes itself of a column's type.
            if let column = check?.column.flatMap({ name in model.columns.first { $0.column == name } }),
                column.type == .json, check?.condition != column.checkSQL
            {
                return CormorantError(
                    .check, "\(model.name).\(column.name) is not JSON", hint: "give a JSON text",
                    sqliteCode: error.sqliteCode, sql: error.sql, table: model.table, columns: [column.column],
                    constraint: error.constraint)
            }
            return named(error, columns: check?.column.map { [$0] } ?? [])
        case .foreignKey:
            let columns = isWriting ? model.schema.foreignKeys.flatMap(\.columns) : []
            return named(error, columns: columns)
        case .constraint, .unique, .notNull, .type:
            return error.table == nil ? named(error, columns: error.columns) : error
        // A table that was dropped or altered since the statement was prepared.
        case .sql where error.isMissingName: return schemaError(error)
        default: return error
        }
    }

    private func named(_ error: CormorantError, columns: [String]) -> CormorantError {
        let place = columns.isEmpty ? model.table : "\(model.table).\(columns.joined(separator: ", "))"
        return CormorantError(
            error.code, "\(error.message) (\(place))", hint: error.plainHint, sqliteCode: error.sqliteCode,
            sql: error.sql,
            offset: error.offset, table: model.table, columns: columns, constraint: error.constraint)
    }
}
