/// A query whose records come with related ones; `load` makes it, `fetchAll` and `fetchOne` run it.
///
/// ```swift
/// let artists = try database.fetchAll(
///     Artist.where { $0.name.hasPrefix("N") }
///         .load(\.albums) { $0.order { $0.year }.load(\.tracks).load(\.label) }
///         .load(\.tags))
/// ```
///
/// Each relation takes one statement, whatever the number of records. All of them see one state of the file.
public struct LoadingQuery<Base: RowQuery>: Sendable where Base.Row: Record {
    fileprivate let base: Base
    fileprivate var loads: [@Sendable (Reader, inout [Base.Row]) throws -> Void] = []

    /// Loads another relation of the records as well; `which` narrows and orders what is loaded, and loads the next level.
    public func load<End: RelationEnd>(
        _ relation: KeyPath<Base.Row.Columns, End>,
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) -> LoadingQuery {
        var copy = self
        // Its name, for a key path may be none that can go to another thread.
        let name = Result { try Base.Row.name(of: relation) }
        copy.loads.append { try $0.load(name.get(), of: &$1, which) }
        return copy
    }
}

extension RowQuery where Row: Record {
    /// The records with those at the end of a relation; `which` narrows and orders what is loaded, and loads the next level.
    public func load<End: RelationEnd>(
        _ relation: KeyPath<Row.Columns, End>,
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) -> LoadingQuery<Self> {
        LoadingQuery(base: self).load(relation, which)
    }
}

extension Record {
    /// All records with those at the end of a relation; `which` narrows and orders what is loaded, and loads the next level.
    public static func load<End: RelationEnd>(
        _ relation: KeyPath<Columns, End>,
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) -> LoadingQuery<SelectQuery<Self, Columns>> {
        all.load(relation, which)
    }
}

extension Reader {
    /// The records of a query, with those that it loads.
    @available(*, noasync)
    public func fetchAll<Base>(
        _ query: LoadingQuery<Base>, _ parameters: QueryParameters = .none
    ) throws -> [Base.Row] {
        try read { reader in try query.loaded(reader.fetchAll(query.base, parameters), reader) }
    }

    /// The first record of a query, with those that it loads; nil: there is none.
    @available(*, noasync)
    public func fetchOne<Base>(
        _ query: LoadingQuery<Base>, _ parameters: QueryParameters = .none
    ) throws -> Base.Row? {
        try read { reader in
            let first: Base.Row? = try reader.fetchOne(query.base, parameters)
            return try query.loaded(first.map { [$0] } ?? [], reader).first
        }
    }

    /// The records of a query, with those that it loads.
    public func fetchAll<Base>(
        _ query: LoadingQuery<Base>, _ parameters: QueryParameters = .none
    ) async throws -> [Base.Row] where Base.Row: Sendable {
        try await look { try $0.fetchAll(query, parameters) }
    }

    /// The first record of a query, with those that it loads; nil: there is none.
    public func fetchOne<Base>(
        _ query: LoadingQuery<Base>, _ parameters: QueryParameters = .none
    ) async throws -> Base.Row? where Base.Row: Sendable {
        try await look { try $0.fetchOne(query, parameters) }
    }
}

extension LoadingQuery {
    fileprivate func loaded(_ records: [Base.Row], _ reader: Reader) throws -> [Base.Row] {
        var records = records
        if !records.isEmpty { for load in loads { try load(reader, &records) } }
        return records
    }
}
