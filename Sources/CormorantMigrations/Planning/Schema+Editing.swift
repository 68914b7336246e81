import CormorantBase
import CormorantORM
import CormorantQuery

extension Schema {
    /// The schema that models make in an empty file.
    public init(models: [ModelDescriptor]) throws {
        for model in models { try model.requireOwnFile() }
        var taken: [ExactText: String] = [:]
        for model in models {
            if let other = taken.updateValue(model.name, forKey: nameKey(model.table)) {
                throw CormorantError(
                    .model, "models \(other) and \(model.name) share the table \"\(model.table)\"",
                    hint: "give one of them another table name", table: model.table)
            }
        }
        self = try Schema(script: models.map(\.createSQL).joined())
    }

    /// SHA-256 over what the statements mean, as 64 hexadecimal digits: spaces, comments, needless quotes and the order of
    /// objects do not matter.
    public var hash: String {
        let texts = canonicalTexts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return sha256(texts.map { $0 + ";\n" }.joined().utf8)
    }

    /// Whether a table, view or virtual table has the name.
    func has(_ name: String) -> Bool {
        table(name) != nil || virtualTable(name) != nil || view(name) != nil
    }

    mutating func replace(_ table: TableDefinition) {
        if let index = tables.firstIndex(where: { sameIdentifier($0.name, table.name) }) {
            tables[index] = table
        } else {
            tables.append(table)
        }
    }

    mutating func replace(_ table: VirtualTableDefinition) {
        if let index = virtualTables.firstIndex(where: { sameIdentifier($0.name, table.name) }) {
            virtualTables[index] = table
        }
    }

    mutating func replace(_ index: IndexDefinition) {
        removeIndex(index.name)
        indexes.append(index)
    }

    mutating func removeIndex(_ name: String) { indexes.removeAll { sameIdentifier($0.name, name) } }

    /// Removes a table with its indexes and triggers.
    mutating func removeTable(_ name: String) { remove([nameKey(name)]) }

    /// Removes tables with their indexes and triggers, and others: `name` of a table, `index:name`, `view:name`, `trigger:name`, folded.
    mutating func remove(_ names: Set<ExactText>) {
        func isIn(_ kind: String, _ name: String) -> Bool { names.contains(nameKey(kind + name)) }
        tables.removeAll { isIn("", $0.name) }
        virtualTables.removeAll { isIn("", $0.name) }
        indexes.removeAll { isIn("", $0.table) || isIn("index:", $0.name) }
        triggers.removeAll { isIn("", $0.table) || isIn("view:", $0.table) || isIn("trigger:", $0.name) }
        views.removeAll { isIn("view:", $0.name) }
    }
}

extension Schema: Equatable {
    /// Whether both mean the same, as their hashes do.
    public static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash
    }
}

extension Reader {
    /// The file's schema as it is now, without the tables that migrations keep for themselves. Of a server it is in the server's
    /// words, and is compared with what another server has.
    @available(*, noasync)
    public func schema() throws -> Schema { try database.withReader { try Schema(present: $0) } }
}

extension ForeignKeyDefinition {
    /// The key as a constraint behind the columns.
    var sql: String {
        var sql = "FOREIGN KEY (\(columns.map(quoteIdentifier).joined(separator: ", ")))"
        sql += " REFERENCES \(quoteIdentifier(table))"
        if !tableColumns.isEmpty { sql += " (\(tableColumns.map(quoteIdentifier).joined(separator: ", ")))" }
        // A server takes it here alone.
        if let match = isFull ? "FULL" : match { sql += " MATCH \(match)" }
        if let action = onDelete.keyword {
            sql += " ON DELETE \(action)"
            if !setColumns.isEmpty { sql += " (\(setColumns.map(quoteIdentifier).joined(separator: ", ")))" }
        }
        if let action = onUpdate.keyword { sql += " ON UPDATE \(action)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" } else if isDeferrable { sql += " DEFERRABLE" }
        return sql
    }
}

extension ConflictPolicy {
    /// As ON CONFLICT names it.
    var word: String {
        switch self {
        case .abort: "ABORT"
        case .ignore: "IGNORE"
        case .replace: "REPLACE"
        case .fail: "FAIL"
        case .rollback: "ROLLBACK"
        }
    }
}

extension ColumnDefinition {
    /// The column composed of its name, type and constraints.
    func rendered() -> String {
        ([quoteIdentifier(name)] + (type.isEmpty ? [] : [typeSQL]) + constraints.map(\.sql)).joined(separator: " ")
    }

    /// A type of other than words, numbers and parentheses was written in quotes.
    private var typeSQL: String {
        let isPlain = type.utf8.allSatisfy { byte in
            byte >= 0x80 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39
                || [0x5F, 0x20, 0x28, 0x29, 0x2C, 0x2B, 0x2D, 0x2E].contains(byte)
        }
        return isPlain ? type : quoteIdentifier(type)
    }
}

extension IndexTerm {
    var sql: String {
        expression.text + (collation.map { " COLLATE \(quoteIdentifier($0))" } ?? "") + (descending ? " DESC" : "")
    }
}
