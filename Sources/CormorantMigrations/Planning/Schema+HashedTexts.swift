import CormorantBase
import CormorantQuery

// The texts that the hash of a schema is taken over: equal where `SchemaDifference` finds no difference.
extension Schema {
    var canonicalTexts: [String] {
        let parents = Dictionary(
            tables.map { (nameKey($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        var texts = tables.map { canonical($0, parents) }
        texts += virtualTables.map(\.canonical) + indexes.map(\.canonical)
        texts += views.map(\.canonical) + triggers.map(\.canonical)
        return texts
    }

    private func canonical(_ table: TableDefinition, _ parents: [ExactText: TableDefinition]) -> String {
        let shape = TableShape(table)
        var parts = shape.columns.map { canonical($0, isRowID: shape.isRowID($0.name)) }
        parts.append(
            "key \(canonical(shape.primaryKey)) \(shape.autoIncrement) \(shape.keyConflict?.word ?? "")"
                + " rowid \(shape.rowIDColumn != nil)")
        for unique in shape.uniques {
            if case .unique(let terms, let onConflict) = unique.kind {
                parts.append("unique \(canonical(terms)) \(onConflict?.word ?? "")")
            }
        }
        parts += shape.checks.map { "check \($0.check.canonical)" }
        parts += shape.foreignKeys.map { canonical(resolved($0.key, parent: parents[nameKey($0.key.table)])) }
        parts.append("options \(shape.withoutRowID) \(shape.strict)")
        // By their bytes: Swift would take an é for an e with an accent behind it, which SQLite does not.
        let sorted = parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let distinct = sorted.enumerated().filter { $0 == 0 || !sorted[$0 - 1].utf8.elementsEqual($1.utf8) }.map(
            \.element)
        return "table \(folded(table.name)) [\(distinct.map(quoted).joined(separator: ", "))]"
    }

    private func canonical(_ column: TableShape.Column, isRowID: Bool) -> String {
        var conflict = ""
        if case .notNull(let policy)? = column.notNull?.kind, !isRowID { conflict = "not null \(policy?.word ?? "")" }
        return """
            column \(folded(column.name)) \(folded(column.definition.type)) \(conflict) \
            default \(column.defaultValue?.canonical ?? "") collate \(column.collation.map(folded) ?? "binary") \
            as \(column.computed?.canonical ?? "") \(column.isStored)
            """
    }

    private func canonical(_ terms: [IndexTerm]) -> [String] {
        terms.map(\.canonical)
    }

    private func canonical(_ key: ForeignKeyDefinition) -> String {
        "references \(key.columns.map(folded)) \(folded(key.table)) \(key.tableColumns.map(folded)) \(key.onDelete) "
            + "\(key.onUpdate) \(key.isDeferred)\(key.ofServer)"
    }

    /// As a list of texts describes itself, which takes long; few have what it escapes.
    private func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        return isPlain ? "\"\(text)\"" : text.debugDescription
    }

    private func folded(_ name: String) -> String { foldIdentifier(name) }
}
