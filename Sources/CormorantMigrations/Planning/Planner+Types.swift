import CormorantBase
import CormorantORM
import CormorantQuery

// Whether the rows that are there can be read by the models that are to read them.
extension Planner {
    /// Looks at the columns whose types the models did not have when they were last synced, and adds to the plan what in them
    /// cannot be read.
    /// - Parameters:
    ///   - former: what the models declared then, with the names that the file has after its renames.
    ///   - records: the same as it is kept.
    func readTypes(
        of models: [ModelDescriptor], _ former: [ExactText: Schema], _ records: [ExactText: ModelRegistry.Record],
        into plan: inout MigrationPlan
    ) throws {
        guard file != nil else { return }
        for model in models {
            let key = nameKey(model.table)
            let isKept = records[key]?.covers(ModelRegistry.Record(model)) ?? false
            guard !isKept || isChanged(model.table), let rows = future(model.table) else { continue }
            let looks = TypeLooks(
                rows, model, isKept: isKept, former[key]?.table(model.table), records[key])
            // Of a column that is in the way already enough is known.
            let told = plan.problems.map(\.plainMessage)
            let columns = model.columns.filter { column in
                looks.needs(column) && !told.contains { contains($0, "\"\(rows.name).\(column.column)\"") }
            }
            guard !columns.isEmpty else { continue }
            var judgement = Judgement(rows: 0)
            guards = []
            try ask(
                columns.map {
                    question(
                        $0, in: rows.name, mayConvert: looks.mayConvert($0), wasDatetime: looks.wasDatetime($0),
                        wasNumber: looks.wasNumber($0))
                },
                of: rows, &judgement)
            add(judgement, of: model.table, to: &plan)
        }
    }

    private func question(
        _ column: ColumnDescriptor, in table: String, mayConvert: Bool, wasDatetime: Bool, wasNumber: Bool
    ) -> RowQuestion {
        let name = "\"\(table).\(column.column)\""
        let value = quoteIdentifier(column.column)
        let such = column.type.timeForm.map { form in
            let function = form == .date ? "date" : "corm_\(form.name)"
            // Numbers are most often seconds since 1970.
            if wasNumber { return ", such as \(function)(datetime(\(value), 'unixepoch'))" }
            // Times without an offset are in UTC where they are the library's.
            return ", such as \(function)(\(value)\(form == .offsetDatetime && wasDatetime ? " || '+00:00'" : ""))"
        }
        let remedy = mayConvert ? "give it convert_sql\(such ?? ""), or mend the rows" : "mend the rows"
        return RowQuestion(condition: "\(value) IS NOT NULL AND (\(column.isUnreadable(value)))") { count in
            .problem(
                MigrationProblem(
                    message: "\(counted(count, "row")) of \(name) \(count == 1 ? "holds" : "hold") no \(column.kind)",
                    annotation: remedy))
        }
    }

    /// Adds to the step that changes the table, if there is one.
    private func add(_ judgement: Judgement, of table: String, to plan: inout MigrationPlan) {
        defer { guards = [] }
        if let last = plan.steps.indices.last { plan.steps[last].guards += guards }
        guard !judgement.problems.isEmpty else { return }
        let step = plan.steps.lastIndex { $0.changes.contains { sameIdentifier($0.table, table) } }
        if let step {
            plan.steps[step].problems += judgement.problems
        } else {
            plan.steps.append(
                MigrationPlan.Step(
                    summary: "read \"\(table)\" as its model says", changes: [], sql: [], decidedRisk: .safe, rows: 0,
                    problems: judgement.problems))
        }
    }
}

/// Which columns of a table are looked at.
private struct TypeLooks {
    private let columns: [ExactText: FutureRows.Column]
    /// Whether the file's table is.
    private let isStrict: Bool
    private let model: ModelDescriptor
    /// Whether the model is as it was.
    private let isKept: Bool
    private let former: TableShape?
    private let record: ModelRegistry.Record?

