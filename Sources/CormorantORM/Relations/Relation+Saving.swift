import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The statements that keep the rows of a relation as they should be.
extension Relation {
    /// Whether a row is related to an owner, and is none of those with these keys; of a many-to-many relation, a row of the junction.
    /// - Parameter others: rows that stay, too, by the values of some columns.
    func isRemoved(
        from owner: [Value], except kept: [[Value]], _ others: [[ExactText]: [[Value]]]
    ) throws -> Expression {
        let table = step.target
        let named: [Expression]
        if let second {
            named = zip(second.columns, second.collations).map { known($0.from, $1) }
        } else {
            try target.requireKey()
            named = target.keyColumns.map { known($0, target.columns[$0].keyedBy) }
        }
        var conditions = try zip(zip(step.columns, step.collations), owner).map { try holds($1, $0.0.to, $0.1) }
        if !kept.isEmpty { conditions.append(.unary(.not, .isIn(named, rows: kept.flatMap { $0 }))) }
        for (columns, values) in others.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let named = columns.compactMap { name in
                rows.columns.firstIndex { isSame($0.column, name.text) }.map { Expression.column(table, $0) }
            }
            conditions.append(.unary(.not, .isIn(named, rows: values.flatMap { $0 })))
        }
        if let second, target.tableReference.scope != nil {
            // What is outside of the target's scope is never among the records, and stays related.
            var seen = Select(from: target.tableReference)
            seen.columns = [Expression(.raw("1", []))]
            seen.conditions = second.matches({ Expression(.column(ColumnReference(table, $0, isOuter: true))) }) {
                .column(target.tableReference, $0)
            }
            conditions.append(.exists(seen))
        }
        return .all(conditions)
    }

    /// The model of the rows that make it up: the related ones, or the junction's.
    var rows: ModelDescriptor { junction ?? target }

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
        return rows.columns[index].comparedBy == collation
            ? column : .collate(column, collation ?? "binary")
    }

    private func holds(_ value: Value, _ index: Int, _ collation: String?) throws -> Expression {
        .binary(.equal, known(index, collation), try Expression.column(step.target, index).placed(value))
    }
}

extension ModelDescriptor {
    /// The foreign keys to the table itself that keep a row from being deleted before those that refer to it.
    var keysToItself: [ForeignKeySchema] {
        schema.foreignKeys.filter {
            sameIdentifier($0.table, table) && ($0.onDelete == .restrict || $0.onDelete == .none && !$0.isDeferred)
        }
    }

    /// Whether no other row of the table refers to a row by a foreign key, as that compares; nil: a column that it refers to is not here.
    /// - Parameter other: the model of the same table that has the foreign key.
    func isLeaf(by key: ForeignKeySchema, of other: ModelDescriptor) -> Expression? {
        guard let pairs = other.pairs(of: key, to: other), let here = other.pairs(of: key, to: self) else { return nil }
        let source = SourceIdentity()
        let columns = pairs.map { Expression.column(other.tableReference, $0.from, source: source) }
        var referring = Select(
            from: Source(.table(other.tableReference), alias: "corm_below", identity: source, isImplied: true))
        referring.columns = columns
        referring.conditions = columns.map { .unary(.isNotNull, $0) }
        referring.conditions.append(
            .any(zip(pairs, columns).map { .binary(.isNot, other.keyed($0.to, source), $1) }))
        let operands = here.map { keyed($0.to) }
        let isReferred = Expression.isIn(operands.count == 1 ? operands[0] : .row(operands), referring)
        return .any(here.map { .unary(.isNull, .column(tableReference, $0.to)) } + [.unary(.not, isReferred)])
    }

    /// A column as foreign keys to it compare.
    private func keyed(_ index: Int, _ source: SourceIdentity? = nil) -> Expression {
        let column = Expression.column(tableReference, index, source: source)
        let descriptor = columns[index]
        return descriptor.comparedBy == descriptor.keyedBy
            ? column : .collate(column, descriptor.keyedBy ?? "binary")
    }
}
