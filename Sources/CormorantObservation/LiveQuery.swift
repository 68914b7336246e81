import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

/// The rows of a query.
struct LiveResult: Sendable {
    let rows: [StoredRow]
    let columnNames: [String]
    let layout: RowLayout
}

/// A query that is run again when what it reads has changed. Its rows are kept to tell what is new.
package final class LiveQuery: @unchecked Sendable {  // guarded by its observer's lock
    private let open: @Sendable () throws -> StatementCursor
    /// The result's columns that tell its rows apart; none: the model's key, or else the whole row.
    private let keyNames: [String]
    /// The rows that were handed out last.
    private var handedOut: [StoredRow]?
    /// An error was handed out since: that it is over is told even where the rows are what they were.
    private var hasFailed = false

    package init(key: [String] = [], _ open: @escaping @Sendable () throws -> StatementCursor) {
        keyNames = key
        self.open = open
    }

    /// The SQL it runs.
    func sql() throws -> String {
        let cursor = try open()
        defer { cursor.close() }
        return cursor.sql
    }

    func run() throws -> LiveResult {
        let cursor = try open()
        defer { cursor.close() }
        var rows: [StoredRow] = []
        try cursor.forEachRow { rows.append(try StoredRow($0)) }
        return LiveResult(
            rows: rows, columnNames: cursor.columnNames,
            layout: RowLayout(model: cursor.model, columns: cursor.recordColumns))
    }

    /// What the result has that the one before had not; nil when they are the same.
    func event(_ result: LiveResult, isForeign: Bool) throws -> ObservationEvent? {
        let key = try keyColumns(result)
        let before = handedOut
        let isTold = !hasFailed
        hasFailed = false
        if isTold, let before, before.count == result.rows.count,
            zip(before, result.rows).allSatisfy({ $0.equals($1) })
        {
            return nil
        }
        handedOut = result.rows
        let changes = LiveQuery.difference(before ?? [], result.rows, key)
        return ObservationEvent(isForeign: isForeign, changes: changes, layout: result.layout, rows: result.rows)
    }

    /// An error is handed out in the place of an event.
    func fail() { hasFailed = true }

    /// Throws where its rows cannot be told apart as they should.
    func checkKey(_ result: LiveResult) throws { _ = try keyColumns(result) }

    private func keyColumns(_ result: LiveResult) throws -> [Int] {
        if keyNames.isEmpty { return result.layout.model?.keyColumns.map { Int(result.layout.columns[$0]) } ?? [] }
        return try keyNames.map { name in
            guard let index = result.columnNames.firstIndex(where: { sameIdentifier($0, name) }) else {
                throw CormorantError(
                    .misuse, "the result has no column \"\(name)\" to tell its rows apart by",
                    hint: "name columns of the result: \(result.columnNames.joined(separator: ", "))")
            }
            return index
        }
    }

    /// Rows that left first, then the others in the new result's order.
    private static func difference(_ before: [StoredRow], _ after: [StoredRow], _ key: [Int]) -> [ObservedChange] {
        // Rows of the same key, which there may be, are told apart by their order.
        var left: [[UInt8]: [StoredRow]] = [:]
        func columns(_ row: StoredRow) -> [Int] { key.isEmpty ? Array(0..<row.count) : key }
        func values(_ row: StoredRow) -> [Value] { columns(row).map { row.value($0) } }
        for row in before.reversed() { left[row.identity(columns(row)), default: []].append(row) }
        var changes: [ObservedChange] = []
        for (position, row) in after.enumerated() {
            let identity = row.identity(columns(row))
            if let old = left[identity]?.popLast() {
                if !old.equals(row) {
                    changes.append(
                        ObservedChange(.update, key: values(row), old: old, new: row, position: position))
                }
            } else {
                changes.append(ObservedChange(.insert, key: values(row), old: nil, new: row, position: position))
            }
        }
        var gone: [ObservedChange] = []
        for row in before {
            let identity = row.identity(columns(row))
            guard left[identity]?.last === row else { continue }
            _ = left[identity]?.popLast()
            gone.append(ObservedChange(.delete, key: values(row), old: row, new: nil, position: -1))
        }
        return gone + changes
    }
}
