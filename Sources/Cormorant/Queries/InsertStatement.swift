/// An INSERT as a value; `Database.execute(_:_:)` runs it. To insert records, insert these.
///
/// ```swift
/// Counter.insert { $0.word = "sea"; $0.count = 1 }
///     .upsert(on: \.word) { row, new in row.count = row.count + new.count }
/// Archive.insert(\.name, \.age, from: Person.select { ($0.name, $0.age) })
/// ```
public struct InsertStatement<Columns: RecordColumns>: WritingStatement {
    public let writing: Writing<Columns>
}

extension Record {
    /// One row of these values; properties that are not set get their defaults.
    ///
    /// - Parameters:
    ///   - policy: what to do when a constraint refuses it.
    ///   - set: sets the properties.
    public static func insert(
        onConflict policy: ConflictPolicy = .abort, _ set: (inout Assignments<Columns>) -> Void
    ) -> InsertStatement<Columns> {
        let writing = Writing<Columns>(.insertValues) { change in change.policy = policy }
        let assignments = writing.assignments(set)
        return InsertStatement(writing: writing.changing { change in change.assignments = assignments })
    }

    /// A row for each of what a sequence has, in one statement; there must be one.
    ///
    /// ```swift
    /// try database.execute(Counter.insert(words) { row, word in row.word = word; row.count = 1 })
    /// ```
    ///
    /// All rows set the same properties. One statement takes as many values as SQLite does, 32,766 as a rule; more are an error, and
    /// nothing is inserted. Records are inserted by `insert(contentsOf:)`, any number of them.
    ///
    /// - Parameters:
    ///   - rows: what the rows are made of.
    ///   - policy: what to do when a constraint refuses a row.
    ///   - set: sets the properties of one row.
    public static func insert<Rows: Sequence>(
        _ rows: Rows, onConflict policy: ConflictPolicy = .abort,
        _ set: (inout Assignments<Columns>, Rows.Element) -> Void
    ) -> InsertStatement<Columns> {
        let writing = Writing<Columns>(.insertValues) { change in change.policy = policy }
        let assignments = rows.map { row in writing.assignments { set(&$0, row) } }
        return InsertStatement(
            writing: writing.changing { change in
                guard !assignments.isEmpty else {
                    throw CormorantError(
                        .misuse, "there are no rows to insert", hint: "give at least one, or run no statement")
                }
                change.rows = assignments
            })
    }

    /// The rows of a query, its columns for these properties in order.
    public static func insert<First, each Content, Query: RowQuery>(
        onConflict policy: ConflictPolicy = .abort, _ first: KeyPath<Columns, SQLExpression<First>>,
        _ rest: repeat KeyPath<Columns, SQLExpression<each Content>>, from query: Query
    ) -> InsertStatement<Columns> where Query.Row == (First, repeat each Content) {
        let columns = Columns(recordSource: TableSource())
        var nodes = [columns[keyPath: first].node]
        for path in repeat each rest { nodes.append(columns[keyPath: path].node) }
        return InsertStatement(
            writing: Writing(.insertValues) { change in
                change.kind = .insertSelect(try nodes.map { try $0.columnIndex() }, query.tree)
                change.policy = policy
            })
    }
}

extension InsertStatement {
    /// Where a row with the same values of these properties, which are a key or unique, is there already: nothing is done.
    public func upsert<each Content>(
        on target: repeat KeyPath<Columns, SQLExpression<each Content>>
    ) -> InsertStatement {
        upsert(on: repeat each target, set: { _, _ in })
    }

    /// Where a row with the same values of these properties, which are a key or unique, is there already: that row is
    /// updated. The closure is given the row's assignments and the columns of the row that would have been inserted.
    public func upsert<each Content>(
        on target: repeat KeyPath<Columns, SQLExpression<each Content>>,
        set: (inout Assignments<Columns>, Columns) -> Void
    ) -> InsertStatement {
        var nodes: [Expression] = []
        for path in repeat each target { nodes.append(writing.columns[keyPath: path].node) }
        let new = Columns(recordSource: TableSource(named: "excluded"))
        let assignments = writing.assignments { set(&$0, new) }
        return InsertStatement(
            writing: writing.changing { change in
                var upsert = Upsert(target: try nodes.map { try $0.columnIndex() })
                upsert.assignments = assignments
                change.upsert = upsert
            })
    }
}

extension Expression {
    /// The position of the column that this is.
    fileprivate func columnIndex() throws -> Int {
        switch node {
        case .column(let reference) where reference.path.isEmpty: return reference.index
        case .problem(let error): throw error
        default:
            throw CormorantError(.misuse, "an expression stands where a property is wanted", hint: "name the property")
        }
    }
}
