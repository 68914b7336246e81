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
    /// What was handed out last.
    private var handedOut: LiveResult?
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
        try checkKey(result)
        let isRepeated = hasFailed
        hasFailed = false
        let event = try event(from: handedOut, to: result, isRepeated: isRepeated, isForeign: isForeign)
        if event != nil { handedOut = result }
        return event
    }

    /// What a result has that another one had not.
    func event(
        from former: LiveResult?, to result: LiveResult, isRepeated: Bool, isForeign: Bool
    ) throws -> ObservationEvent? {
        let key = try keyColumns(result)
        let before = try former?.arranged(like: result)
        if !isRepeated, let before, before.rows.count == result.rows.count,
            zip(before.rows, result.rows).allSatisfy({ $0.equals($1) })
        {
            return nil
        }
        let formerKey = try before.map(keyColumns) ?? key
        return ObservationEvent(
            isForeign: isForeign, LiveQuery.difference(before, formerKey, result, key), of: result,
            .live(self, before: former, after: result, isRepeated: isRepeated))
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
    private static func difference(
        _ before: LiveResult?, _ formerKey: [Int], _ after: LiveResult, _ key: [Int]
    ) -> [ObservedChange] {
        func columns(_ row: StoredRow, _ key: [Int]) -> [Int] { key.isEmpty ? Array(0..<row.count) : key }
        func identity(_ row: StoredRow, _ key: [Int]) -> [UInt8] { row.identity(columns(row, key)) }
        func values(_ row: StoredRow, _ key: [Int]) -> [Value] { columns(row, key).map { row.value($0) } }
        func old(_ row: StoredRow) -> ObservedRow? { before.map { ObservedRow(row: row, layout: $0.layout) } }
        func new(_ row: StoredRow) -> ObservedRow { ObservedRow(row: row, layout: after.layout) }
        let former = before?.rows ?? []
        // Rows of the same key, which there may be, are told apart by their order.
        var left: [[UInt8]: [StoredRow]] = [:]
        for row in former.reversed() { left[identity(row, formerKey), default: []].append(row) }
        var changes: [ObservedChange] = []
        for (position, row) in after.rows.enumerated() {
            let kind: ChangeKind
            let match = left[identity(row, key)]?.popLast()
            if let match {
                if match.equals(row) { continue }
                kind = .update
            } else {
                kind = .insert
            }
            changes.append(
                ObservedChange(
                    kind, key: values(row, key), old: match.flatMap(old), new: new(row), position: position))
        }
        var gone: [ObservedChange] = []
        for row in former {
            let identity = identity(row, formerKey)
            guard left[identity]?.last === row else { continue }
            _ = left[identity]?.popLast()
            gone.append(ObservedChange(.delete, key: values(row, formerKey), old: old(row), new: nil, position: -1))
        }
        return gone + changes
    }
}

extension LiveResult {
    /// The same with its columns where another result has them, so that their rows can be compared; as it is where they have
    /// not the same columns.
    fileprivate func arranged(like other: LiveResult) throws -> LiveResult {
        if columnNames == other.columnNames { return self }
        let places = Dictionary(columnNames.enumerated().map { ($1, $0) }) { first, _ in first }
        let sources = other.columnNames.compactMap { places[$0] }
        guard Set(sources).count == columnNames.count, other.columnNames.count == columnNames.count else { return self }
        return LiveResult(
            rows: try rows.map { row in
                try StoredRow(count: row.count) { row.cells[sources[Int($0)]] }
            }, columnNames: other.columnNames, layout: other.layout)
    }
}
