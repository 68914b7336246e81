/// An UPDATE, DELETE or INSERT by expressions. The types of the library conform to it.
public protocol WritingStatement: SQLStatement {
    /// The columns of the record that is written.
    associatedtype Columns: RecordColumns

    /// What it writes.
    var writing: Writing<Columns> { get }
}

/// What a statement writes, compiled once.
public struct Writing<Columns: RecordColumns>: Sendable {
    private let made: Result<Change, CormorantError>
    private let forms = CompiledForms()
    let columns: Columns

    /// - Parameter columns: of the table that is written.
    init(
        _ kind: Change.Kind, _ columns: Columns = Columns(recordSource: TableSource()),
        _ fill: (inout Change) throws -> Void
    ) {
        self.columns = columns
        do {
            let model = columns.recordSource.model
            try model.validate()
            var change = Change(kind, model.tableReference)
            change.identity = columns.recordSource.identity
            try fill(&change)
            made = .success(change)
        } catch {
            made = .failure(error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)"))
        }
    }

    private init(_ columns: Columns, _ made: Result<Change, CormorantError>) {
        self.columns = columns
        self.made = made
    }

    /// The same changed.
    func changing(_ change: (inout Change) throws -> Void) -> Writing {
        Writing(
            columns,
            made.flatMap { made in
                var copy = made
                do {
                    try change(&copy)
                    return .success(copy)
                } catch {
                    return .failure(error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)"))
                }
            })
    }

    /// What an UPDATE, an INSERT or an upsert sets.
    func assignments(_ set: (inout Assignments<Columns>) -> Void) -> [(column: Int, value: Expression)] {
        var assignments = Assignments(columns)
        set(&assignments)
        return assignments.list
    }

    /// As an engine takes it.
    func compiled(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.all, dialect) { try StatementCompiler.compile(made.get(), dialect) }
    }
}

extension WritingStatement {
    public var sql: SQLText { get throws { SQLText(try writing.compiled(.sqlite)) } }
}

/// RETURNING: rows of what is written, which `Database.fetchAll(_:_:)` gives.
extension WritingStatement {
    /// The records as they are after an INSERT or UPDATE, or were before a DELETE.
    public func returning() -> ReturningStatement<Columns, Columns.Fetched> { returning { $0 } }

    /// An expression, a record, or a tuple of up to four of them of each row.
    public func returning<A: Selectable>(_ part: (Columns) -> A) -> ReturningStatement<Columns, A.Fetched> {
        returning([part(writing.columns)]) { try A.fetched(from: $0, at: 0) }
    }

    /// RETURNING two parts of each row, as a tuple.
    public func returning<A: Selectable, B: Selectable>(
        _ parts: (Columns) -> (A, B)
    ) -> ReturningStatement<Columns, (A.Fetched, B.Fetched)> {
        let (a, b) = parts(writing.columns)
        return returning([a, b]) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self))
        }
    }

    /// RETURNING three parts of each row, as a tuple.
    public func returning<A: Selectable, B: Selectable, C: Selectable>(
        _ parts: (Columns) -> (A, B, C)
    ) -> ReturningStatement<Columns, (A.Fetched, B.Fetched, C.Fetched)> {
        let (a, b, c) = parts(writing.columns)
        return returning([a, b, c]) { reader in
            var position = RowPosition(reader)
            return (try position.next(A.self), try position.next(B.self), try position.next(C.self))
        }
    }

    /// RETURNING four parts of each row, as a tuple.
    public func returning<A: Selectable, B: Selectable, C: Selectable, D: Selectable>(
        _ parts: (Columns) -> (A, B, C, D)
    ) -> ReturningStatement<Columns, (A.Fetched, B.Fetched, C.Fetched, D.Fetched)> {
        let (a, b, c, d) = parts(writing.columns)
        return returning([a, b, c, d]) { reader in
            var position = RowPosition(reader)
            return (
                try position.next(A.self), try position.next(B.self), try position.next(C.self),
                try position.next(D.self)
            )
        }
    }

    private func returning<Row>(
        _ parts: [any Selectable], _ read: @escaping @Sendable (RecordReader) throws -> Row
    ) -> ReturningStatement<Columns, Row> {
        let nodes = parts.flatMap { $0.nodes }
        return ReturningStatement(writing.changing { $0.returning = nodes }, read)
    }
}

/// A statement that writes and gives rows of what it wrote.
public struct ReturningStatement<Columns: RecordColumns, Row>: FetchRequest {
    private let writing: Writing<Columns>
    private let read: @Sendable (RecordReader) throws -> Row

    fileprivate init(_ writing: Writing<Columns>, _ read: @escaping @Sendable (RecordReader) throws -> Row) {
        self.writing = writing
        self.read = read
    }

    public var sql: SQLText { get throws { SQLText(try compiled(.sqlite)) } }

    func compiled(_ dialect: Dialect) throws -> CompiledStatement { try writing.compiled(dialect) }

    public func row(from reader: RecordReader) throws -> Row { try read(reader) }
}
