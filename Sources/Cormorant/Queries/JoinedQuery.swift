/// A query of two joined tables; see `SelectQuery.join(_:as:from:on:)`.
public struct JoinedQuery2<A: Selectable, B: Selectable>: RowQuery {
    public typealias Row = (A.Fetched, B.Fetched)

    public var query: SelectQuery<Row, (A, B)>

    @inlinable
    init(_ joined: JoinedTree, _ a: A, _ b: B) {
        query = SelectQuery(joined, (a, b)) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self))
        }
    }

    /// Joins another table: what meets the condition.
    @inlinable
    public func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery3<A, B, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b) = query.columns
        let joined = query.joining(source, condition(a, b, source.columns))
        return JoinedQuery3(joined, a, b, source.columns)
    }

    /// Joins another table, and keeps what no record of it meets the condition with: there that is nil.
    @inlinable
    public func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery3<A, B, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b) = query.columns
        let joined = query.joining(source, condition(a, b, source.columns), isLeft: true)
        return JoinedQuery3(joined, a, b, OptionalColumns(source.columns))
    }

    /// Joins each record of another table with each row.
    @inlinable
    public func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery3<A, B, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b) = query.columns
        return JoinedQuery3(query.joining(source, nil), a, b, source.columns)
    }

    /// Joins the records at the end of a relation.
    @inlinable
    public func join<End: RelationEnd>(
        along relation: KeyPath<(A, B), End>, as alias: String? = nil
    ) -> JoinedQuery3<A, B, End.Target> {
        let (a, b) = query.columns
        let target = End.Target(recordSource: TableSource(alias: alias))
        return JoinedQuery3(query.joining(along: query.columns[keyPath: relation], alias, target), a, b, target)
    }

    /// Joins the records at the end of a relation, and keeps what has none: there that is nil.
    @inlinable
    public func leftJoin<End: RelationEnd>(
        along relation: KeyPath<(A, B), End>, as alias: String? = nil
    ) -> JoinedQuery3<A, B, OptionalColumns<End.Target>> {
        let (a, b) = query.columns
        let target = OptionalColumns(End.Target(recordSource: TableSource(alias: alias)))
        let joined = query.joining(along: query.columns[keyPath: relation], alias, target, isLeft: true)
        return JoinedQuery3(joined, a, b, target)
    }
}

/// A query of three joined tables; see `SelectQuery.join(_:as:from:on:)`.
public struct JoinedQuery3<A: Selectable, B: Selectable, C: Selectable>: RowQuery {
    public typealias Row = (A.Fetched, B.Fetched, C.Fetched)

    public var query: SelectQuery<Row, (A, B, C)>

    @inlinable
    init(_ joined: JoinedTree, _ a: A, _ b: B, _ c: C) {
        query = SelectQuery(joined, (a, b, c)) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self), try position.next(C.self))
        }
    }

    /// Joins another table: what meets the condition.
    @inlinable
    public func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery4<A, B, C, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c) = query.columns
        let joined = query.joining(source, condition(a, b, c, source.columns))
        return JoinedQuery4(joined, a, b, c, source.columns)
    }

    /// Joins another table, and keeps what no record of it meets the condition with: there that is nil.
    @inlinable
    public func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery4<A, B, C, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c) = query.columns
        let joined = query.joining(source, condition(a, b, c, source.columns), isLeft: true)
        return JoinedQuery4(joined, a, b, c, OptionalColumns(source.columns))
    }

    /// Joins each record of another table with each row.
    @inlinable
    public func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery4<A, B, C, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c) = query.columns
        return JoinedQuery4(query.joining(source, nil), a, b, c, source.columns)
    }

    /// Joins the records at the end of a relation.
    @inlinable
    public func join<End: RelationEnd>(
        along relation: KeyPath<(A, B, C), End>, as alias: String? = nil
    ) -> JoinedQuery4<A, B, C, End.Target> {
        let (a, b, c) = query.columns
        let target = End.Target(recordSource: TableSource(alias: alias))
        return JoinedQuery4(query.joining(along: query.columns[keyPath: relation], alias, target), a, b, c, target)
    }

    /// Joins the records at the end of a relation, and keeps what has none: there that is nil.
    @inlinable
    public func leftJoin<End: RelationEnd>(
        along relation: KeyPath<(A, B, C), End>, as alias: String? = nil
    ) -> JoinedQuery4<A, B, C, OptionalColumns<End.Target>> {
        let (a, b, c) = query.columns
        let target = OptionalColumns(End.Target(recordSource: TableSource(alias: alias)))
        let joined = query.joining(along: query.columns[keyPath: relation], alias, target, isLeft: true)
        return JoinedQuery4(joined, a, b, c, target)
    }
}

/// A query of four joined tables; see `SelectQuery.join(_:as:from:on:)`.
public struct JoinedQuery4<A: Selectable, B: Selectable, C: Selectable, D: Selectable>: RowQuery {
    public typealias Row = (A.Fetched, B.Fetched, C.Fetched, D.Fetched)

    public var query: SelectQuery<Row, (A, B, C, D)>

