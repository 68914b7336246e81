import CormorantBase
import CormorantEngine
import CormorantQuery

/// What is left of a graph once all its records are saved: what its lists have no more is deleted, and the rows of its junctions
/// are written. What the graph saves, or relates by another of its lists, stays.
package final class SavedRelations {
    /// The related records of an owner, by their keys: of a many-to-many relation those that the junction refers to.
    private struct List {
        let relation: Relation
        let owner: [Value]
        let keys: [[Value]]
    }

    private var junctions: [List] = []
    private var removals: [List] = []
    /// The rows that stay, by their foreign keys.
    private var staying: [Reference: [Row]] = [:]

    package init() {}

    /// Notes the records in an owner's list.
    package func note(_ relation: Relation, of owner: [Value], _ keys: [[Value]], deletesRemoved: Bool) {
        let list = List(relation: relation, owner: owner, keys: keys)
        if relation.kind == .manyToMany { junctions.append(list) }
        if deletesRemoved { removals.append(list) }
    }

    /// The tables of which it must be told what was saved.
    package var tables: Set<String> {
        Set(removals.lazy.filter { $0.relation.kind == .toMany }.map(\.relation.target.table))
    }

    /// Notes a record that was saved, by the values of its properties.
    package func note(_ model: ModelDescriptor, _ values: [Value]) {
        note(model.table, Row(zip(model.columns.map(\.column), values)) { first, _ in first })
    }

    private func note(_ table: String, _ row: Row) {
        var known: Set<[String]> = []
        for relation in removals.lazy.map(\.relation) where relation.rows.table == table {
            let columns = relation.referringColumns
            guard known.insert(columns).inserted else { continue }
            let key = columns.compactMap { row[$0] }
            guard key.count == columns.count else { continue }
            staying[Reference(relation, key), default: []].append(row)
        }
    }

    /// Runs it, in the transaction that saved the records.
    package func write(to database: Database) throws {
        for list in junctions where !removals.isEmpty {
            let columns = list.relation.referringColumns + list.relation.namingColumns
            for key in list.keys {
                note(list.relation.rows.table, Row(zip(columns, list.owner + key)) { first, _ in first })
            }
        }
        for list in removals {
            let named = list.relation.namingColumns
            let kept = (staying[Reference(list.relation, list.owner)] ?? []).map { row in named.map { row[$0] ?? .null } }
            _ = try database.execute(
                list.relation.deletion(of: list.owner, except: (list.keys + kept).flatMap { $0 }, database.dialect))
        }
        for list in junctions {
            try database.execute(all: list.keys.map { try list.relation.junctionRow(list.owner, $0, database.dialect) })
        }
    }
}

/// The values of a row by the names of its columns.
private typealias Row = [String: Value]

/// A foreign key of a table. Keys that some collation takes for one are one: it is the database that tells whose rows are deleted.
private struct Reference: Hashable {
    private let table: String
    private let columns: [String]
    private let key: RowKey

    init(_ relation: Relation, _ key: [Value]) {
        table = relation.rows.table
        let columns = relation.referringColumns
        let order = columns.indices.sorted { columns[$0] < columns[$1] }
        self.columns = order.map { columns[$0] }
        self.key = RowKey(order.map { Reference.coarse(key[$0], relation.step.collations[$0]) })
    }

    private static func coarse(_ value: Value, _ collation: String?) -> Value {
        guard case .text(var text) = value else { return value }
        guard isComparable(collation) else { return .text("") }
        let compared = text.withUTF8 { String(decoding: comparable($0, collation), as: UTF8.self) }
        return .text(foldedCase(String(compared.reversed().drop { $0 == " " }.reversed())))
    }
}

extension Relation {
    /// The model of the rows that make it up: the related ones, or the junction's.
    fileprivate var rows: ModelDescriptor { junction ?? target }

    /// The columns there that refer to the owner.
    fileprivate var referringColumns: [String] { step.columns.map { rows.columns[$0.to].column } }

    /// The columns there that tell one related record from another.
    fileprivate var namingColumns: [String] {
        second?.columns.map { rows.columns[$0.from].column } ?? target.keyColumns.map { target.columns[$0].column }
    }
}
