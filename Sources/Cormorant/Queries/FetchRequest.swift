/// What `Database` can fetch rows of: a query, or a statement that returns what it wrote.
public protocol FetchRequest<Row>: SQLStatement {
    /// What it gives for each row.
    associatedtype Row

    /// Reads a row of its result.
    func row(from reader: RecordReader) throws -> Row
}

/// A query: of one table, of several that are joined, or of what is selected of these. The types of the library conform
/// to it; its extensions are the clauses.
public protocol RowQuery<Row>: FetchRequest {
    /// What the closures of its clauses are given: the columns of its record or, after a join, those of each.
    associatedtype Columns: Sendable

    /// The query without what its type says about joins.
    var query: SelectQuery<Row, Columns> { get set }
}

extension RowQuery {
    public var sql: SQLText { get throws { try query.sql } }

    @inlinable
    public func row(from reader: RecordReader) throws -> Row { try query.row(from: reader) }

    var tree: Select { query.tree }

    func changing(_ change: (inout Select) throws -> Void) -> Self {
        var copy = self
        copy.query.change(change)
        return copy
    }

    /// A change of what comes before a UNION, which would reach its first part only.
    func changingParts(_ change: (inout Select) throws -> Void) -> Self {
        changing { tree in
            try tree.refuseCompound()
            try change(&tree)
        }
    }
}

extension Select {
    func refuseCompound() throws {
        guard !compounds.isEmpty else { return }
        throw CormorantError(
            .misuse, "a clause follows a UNION, INTERSECT or EXCEPT",
            hint: "give it to the parts, or read from the whole with from()")
    }
}
