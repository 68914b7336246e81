/// Related records. Nothing is loaded unasked; a call loads those of all given records with one statement.
extension Reader {
    /// Loads the records at the end of a relation into each record: all of them, or those that `which` says.
    ///
    /// ```swift
    /// try database.load(\.albums, of: &artists) { $0.where { $0.year > 1970 }.order { $0.title }.limit(3).load(\.tracks) }
    /// ```
    ///
    /// Of a record that refers to none, because what it is found by is nil, the list is empty, or the record nil.
    @available(*, noasync)
    public func load<R: Record, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End>, of records: inout [R],
        _ which: (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) throws {
        try load(R.name(of: relation), of: &records, which)
    }

    func load<R: Record, Target: Record>(
        _ name: String, of records: inout [R], _ which: (RelatedQuery<Target>) -> RelatedQuery<Target>
    ) throws {
        let query = which(RelatedQuery())
        let isPart = !query.options.conditions.isEmpty || query.options.limit != nil
        var setter = RelationSetter<Target>(name, try related(name, of: records, query), isPart: isPart)
        try setter.set(&records)
    }

    /// Loads the records at the end of a relation into one record.
    @available(*, noasync)
    public func load<R: Record, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End>, of record: inout R,
        _ which: (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) throws {
        var records = [record]
        try load(relation, of: &records, which)
        record = records[0]
    }

    /// The related records of each record.
    private func related<R: Record, Target: Record>(
        _ name: String, of records: [R], _ query: RelatedQuery<Target>
    ) throws -> [[Target]] {
        let relation = try R.model.relation(named: name)
        let columns = relation.ownerColumns
        let keys =
            columns.contains { R.model.columns[$0].computedSQL != nil }
            ? try database.values(of: R.model, columns, count: records.count) { WholeRecord(record: records[$0]) }
            : try database.values(of: R.model, columns, count: records.count) { records[$0] }
        var found: [Target] = []
        var owners: [(owner: Int, found: Int)] = []
        try database.load(relation, keys, query.options) {
            found.append(try Target(from: $0))
        } relate: {
            owners.append(($0, found.count - 1))
        }
        for load in query.nested { try load(self, &found) }
        var related = [[Target]](repeating: [], count: records.count)
        for (owner, index) in owners { related[owner].append(found[index]) }
        return related
    }
}

extension Record {
    /// The relation that a key path leads along.
    static func name<End: RelationEnd>(of relation: KeyPath<Columns, End>) throws -> String {
        try Columns(recordSource: TableSource())[keyPath: relation].route.only()
    }
}

/// Which related records are loaded, and what is loaded into them in turn.
public struct RelatedQuery<Target: Record> {
    package var options = RelatedOptions()
    fileprivate var nested: [(Reader, inout [Target]) throws -> Void] = []

    private let columns = Target.Columns(recordSource: TableSource())

    init() {}

    /// Only records that meet the condition, and those given before.
    public func `where`(_ condition: (Target.Columns) -> SQLExpression<Bool>) -> RelatedQuery {
        var copy = self
        copy.options.conditions.append(condition(columns).node)
        return copy
    }

    /// The order of the records.
    public func order<Term: SQLOrderTerm>(by term: (Target.Columns) -> Term) -> RelatedQuery {
        var copy = self
        copy.options.order.append(term(columns).orderTerm.node)
        return copy
    }

    /// The related records in the order of two terms.
    public func order<A: SQLOrderTerm, B: SQLOrderTerm>(by terms: (Target.Columns) -> (A, B)) -> RelatedQuery {
        let (a, b) = terms(columns)
        return order { _ in a }.order { _ in b }
    }

    /// At most so many for each record.
    public func limit(_ count: Int) -> RelatedQuery {
        var copy = self
        copy.options.limit = Int64(count)
        return copy
    }

    /// Loads the next level: of all records that were found, with one more statement.
    public func load<End: RelationEnd>(
        _ relation: KeyPath<Target.Columns, End>,
        _ which: @escaping (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) -> RelatedQuery {
        var copy = self
        copy.nested.append { try $0.load(relation, of: &$1, which) }
        return copy
    }
}

/// Gives records what was loaded for them.
private struct RelationSetter<Related: Record>: RelationVisitor {
    private let name: String
    private let related: [[Related]]
    private let isPart: Bool
    private var index = 0
    private var isFound = false

    init(_ name: String, _ related: [[Related]], isPart: Bool) {
        self.name = name
        self.related = related
        self.isPart = isPart
    }

    mutating func set<R: Record>(_ records: inout [R]) throws {
        for position in records.indices {
            index = position
            try records[position].visitRelations(&self)
        }
        guard records.isEmpty || isFound else {
            throw CormorantError(
                .misuse, "\(R.model.name) has no property for its relation \(name)",
                hint: "mark one @Relation, or let visitRelations show it")
        }
    }

    mutating func visitOne<Target: Record>(_ name: String, _ relation: inout ToOne<Target>) {
        guard name == self.name, let related = related[index] as? [Target] else { return }
        relation = .read(related.first)
        isFound = true
    }

    mutating func visitMany<Target: Record>(_ name: String, _ relation: inout ToMany<Target>, removed: RemovedRecords) {
        guard name == self.name, let related = related[index] as? [Target] else { return }
        relation = .object(Loaded(related, isPart: isPart))
        isFound = true
    }
}
