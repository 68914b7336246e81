/// Joins. The closures of the clauses that follow are given the columns of every record in turn, and the rows are tuples
/// of the records, six at most.
///
/// ```swift
/// Album.join(Artist.self) { album, artist in album.artistID == artist.id }
///     .where { album, artist in artist.name == "AC/DC" }                      // [(Album, Artist)]
/// Album.all.join(along: \.artist)                                             // [(Album, Artist)]
/// Artist.all.leftJoin(along: \.albums)                                        // [(Artist, Album?)]
/// Artist.all.join(along: \.albums).join(along: \.1.tags)                      // .1: the second, the album
/// ```
// A type for each number of tables, whose join gives the next: with parameter packs, or one function for each number, the
// compiler takes seconds for a chain of joins and finds no words for a mistake in it.
extension SelectQuery where Columns: RecordColumns, Row == Columns.Fetched {
    /// Rows of both where the condition holds.
    ///
    /// - Parameters:
    ///   - type: the records that are joined.
    ///   - alias: what the query calls the table, to have one twice.
    ///   - rows: a query that gives such records, instead of their table.
    ///   - condition: what must hold of both, given their columns.
    @inlinable
    public func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<Columns, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let first = columns
        let joined = listed.joining(source, condition(first, source.columns))
        return JoinedQuery2(joined, first, source.columns)
    }

    /// All rows so far, with the record where the condition holds; the record is nil where it holds for none.
    @inlinable
    public func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<Columns, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let first = columns
        let joined = listed.joining(source, condition(first, source.columns), isLeft: true)
        return JoinedQuery2(joined, first, OptionalColumns(source.columns))
    }

    /// All records of the other table, each with the row where the condition holds; that is nil where it holds for none.
    /// SQLite has it from 3.39 on.
    @inlinable
    public func rightJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<OptionalColumns<Columns>, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let first = columns
        let joined = listed.joining(source, condition(first, source.columns), isRight: true)
        return JoinedQuery2(joined, OptionalColumns(first), source.columns)
    }

    /// All rows and all records of the other table, side by side where the condition holds; where it holds for none, the
    /// other is nil. SQLite has it from 3.39 on.
    @inlinable
    public func fullJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<OptionalColumns<Columns>, OptionalColumns<R.Columns>> {
        let source = RecordSource<R>(alias: alias, rows)
        let first = columns
        let joined = listed.joining(source, condition(first, source.columns), isLeft: true, isRight: true)
        return JoinedQuery2(joined, OptionalColumns(first), OptionalColumns(source.columns))
    }

    /// Every row with every record.
    @inlinable
    public func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery2<Columns, R.Columns> {
        let source = RecordSource<R>(alias: alias, rows)
        let first = columns
        return JoinedQuery2(listed.joining(source, nil), first, source.columns)
    }

    /// Rows of both where there is a related record.
    @inlinable
    public func join<End: RelationEnd>(
        along relation: KeyPath<Columns, End>, as alias: String? = nil
    ) -> JoinedQuery2<Columns, End.Target> {
        let first = columns
        let target = End.Target(recordSource: TableSource(alias: alias))
        return JoinedQuery2(listed.joining(along: query.columns[keyPath: relation], alias, target), first, target)
    }

    /// All rows so far, with the related record; nil where there is none.
    @inlinable
    public func leftJoin<End: RelationEnd>(
        along relation: KeyPath<Columns, End>, as alias: String? = nil
    ) -> JoinedQuery2<Columns, OptionalColumns<End.Target>> {
        let first = columns
        let target = OptionalColumns(End.Target(recordSource: TableSource(alias: alias)))
        let joined = listed.joining(along: query.columns[keyPath: relation], alias, target, isLeft: true)
        return JoinedQuery2(joined, first, target)
    }
}

extension Record {
    /// The records with those of another table; see `SelectQuery.join(_:as:from:on:)`.
    @inlinable
    public static func join<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<Columns, R.Columns> {
        all.join(type, as: alias, from: rows, on: condition)
    }

