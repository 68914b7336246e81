import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The statements that keep the rows of a relation as they should be.
extension Relation {
    /// Deletes the related rows of an owner but those with these keys; of a many-to-many relation, the junction's rows.
    package func deletion(
        of owner: [Value], except kept: [Value], _ dialect: Dialect
    ) throws -> CompiledStatement {
        let table = step.target
        let named: [Int]
        if let second {
            named = second.columns.map(\.from)
        } else {
            try target.requireKey()
            named = target.keyColumns
        }
        var change = Change(.delete, table)
        change.conditions = zip(step.columns, owner).map { pair, value in
            .binary(.equal, .column(table, pair.to), .value(value))
        }
        if !kept.isEmpty {
            change.conditions.append(.unary(.not, .isIn(named.map { .column(table, $0) }, rows: kept)))
        }
        return try StatementCompiler.compile(change, dialect)
    }

    /// Inserts the row of the junction that relates two records, unless it is there.
    package func junctionRow(
        _ owner: [Value], _ related: [Value], _ dialect: Dialect
    ) throws -> CompiledStatement {
        guard let second else { throw CormorantError(.internal, "the relation has no junction") }
        let table = step.target
        let pairs = zip(step.columns.map(\.to) + second.columns.map(\.from), owner + related)
        var there = Select(from: table)
        there.columns = [Expression(.raw("1", []))]
        there.conditions = pairs.map { .binary(.equal, .column(table, $0), .value($1)) }
        var row = Select()
        row.columns = pairs.map { .value($1) }
        row.conditions = [.unary(.not, .exists(there))]
        return try StatementCompiler.compile(Change(.insertSelect(pairs.map(\.0), row), table), dialect)
    }

    /// The properties of the target that the owner, or the junction, refers to.
    package var referredColumns: [Int] { second?.columns.map(\.to) ?? step.columns.map(\.to) }
}
