import CormorantBase
import CormorantQuery
import CormorantSQLite

// What the rows that are there say to a change. Everything that is to be known of one table's rows is asked in one pass.

/// A question to the rows of a table: of how many a condition is true, and what follows from that.
struct RowQuestion {
    enum Answer {
        /// The step may not run.
        case problem(MigrationProblem)
        /// What goes, as it was told to.
        case loss(String)
        /// What is worth to be known.
        case note(String)
    }

    var condition: String
    /// Whether rows of which it is true keep the step from running.
    var blocks = true
    /// Whether without a file to look at the step is not known to be safe.
    var matters = true
    /// What stands in the way as long as there is no file to ask.
    var unasked: MigrationProblem?
    var answer: (Int64) -> Answer
}

/// What came of the questions to a table's rows.
struct Judgement {
    /// nil without a file.
    var rows: Int64?
    var problems: [MigrationProblem] = []
    var losses: [String] = []
    var notes: [String] = []
    /// Whether something could not be asked.
    var isOpen = false

    mutating func add(_ answer: RowQuestion.Answer) {
        switch answer {
        case .problem(let problem): problems.append(problem)
        case .loss(let text): losses.append(text)
        case .note(let text): notes.append(text)
        }
    }
}

extension Planner {
    /// Asks the rows as they will be. A question that none of them answers with yes is asked again when the plan is
    /// carried out.
    func ask(_ questions: [RowQuestion], of table: FutureRows, _ judgement: inout Judgement) throws {
        // SQLite takes expressions up to some depth, and rows up to some length.
        for start in stride(from: 0, to: questions.count, by: 200) {
            let some = Array(questions[start..<min(start + 200, questions.count)])
            let counts = try counts(of: some.map(\.condition), in: table)
            var open: [String] = []
            for (question, count) in zip(some, counts) {
                if let count, count > 0 {
                    judgement.add(question.answer(count))
                } else {
                    if question.blocks, count != nil || file == nil { open.append(question.condition) }
                    if count == nil, question.matters { judgement.isOpen = true }
                    if file == nil, let problem = question.unasked { judgement.problems.append(problem) }
                }
            }
            if !open.isEmpty {
                let any = open.map { "(\($0))" }.joined(separator: " OR ")
                guards.append("SELECT count(*) FROM \(table.source(for: open)) WHERE \(any)")
            }
        }
    }

    /// nil for each that cannot be asked.
    private func counts(of conditions: [String], in table: FutureRows) throws -> [Int64?] {
        guard let file else { return conditions.map { _ in nil } }
        let counts = conditions.map { "count(CASE WHEN \($0) THEN 1 END)" }
        let sql = "SELECT \(counts.joined(separator: ", ")) FROM \(table.source(for: conditions))"
        if file.dialect == .postgres {
            let found = try onServer(sql, file) { row in conditions.indices.map { row.cell(Int32($0)).int64 } }
            if let found { return found }
        }
        guard file.dialect == .sqlite, let statement = try statement(sql, file) else {
            // One that names what is not here must not silence the others.
            return try conditions.map {
                try numberIfKnown("SELECT count(*) FROM \(table.source(for: [$0])) WHERE \($0)", file)
            }
        }
        guard try statement.step() else { return conditions.map { _ in nil } }
        let row = Row(statement)
        return conditions.indices.map { row.cell(Int32($0)).int64 }
    }

    /// What each column will hold, beside what it holds.
    func valueQuestions(_ table: FutureRows) -> [RowQuestion] {
        table.columns.flatMap { column -> [RowQuestion] in
            guard let old = column.before else { return column.isConverted ? missing(column, of: table) : [] }
            if column.after.computed != nil { return old.computed == nil ? [replaced(column, old, of: table)] : [] }
            if column.isConverted { return converted(column, of: table) + missing(column, of: table) }
            return
                (column.isRetyped ? retyped(column, old, of: table) : [kept(column, old, of: table)].compactMap(\.self))
                + filled(column, of: table) + missing(column, of: table)
        }
    }

    /// A column that is computed from now on loses what is stored in it.
    private func replaced(_ column: FutureRows.Column, _ old: TableShape.Column, of table: FutureRows) -> RowQuestion {
        let made = applied("(\(column.after.computed?.text ?? "NULL"))", column.affinity)
        let name = "\"\(table.name).\(column.name)\""
        let isAllowed = notes.allows(dropOf: table.name, column: column.name)
        let leave = notes.leave(toDrop: column.name, of: table.name)
        return RowQuestion(
            condition: "(\(made)) COLLATE BINARY IS NOT \(column.old) OR typeof(\(made)) IS NOT typeof(\(column.old))",
            blocks: !isAllowed,
            unasked: isAllowed
                ? nil
                : MigrationProblem(
                    message: "\(name) would be computed, and the values in it go",
                    annotation: "\(leave), or compute a column of another name",
                    drop: "\(table.name).\(column.name)")
        ) { count in
            if isAllowed { return .loss("\(counted(count, "value")) of \(name), which is computed from now on") }
            return .problem(
                MigrationProblem(
                    message: "\(counted(count, "value")) of \(name) would be replaced by "
                        + oneLine(column.after.computed?.text ?? ""),
                    annotation: "\(leave), or compute a column of another name",
                    drop: "\(table.name).\(column.name)"))
        }
    }

