import CormorantBase
import CormorantEngine
import CormorantQuery

/// What is left of a graph once all its records are saved: what its lists have no more is deleted, and the rows of its junctions
/// are written. What the graph saves, or relates by another of its lists, stays. All lists are noted first, then the rows.
package final class SavedRelations {
    /// The related records of an owner, by their keys: of a many-to-many relation those that the junction refers to.
    private struct List {
        let relation: Relation
        let owner: [Value]
        let keys: [[Value]]
    }

    private var junctions: [List] = []
    private var removals: [List] = []
    /// The foreign keys by which rows are removed, by their tables.
    private lazy var removing = Dictionary(grouping: unique(removals.map(\.relation)), by: \.rows.place)
    /// The rows that stay, by these foreign keys.
    private var staying: [Reference: [Row]] = [:]

    /// The tables of lists from which rows may go.
    private var tables: Set<ExactText> = []

    package init() {}

    /// Says, before the records of a list are saved, that rows which it lacks will be deleted.
    package func willRemove(from relation: Relation) {
        if relation.kind == .toMany { tables.insert(nameKey(relation.target.table)) }
    }

    /// An error of saving, which says what to do where a row that is to be deleted may have the value.
    package func explained(_ error: any Error) -> any Error {
        guard let error = error as? CormorantError, error.code == .unique,
            let table = error.table, tables.contains(nameKey(table))
        else { return error }
        let explained = CormorantError(
            error.code, error.plainMessage,
            hint: "another row has the same value: one that no list has any more is deleted once all is saved, "
                + "so delete it first, in one transaction with the save",
            sqliteCode: error.sqliteCode, sql: error.sql, offset: error.offset, table: table, columns: error.columns,
            constraint: error.constraint)
        return error.recordIndex.map { explained.at(record: $0) } ?? explained
    }

    /// Notes the records in an owner's list.
    package func note(_ relation: Relation, of owner: [Value], _ keys: [[Value]], deletesRemoved: Bool) throws {
        if deletesRemoved, relation.kind == .toMany { try relation.target.requireKey() }
        let list = List(relation: relation, owner: owner, keys: keys)
        if relation.kind == .manyToMany { junctions.append(list) }
        if deletesRemoved { removals.append(list) }
    }

    /// Of which properties it must be told the values of the model's records that were saved; none: of no records.
    package func columns(of model: ModelDescriptor) -> [Int] {
        guard let relations = removing[model.place] else { return [] }
        let names = Set(relations.flatMap { $0.referringColumns + $0.namingColumns })
        return model.columns.indices.filter { names.contains(ExactText(model.columns[$0].column)) }
    }

    /// Notes a record that was saved, by the values of these properties.
    package func note(_ model: ModelDescriptor, _ columns: [Int], _ values: [Value]) {
        note(model.place, Row(zip(columns.map { ExactText(model.columns[$0].column) }, values)) { first, _ in first })
    }

    private func note(_ place: Place, _ row: Row) {
        for relation in removing[place] ?? [] {
            let key = relation.referringColumns.compactMap { row[$0] }
            if key.count == relation.step.columns.count { staying[Reference(relation, key), default: []].append(row) }
        }
    }

    /// Runs it, in the transaction that saved the records.
    package func write(to database: Database) throws {
        for list in junctions where removing[list.relation.rows.place] != nil {
            let columns = list.relation.referringColumns + list.relation.namingColumns
            for key in list.keys {
                note(list.relation.rows.place, Row(zip(columns, list.owner + key)) { first, _ in first })
            }
        }
        for place in order() {
            try remove(removals.filter { $0.relation.rows.place == place }, database)
        }
        for list in junctions {
            try database.execute(all: list.keys.map { try list.relation.junctionRow(list.owner, $0, database.dialect) })
        }
    }

    /// The tables of which rows are removed, those first that refer to others.
    private func order() -> [Place] {
        var models: [Place: ModelDescriptor] = [:]
        for list in removals { models[list.relation.rows.place] = list.relation.rows }
        var (order, seen): ([Place], Set<Place>) = ([], [])
        func add(_ place: Place) {
            guard let model = models[place], seen.insert(place).inserted else { return }
            for other in removals.lazy.map(\.relation.rows) where other.refers(to: model) { add(other.place) }
            order.append(place)
        }
        for list in removals { add(list.relation.rows.place) }
        return order
    }

    /// Deletes what lists of one table have no more. Where rows refer to others of the table, all lists together: a foreign key looks
    /// when a statement ends, but RESTRICT at each row, and then the leaves go first, round by round, until no more go.
    private func remove(_ lists: [List], _ database: Database) throws {
        let models = lists.map(\.relation.rows).reduce(into: [ModelDescriptor]()) { known, model in
            if !known.contains(where: { $0.tableReference === model.tableReference }) { known.append(model) }
        }
        let keys = models.flatMap { model in model.keysToItself.map { (key: $0, model: model) } }
        var parts: [[List]] = []
        for list in lists {
            let fitting = parts.lastIndex { $0[0].relation.step.target === list.relation.step.target }
            if !keys.isEmpty, let fitting, parts[fitting].count < 100 {
                parts[fitting].append(list)
            } else {
                parts.append([list])
            }
        }
        let deletions = try parts.map { part in
            var change = Change(.delete, part[0].relation.step.target)
            change.conditions = [.any(try part.map(isRemoved))]
            return change
        }
        if !keys.isEmpty, deletions.count > 1 || keys.contains(where: { $0.key.onDelete == .restrict }) {
            let rounds = try zip(parts, deletions).map { part, deletion in
                var (leaves, left) = (deletion, Select(from: deletion.table))
                leaves.conditions += keys.compactMap { part[0].relation.rows.isLeaf(by: $0.key, of: $0.model) }
                left.columns = [Expression(.raw("count(*)", []))]
                left.conditions = deletion.conditions
                return try (
                    leaves: StatementCompiler.compile(leaves, database.dialect),
                    left: StatementCompiler.compile(left, database.dialect)
                )
            }
            var (before, left) = (Int64.max, Int64.max)
            repeat {
                before = left
                for round in rounds { _ = try database.execute(round.leaves) }
                left = try rounds.reduce(0) { try $0 + database.number($1.left) }
            } while left > 0 && left < before
        }
        for deletion in deletions {
            _ = try database.execute(StatementCompiler.compile(deletion, database.dialect))
        }
    }

    private func isRemoved(_ list: List) throws -> Expression {
        let relation = list.relation
        let names = relation.namingColumns
        var kept = list.keys
        var known = Set(kept.map { RowKey($0) })
        // Of a junction that is related itself, by a key of its own: what is known of its rows are the records between which they are.
        var others: [[ExactText]: [[Value]]] = [:]
        for row in staying[Reference(relation, list.owner)] ?? [] {
            let key = names.compactMap { row[$0] }
            if key.count == names.count {
                if known.insert(RowKey(key)).inserted { kept.append(key) }
            } else {
                let columns = row.keys.sorted()
                others[columns, default: []].append(columns.compactMap { row[$0] })
            }
        }
        return try relation.isRemoved(from: list.owner, except: kept, others)
    }
}