    @inlinable
    init(_ joined: JoinedTree, _ a: A, _ b: B, _ c: C, _ d: D) {
        query = SelectQuery(joined, (a, b, c, d)) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self)
            )
        }
    }

    /// Joins another table: what meets the condition.
    @inlinable
    public func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, D, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery5<A, B, C, D, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d) = query.columns
        let joined = query.joining(source, condition(a, b, c, d, source.columns))
        return JoinedQuery5(joined, a, b, c, d, source.columns)
    }

    /// Joins another table, and keeps what no record of it meets the condition with: there that is nil.
    @inlinable
    public func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, D, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery5<A, B, C, D, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d) = query.columns
        let joined = query.joining(source, condition(a, b, c, d, source.columns), isLeft: true)
        return JoinedQuery5(joined, a, b, c, d, OptionalColumns(source.columns))
    }

    /// Joins each record of another table with each row.
    @inlinable
    public func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery5<A, B, C, D, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d) = query.columns
        return JoinedQuery5(query.joining(source, nil), a, b, c, d, source.columns)
    }

    /// Joins the records at the end of a relation.
    @inlinable
    public func join<End: RelationEnd>(
        along relation: KeyPath<(A, B, C, D), End>, as alias: String? = nil
    ) -> JoinedQuery5<A, B, C, D, End.Target> {
        let (a, b, c, d) = query.columns
        let target = End.Target(recordSource: TableSource(alias: alias))
        return JoinedQuery5(query.joining(along: query.columns[keyPath: relation], alias, target), a, b, c, d, target)
    }

    /// Joins the records at the end of a relation, and keeps what has none: there that is nil.
    @inlinable
    public func leftJoin<End: RelationEnd>(
        along relation: KeyPath<(A, B, C, D), End>, as alias: String? = nil
    ) -> JoinedQuery5<A, B, C, D, OptionalColumns<End.Target>> {
        let (a, b, c, d) = query.columns
        let target = OptionalColumns(End.Target(recordSource: TableSource(alias: alias)))
        let joined = query.joining(along: query.columns[keyPath: relation], alias, target, isLeft: true)
        return JoinedQuery5(joined, a, b, c, d, target)
    }
}

/// A query of five joined tables; see `SelectQuery.join(_:as:from:on:)`.
public struct JoinedQuery5<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable>: RowQuery {
    public typealias Row = (A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched)

    public var query: SelectQuery<Row, (A, B, C, D, E)>

    @inlinable
    init(_ joined: JoinedTree, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
        query = SelectQuery(joined, (a, b, c, d, e)) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self)
            )
        }
    }

    /// Joins another table: what meets the condition.
    @inlinable
    public func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, D, E, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery6<A, B, C, D, E, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d, e) = query.columns
        let joined = query.joining(source, condition(a, b, c, d, e, source.columns))
        return JoinedQuery6(joined, a, b, c, d, e, source.columns)
    }

    /// Joins another table, and keeps what no record of it meets the condition with: there that is nil.
    @inlinable
    public func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (A, B, C, D, E, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery6<A, B, C, D, E, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d, e) = query.columns
        let joined = query.joining(source, condition(a, b, c, d, e, source.columns), isLeft: true)
        return JoinedQuery6(joined, a, b, c, d, e, OptionalColumns(source.columns))
    }

    /// Joins each record of another table with each row.
    @inlinable
    public func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery6<A, B, C, D, E, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let (a, b, c, d, e) = query.columns
        return JoinedQuery6(query.joining(source, nil), a, b, c, d, e, source.columns)
    }

    /// Joins the records at the end of a relation.
    @inlinable
    public func join<End: RelationEnd>(
        along relation: KeyPath<(A, B, C, D, E), End>, as alias: String? = nil
    ) -> JoinedQuery6<A, B, C, D, E, End.Target> {
        let (a, b, c, d, e) = query.columns
        let target = End.Target(recordSource: TableSource(alias: alias))
        return JoinedQuery6(
            query.joining(along: query.columns[keyPath: relation], alias, target), a, b, c, d, e, target)
    }

    /// Joins the records at the end of a relation, and keeps what has none: there that is nil.
    @inlinable
    public func leftJoin<End: RelationEnd>(
        along relation: KeyPath<(A, B, C, D, E), End>, as alias: String? = nil
    ) -> JoinedQuery6<A, B, C, D, E, OptionalColumns<End.Target>> {
        let (a, b, c, d, e) = query.columns
        let target = OptionalColumns(End.Target(recordSource: TableSource(alias: alias)))
        let joined = query.joining(along: query.columns[keyPath: relation], alias, target, isLeft: true)
        return JoinedQuery6(joined, a, b, c, d, e, target)
    }
}

/// A query of six joined tables; see `SelectQuery.join(_:as:from:on:)`.
public struct JoinedQuery6<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable>:
    RowQuery
{
    public typealias Row = (A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched)

    public var query: SelectQuery<Row, (A, B, C, D, E, F)>

    @inlinable
    init(_ joined: JoinedTree, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
        query = SelectQuery(joined, (a, b, c, d, e, f)) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self), try position.next(F.self)
            )
        }
    }
}
