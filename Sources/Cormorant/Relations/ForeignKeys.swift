import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

/// What a column of a record is to refer to.
struct ForeignKey {
    let column: Int
    let value: Value
    let relation: Relation
    /// The related record was only loaded: it says nothing against what the row has.
    var isRead = false

    /// Whether the column has another value; one of a record that another one owns may lack it.
    func differs(from given: Value) -> Bool {
        !isSame(as: given) && !(given == .null && relation.kind == .toMany)
    }

    /// Whether the column is as it is to be; of a record that was loaded, also by a collation that may have related the two.
    func isSame(as given: Value) -> Bool {
        if RowKey([given]) == RowKey([value]) { return true }
        guard isRead, case .text(let here) = given, case .text(let there) = value else { return false }
        func folded(_ text: String) -> RowKey {
            RowKey([.text(String(text.reversed().drop { $0 == " " }.reversed()))], ["corm_nocase"])
        }
        return folded(here) == folded(there)
    }
}

extension Relation {
    /// What a record of the model has in its foreign key to be related to none: nil, but for columns of its own key.
    func foreignKeysToNone(of model: ModelDescriptor) throws -> [ForeignKey] {
        let columns = ownerColumns.filter { !model.keyColumns.contains($0) }
        if columns.isEmpty || columns.contains(where: { !model.columns[$0].isOptional }) {
            let names = ownerColumns.map { model.columns[$0].name }.joined(separator: ", ")
            throw CormorantError(
                .misuse, "\(model.name).\(name) is set to nil, and \(names) cannot be nil",
                hint: "delete the record, or relate it to another one", table: model.table,
                columns: ownerColumns.map { model.columns[$0].column })
        }
        return columns.map { ForeignKey(column: $0, value: .null, relation: self) }
    }
}

extension Record {
    /// Writes foreign keys into the record, by the one way that its columns can be set: it is read from a row of them.
    mutating func set(_ foreignKeys: [ForeignKey], in database: Database) throws {
        guard !foreignKeys.isEmpty else { return }
        let columns = Array(Self.model.columns.indices)
        var values = try columns.map { try columnValue(at: $0) }
        guard foreignKeys.contains(where: { !$0.isSame(as: values[$0.column]) }) else { return }
        let differing = foreignKeys.filter { $0.differs(from: values[$0.column]) }
        if !differing.isEmpty { try database.refuseContradictions(Self.self, values, differing) }
        for key in foreignKeys where !key.isSame(as: values[key.column]) { values[key.column] = key.value }
        try database.assign(values, to: Self.model, columns) { try read(from: $0) }
    }
}

extension Database {
    /// Where a foreign key was changed, and not to that of the related record, nobody can tell which of both is meant.
    fileprivate func refuseContradictions<R: Record>(_: R.Type, _ values: [Value], _ keys: [ForeignKey]) throws {
        let model = R.model
        let row = try stored(R.self, model.keyColumns.map { values[$0] })
        for key in keys {
            let value = values[key.column]
            let stored = try row?.columnValue(at: key.column)
            if let stored {
                let isStored = RowKey([value]) == RowKey([stored])
                if isStored ? !key.isRead : value == .null && key.differs(from: stored) { continue }
            } else if key.value != .null, !key.isRead {
                // A new record, whose foreign key need not be anything yet.
                continue
            }
            let column = model.columns[key.column]
            let there = stored.map { " where the row has \($0.json)" } ?? ""
            throw CormorantError(
                .misuse,
                "\(model.name).\(column.name) is \(value.json)\(there), but the record of relation \(key.relation.name) has "
                    + key.value.json,
                hint: "give \(column.name) the key of that record, or take the record out of the relation",
                table: model.table, columns: [column.column])
        }
    }
}