    /// All records, with one of another table where the condition holds.
    @inlinable
    public static func leftJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<Columns, OptionalColumns<R.Columns>> {
        all.leftJoin(type, as: alias, from: rows, on: condition)
    }

    /// All records of another table, each with the one of this where the condition holds; that is nil where it holds for none.
    @inlinable
    public static func rightJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<OptionalColumns<Columns>, R.Columns> {
        all.rightJoin(type, as: alias, from: rows, on: condition)
    }

    /// All records of both tables, side by side where the condition holds; where it holds for none, the other is nil.
    @inlinable
    public static func fullJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil,
        on condition: (Columns, R.Columns) -> SQLExpression<Bool>
    ) -> JoinedQuery2<OptionalColumns<Columns>, OptionalColumns<R.Columns>> {
        all.fullJoin(type, as: alias, from: rows, on: condition)
    }

    /// Every record with every one of another table.
    @inlinable
    public static func crossJoin<R: Record>(
        _ type: R.Type, as alias: String? = nil, from rows: (any FetchRequest<R>)? = nil
    ) -> JoinedQuery2<Columns, R.Columns> {
        all.crossJoin(type, as: alias, from: rows)
    }

    /// The records with their related ones.
    @inlinable
    public static func join<End: RelationEnd>(
        along relation: KeyPath<Columns, End>, as alias: String? = nil
    ) -> JoinedQuery2<Columns, End.Target> {
        all.join(along: relation, as: alias)
    }

    /// All records, with their related ones; nil where there is none.
    @inlinable
    public static func leftJoin<End: RelationEnd>(
        along relation: KeyPath<Columns, End>, as alias: String? = nil
    ) -> JoinedQuery2<Columns, OptionalColumns<End.Target>> {
        all.leftJoin(along: relation, as: alias)
    }
}

/// A query with one more table, and the columns of all.
@usableFromInline
struct JoinedTree: Sendable {
    fileprivate let tree: Select
}

extension SelectQuery {
    @usableFromInline
    init(_ joined: JoinedTree, _ columns: Columns, _ read: @escaping @Sendable (RecordReader) throws -> Row) {
        self.init(joined.tree, columns, read)
    }

    @usableFromInline
    func joining<R: Record>(
        _ source: RecordSource<R>, _ condition: SQLExpression<Bool>?, isLeft: Bool = false, isRight: Bool = false
    ) -> JoinedTree {
        joining(source.columns) { tree in
            let kind: JoinKind =
                switch (isLeft, isRight) {
                case (true, true): .full
                case (true, false): .left
                case (false, true): .right
                case (false, false): condition == nil ? .cross : .inner
                }
            tree.joins.append(Join(kind, source.source, on: condition?.node))
        }
    }

    @usableFromInline
    func joining(
        along relation: some RelationEnd, _ alias: String?, _ target: some Selectable, isLeft: Bool = false
    ) -> JoinedTree {
        joining(target) { tree in
            let route = relation.route
            guard let name = route.relations.first, route.relations.count == 1 else {
                throw CormorantError(
                    .misuse, "a join goes along \(route.relations.count) relations at once",
                    hint: "join one after the other, each from a table of the query")
            }
            let identity = target.nodes.lazy.compactMap(\.source).first
            try tree.join(
                along: name, of: route.model, as: route.alias, alias: alias, isLeft ? .left : .inner,
                source: route.source, target: identity)
        }
    }

    private func joining(_ target: some Selectable, _ join: (inout Select) throws -> Void) -> JoinedTree {
        JoinedTree(
            tree: changingParts { tree in
                try join(&tree)
                tree.columns += target.nodes
            }.tree)
    }
}

extension SelectQuery where Columns: RecordColumns {
    /// The same with its columns listed, for those of others to follow.
    @usableFromInline
    var listed: SelectQuery { changing { $0.columns = columns.nodes } }
}
