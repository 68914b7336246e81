/// What a query gives of each row: an expression, a record, or a tuple of up to eight of them.
///
/// ```swift
/// Person.select { $0.name }                        // [String]
/// Person.select { ($0.name, $0.age) }              // [(String, Int?)]
/// Person.select { Card.Columns(name: $0.name) }    // [Card]
/// ```
// One function for each number: with a parameter pack in the type of the rows, the compiler loses its way where they are
// used in the same expression.
extension RowQuery {
    /// Selects one column, expression or record instead of whole records.
    @inlinable
    public func select<A: Selectable>(_ part: (Columns) -> A) -> SelectQuery<A.Fetched, Columns> {
        selecting([part(query.columns)]) { try A.fetched(from: $0, at: 0) }
    }

    /// Selects two parts, as a tuple.
    @inlinable
    public func select<A: Selectable, B: Selectable>(
        _ parts: (Columns) -> (A, B)
    ) -> SelectQuery<(A.Fetched, B.Fetched), Columns> {
        let (a, b) = parts(query.columns)
        return selecting([a, b]) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self))
        }
    }

    /// Selects three parts, as a tuple.
    @inlinable
    public func select<A: Selectable, B: Selectable, C: Selectable>(
        _ parts: (Columns) -> (A, B, C)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched), Columns> {
        let (a, b, c) = parts(query.columns)
        return selecting([a, b, c]) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self), try position.next(C.self))
        }
    }

    /// Selects four parts, as a tuple.
    @inlinable
    public func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable>(
        _ parts: (Columns) -> (A, B, C, D)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched), Columns> {
        let (a, b, c, d) = parts(query.columns)
        return selecting([a, b, c, d]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self)
            )
        }
    }

    /// Selects five parts, as a tuple.
    @inlinable
    public func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable>(
        _ parts: (Columns) -> (A, B, C, D, E)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched), Columns> {
        let (a, b, c, d, e) = parts(query.columns)
        return selecting([a, b, c, d, e]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self)
            )
        }
    }

    /// Selects six parts, as a tuple.
    @inlinable
    public func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable>(
        _ parts: (Columns) -> (A, B, C, D, E, F)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched), Columns> {
        let (a, b, c, d, e, f) = parts(query.columns)
        return selecting([a, b, c, d, e, f]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self), try position.next(F.self)
            )
        }
    }

    /// Selects seven parts, as a tuple.
    @inlinable
    public func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched, G.Fetched), Columns> {
        let (a, b, c, d, e, f, g) = parts(query.columns)
        return selecting([a, b, c, d, e, f, g]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self), try position.next(F.self),
                try position.next(G.self)
            )
        }
    }

    /// Selects eight parts, as a tuple.
    @inlinable
    public func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable,
        H: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G, H)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched, G.Fetched, H.Fetched), Columns>
    {
        let (a, b, c, d, e, f, g, h) = parts(query.columns)
        return selecting([a, b, c, d, e, f, g, h]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self), try position.next(E.self), try position.next(F.self),
                try position.next(G.self), try position.next(H.self)
            )
        }
    }

    /// Nine parts are too many for a tuple.
    @available(
        *, unavailable,
        message: "a query selects eight parts at most: give more as a record, { Card.Columns(name: $0.name, ...) }"
    )
    public func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable,
        H: Selectable, I: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G, H, I)
    ) -> SelectQuery<A.Fetched, Columns> { fatalError("unavailable") }

    @usableFromInline
    func selecting<Fetched>(
        _ parts: [any Selectable], _ read: @escaping @Sendable (RecordReader) throws -> Fetched
    ) -> SelectQuery<Fetched, Columns> {
        let selected = changingParts { $0.columns = parts.flatMap { $0.nodes } }
        return SelectQuery<Fetched, Columns>(selected.tree, query.columns, read)
    }
}
