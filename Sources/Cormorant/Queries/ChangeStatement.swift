/// An UPDATE or DELETE as a value; `Database.execute(_:_:)` runs it.
///
/// ```swift
/// try database.execute(Person.where { $0.age < 18 }.update { $0.age = $0.age + 1 })
/// let gone = try database.fetchAll(Person.where { $0.city == nil }.delete().returning { $0.name })
/// ```
public struct ChangeStatement<Columns: RecordColumns>: WritingStatement {
    public let writing: Writing<Columns>
}

extension SelectQuery where Columns: RecordColumns, Row == Columns.Fetched {
    /// Sets properties of the records that meet the query's conditions.
    ///
    /// - Parameters:
    ///   - policy: what to do when a constraint refuses a row.
    ///   - set: sets the properties.
    public func update(
        onConflict policy: ConflictPolicy = .abort, _ set: (inout Assignments<Columns>) -> Void
    ) -> ChangeStatement<Columns> {
        let changed = changed(.update)
        return ChangeStatement(
            writing: changed.changing { change in
                change.policy = policy
                change.assignments = changed.assignments(set)
            })
    }

    /// Deletes the records that meet the query's conditions.
    public func delete() -> ChangeStatement<Columns> { ChangeStatement(writing: changed(.delete)) }

    private func changed(_ kind: Change.Kind) -> Writing<Columns> {
        Writing(kind, columns) { change in
            try tree.requireConditionsOnly()
            change.commonTables = tree.commonTables
            change.conditions = tree.conditions
        }
    }
}

extension JoinedQuery2 where A: RecordColumns {
    /// UPDATE ... FROM: sets properties of the first record from what is joined to it. Where several rows are, one of them is
    /// taken.
    ///
    /// ```swift
    /// Artist.join(Sales.self, from: sales) { artist, sales in sales.artist == artist.id }
    ///     .update { artist, sales in artist.total = sales.total }
    /// ```
    ///
    /// - Parameters:
    ///   - policy: what to do when a constraint refuses a row.
    ///   - set: sets the properties.
    public func update(
        onConflict policy: ConflictPolicy = .abort, _ set: (inout Assignments<A>, B) -> Void
    ) -> ChangeStatement<A> {
        let (first, other) = query.columns
        let tree = query.tree
        let changed = Writing<A>(.update, first) { change in
            var conditions = tree
            conditions.columns = []
            conditions.joins = []
            try conditions.requireConditionsOnly()
            guard tree.joins.count == 1, let join = tree.joins.first, !join.kind.isOuter else {
                throw CormorantError(
                    .misuse, "an UPDATE is asked of an outer join", hint: "join the rows that it reads with join()")
            }
            change.commonTables = tree.commonTables
            change.source = join.source
            change.conditions = [join.condition].compactMap { $0 } + tree.conditions
            change.policy = policy
        }
        return ChangeStatement(
            writing: changed.changing { change in change.assignments = changed.assignments { set(&$0, other) } })
    }
}

extension Select {
    /// UPDATE and DELETE know conditions only.
    fileprivate func requireConditionsOnly() throws {
        let isPlain = columns.isEmpty && joins.isEmpty && groupBy.isEmpty && having.isEmpty && compounds.isEmpty
        guard isPlain, !isDistinct, order.isEmpty, limit == nil, offset == nil, case .table? = source?.kind,
            source?.alias == nil
        else {
            throw CormorantError(
                .misuse, "an UPDATE or DELETE is asked of a query that has more than conditions",
                hint: "keep to where(); find the records by isIn() of another query")
        }
    }
}
