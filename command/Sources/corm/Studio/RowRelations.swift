import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// What rows of a page are related to: how many rows refer to each, and what the rows are called that they refer to. One statement
/// for each relation, whatever the number of rows.
struct RowRelations {
    let shape: TableShape
    let keys: [[Value]]
    let tables: [TableMetadata]

    /// - Returns: `{"counts": [{"table", "columns", "own", "counts": [number or null]}]}`, in the order of the keys.
    func counts(_ connection: Connection) throws -> JSON {
        guard !shape.key.isEmpty, !keys.isEmpty else { return ["counts": []] }
        var found: [JSON] = []
        for relation in shape.table.relations where relation.kind == .toMany {
            guard let other = tables.first(where: { sameIdentifier($0.name, relation.table) }) else { continue }
            found.append([
                "table": .text(other.name), "columns": JSON(relation.tableColumns), "own": JSON(relation.columns),
                "counts": try count(relation, other, connection),
            ])
        }
        return ["counts": .array(found)]
    }

    private func count(_ relation: RelationMetadata, _ other: TableMetadata, _ connection: Connection) throws -> JSON {
        let key = shape.key.map { "t.\($0)" }.joined(separator: ", ")
        let own = "(\(shape.key.map { "t.\($0)" }.joined(separator: ", ")))"
        let places = keys.map { "(\($0.map { _ in "?" }.joined(separator: ", ")))" }.joined(separator: ", ")
        let pairs = zip(relation.columns, relation.tableColumns).map {
            "c.\(quoteIdentifier($1)) = t.\(quoteIdentifier($0))"
        }
        let statement = try connection.statement(
            "SELECT \(key), count(*) FROM \(shape.name) AS t CROSS JOIN main.\(quoteIdentifier(other.name)) AS c "
                + "WHERE \(shape.key.count == 1 ? key : own) IN (\(shape.key.count == 1 ? places : "VALUES \(places)")) "
                + "AND \(pairs.joined(separator: " AND ")) GROUP BY \(key)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(keys.flatMap { $0 }))
        var counts: [[Value]: Int64] = [:]
        while try statement.step() {
            let row = Row(statement)
            counts[try (0..<shape.key.count).map { try row.value(Int32($0)) }] = row.cell(Int32(shape.key.count)).int64
        }
        return .array(keys.map { .integer(counts[$0] ?? 0) })
    }

    /// What rows of a table are called: the values of the column that looks most like a name, by those of another column.
    static func labels(
        of shape: TableShape, by column: String, _ values: [Value], _ connection: Connection
    ) throws -> [(value: Value, label: JSON)] {
        guard let label = shape.label, !values.isEmpty else { return [] }
        let name = quoteIdentifier(try shape.column(column).name)
        let statement = try connection.statement(
            "SELECT \(name), \(shape.shown(label)) FROM \(shape.name) "
                + "WHERE \(name) IN (\(values.map { _ in "?" }.joined(separator: ", "))) LIMIT 500")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(values))
        var found: [(Value, JSON)] = []
        while try statement.step() {
            let row = Row(statement)
            found.append((try row.value(0), Wire.cell(row.cell(1), hasSizes: shape.hasSizes)))
        }
        return found
    }
}

extension TableShape {
    /// The column that a row is called by; nil where none looks like it.
    var label: String? {
        let texts = table.columns.filter { column in
            !column.isHidden && !column.isForeignKey && column.keyPosition == 0 && column.affinity == .text
                && ![ColumnType.uuid, .datetime, .date, .time].contains(column.type)
        }
        let words = ["name", "title", "label", "caption", "subject", "lastname", "email", "code", "sku"]
        for word in words {
            if let column = texts.first(where: { foldIdentifier($0.name).replacing("_", with: "") == word }) {
                return column.name
            }
        }
        return texts.first { foldIdentifier($0.name).contains("name") }?.name ?? texts.first?.name
    }
}
