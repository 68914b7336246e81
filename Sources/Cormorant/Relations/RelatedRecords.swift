/// The records at the end of a to-many relation, in the closures of a query: conditions on them and aggregates over them.
///
/// ```swift
/// Artist.where { $0.albums.contains { $0.title.hasPrefix("Live") } }
/// Artist.select { ($0.name, $0.albums.count()) }
/// ```
public struct RelatedRecords<Target: RecordColumns>: RelationEnd, Sendable {
    public let route: RelationRoute

    /// Whether any of them meets a condition.
    public func contains(
        where condition: (Target) -> SQLExpression<Bool>
    ) -> SQLExpression<Bool> {
        let target = targetColumns
        return exists([condition(target).node], target)
    }

    /// Whether a record is one of them. It must have its key.
    public func contains(_ record: Target.Fetched) -> SQLExpression<Bool> { isRelated(route, record) }

    /// Whether there are none.
    public func isEmpty() -> SQLExpression<Bool> { !exists([], targetColumns) }

    /// How many there are.
    public func count() -> SQLExpression<Int> { aggregate("count", nil, [], targetColumns) }

    /// How many meet a condition.
    public func count(where condition: (Target) -> SQLExpression<Bool>) -> SQLExpression<Int> {
        let target = targetColumns
        return aggregate("count", nil, [condition(target).node], target)
    }

    /// The sum of a column; NULL of none.
    public func sum<Content>(
        _ column: (Target) -> SQLExpression<Content>
    ) -> SQLExpression<Content.Unwrapped?> where Content.Unwrapped: SQLNumber {
        aggregate("sum") { column($0).node }
    }

    /// The mean of a column; NULL of none.
    public func average<Content>(_ column: (Target) -> SQLExpression<Content>) -> SQLExpression<Double?>
    where Content.Unwrapped: SQLNumber {
        aggregate("avg") { column($0).node }
    }

    /// The smallest value of a column; NULL of none.
    public func min<Content>(
        _ column: (Target) -> SQLExpression<Content>
    ) -> SQLExpression<Content.Unwrapped?> { aggregate("min") { column($0).node } }

    /// The greatest value of a column; NULL of none.
    public func max<Content>(
        _ column: (Target) -> SQLExpression<Content>
    ) -> SQLExpression<Content.Unwrapped?> { aggregate("max") { column($0).node } }

    private var targetColumns: Target { Target(recordSource: TableSource()) }

    private func exists(_ conditions: [Expression], _ target: Target) -> SQLExpression<Bool> {
        SQLExpression(
            node: detour
                ?? route.model.exists(
                    route.name, where: conditions, alias: route.alias, source: route.source,
                    target: target.recordSource.identity))
    }

    private func aggregate<Result>(_ function: String, _ column: (Target) -> Expression) -> SQLExpression<Result> {
        let target = targetColumns
        return aggregate(function, column(target), [], target)
    }

    private func aggregate<Result>(
        _ function: String, _ column: Expression?, _ conditions: [Expression], _ target: Target
    ) -> SQLExpression<Result> {
        if let detour { return SQLExpression(node: detour) }
        guard let column else {
            return SQLExpression(
                node: route.model.aggregate(
                    function, over: route.name, where: conditions, alias: route.alias, source: route.source,
                    target: target.recordSource.identity))
        }
        guard case .column(let reference) = column.node, reference.table === Target.Fetched.model.tableReference else {
            return SQLExpression(
                node: .problem(
                    CormorantError(
                        .misuse,
                        "an aggregate over \(route.model.name).\(route.name) is of no column of \(Target.Fetched.model.name)",
                        hint: "give a column, or aggregate in a query of its own with scalar()")))
        }
        return SQLExpression(
            node: route.model.aggregate(
                function, over: route.name, reference.column.property, where: conditions, alias: route.alias,
                source: route.source, target: target.recordSource.identity))
    }

    /// What is wrong where the relation does not begin at a table of the query.
    private var detour: Expression? {
        guard route.relations.count > 1 else { return nil }
        let detour = route.relations.dropLast().joined(separator: ".")
        return .problem(
            CormorantError(
                .misuse, "\(route.model.name).\(detour).\(route.name) leads to many records by a detour",
                hint: "join along \(detour) and ask there"))
    }
}

extension OptionalColumns {
    /// Whether the record at the end of a relation, or a joined one, is this record, which must have its key; nil: whether there is
    /// none.
    ///
    /// ```swift
    /// Album.where { $0.artist.is(artist) }
    /// ```
    ///
    /// As in SQL, where there is none it neither is a record nor is it none of it: `!$0.artist.is(artist)` leaves such rows out.
    public func `is`(_ record: Columns.Fetched?) -> SQLExpression<Bool> {
        isRelated(columns.recordSource.route, record)
    }
}

private func isRelated<R: Record>(_ route: RelationRoute, _ record: R?) -> SQLExpression<Bool> {
    let value = record.map { record in
        { column in R.model.attribute(try record.columnValue(at: column), for: column) }
    }
    return SQLExpression(
        node: route.model.isRelated(along: route.relations, to: value, alias: route.alias, source: route.source))
}
