import CormorantBase
import CormorantEngine
import CormorantORM

/// The rows that a graph has several times: records are values, so that each list and each relation has a copy of its own. Such a
/// row is saved once, and all copies are as it is then: where one of them says that it is to refer to another record than it does,
/// behind all others, once that one has its key.
final class GraphCopies {
    private struct Row: Hashable {
        let model: ObjectIdentifier
        let key: RowKey
    }

    private let database: Database
    /// What the first copy of each row has, and of each that has another the two.
    private var first: [Row: [Value]] = [:]
    private var changed: [Row: (old: [Value], new: [Value])] = [:]
    private var repeated: Set<Row> = []
    private var saved: [Row: [Value]] = [:]
    /// What lists and assigned relations have said of foreign keys.
    private var referring: [Row: [Int: ForeignKey]] = [:]
    /// By which columns rows are to refer to other records than they do.
    private var moving: [Row: Set<Int>] = [:]
    /// Whether such a row can wait.
    private var waits: [Row: Bool] = [:]

    init(_ database: Database) { self.database = database }

    private func row<R: Record>(_ record: R) throws -> Row? {
        let key = try record.key
        return key.isEmpty || key.contains(.null) ? nil : Row(model: ObjectIdentifier(R.model), key: RowKey(key))
    }

    /// Looks at a record before any is saved. Of two copies that differ one is as the row is: the other one was changed.
    /// - Parameter list: in whose list it is.
    func look<R: Record>(at record: R, in list: Parent?) throws {
        guard let row = try row(record) else { return }
        let values = try record.columnValues()
        for (relation, key) in try record.assigned() where relation.ownerColumns != list?.columns {
            noteMoves(row, relation.ownerColumns, key, values)
        }
        if let list { noteMoves(row, list.columns, list.key, values) }
        guard let known = first.updateValue(values, forKey: row) else { return }
        first[row] = known
        repeated.insert(row)
        guard !isSame(known, values) else { return }
        if let (old, new) = changed[row], isSame(values, old) || isSame(values, new) { return }
        let stored = changed[row] == nil ? try database.stored(R.self, record.key)?.columnValues() : nil
        guard let stored, isSame(known, stored) || isSame(values, stored) else {
            let key = try record.key.map(\.json).joined(separator: ", ")
            throw CormorantError(
                .misuse, "\(R.model.name) \(key) is several times in what is saved, each with other values",
                hint: "change one of its copies, and set the others to that one", table: R.model.table)
        }
        changed[row] = (stored, isSame(known, stored) ? values : known)
    }

    /// - Parameter key: of what it is to refer to, in which NULL is not known yet; nil: it refers to none.
    private func noteMoves(_ row: Row, _ columns: [Int], _ key: [Value]?, _ values: [Value]) {
        for (index, column) in columns.enumerated() {
            let isThere = key.map { $0[index] != .null && isSame([$0[index]], [values[column]]) }
            if !(isThere ?? (values[column] == .null)) { moving[row, default: []].insert(column) }
        }
    }

    /// Whether a row is there several times.
    var hasAny: Bool { !repeated.isEmpty }

    /// All were looked at.
    func endLook() { first = [:] }

    /// Gives an old copy what the changed one has.
    func bringUpToDate<R: Record>(_ record: inout R) throws {
        guard !changed.isEmpty, let row = try row(record), let (old, new) = changed[row],
            isSame(try record.columnValues(), old)
        else { return }
        try assign(new, to: &record)
        try record.forgetOtherRecords(keepsAssigned: true)
    }

