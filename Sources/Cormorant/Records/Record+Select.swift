/// What a query gives of each record; see `RowQuery.select(_:)`.
extension Record {
    /// Selects one column or expression of all records.
    @inlinable
    public static func select<A: Selectable>(_ part: (Columns) -> A) -> SelectQuery<A.Fetched, Columns> {
        all.select(part)
    }

    /// Selects two parts of all records, as a tuple.
    @inlinable
    public static func select<A: Selectable, B: Selectable>(
        _ parts: (Columns) -> (A, B)
    ) -> SelectQuery<(A.Fetched, B.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects three parts of all records, as a tuple.
    @inlinable
    public static func select<A: Selectable, B: Selectable, C: Selectable>(
        _ parts: (Columns) -> (A, B, C)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects four parts of all records, as a tuple.
    @inlinable
    public static func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable>(
        _ parts: (Columns) -> (A, B, C, D)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects five parts of all records, as a tuple.
    @inlinable
    public static func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable>(
        _ parts: (Columns) -> (A, B, C, D, E)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects six parts of all records, as a tuple.
    @inlinable
    public static func select<A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable>(
        _ parts: (Columns) -> (A, B, C, D, E, F)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects seven parts of all records, as a tuple.
    @inlinable
    public static func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched, G.Fetched), Columns> {
        all.select(parts)
    }

    /// Selects eight parts of all records, as a tuple.
    @inlinable
    public static func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable,
        H: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G, H)
    ) -> SelectQuery<(A.Fetched, B.Fetched, C.Fetched, D.Fetched, E.Fetched, F.Fetched, G.Fetched, H.Fetched), Columns>
    {
        all.select(parts)
    }

    /// Nine parts are too many for a tuple.
    @available(
        *, unavailable,
        message: "a query selects eight parts at most: give more as a record, { Card.Columns(name: $0.name, ...) }"
    )
    public static func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable, E: Selectable, F: Selectable, G: Selectable,
        H: Selectable, I: Selectable
    >(
        _ parts: (Columns) -> (A, B, C, D, E, F, G, H, I)
    ) -> SelectQuery<A.Fetched, Columns> { fatalError("unavailable") }
}
