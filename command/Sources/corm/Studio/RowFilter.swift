import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// A piece of SQL with the values of its parameters.
struct SQLPiece {
    var sql: String
    var values: [Value] = []

    static func all(_ pieces: [SQLPiece]) -> SQLPiece {
        SQLPiece(sql: pieces.map(\.sql).joined(separator: " AND "), values: pieces.flatMap(\.values))
    }

    /// With WHERE before it, where there is a condition.
    static func filter(_ pieces: [SQLPiece]) -> SQLPiece {
        let all = all(pieces)
        return pieces.isEmpty ? all : SQLPiece(sql: " WHERE \(all.sql)", values: all.values)
    }
}

/// The rows that a person wants to see: `filters` as `{"c": column, "op": operator, "v": value}`, and `search` in all columns.
struct RowFilter {
    let conditions: [SQLPiece]

    /// Columns that a search looks into: SQLite takes no expression that is deeper than 1,000.
    private static let searched = 100

    init(_ json: JSON, of shape: TableShape) throws {
        var conditions = try json["filters"].elements.map { try Self.condition($0, of: shape) }
        if let search = json["search"].text, !search.isEmpty {
            let columns = shape.table.columns.filter { !$0.isHidden && $0.type != .blob }.prefix(Self.searched)
            let pattern = Value.text("%\(Self.escaped(search))%")
            conditions.append(
                SQLPiece(
                    sql:
                        "(\(columns.map { "\(quoteIdentifier($0.name)) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ")))",
                    values: columns.map { _ in pattern }))
        }
        self.conditions = conditions
    }

    private static func condition(_ json: JSON, of shape: TableShape) throws -> SQLPiece {
        let column = try shape.column(json.required("c"))
        let name = quoteIdentifier(column.name)
        let operation = try json.required("op")
        let value = json["v"]
        switch operation {
        case "null": return SQLPiece(sql: "\(name) IS NULL")
        case "notnull": return SQLPiece(sql: "\(name) IS NOT NULL")
        case "contains", "starts", "ends":
            let text = escaped(value.text ?? "")
            let pattern = (operation == "starts" ? "" : "%") + text + (operation == "ends" ? "" : "%")
            return SQLPiece(sql: "\(name) LIKE ? ESCAPE '\\'", values: [.text(pattern)])
        case "=", "<>", "<", "<=", ">", ">=":
            let bound = try comparable(value, column)
            if operation == "=", case .null = bound { return SQLPiece(sql: "\(name) IS NULL") }
            return SQLPiece(sql: "\(name) \(operation) ?", values: [bound])
        default: throw malformed("there is no operator \"\(visible(operation))\"")
        }
    }

    /// What was typed for a column. SQLite makes a number of a text that is compared with a column of numbers; in a column without
    /// type it would find nothing.
    private static func comparable(_ json: JSON, _ column: ColumnMetadata) throws -> Value {
        let value = try Wire.value(json)
        guard case .text(let text) = value, column.affinity == .blob || column.affinity == .numeric else {
            return value
        }
        if column.type == .bool, ["true", "false"].contains(text.lowercased()) {
            return .integer(text.lowercased() == "true" ? 1 : 0)
        }
        if let integer = Int64(text) { return .integer(integer) }
        if let real = Double(text), real.isFinite { return .real(real) }
        if text.hasPrefix("x'"), text.hasSuffix("'"),
            let blob = try? Wire.value(["h": .text(String(text.dropFirst(2).dropLast()))])
        {
            return blob
        }
        return value
    }

    /// As a pattern of LIKE has it, so that it stands for itself.
    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "%_\\".contains($0) ? ["\\", $0] : [$0] })
    }
}

/// What rows are ordered by: what a person chose, and behind it the key, so that each row has one place.
struct RowOrder {
    struct Term {
        /// In SQL.
        var column: String
        var isDescending: Bool
    }

    private(set) var terms: [Term] = []

    init(_ json: JSON, of shape: TableShape) throws {
        for sort in json["sort"].elements {
            let column = quoteIdentifier(try shape.column(sort.required("c")).name)
            if !terms.map(\.column).has(column) {
                terms.append(Term(column: column, isDescending: sort["d"].isTrue))
            }
        }
        // In the direction of the first, as an index has them.
        let isDescending = terms.first?.isDescending ?? false
        for column in shape.key where !terms.map(\.column).has(column) {
            terms.append(Term(column: column, isDescending: isDescending))
        }
    }

    func clause(backwards: Bool) -> String {
        guard !terms.isEmpty else { return "" }
        return " ORDER BY "
            + terms.map { $0.isDescending != backwards ? "\($0.column) DESC" : $0.column }.joined(separator: ", ")
    }

    /// What follows a row with these values in the terms, as conditions whose rows follow each other: one for each term that
    /// differs first. An index finds the rows of each; of one condition with OR it would not.
    func segments(after values: [Value], backwards: Bool, including: Bool = false) throws -> [[SQLPiece]] {
        guard values.count == terms.count else { throw malformed("a place has other columns than the order") }
        var segments: [[SQLPiece]] = []
        let equal = zip(terms, values).map { SQLPiece(sql: "\($0.column) IS ?", values: [$1]) }
        if including { segments.append(equal) }
        for place in terms.indices.reversed() {
            let column = terms[place].column
            let isDown = terms[place].isDescending != backwards
            var beyond: [SQLPiece] = []
            // NULL comes before all else.
            switch (values[place], isDown) {
            case (.null, true): break
            case (.null, false): beyond = [SQLPiece(sql: "\(column) IS NOT NULL")]
            case (let value, false): beyond = [SQLPiece(sql: "\(column) > ?", values: [value])]
            case (let value, true):
                beyond = [SQLPiece(sql: "\(column) < ?", values: [value]), SQLPiece(sql: "\(column) IS NULL")]
            }
            segments += beyond.map { equal[..<place] + [$0] }
        }
        return segments
    }
}
