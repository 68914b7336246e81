import CormorantBase
import CormorantQuery

/// The parts of a model before it is known that they fit together.
struct ModelDraft {
    let name: String
    let table: String
    let columns: [ColumnDescriptor]
    let keys: [KeyDescriptor]
    let references: [ReferenceDescriptor]
    let checks: [String]
    let columnOrder: [String]
    let withoutRowID: Bool
    let strict: Bool
    let module: ModuleSchema?
    let isView: Bool
    let distributedBy: String?
    var scope: String?
    let migration: MigrationNotes

    /// Indices of the columns of the primary key.
    var keyColumns: [Int] {
        if let key = keys.first(where: { $0.kind == .primary }) { return key.columns.compactMap(index) }
        return columns.indices.filter { columns[$0].primaryKey }
    }

    /// The column that tells the model's rows from others of its table.
    var discriminator: ColumnDescriptor? { columns.first { $0.discriminator != nil } }

    /// The condition that all its rows meet: its own, and that of the discriminator.
    var wholeScope: String? {
        let own = discriminator.flatMap { column in
            column.discriminatorSQL.map { "\(quoteIdentifier(column.column)) = \($0)" }
        }
        guard let scope, let own else { return scope ?? own }
        return "(\(scope)) AND \(own)"
    }

    func index(_ property: String) -> Int? { columns.firstIndex { $0.name == property } }

    /// The table, of parts that `problem` found nothing wrong with.
    func schema() -> TableSchema {
        let key = keyColumns
        if let module {
            let columns = orderedColumns().map { ColumnSchema(name: $0.column, type: $0.type) }
            return TableSchema(name: table, columns: columns, primaryKey: ["rowid"], module: module)
        }
        if isView {
            let columns = orderedColumns().map { ColumnSchema(name: $0.column, type: $0.type) }
            return TableSchema(
                name: table, columns: columns, primaryKey: key.map { self.columns[$0].column },
                foreignKeys: foreignKeys())
        }
        var schemas = orderedColumns().map { column in
            ColumnSchema(
                name: column.column, type: column.type, notNull: column.notNull, autoIncrement: column.autoIncrement,
                defaultSQL: column.defaultSQL, computedSQL: column.computedSQL, collation: column.collation,
                scale: column.scale, bits: column.bits, isUnsigned: column.isUnsigned)
        }
        if key.isEmpty {
            schemas.insert(ColumnSchema(name: hiddenKeyName, type: .int64, notNull: true, autoIncrement: true), at: 0)
        }
        return TableSchema(
            name: table, columns: schemas,
            primaryKey: key.isEmpty ? [hiddenKeyName] : key.map { columns[$0].column }, foreignKeys: foreignKeys(),
            checks: allChecks(), indexes: indexes(), withoutRowID: withoutRowID, strict: strict,
            distributedBy: distributedBy.flatMap(index).map { columns[$0].column })
    }

    private func orderedColumns() -> [ColumnDescriptor] {
        let first = columnOrder.compactMap(index)
        return (first + columns.indices.filter { !first.contains($0) }).map { columns[$0] }
    }

    private func foreignKeys() -> [ForeignKeySchema] {
        let single = columns.compactMap { column in
            column.references.map { target in
                ForeignKeySchema(
                    columns: [column.column], table: target.table, tableColumns: target.column.map { [$0] } ?? [],
                    onDelete: target.onDelete, onUpdate: target.onUpdate)
            }
        }
        return single
            + references.map { key in
                ForeignKeySchema(
                    columns: key.columns.compactMap(index).map { columns[$0].column }, table: key.table,
                    tableColumns: key.tableColumns, onDelete: key.onDelete, onUpdate: key.onUpdate)
            }
    }

    private func allChecks() -> [CheckSchema] {
        var result: [CheckSchema] = []
        for column in columns {
            let name = "\(table)_\(column.column)"
            let quoted = quoteIdentifier(column.column)
            if case .varchar(let length) = column.type {
                result.append(
                    CheckSchema(
                        name: "\(name)_length", condition: "length(\(quoted)) <= \(length)", column: column.column))
            }
            if column.type == .json {
                // json_valid(NULL) is 0 in older SQLites, such as 3.40.
                let condition = column.notNull ? "json_valid(\(quoted))" : "\(quoted) IS NULL OR json_valid(\(quoted))"
                result.append(CheckSchema(name: "\(name)_json", condition: condition, column: column.column))
            }
            if let condition = column.checkSQL {
                result.append(CheckSchema(name: "\(name)_check", condition: condition, column: column.column))
            }
        }
        for (index, condition) in checks.enumerated() {
            result.append(CheckSchema(name: "\(table)_check_\(index + 1)", condition: condition))
        }
        return result
    }

    private func indexes() -> [IndexSchema] {
        var result: [IndexSchema] = []
        for column in columns where column.unique || column.indexed {
            result.append(
                IndexSchema(
                    name: "\(table)_\(column.column)_\(column.unique ? "key" : "index")",
                    columns: [OrderedColumn(column.column)], isUnique: column.unique))
        }
        for key in keys where key.kind != .primary {
            let parts = key.columns.compactMap(ordered)
            let names = parts.map(\.name).joined(separator: "_")
            result.append(
                IndexSchema(
                    name: key.name ?? "\(table)_\(names)_\(key.kind == .unique ? "key" : "index")", columns: parts,
                    isUnique: key.kind == .unique, whereSQL: key.whereSQL))
        }
        return result
    }

    /// "-age" as the column of property age, descending.
    func ordered(_ term: String) -> OrderedColumn? {
        if let exact = index(term) { return OrderedColumn(columns[exact].column) }
        guard term.hasPrefix("-"), let found = index(String(term.dropFirst())) else { return nil }
        return OrderedColumn(columns[found].column, descending: true)
    }
}
