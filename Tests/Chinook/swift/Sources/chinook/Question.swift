import Cormorant

/// A question of questions.json and the query that answers it.
struct Question: Sendable {
    let name: String
    /// The rows, each as a JSON array.
    let answer: @Sendable (Database) throws -> [String]

    init<Row, Columns>(_ name: String, _ query: SelectQuery<Row, Columns>) {
        self.name = name
        answer = { database in try database.fetchAll(query).map(json) }
    }

    /// All records of a query with an order and a limit: each page follows the last record of the one before.
    init<R: Record>(_ name: String, pages query: SelectQuery<R, R.Columns>) {
        self.name = name
        answer = { database in
            var rows: [String] = []
            var page = try database.fetchAll(query)
            while let last = page.last {
                rows += page.map(json)
                page = try database.fetchAll(query.after(last))
            }
            return rows
        }
    }
}

/// A value, a tuple of values or a record as a JSON array.
private func json(_ row: Any) -> String {
    let parts = Mirror(reflecting: row)
    let values = parts.displayStyle == .tuple || parts.displayStyle == .struct ? parts.children.map(\.value) : [row]
    return "[\(values.compactMap(text).joined(separator: ", "))]"
}

/// A value as JSON; nil for a relation, which is no column of its record.
private func text(of value: Any) -> String? {
    switch value {
    case Optional<Any>.none: "null"
    case let value as Int64: "\(value)"
    case let value as Int: "\(value)"
    case let value as Double: "\(value)"
    case let value as String: "\"\(String(value.flatMap { #""\"#.contains($0) ? ["\\", $0] : [$0] }))\""
    default: nil
    }
}