    /// Makes a record what its row was saved as. What it is to refer to is told before: a row refers by the same columns to one
    /// record alone, wherever it is.
    /// - Parameter keys: the foreign keys that a list or an assigned relation says.
    /// - Returns: whether the row was saved.
    func takeSaved<R: Record>(_ record: inout R, _ keys: [ForeignKey]) throws -> Bool {
        guard !repeated.isEmpty, let row = try row(record), repeated.contains(row) else { return false }
        for key in keys {
            let edited = changed[row].flatMap {
                RowKey([$0.old[key.column]]) == RowKey([$0.new[key.column]]) ? nil : $0.new
            }
            let said = referring[row, default: [:]].updateValue(key, forKey: key.column)?.value ?? edited?[key.column]
            guard let said, RowKey([said]) != RowKey([key.value]) else { continue }
            throw CormorantError(
                .misuse, "\(R.model.name).\(R.model.columns[key.column].name) would refer to two records",
                hint: "put the record into one list of related records only, the one its own relation leads to",
                table: R.model.table, columns: [R.model.columns[key.column].column])
        }
        guard let values = saved[row] else { return false }
        try assign(values, to: &record)
        return true
    }

    /// Whether the record is as its row was saved.
    func isSaved<R: Record>(_ record: R) throws -> Bool {
        guard !saved.isEmpty, let row = try row(record), let values = saved[row] else { return false }
        return isSame(values, try record.columnValues())
    }

    /// Whether the row is saved last. Until then its copies are as they were given: others that are saved may only need of it what it
    /// has already, and may not need what it leaves: a value of a unique index that it is to have no more.
    func isMoved<R: Record>(_ record: R) throws -> Bool {
        guard !repeated.isEmpty, let row = try row(record), repeated.contains(row), let columns = moving[row] else {
            return false
        }
        if let known = waits[row] { return known && saved[row] == nil }
        let found = try database.stored(R.self, record.key)?.columnValues()
        let waits = try found.map { found in
            try R.model.schema.indexes.filter(\.isUnique).allSatisfy { index in
                try index.whereSQL == nil
                    && index.columns.allSatisfy { part in
                        guard
                            let column = R.model.columns.firstIndex(where: {
                                ExactText($0.column) == ExactText(part.name)
                            })
                        else {
                            return false
                        }
                        return try !columns.contains(column)
                            && isSame([found[column]], [record.columnValue(at: column)])
                    }
            }
        }
        self.waits[row] = waits ?? false
        return waits ?? false
    }

    /// Saves a row that was left for the end.
    func saveMoved<R: Record>(_ record: R) throws {
        guard try isMoved(record), let row = try row(record) else { return }
        var record = record
        try bringUpToDate(&record)
        try record.set(Array((referring[row] ?? [:]).values), in: database)
        try record.forgetOtherRecords()
        try database.save(&record)
        try note(record)
    }

    /// Makes a copy what its row was saved as at last, without the related records that it no longer refers to.
    func endUp<R: Record>(_ record: inout R) throws {
        guard let row = try row(record), let values = saved[row], !isSame(values, try record.columnValues()) else {
            return
        }
        try assign(values, to: &record)
        try record.forgetOtherRecords()
    }

    /// Notes a record that was saved.
    func note<R: Record>(_ record: R) throws {
        guard !repeated.isEmpty, let row = try row(record), repeated.contains(row) else { return }
        saved[row] = try record.columnValues()
    }

    private func isSame(_ left: [Value], _ right: [Value]) -> Bool { RowKey(left) == RowKey(right) }

    private func assign<R: Record>(_ values: [Value], to record: inout R) throws {
        try database.assign(values, to: R.model, Array(R.model.columns.indices)) { try record.read(from: $0) }
    }
}

extension Record {
    fileprivate var key: [Value] { get throws { try Self.model.keyColumns.map { try columnValue(at: $0) } } }

    func columnValues() throws -> [Value] { try Self.model.columns.indices.map { try columnValue(at: $0) } }
}

extension Database {
    /// The row with a key; nil where there is none.
    func stored<R: Record>(_: R.Type, _ key: [Value]) throws -> R? {
        guard !key.isEmpty, !key.contains(.null) else { return nil }
        return try withFindingPlan(R.model) { plan in
            try plan.find(cached: { nil }, key: { try plan.write(key: key, to: &$0) }, read: { try R(from: $0) })
        }
    }
}
