import CormorantBase
import CormorantORM
import CormorantQuery

extension StatementBox {
    /// Its SQL with all columns of records that stand in its rows, called as the rows' model calls them.
    func statement(
        _ records: [StructLayout.Nested], of model: ModelDescriptor, _ dialect: Dialect
    ) throws -> CompiledStatement {
        try forms.rows(of: model, dialect) {
            guard case .select(var select) = tree else {
                if case .problem(let error) = tree { throw error }
                throw CormorantError(
                    .misuse, "a statement that writes gives no rows of several records", hint: "read them with a SELECT"
                )
            }
            guard select.compounds.isEmpty else {
                throw CormorantError(
                    .misuse, "a compound SELECT gives no rows of several records",
                    hint: "select from it as a subquery, or list its columns for a model of values")
            }
            for record in records {
                let alias = try source(of: record)
                select.columns += record.model.columns.indices.map { column in
                    Expression.column(record.model.tableReference, column, alias: alias)
                        .labelled(model.columns[record.first + column].column)
                }
            }
            return try StatementCompiler.compile(select, dialect)
        }
    }

    /// The alias of the source that gives a record; nil: it has none.
    private func source(of record: StructLayout.Nested) throws -> String? {
        let fitting = models.filter { $0.model.tableReference === record.model.tableReference }
        let named = fitting.filter { sameIdentifier($0.name, record.name) }
        guard let found = named.first ?? fitting.first else {
            throw CormorantError(
                .misuse,
                "the statement reads from no \(record.model.name), of which the row's \(record.name) is one",
                hint: "join it", table: record.model.table)
        }
        guard named.count == 1 || fitting.count == 1 else {
            throw CormorantError(
                .misuse,
                "the statement reads several times from \(record.model.name), and none is called \(record.name)",
                hint: "give the source that the field \(record.name) is of that alias", table: record.model.table)
        }
        return sameIdentifier(found.name, record.model.table) ? nil : found.name
    }
}
