import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The statements that keep the rows of a relation as they should be.
extension Relation {
    /// Deletes the related rows of an owner but those with these keys; of a many-to-many relation, the junction's rows.
    /// - Parameters:
    ///   - others: rows that stay, too, by the values of some columns.
    ///   - leaves: only rows that none of their table refers to.
    func deletion(
        of owner: [Value], except kept: [[Value]], _ others: [[String]: [[Value]]], leaves: Bool, _ dialect: Dialect
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
        for (columns, values) in others.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let named = columns.compactMap { name in
                rows.columns.firstIndex { $0.column == name }.map { Expression.column(table, $0) }
            }
            change.conditions.append(.unary(.not, .isIn(named, rows: values.flatMap { $0 })))
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
        if leaves {
            change.conditions += rows.keysToItself.map { .unary(.not, .exists(rows.referring(by: $0, to: table))) }
        }
        return try StatementCompiler.compile(change, dialect)
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
            sameIdentifier($0.table, table) && !$0.isDeferred && ($0.onDelete == .none || $0.onDelete == .restrict)
        }
    }

    /// The rows that refer to the row of a table around by a foreign key.
    fileprivate func referring(by key: ForeignKeySchema, to other: TableReference) -> Select {
        let below = SourceIdentity()
        var select = Select(from: Source(.table(tableReference), alias: "corm_below", identity: below, isImplied: true))
        select.columns = [Expression(.raw("1", []))]
        func position(_ name: String) -> Int? { columns.firstIndex { sameIdentifier($0.column, name) } }
        let there = key.tableColumns.isEmpty ? keyColumns : key.tableColumns.compactMap(position)
        select.conditions = zip(key.columns.compactMap(position), there).map {
            .binary(
                .equal, .column(tableReference, $0, source: below),
                Expression(.column(ColumnReference(other, $1, isOuter: true))))
        }
        return select
    }
}
