import CormorantBase
import CormorantQuery
import CormorantSQLite

// The values of columns on a server: those of a new one, of another type, computed, and what there is in the place of NULL.
extension Planner {
    func addColumn(
        _ column: TableShape.Column?, _ table: TableDefinition, _ alter: String, _ judgement: inout Judgement
    ) throws -> [String] {
        guard let column else { return [] }
        if try column.computed != nil || differsByRow(column) { try rewrites(table, &judgement) }
        guard let conversion = notes.conversion(of: column.name, in: table.name) else {
            return ["\(alter) ADD COLUMN \(column.definition.sql)"]
        }
        let value = SQLCompiler.onServer(conversion, as: column.definition.type, of: table.columnTypes)
        let name = quoteIdentifier(column.name)
        var line = "\(name) \(column.definition.type)"
        for constraint in column.definition.constraints {
            if case .notNull = constraint.kind { continue }
            line += " " + constraint.sql
        }
        try rewrites(table, &judgement)
        var sql = ["\(alter) ADD COLUMN \(line)", "UPDATE \(quoteIdentifier(table.name)) SET \(name) = \(value)"]
        if column.notNull != nil { sql.append("\(alter) ALTER COLUMN \(name) SET NOT NULL") }
        return sql
    }

    /// A type by which the values are others, or none, asks for how they are converted.
    func retype(
        _ old: TableShape.Column, _ new: TableShape.Column, _ change: SchemaChange, _ table: TableDefinition,
        _ alter: String, _ column: String, _ judgement: inout Judgement
    ) throws -> [String] {
        let (from, to) = (old.definition.type, new.definition.type)
        let name = quoteIdentifier(old.name)
        let given = notes.conversion(of: new.name, in: table.name)
        let value =
            given.map { SQLCompiler.onServer($0, as: to, of: table.columnTypes) } ?? converted(name, from: from, to: to)
        if given == nil, change.kind == .changeType, let file {
            let source = origins.source(table)
            let back = converted("(\(value))", from: to, to: from)
            let count = try numberIfKnown(
                "SELECT count(*) FROM \(source) WHERE CAST(\(back) AS text) IS DISTINCT FROM CAST(\(name) AS text)",
                file)
            let where_ = "\"\(table.name).\(new.name)\""
            if let count = try count ?? misfits(name, from: from, to: to, source, file) {
                if count > 0 {
                    judgement.problems.append(
                        MigrationProblem(
                            message:
                                "\(counted(count, "value")) of \(where_) would change by going from \(from) to \(to)",
                            annotation: "\(notes.remedy), or mend the rows"))
                }
            } else if let all = try number("SELECT count(\(name)) FROM \(source)", file), all > 0 {
                judgement.problems.append(
                    MigrationProblem(
                        message: "of \(counted(all, "value")) of \(where_) some are no \(to)",
                        annotation: "\(notes.remedy), or mend the rows"))
            }
        } else if given == nil, change.kind == .changeType {
            judgement.isOpen = true
        }
        let isSame = (from.hasPrefix("character varying") || from == "text") && to == "text"
        if !isSame || change.kind == .changeCollation && isIndexed(old.name, table) { try rewrites(table, &judgement) }
        let collation = new.collation.map { " COLLATE \(quoteIdentifier($0))" } ?? ""
        let type = "\(column) TYPE \(to)\(collation) USING \(value)"
        if old.isMade || new.isMade {
            guard !old.isMade || !new.isMade else {
                return [alter + type]
                    + (old.defaultValue == new.defaultValue ? retyped(old, to) : remake(old, new, table))
            }
            var bare = old
            bare.defaultValue = nil
            return remake(old, bare, table) + [alter + type] + remake(bare, new, table)
        }
        var parts = old.defaultValue != nil && from != to ? ["\(column) DROP DEFAULT"] : []
        parts.append(type)
        if from != to || old.defaultValue != new.defaultValue, let value = new.defaultValue {
            parts.append("\(column) SET DEFAULT \(value.text)")
        }
        return [alter + parts.joined(separator: ", ")]
    }

    /// How many texts are no number, or not written as one is; nil: of other types.
    private func misfits(
        _ name: String, from: String, to: String, _ source: String, _ file: Connection
    ) throws -> Int64? {
        guard from == "text" || from.hasPrefix("character"), ["smallint", "integer", "bigint"].contains(to) else {
            return nil
        }
        // Whatever is longer fits no type.
        let isWritten = "\(name) ~ '^(0|-?[1-9][0-9]{0,18})$'"
        return try number("SELECT count(*) FROM \(source) WHERE NOT \(isWritten)", file)
    }