    init(
        _ rows: FutureRows, _ model: ModelDescriptor, isKept: Bool, _ former: TableDefinition?,
        _ record: ModelRegistry.Record?
    ) {
        columns = Dictionary(
            rows.columns.map { (nameKey($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        isStrict = rows.before.strict
        self.model = model
        self.isKept = isKept
        self.former = former.map(TableShape.init)
        self.record = record
    }

    /// Whether values may be in it that the type does not take.
    func needs(_ column: ColumnDescriptor) -> Bool {
        guard let there = columns[nameKey(column.column)],
            there.after.computed == nil, there.before != nil || there.isConverted
        else { return false }
        if there.isRetyped { return true }
        guard !isKept, let before = there.before else { return there.isConverted }
        // Times of tables that no sync has met are looked at by themselves.
        if column.type.timeForm != nil, record == nil, former == nil { return false }
        let type = Dialect.sqlite.typeName(column.type, strict: model.schema.strict)
        if !sameIdentifier(before.definition.type, type) || isOther(column, type) { return true }
        return column.isNarrow && !(record?.narrow.contains(column.narrowNote) ?? false)
    }

    /// Whether it holds moments without an offset.
    func wasDatetime(_ column: ColumnDescriptor) -> Bool {
        let before = columns[nameKey(column.column)]?.before?.definition.type
        let type = former?.column(column.column)?.definition.type ?? before
        return type.flatMap { ColumnType(declaredType: $0, affinity: .numeric) } == .datetime
    }

    /// Whether it holds numbers.
    func wasNumber(_ column: ColumnDescriptor) -> Bool {
        let affinity = columns[nameKey(column.column)]?.before?.affinity
        return affinity == .integer || affinity == .real
    }

    /// Whether convert_sql is heard.
    func mayConvert(_ column: ColumnDescriptor) -> Bool {
        if columns[nameKey(column.column)]?.isRetyped ?? false { return true }
        return !isStrict && isOther(column, Dialect.sqlite.typeName(column.type, strict: model.schema.strict))
    }

    /// Whether the model had another type.
    private func isOther(_ column: ColumnDescriptor, _ type: String) -> Bool {
        former?.column(column.column).map { !sameIdentifier($0.definition.type, type) } ?? false
    }
}

extension ColumnDescriptor {
    /// Whether the type takes less than what SQLite stores alike.
    var isNarrow: Bool {
        if isUnsigned || bits > 0 { return true }
        return switch type {
        case .int32, .bool, .float, .uuid, .decimal, .datetime, .date, .time, .offsetDatetime: true
        case .int64, .duration, .double, .text, .varchar, .json, .blob: false
        }
    }

    /// What is kept of a narrow column in `corm_models`: an SQL comment.
    var narrowNote: String { "-- \(foldIdentifier(column)) \(kind)" }

    /// What a value of it is called.
    fileprivate var kind: String {
        switch type {
        case .varchar, .json: "text"
        default: (isUnsigned ? "unsigned " : "") + type.name(isUnsigned: false, bits: bits)
        }
    }

    /// The condition that a value, which is not NULL, is none that `RecordReader` takes.
    fileprivate func isUnreadable(_ value: String) -> String {
        let isNoInteger = "typeof(\(value)) <> 'integer'"
        let isInexact =
            "typeof(\(value)) = 'integer' AND (\(value) > \(greatestExactInteger) OR CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value))"
        let isNoDouble = "typeof(\(value)) NOT IN ('integer', 'real') OR \(isInexact)"
        return switch type {
        case .int64 where bits == 0: isUnsigned ? "\(isNoInteger) OR \(value) < 0" : isNoInteger
        case .int64, .int32:
            "\(isNoInteger) OR \(value) NOT BETWEEN \(integers.lowerBound) AND \(integers.upperBound)"
        case .duration: isNoInteger
        case .bool: "\(isNoInteger) OR \(value) NOT IN (0, 1)"
        case .double: isNoDouble
        // From here on a double is nearer to 2^128 than to the greatest float.
        case .float:
            "\(isNoDouble) OR typeof(\(value)) = 'real' AND abs(\(value)) >= 3.4028235677973366e38 AND abs(\(value)) < 9e999"
        case .blob: "typeof(\(value)) <> 'blob'"
        case .text, .varchar, .json: "NOT corm_reads_as(\(value), 'text')"
        case .uuid, .decimal, .datetime, .date, .time, .offsetDatetime: "NOT corm_reads_as(\(value), '\(type.name)')"
        }
    }
}

/// No greater integer is a double's; CAST would make the greatest one of 2^63.
let greatestExactInteger: Int64 = 9_223_372_036_854_774_784
