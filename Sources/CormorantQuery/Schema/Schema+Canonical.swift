import CormorantBase

// What an object is, apart from how it is written: spaces, comments, the case of words, quotes, the order of constraints
// and whether they stand at the column or behind all columns. Two objects with one canonical text are the same to SQLite.

extension SchemaObject {
    package var canonical: String {
        switch self {
        case .table(let table): table.canonical
        case .virtualTable(let table): table.canonical
        case .index(let index): index.canonical
        case .view(let view): view.canonical
        case .trigger(let trigger): trigger.canonical
        }
    }
}

extension TableDefinition {
    package var canonical: String {
        var others = constraints.compactMap(\.canonical)
        for column in columns {
            others += column.constraints.lazy.filter { !$0.kind.isOfColumn }.compactMap(\.canonical)
        }
        // By bytes: to `String` an accented letter and a letter with an accent are the same.
        others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var parts = columns.map(\.canonical)
        for (index, other) in others.enumerated()
        where index == 0 || !other.utf8.elementsEqual(others[index - 1].utf8) { parts.append(other) }
        return "create table \(canonicalIdentifier(name)) (\(parts.joined(separator: ", ")))"
            + (withoutRowID ? " without rowid" : "") + (strict ? " strict" : "")
    }
}

extension ColumnDefinition {
    /// Without what could stand behind all columns as well.
    package var canonical: String {
        var parts = [canonicalIdentifier(name)]
        if !type.isEmpty { parts.append(foldIdentifier(type)) }
        // Where it has two of a kind, SQLite takes the last.
        for keyword in ["not null", "default", "collate", "generated"] {
            if let last = constraints.last(where: { $0.kind.columnKeyword == keyword })?.canonical {
                parts.append(last)
            }
        }
        return parts.joined(separator: " ")
    }
}

extension ConstraintDefinition {
    /// Nil for one that means nothing. Of names only a CHECK's counts, which its error messages tell.
    package var canonical: String? {
        switch kind {
        case .primaryKey(let terms, let autoIncrement, let policy):
            return "primary key \(list(terms))" + (autoIncrement ? " autoincrement" : "") + conflict(policy)
        case .unique(let terms, let policy): return "unique \(list(terms))" + conflict(policy)
        case .notNull(let policy): return "not null" + conflict(policy)
        case .null: return nil
        case .check(let condition):
            return (name.map { "constraint \(canonicalIdentifier($0)) " } ?? "") + "check (\(condition.canonical))"
        case .defaultValue(let value): return "default (\(value.canonical))"
        case .collate(let collation): return "collate \(canonicalIdentifier(collation))"
        case .foreignKey(let key): return key.canonical
        case .generated(let expression, let stored):
            return "generated always as (\(expression.canonical)) \(stored ? "stored" : "virtual")"
        }
    }
}

extension ConstraintDefinition.Kind {
    fileprivate var isOfColumn: Bool { columnKeyword != nil }

    /// Of those that only a column can have.
    fileprivate var columnKeyword: String? {
        switch self {
        case .notNull: "not null"
        case .defaultValue: "default"
        case .collate: "collate"
        case .generated: "generated"
        case .primaryKey, .unique, .null, .check, .foreignKey: nil
        }
    }
}

extension ForeignKeyDefinition {
    fileprivate var canonical: String {
        var text = "foreign key \(list(columns)) references \(canonicalIdentifier(table))"
        if !tableColumns.isEmpty { text += " \(list(tableColumns))" }
        if onDelete != .none { text += " on delete \(onDelete.canonical)" }
        if onUpdate != .none { text += " on update \(onUpdate.canonical)" }
        if isDeferred { text += " deferrable initially deferred" }
        return text + ofServer
    }
}

extension ForeignKeyDefinition {
    /// What a server alone has of it; empty: nothing.
    package var ofServer: String {
        (isFull ? " match full" : "") + (isDeferrable ? " deferrable" : "")
            + (setColumns.isEmpty ? "" : " sets \(list(setColumns))")
    }
}

extension ForeignKeyAction {
    fileprivate var canonical: String {
        switch self {
        case .none: "no action"
        case .restrict: "restrict"
        case .setNull: "set null"
        case .setDefault: "set default"
        case .cascade: "cascade"
        }
    }
}

extension IndexTerm {
    package var canonical: String {
        expression.canonical + (collation.map { " collate \(canonicalIdentifier($0))" } ?? "")
            + (descending ? " desc" : "")
    }
}

extension IndexDefinition {
    package var canonical: String {
        "create \(isUnique ? "unique " : "")index \(canonicalIdentifier(name)) on \(canonicalIdentifier(table)) "
            + list(terms) + (condition.map { " where \($0.canonical)" } ?? "")
    }
}

extension VirtualTableDefinition {
    package var canonical: String {
        let arguments = arguments.map(\.canonical).joined(separator: ", ")
        return "create virtual table \(canonicalIdentifier(name)) using \(canonicalIdentifier(module)) (\(arguments))"
    }
}

extension ViewDefinition {
    package var canonical: String { "create view \(canonicalIdentifier(name)) \(body.canonical)" }
}

extension TriggerDefinition {
    package var canonical: String { "create trigger \(canonicalIdentifier(name)) \(body.canonical)" }
}

private func list(_ terms: [IndexTerm]) -> String { "(\(terms.map(\.canonical).joined(separator: ", ")))" }

private func list(_ names: [String]) -> String { "(\(names.map(canonicalIdentifier).joined(separator: ", ")))" }

private func conflict(_ policy: ConflictPolicy?) -> String {
    switch policy {
    case nil, .abort: ""
    case .ignore: " on conflict ignore"
    case .replace: " on conflict replace"
    case .fail: " on conflict fail"
    case .rollback: " on conflict rollback"
    }
}
