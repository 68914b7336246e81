import CormorantBase
import CormorantQuery

// Renames, as the server makes them: whatever names the table or the column follows.
extension Schema {
    mutating func rename(table: String, to name: String) {
        for place in tables.indices {
            if sameIdentifier(tables[place].name, table) { tables[place].name = name }
            tables[place].constraints = tables[place].constraints.map { constraint in
                guard case .foreignKey(var key) = constraint.kind, sameIdentifier(key.table, table) else {
                    return constraint
                }
                key.table = name
                var copy = constraint
                copy.kind = .foreignKey(key)
                return copy
            }
            tables[place].sql = tables[place].onServer
        }
        for place in indexes.indices where sameIdentifier(indexes[place].table, table) { indexes[place].table = name }
        for place in triggers.indices where sameIdentifier(triggers[place].table, table) {
            triggers[place].table = name
        }
    }

    mutating func rename(column: String, to name: String, of table: String) {
        func renamed(_ old: String) -> String { sameIdentifier(old, column) ? name : old }
        func renamed(_ sql: SQLFragment) -> SQLFragment {
            let change = { (word: String) in sameIdentifier(word, column) ? name : nil }
            return SQLFragment(
                text: rewrittenOnServer(sql.text, isCanonical: false, change),
                canonical: rewrittenOnServer(sql.canonical, change))
        }
        func renamed(_ term: IndexTerm) -> IndexTerm {
            IndexTerm(
                expression: renamed(term.expression), column: term.column.map(renamed), collation: term.collation,
                descending: term.descending)
        }
        func renamed(_ constraint: ConstraintDefinition) -> ConstraintDefinition {
            var copy = constraint
            switch constraint.kind {
            case .primaryKey(let terms, let isMade, let policy):
                copy.kind = .primaryKey(terms.map(renamed), autoIncrement: isMade, onConflict: policy)
            case .unique(let terms, let policy): copy.kind = .unique(terms.map(renamed), onConflict: policy)
            case .check(let condition): copy.kind = .check(renamed(condition))
            case .generated(let value, let stored): copy.kind = .generated(renamed(value), stored: stored)
            case .foreignKey(var key):
                key.columns = key.columns.map(renamed)
                key.setColumns = key.setColumns.map(renamed)
                copy.kind = .foreignKey(key)
            default: return constraint
            }
            copy.sql = rewrittenOnServer(constraint.sql, isCanonical: false) { sameIdentifier($0, column) ? name : nil }
            return copy
        }
        for place in tables.indices {
            if sameIdentifier(tables[place].name, table) {
                tables[place].columns = tables[place].columns.map { old in
                    var new = old
                    new.name = renamed(old.name)
                    new.constraints = old.constraints.map(renamed)
                    if !isSame(new.name, old.name) {
                        new.sql = quoteIdentifier(name) + old.sql.dropFirst(quoteIdentifier(old.name).count)
                    }
                    return new
                }
                tables[place].constraints = tables[place].constraints.map(renamed)
            }
            tables[place].constraints = tables[place].constraints.map { constraint in
                guard case .foreignKey(var key) = constraint.kind, sameIdentifier(key.table, table) else {
                    return constraint
                }
                key.tableColumns = key.tableColumns.map(renamed)
                var copy = constraint
                copy.kind = .foreignKey(key)
                return copy
            }
            tables[place].sql = tables[place].onServer
        }
        for place in indexes.indices where sameIdentifier(indexes[place].table, table) {
            indexes[place].terms = indexes[place].terms.map(renamed)
            indexes[place].condition = indexes[place].condition.map(renamed)
        }
    }
}