/// Where a table is: its name in lower case, and the name that its file is attached under.
private struct Place: Hashable {
    let table: ExactText
    let schema: String?
}

/// The values of a row by the names of its columns.
private typealias Row = [ExactText: Value]

/// A foreign key of a table.
private struct Reference: Hashable {
    private let place: Place
    private let columns: [ExactText]
    private let key: RowKey

    init(_ relation: Relation, _ key: [Value]) {
        place = relation.rows.place
        let columns = relation.referringColumns
        let order = columns.indices.sorted { columns[$0] < columns[$1] }
        self.columns = order.map { columns[$0] }
        let isUnique = relation.kind == .toMany
        self.key = RowKey(order.map { Reference.value(key[$0], relation.step.collations[$0], isUnique: isUnique) })
    }

    /// - Parameter isUnique: whether a row has one of the foreign keys alone, so that those may be one that only the file's own
    ///   collation takes for one: which rows are the owner's it is the file that says.
    private static func value(_ value: Value, _ collation: String?, isUnique: Bool) -> Value {
        guard case .text(var text) = value else { return value }
        guard isComparable(collation) else { return .text("") }
        let compared = text.withUTF8 { String(decoding: comparable($0, collation), as: UTF8.self) }
        return .text(isUnique ? foldedCase(String(compared.reversed().drop { $0 == " " }.reversed())) : compared)
    }
}

/// One of each foreign key.
private func unique(_ relations: [Relation]) -> [Relation] {
    var known: Set<[ExactText]> = []
    return relations.filter {
        known.insert([$0.rows.place.table, ExactText($0.rows.place.schema ?? "")] + $0.referringColumns).inserted
    }
}

extension ModelDescriptor {
    fileprivate var place: Place {
        Place(table: nameKey(tableReference.table.name), schema: tableReference.table.schema)
    }

    fileprivate func refers(to other: ModelDescriptor) -> Bool {
        schema.foreignKeys.contains { sameIdentifier($0.table, other.table) }
    }
}

extension Relation {
    /// The columns there that refer to the owner.
    fileprivate var referringColumns: [ExactText] { step.columns.map { ExactText(rows.columns[$0.to].column) } }

    /// The columns there that tell one related record from another.
    fileprivate var namingColumns: [ExactText] {
        let names =
            second?.columns.map { rows.columns[$0.from].column } ?? target.keyColumns.map { target.columns[$0].column }
        return names.map { ExactText($0) }
    }
}
