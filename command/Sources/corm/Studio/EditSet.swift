import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A change of one row.
struct Edit {
    enum Kind: String { case update, insert, delete }

    var kind: Kind
    var table: String
    /// Empty for a row that is to come; where a deleted one comes back, its key.
    var key: [Value] = []
    /// What the row must still hold.
    var old: [(column: String, value: Value)] = []
    var new: [(column: String, value: Value)] = []
}

/// Changes that are made together, or not at all.
struct EditSet {
    var edits: [Edit]
    /// Whether it takes another one back.
    var isUndo = false

    /// What takes another set back.
    private init(undo: [Edit]) {
        edits = undo
        isUndo = true
    }

    init(_ json: JSON) throws {
        edits = try json.elements.map { json in
            guard let kind = Edit.Kind(rawValue: try json.required("kind")) else { throw malformed("an edit is none") }
            let values = { (name: String) in try json[name].members.map { ($0.name, try Wire.value($0.value)) } }
            return Edit(
                kind: kind, table: try json.required("table"), key: try Wire.values(json["key"]),
                old: try values("old"),
                new: try values("new"))
        }
        guard !edits.isEmpty, edits.count <= 1000 else { throw malformed("a set has 1 to 1000 edits") }
    }
}

/// A row is not what it was when it was shown.
struct EditConflict: Error {
    var place: Int
    /// nil: it is gone.
    var row: [(column: String, value: Value)]?
}

extension Edit {
    /// The statement, which finds the row by its key and by what it held.
    func statement(_ shape: TableShape) throws -> SQLPiece {
        for (name, _) in old + new { _ = try shape.column(name) }
        if kind != .insert { try shape.requireKey(key) }
        if let computed = new.first(where: { name, _ in
            shape.table.columns.contains { isSame($0.name, name) && $0.generatedSQL != nil }
        }) {
            throw CormorantError(
                .misuse, "\"\(visible(computed.column))\" is computed, and not written",
                hint: "change what it is computed of")
        }
        let condition = SQLPiece.all(
            [SQLPiece(sql: shape.keyCondition, values: key)]
                + old.map { SQLPiece(sql: "\(quoteIdentifier($0.column)) IS ?", values: [$0.value]) })
        switch kind {
        case .update:
            let set = new.map { "\(quoteIdentifier($0.column)) = ?" }.joined(separator: ", ")
            return SQLPiece(
                sql: "UPDATE \(shape.name) SET \(set) WHERE \(condition.sql)",
                values: new.map(\.value) + condition.values)
        case .delete: return SQLPiece(sql: "DELETE FROM \(shape.name) WHERE \(condition.sql)", values: condition.values)
        case .insert:
            var columns = new.map { quoteIdentifier($0.column) }
            var values = new.map(\.value)
            // A row number that no column shows.
            if !key.isEmpty, shape.hasRowID, shape.table.rowIDColumn == nil {
                columns.insert(shape.key[0], at: 0)
                values.insert(key[0], at: 0)
            }
            let given =
                columns.isEmpty
                ? "DEFAULT VALUES"
                : "(\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
            let returned = shape.key.isEmpty ? "" : " RETURNING \(shape.key.joined(separator: ", "))"
            return SQLPiece(sql: "INSERT INTO \(shape.name) \(given)\(returned)", values: values)
        }
    }
}

extension EditSet {
    /// Makes the changes in one transaction.
    /// - Returns: what takes them back; nil where that is too much to be kept.
    func apply(_ file: StudioFile) throws -> EditSet? {
        let database = try file.database(.writing)
        let shapes = try edits.map { try file.table($0.table) }
        let tables = try file.metadata().tables
        return try database.transaction {
            try database.withConnection { connection in
                connection.acceptForeignSchemas()
                // Rows that went along come back one after the other, and may refer to each other.
                if isUndo { try connection.script("PRAGMA defer_foreign_keys = ON") }
                var undo: [[Edit]] = []
                var isKept = true
                var budget = EditCascade.Budget()
                for (place, (edit, shape)) in zip(edits, shapes).enumerated() {
                    let cascade = try EditCascade(of: edit, shape, tables, connection, &budget)
                    if isUndo { try refuse(cascade, of: edit) }
                    isKept = isKept && cascade.isKept
                    undo.append([try apply(edit, place, shape, connection)] + cascade.undo)
                }
                return isKept ? EditSet(undo: undo.reversed().flatMap { $0 }) : nil
            }
        }
    }

    /// What was written since, and would go along unseen.
    private func refuse(_ cascade: EditCascade, of edit: Edit) throws {
        guard edit.kind == .delete, let part = cascade.parts.first else { return }
        throw CormorantError(
            .conflict, "rows of \"\(visible(part.table))\" refer to what would be taken back, and would go along",
            hint: "delete them, or have them refer to another row, first")
    }

    private func apply(_ edit: Edit, _ place: Int, _ shape: TableShape, _ connection: Connection) throws -> Edit {
        let before = edit.kind == .insert ? nil : try row(edit.key, shape, connection)
        let piece = try edit.statement(shape)
        let statement = try connection.statement(piece.sql)
        defer { connection.recycle(statement) }
        try statement.bind(.positional(piece.values))
        var key = edit.key
        while try statement.step() {
            let row = Row(statement)
            key = try (0..<row.count).map { try row.value(Int32($0)) }
        }
        guard edit.kind == .insert || connection.changes == 1, edit.kind == .insert || before != nil else {
            throw EditConflict(place: place, row: before)
        }
        let written = { (name: String) in edit.new.map(\.column).has(name) }
        switch edit.kind {
        case .insert:
            return Edit(kind: .delete, table: edit.table, key: key, old: try row(key, shape, connection) ?? [])
        case .delete: return Edit(kind: .insert, table: edit.table, key: key, new: before ?? [])
        case .update:
            // The key may be among what was written.
            for (index, column) in shape.key.enumerated() {
                if let new = edit.new.first(where: { isSame(quoteIdentifier($0.column), column) }) {
                    key[index] = new.value
                }
            }
            let after = try row(key, shape, connection) ?? []
            return Edit(
                kind: .update, table: edit.table, key: key, old: after.filter { written($0.column) },
                new: (before ?? []).filter { written($0.column) })
        }
    }

    /// The values of a row, but for what is computed, and for what is too long to be kept.
    private func row(
        _ key: [Value], _ shape: TableShape, _ connection: Connection
    ) throws -> [(column: String, value: Value)]? {
        let columns = shape.stored
        let selected = columns.map(quoteIdentifier).map {
            "iif(length(\($0)) > \(EditCascade.Budget.greatest), NULL, \($0))"
        }
        let statement = try connection.statement(
            "SELECT \(selected.joined(separator: ", ")) FROM \(shape.name) WHERE \(shape.keyCondition)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional(key))
        guard try statement.step() else { return nil }
        let row = Row(statement)
        return try columns.enumerated().map { ($1, try row.value(Int32($0))) }
    }
}