    /// A type that is given another name: the values must lead back.
    private func retyped(
        _ column: FutureRows.Column, _ old: TableShape.Column, of table: FutureRows
    ) -> [RowQuestion] {
        let value = column.old
        let name = "\"\(table.name).\(column.name)\""
        // Values stay what they are in such a column.
        if column.affinity == .blob {
            guard notes.isOfModels, column.after.affinity == .blob, !column.after.definition.type.isEmpty else {
                return []
            }
            return [
                RowQuestion(condition: "\(value) IS NOT NULL AND typeof(\(value)) <> 'blob'") { count in
                    .problem(
                        MigrationProblem(
                            message:
                                "\(counted(count, "value")) of \(name) \(count == 1 ? "is no blob" : "are no blobs")",
                            annotation: "give it convert_sql, such as CAST(\(quoteIdentifier(column.name)) AS BLOB)"))
                }
            ]
        }
        if column.affinity == affinity(old, in: table.before), !table.after.strict {
            return [kept(column, old, of: table)].compactMap(\.self)
        }
        let there = "CAST(\(value) AS \(column.affinity.rawValue))"
        let survives = """
            CASE typeof(\(value)) WHEN 'integer' THEN CAST(\(there) AS INTEGER) WHEN 'real' THEN CAST(\(there) AS REAL) \
            WHEN 'text' THEN CAST(\(there) AS TEXT) ELSE CAST(\(there) AS BLOB) END
            """
        // CAST takes 2^63 back to the greatest integer, which no double is.
        let isBeyond =
            column.affinity == .real ? " OR typeof(\(value)) = 'integer' AND \(value) > \(greatestExactInteger)" : ""
        func named(_ column: TableShape.Column) -> String {
            column.definition.type.isEmpty ? "(none)" : column.definition.type
        }
        let remedy = notes.remedy
        let way = "would change by going from \(named(old)) to \(named(column.after))"
        // Without the rows, only an integer is known to survive as a text.
        let isKnown = old.affinity == .integer && column.affinity == .text
        return [
            RowQuestion(
                condition: "(\(survives)) COLLATE BINARY IS NOT \(value)\(isBeyond)", matters: !isKnown,
                unasked: isKnown
                    ? nil
                    : MigrationProblem(
                        message: "values of \(name) may be such that they \(way)",
                        annotation: "\(notes.remedy); without a file there are no values to look at")
            ) { count in
                .problem(
                    MigrationProblem(
                        message: "\(counted(count, "value")) of \(name) \(way)",
                        annotation: "\(remedy), or mend the rows"))
            }
        ]
    }

    /// A column that keeps its type, whose values a copy changes only where they are not what the type makes of them: those
    /// written before the schema was edited by hand, or in a STRICT table's ANY.
    private func kept(
        _ column: FutureRows.Column, _ old: TableShape.Column, of table: FutureRows
    ) -> RowQuestion? {
        guard old.computed == nil, let condition = changes(column.old, column.affinity) else { return nil }
        let affinity = column.affinity.rawValue
        let quoted = quoteIdentifier(column.name)
        let isOther = CormorantMigrations.affinity(old, in: table.before) != column.affinity
        return RowQuestion(condition: condition, matters: isOther) { count in
            let kind = column.affinity == .text ? "text" : "number"
            let made = count == 1 ? "a \(kind)" : kind + "s"
            return .problem(
                MigrationProblem(
                    message: "\(counted(count, "value")) of \"\(table.name).\(column.name)\" would become "
                        + "\(made) by affinity \(affinity)",
                    annotation: "declare \(quoted) with a type that keeps them, such as BLOB, or mend the rows, as "
                        + "UPDATE \(quoteIdentifier(table.name)) SET \(quoted) = \(quoted) does"))
        }
    }

    /// NULLs that a default takes the place of.
    private func filled(_ column: FutureRows.Column, of table: FutureRows) -> [RowQuestion] {
        guard let value = column.filling else { return [] }
        return [
            RowQuestion(condition: "\(column.old) IS NULL", blocks: false) { count in
                .note(
                    "\(counted(count, "NULL")) of \"\(table.name).\(column.name)\" "
                        + "\(count == 1 ? "becomes" : "become") \(oneLine(value))")
            }
        ]
    }

