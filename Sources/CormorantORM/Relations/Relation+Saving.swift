import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The statements that keep the rows of a relation as they should be.
extension Relation {
    /// Deletes the related rows of an owner but those with these keys; of a many-to-many relation, the junction's rows.
    /// - Parameter others: rows that stay, too, by the values of some columns.
    func deletion(
        of owner: [Value], except kept: [[Value]], _ others: [[String]: [[Value]]], _ dialect: Dialect
    ) throws -> CompiledStatement {
        let table = step.target
        let named: [Expression]
        if let second {
            named = zip(second.columns, second.collations).map { known($0.from, $1) }
        } else {
            try target.requireKey()
            named = target.keyColumns.map { known($0, target.columns[$0].keyedBy) }
        }
        var change = Change(.delete, table)
        change.conditions = try zip(zip(step.columns, step.collations), owner).map { try holds($1, $0.0.to, $0.1) }
        if !kept.isEmpty { change.conditions.append(.unary(.not, .isIn(named, rows: kept.flatMap { $0 }))) }
        for (columns, rows) in others.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let named = columns.compactMap { name in
                (junction ?? target).columns.firstIndex { $0.column == name }.map { Expression.column(table, $0) }
            }
            change.conditions.append(.unary(.not, .isIn(named, rows: rows.flatMap { $0 })))
        }
        if let second, target.tableReference.scope != nil {
            // What is outside of the target's scope is never among the records, and stays related.
            var seen = Select(from: target.tableReference)
            seen.columns = [Expression(.raw("1", []))]
            seen.conditions = second.matches({ Expression(.column(ColumnReference(table, $0, isOuter: true))) }) {
                .column(target.tableReference, $0)
            }
            change.conditions.append(.exists(seen))
        }
        return try StatementCompiler.compile(change, dialect)
    }

    /// Inserts the row of the junction that relates two records, unless it is there.
    package func junctionRow(
        _ owner: [Value], _ related: [Value], _ dialect: Dialect
    ) throws -> CompiledStatement {
        guard let second else { throw CormorantError(.internal, "the relation has no junction") }
        let table = step.target
        let columns = step.columns.map(\.to) + second.columns.map(\.from)
        let values = owner + related
        var there = Select(from: table)
        there.columns = [Expression(.raw("1", []))]
        there.conditions = try zip(zip(columns, step.collations + second.collations), values).map {
            try holds($1, $0.0, $0.1)
        }
        var row = Select()
        row.columns = values.map { .value($0) }
        row.conditions = [.unary(.not, .exists(there))]
        return try StatementCompiler.compile(Change(.insertSelect(columns, row), table), dialect)
    }

    /// The properties of the target that the owner, or the junction, refers to.
    package var referredColumns: [Int] { second?.columns.map(\.to) ?? step.columns.map(\.to) }

    /// A column of the table that is written, compared as a key is in the file: its own, or that which it refers to.
    private func known(_ index: Int, _ collation: String?) -> Expression {
        let column = Expression.column(step.target, index)
        return (junction ?? target).columns[index].comparedBy == collation
            ? column : .collate(column, collation ?? "binary")
    }

    private func holds(_ value: Value, _ index: Int, _ collation: String?) throws -> Expression {
        .binary(.equal, known(index, collation), try Expression.column(step.target, index).placed(value))
    }
}
