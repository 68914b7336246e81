/// Rows of two queries. Order and limit are those of the whole.
extension RowQuery {
    /// The rows of both, each once.
    public func union(_ other: some RowQuery<Row>) -> Self { combined(.union, other.tree) }

    /// The rows of both.
    public func unionAll(_ other: some RowQuery<Row>) -> Self { combined(.unionAll, other.tree) }

    /// The rows that both have.
    public func intersect(_ other: some RowQuery<Row>) -> Self { combined(.intersect, other.tree) }

    /// The rows that the other does not have.
    public func except(_ other: some RowQuery<Row>) -> Self { combined(.except, other.tree) }

    private func combined(_ op: CompoundOperator, _ other: Select) -> Self {
        changing { $0.compounds.append(Compound(op, other)) }
    }

    /// A common table expression: within the query, the table of a record type holds the rows of another query. It is
    /// recursive where that query reads from the type itself.
    ///
    /// ```swift
    /// let line = Employee.where { $0.id == 1 }.select { Line.Columns(id: $0.id, level: SQLExpression(0)) }
    ///     .unionAll(
    ///         Employee.join(Line.self) { employee, line in employee.bossID == line.id }
    ///             .select { employee, line in Line.Columns(id: employee.id, level: line.level + 1) })
    /// Line.all.with(Line.self, line).order { $0.level }
    /// ```
    public func with<R: Record>(_ type: R.Type, _ query: some RowQuery<R>) -> Self {
        changing { tree in
            try R.model.validate()
            let names = R.model.columns.map(\.column)
            tree.commonTables.append(CommonTable(R.model.table, columns: names, query.tree))
        }
    }
}

/// Queries inside expressions. Columns of the query around it can be used in it.
extension RowQuery {
    /// Whether the query has a row.
    public func exists() -> SQLExpression<Bool> { SQLExpression(node: .exists(tree)) }
}

extension RowQuery where Row: ColumnValue {
    /// The value of the first row; NULL of none.
    public func scalar() -> SQLExpression<Row.Unwrapped?> { SQLExpression(node: .scalar(tree)) }
}
