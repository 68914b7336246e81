import CormorantQuery

/// Queries as tables of other queries.
///
/// ```swift
/// let sales = Album.group { $0.artistID }.select { Sales.Columns(artist: $0.artistID, total: $0.price.sum()) }.cte("sales")
/// sales.where { $0.total > sales.select { $0.total.average() }.scalar() }
/// Artist.join(Sales.self, from: sales) { artist, sales in sales.artist == artist.id }
/// ```
///
/// The name is what the SQL calls it, and stands here alone: what is given is a query of all its rows, which clauses and
/// joins go on from. Within one query each name has one meaning; to read a table twice, take it by a second name with
/// `subquery(_:)`.
extension RowQuery where Row: Record {
    /// The query as a subquery in the FROM of others.
    public func subquery(_ name: String) -> SelectQuery<Row, Row.Columns> {
        RecordSource<Row>(alias: name, self).all
    }

    /// The query as a common table expression: the statements that read from it have it in their WITH, once.
    public func cte(_ name: String) -> SelectQuery<Row, Row.Columns> {
        RecordSource<Row>(.common(commonTable(name, tree)), named: name).all
    }

    /// A recursive common table expression: the rows of the query, and those that `next` makes of rows that are there.
    ///
    /// ```swift
    /// let line = Employee.where { $0.id == 1 }
    ///     .select { Line.Columns(id: $0.id, level: SQLExpression(0)) }
    ///     .cte("line") { line in
    ///         Employee.join(Line.self, from: line) { employee, line in employee.bossID == line.id }
    ///             .select { employee, line in Line.Columns(id: employee.id, level: line.level + 1) }
    ///     }
    /// line.order { $0.level }
    /// ```
    ///
    /// - Parameters:
    ///   - name: what the SQL calls it.
    ///   - distinct: each row once, which ends where rows go in a circle.
    ///   - next: a query that reads from the table itself.
    public func cte<Next: RowQuery>(
        _ name: String, distinct: Bool = false, _ next: (SelectQuery<Row, Row.Columns>) -> Next
    ) -> SelectQuery<Row, Row.Columns> where Next.Row == Row {
        let itself = RecordSource<Row>(.name(name), named: name).all
        var all = tree
        all.compounds.append(Compound(distinct ? .union : .unionAll, next(itself).tree))
        return RecordSource<Row>(.common(commonTable(name, all)), named: name).all
    }

    private func commonTable(_ name: String, _ tree: Select) -> CommonTable {
        CommonTable(name, columns: Row.model.columns.map(\.column), tree, identity: CommonTable.Identity())
    }
}