    func converted(_ value: String, from: String, to: String) -> String {
        let integers: Set = ["smallint", "integer", "bigint"]
        switch (from, to) {
        case _ where from == to: return value
        case ("boolean", _) where integers.contains(to) || to.hasPrefix("numeric") || to == "double precision":
            return "CAST(CAST(\(value) AS integer) AS \(to))"
        case (_, "boolean") where integers.contains(from): return "CAST(CAST(\(value) AS integer) AS boolean)"
        case ("bytea", "text"): return "convert_from(\(value), 'UTF8')"
        case ("text", "bytea"): return "convert_to(\(value), 'UTF8')"
        default: return "CAST(\(value) AS \(to))"
        }
    }

    /// What takes the place of NULLs, before there may be none.
    func fillNulls(
        _ column: TableShape.Column, _ table: TableDefinition, _ difference: TableDifference,
        _ judgement: inout Judgement
    ) throws -> [String] {
        let name = quoteIdentifier(column.name)
        // What converts the values to another type has converted NULLs, too.
        let isRetyped = difference.changes.contains {
            $0.kind == .changeType && $0.name.map { sameIdentifier($0, column.name) } ?? false
        }
        let conversion = notes.conversion(of: column.name, in: table.name).map {
            SQLCompiler.onServer($0, as: column.definition.type, of: table.columnTypes)
        }
        let question =
            "SELECT count(*) FROM \(origins.source(table)) WHERE "
            + "\(isRetyped ? conversion.map { "(\($0))" } ?? name : name) IS NULL"
        let given = column.expressedDefault?.text
        let value = isRetyped ? given : conversion ?? given
        if file == nil { judgement.isOpen = true }
        let count = try file.map { try numberIfKnown(question, $0) ?? 0 }
        // Where nobody can count them, those that there may be are filled.
        guard count ?? (value == nil ? 0 : 1) > 0 else {
            guards.append(question)
            return []
        }
        let place = "\"\(table.name).\(column.name)\""
        guard let value else {
            let count = count ?? 0
            judgement.problems.append(
                MigrationProblem(
                    message: "\(counted(count, "row")) \(count == 1 ? "holds" : "hold") NULL in \(place)",
                    annotation: "\(notes.remedyOfNull), or mend the rows"))
            return []
        }
        let nulls = count.map { counted($0, "NULL") } ?? "NULLs"
        judgement.notes.append("\(nulls) of \(place) become \(oneLine(value))")
        return ["UPDATE \(quoteIdentifier(table.name)) SET \(name) = \(value) WHERE \(name) IS NULL"]
    }

    func recompute(
        _ old: TableShape.Column?, _ new: TableShape.Column?, _ change: SchemaChange, _ table: TableDefinition,
        _ alter: String, _ column: String, _ judgement: inout Judgement
    ) throws -> [String] {
        guard let old, let new else { return [] }
        guard new.computed != nil else { return ["\(alter) \(column) DROP EXPRESSION"] }
        try rewrites(table, &judgement)
        if old.computed == nil {
            let name = quoteIdentifier(old.name)
            let count = try file.flatMap {
                try number("SELECT count(\(name)) FROM \(origins.source(table))", $0)
            }
            let values = (count.map { counted($0, "value") } ?? "the values") + " of \"\(table.name).\(old.name)\""
            if notes.allows(dropOf: table.name, column: old.name) {
                if count != 0 { judgement.losses.append("\(values), which is computed from now on") }
            } else if count != 0 {
                judgement.problems.append(
                    MigrationProblem(
                        message: "\(values) would be replaced by \(oneLine(new.computed?.text ?? ""))",
                        annotation: notes.leave(toDrop: old.name, of: table.name),
                        drop: "\(table.name).\(old.name)"))
            }
        }
        try companions(of: old.name, table, &judgement)
        return [
            "\(alter) DROP COLUMN \(quoteIdentifier(old.name))", "\(alter) ADD COLUMN \(new.definition.sql)",
        ]
    }
}

extension TableDefinition {
    /// Its columns as SQL of models knows them.
    var columnTypes: [(name: String, type: String)] { columns.map { ($0.name, $0.type) } }
}
