import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Rows of a table from a place on. A place is found by key, so that the millionth row is as near as the first.
struct RowPage {
    /// Rows and columns of one answer, and rows that are passed over one by one.
    private static let greatest = (rows: 500, columns: 300, offset: 2_000_000)

    let shape: TableShape
    private let filter: RowFilter
    private let order: RowOrder
    private let columns: [String]
    private let limit: Int

    init(_ json: JSON, of shape: TableShape) throws {
        self.shape = shape
        filter = try RowFilter(json, of: shape)
        order = try RowOrder(json, of: shape)
        let names = json["columns"].elements.compactMap(\.text)
        columns = try names.prefix(Self.greatest.columns).map { try shape.column($0).name }
        limit = min(Self.greatest.rows, max(1, Int(json["limit"].integer ?? 100)))
    }

    /// - Parameter from: `{"start": true}`, `{"end": true}`, `{"after": place}`, `{"before": place}`, `{"from": place}`,
    ///   `{"at": fraction}` or `{"offset": rows}`, where a place is an answer's `first` or `last`.
    func read(from: JSON, _ connection: Connection) throws -> JSON {
        var rows = Rows()
        let isBackwards = !from["before"].isNull || from["end"].isTrue
        var segments: [[SQLPiece]] = [[]]
        var offset: Int64 = 0
        let scale =
            try from["scale"].isTrue ? order.terms.first.flatMap { try RowScale($0, of: shape, connection) } : nil
        if !from["after"].isNull {
            segments = try order.segments(after: Wire.values(from["after"]), backwards: false)
        } else if !from["before"].isNull {
            segments = try order.segments(after: Wire.values(from["before"]), backwards: true)
        } else if !from["from"].isNull {
            segments = try order.segments(after: Wire.values(from["from"]), backwards: false, including: true)
        } else if let fraction = from["at"].number, let scale {
            segments = scale.segments(at: min(1, max(0, fraction)))
        } else if let skipped = from["offset"].integer {
            guard skipped <= Self.greatest.offset else { throw malformed("the place is too far") }
            offset = skipped
        }
        for segment in segments where rows.json.count <= limit {
            try read(segment, isBackwards, offset, connection, &rows)
        }
        let isWhole = rows.json.count <= limit
        if !isWhole {
            rows.json.removeLast()
            rows.places.removeLast()
        }
        if isBackwards {
            rows.json.reverse()
            rows.places.reverse()
        }
        let isFromStart = from["start"].isTrue || (from["offset"].integer == 0)
        return [
            "rows": .array(rows.json),
            "first": rows.places.first.map { .array($0.map(Wire.json)) } ?? .null,
            "last": rows.places.last.map { .array($0.map(Wire.json)) } ?? .null,
            "isStart": .bool(isBackwards ? isWhole : isFromStart),
            "isEnd": .bool(isBackwards ? from["end"].isTrue : isWhole),
            "at": rows.places.first?.first.flatMap { scale?.fraction(of: $0) }.map { .real($0) } ?? .null,
            "until": rows.places.last?.first.flatMap { scale?.fraction(of: $0) }.map { .real($0) } ?? .null,
        ]
    }

    private struct Rows {
        var json: [JSON] = []
        var places: [[Value]] = []
    }

    /// One row more than is wanted tells whether there are more.
    private func read(
        _ segment: [SQLPiece], _ isBackwards: Bool, _ offset: Int64, _ connection: Connection, _ rows: inout Rows
    ) throws {
        var offset = offset
        // A row that is too long for SQLite here is read alone, without its texts and blobs.
        var isShort = false
        while rows.json.count <= limit {
            let before = rows.json.count
            do {
                try select(segment, isBackwards, offset, isShort, connection, &rows)
                guard isShort, rows.json.count > before else { return }
                offset += 1
                isShort = false
            } catch let error as CormorantError where error.code == .tooBig && !isShort {
                offset += Int64(rows.json.count - before)
                isShort = true
            }
        }
    }

    private func select(
        _ segment: [SQLPiece], _ isBackwards: Bool, _ offset: Int64, _ isShort: Bool, _ connection: Connection,
        _ rows: inout Rows
    ) throws {
        let condition = SQLPiece.filter(filter.conditions + segment)
        let list = shape.key + order.terms.map(\.column) + columns.map(isShort ? Self.withoutLong : shape.shown)
        let statement = try connection.statement(
            "SELECT \(list.isEmpty ? "NULL" : list.joined(separator: ", ")) FROM \(shape.name)\(condition.sql)"
                + "\(order.clause(backwards: isBackwards)) LIMIT ? OFFSET ?")
        defer { connection.recycle(statement) }
        let wanted = isShort ? 1 : limit + 1 - rows.json.count
        try statement.bind(.positional(condition.values + [.integer(Int64(wanted)), .integer(offset)]))
        while try statement.step() { try add(Row(statement), &rows) }
    }

    private func add(_ row: Row, _ rows: inout Rows) throws {
        let terms = order.terms.count
        let first = shape.key.count + terms
        rows.json.append([
            "k": .array(try (0..<shape.key.count).map { Wire.json(try row.value(Int32($0))) }),
            "c": .array(columns.indices.map { Wire.cell(row.cell(Int32(first + $0)), hasSizes: shape.hasSizes) }),
        ])
        rows.places.append(try (0..<terms).map { try row.value(Int32(shape.key.count + $0)) })
    }

    private static func withoutLong(_ name: String) -> String {
        let column = quoteIdentifier(name)
        return "CASE WHEN typeof(\(column)) = 'blob' THEN CAST(length(\(column)) AS BLOB) "
            + "WHEN typeof(\(column)) = 'text' THEN CAST('-1' AS BLOB) ELSE \(column) END"
    }

    /// How many rows there are; nil where counting was stopped.
    func count(_ connection: Connection) throws -> Int64? {
        let condition = SQLPiece.filter(filter.conditions)
        let statement = try connection.statement("SELECT count(*) FROM \(shape.name)\(condition.sql)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(condition.values))
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    /// Writes all rows that the filter lets through, in order.
    func export(to writer: (_ names: [String]) throws -> any RowWriter, _ connection: Connection) throws {
        let condition = SQLPiece.filter(filter.conditions)
        let list = columns.map(quoteIdentifier).joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT \(list.isEmpty ? "*" : list) FROM \(shape.name)\(condition.sql)\(order.clause(backwards: false))")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(condition.values))
        var rows = try writer((0..<statement.columnCount).map(statement.columnName))
        while try statement.step() { try rows.add(Row(statement)) }
        try rows.end()
    }
}