    /// What a conversion makes of values that were there.
    private func converted(_ column: FutureRows.Column, of table: FutureRows) -> [RowQuestion] {
        let name = "\"\(table.name).\(column.name)\""
        let isNoNumber = "typeof(\(column.old)) = 'text' AND NOT (\(isNumber(column.old)))"
        func type(_ column: TableShape.Column?) -> ColumnType? {
            column.flatMap { ColumnType(declaredType: $0.definition.type, affinity: .numeric) }
        }
        let losesOffsets = type(column.before) == .offsetDatetime && type(column.after) == .datetime
        let offsets = RowQuestion(condition: "\(column.old) NOT LIKE '%Z[+00:00]'", blocks: false) { count in
            .loss("\(counted(count, "offset")) of \(name), which a datetime does not keep")
        }
        return (losesOffsets ? [offsets] : []) + [
            RowQuestion(condition: "\(column.old) IS NOT NULL AND \(column.value) IS NULL", blocks: false) { count in
                .loss(
                    "\(counted(count, "value")) of \(name), which \(count == 1 ? "becomes" : "become") NULL by convert_sql"
                )
            },
            RowQuestion(
                condition: "\(isNoNumber) AND typeof(\(column.value)) IN ('integer', 'real') AND \(column.value) = 0",
                blocks: false
            ) { count in
                .loss(
                    "\(counted(count, "text")) of \(name), which \(count == 1 ? "is no number and becomes" : "are no numbers and become") "
                        + "0 by convert_sql")
            },
        ]
    }

    /// NULLs where none may be, and what a STRICT table or the key takes not.
    private func missing(_ column: FutureRows.Column, of table: FutureRows) -> [RowQuestion] {
        let name = "\"\(table.name).\(column.name)\""
        let (remedy, remedyOfNull) = (notes.remedy, notes.remedyOfNull)
        var questions: [RowQuestion] = []
        if table.isTightened(column) {
            let isMade = column.isConverted
            questions.append(
                RowQuestion(condition: "\(column.value) IS NULL") { count in
                    .problem(
                        MigrationProblem(
                            message: isMade
                                ? "convert_sql makes \(counted(count, "NULL")) in \(name), which may hold none"
                                : "\(count == 1 ? "1 row holds" : "\(grouped(count)) rows hold") NULL in \(name)",
                            annotation: isMade
                                ? "mend convert_sql, or let the column be NULL"
                                : "\(remedyOfNull), or mend the rows"))
                })
        }
        if table.isNewRowID(column) {
            questions.append(
                RowQuestion(condition: "typeof(\(applied(column.value, .integer))) <> 'integer'") { count in
                    .problem(
                        MigrationProblem(
                            message:
                                "\(counted(count, "value")) of \(name) \(count == 1 ? "is no integer" : "are no integers"), "
                                + "which INTEGER PRIMARY KEY holds alone", annotation: "mend the rows"))
                })
        } else if let type = table.newStrictType(column) {
            let made = applied(column.value, column.affinity)
            questions.append(
                RowQuestion(condition: "\(column.value) IS NOT NULL AND typeof(\(made)) <> '\(type)'") { count in
                    .problem(
                        MigrationProblem(
                            message: "\(counted(count, "value")) of \(name) \(count == 1 ? "does" : "do") not fit "
                                + "\(column.after.definition.type) in a STRICT table",
                            annotation: "\(remedy), or mend the rows"))
                })
        }
        return questions
    }
}

/// The affinity that a column's values have: ANY keeps them as they are in STRICT tables, and only there.
func affinity(_ column: TableShape.Column, in table: TableShape) -> Affinity {
    table.strict && sameIdentifier(column.definition.type, "ANY") ? .blob : column.affinity
}

/// Whether an affinity of numbers would make a number of a text. A comparison with a number tries that first, and puts any
/// other text behind all numbers (https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison).
private func isNumber(_ value: String) -> String { "+\(value) <= CAST(9e999 AS REAL)" }

/// The condition that a column of this affinity holds a value otherwise than it is; nil where it never does.
private func changes(_ value: String, _ affinity: Affinity) -> String? {
    let text = "typeof(\(value)) = 'text' AND \(isNumber(value))"
    return switch affinity {
    case .blob: nil
    case .text: "typeof(\(value)) IN ('integer', 'real')"
    case .real: text
    case .integer, .numeric: "\(text) OR \(isWhole(value))"
    }
}

/// The condition that a value is a real that a column of integers stores as one. Of CAST the limit is smaller.
private func isWhole(_ value: String) -> String {
    """
    typeof(\(value)) = 'real' AND \(value) = CAST(\(value) AS INTEGER) \
    AND \(value) > -9223372036854775808.0 AND \(value) < 9223372036854775808.0
    """
}

/// A value as a column of this affinity stores it. CAST would also change what an affinity leaves alone.
func applied(_ value: String, _ affinity: Affinity) -> String {
    guard let condition = changes(value, affinity) else { return value }
    guard affinity == .integer || affinity == .numeric else {
        // As SQLite reads it, an integer in such a column is a real.
        let more = affinity == .real ? " OR typeof(\(value)) = 'integer'" : ""
        return "CASE WHEN \(condition)\(more) THEN CAST(\(value) AS \(affinity.rawValue)) ELSE \(value) END"
    }
    let number = "CAST(\(value) AS NUMERIC)"
    return """
        CASE WHEN \(condition) THEN CASE WHEN \(isWhole(number)) THEN CAST(\(number) AS INTEGER) ELSE \(number) END \
        ELSE \(value) END
        """
}
