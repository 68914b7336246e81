import CormorantBase

/// IN, and rows of values that are compared together: https://www.sqlite.org/rowvalue.html
extension StatementCompiler {
    /// Few values stand in the SQL as parameters of their own; many are handed over in one, so that neither SQLite's limit
    /// of parameters nor its parser is met.
    func write(_ operand: Expression, in values: [Value]) throws {
        try write(matched: operand)
        let form = form(beside: operand)
        let stored = try values.map { try form.apply($0) }
        if stored.count <= 100 {
            sql += " IN ("
            for (index, value) in stored.enumerated() {
                if index > 0 { sql += ", " }
                bind(.value(value))
            }
            sql += ")"
        } else {
            sql += " IN (" + dialect.list(width: 1) + ")"
            bindings.append(.list(stored, width: 1))
        }
    }

    func write(_ operands: [Expression], inRows rows: [Value]) throws {
        let forms = operands.map { form(beside: $0) }
        let stored = try rows.enumerated().map { try forms[$0 % forms.count].apply($1) }
        try write(operands, in: .list(stored, width: operands.count))
    }

    private func write(_ operands: [Expression], in list: CompiledStatement.Binding) throws {
        guard operands.count <= greatestRowWidth else {
            throw CormorantError(
                .misuse, "\(operands.count) columns are compared at once", hint: "compare \(greatestRowWidth) at most")
        }
        if operands.count == 1 {
            try write(matched: operands[0])
        } else {
            sql += "("
            for (index, operand) in operands.enumerated() {
                if index > 0 { sql += ", " }
                try write(matched: operand)
            }
            sql += ")"
        }
        sql += " IN (" + dialect.list(width: operands.count) + ")"
        bindings.append(list)
    }

    /// A NULL in the list is found by IS NULL, where there can be one.
    func write(_ operand: Expression, inParameter name: String, _ outer: Precedence) throws {
        if case .row(let parts) = operand.node {
            return try parenthesized(.equality < outer) { compiler in
                let forms = parts.map { compiler.form(beside: $0) }
                try compiler.write(parts, in: .listParameter(name, forms))
            }
        }
        let form = form(beside: operand)
        let findsNull = mayBeNull(operand)
        try parenthesized((findsNull ? .or : .equality) < outer) { compiler in
            try compiler.write([operand], in: .listParameter(name, [form]))
            guard findsNull else { return }
            compiler.sql += " OR "
            try compiler.write(operand, at: .comparison)
            compiler.sql += " IS NULL AND "
            compiler.bind(.listHasNull(name))
        }
    }

    private func mayBeNull(_ operand: Expression) -> Bool {
        guard case .column(let reference) = operand.node, reference.path.isEmpty else { return true }
        let column = reference.column
        let isRowID = reference.table.key == [reference.index] && column.type.isInteger
        return column.isOptional && !column.isNotNull && !isRowID
            || scopes.contains { $0.select?.joins.contains { $0.kind.isOuter } ?? false }
    }

    /// What is made of a value that is compared with an expression.
    func form(beside operand: Expression) -> ParameterForm {
        if isMoment(operand) { return .moment(.start) }
        if let hint = operand.typeHint { return .comparedWith(hint) }
        guard let made = type(of: operand) else { return storage(beside: operand) ?? .plain }
        if made.type.hasTextForm { return made.form }
        return made.type == .decimal ? .decimal : storage(beside: operand) ?? .plain
    }

    /// A comparison one side of which is a row.
    func write(rows op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        guard op.compares else { throw misplaced(row: max(left.rowWidth, right.rowWidth)) }
        // The row says how both are compared.
        if case (.scalar, .row) = (left.node, right.node) { return try write(rows: op.changedOver, right, left) }
        try write(left, besideRow: right)
        sql += dialect.infix(op)
        try write(right, besideRow: left)
    }

    func write(row: Expression, between low: Expression, _ high: Expression) throws {
        try write(row, besideRow: low)
        sql += " BETWEEN "
        try write(low, besideRow: row)
        sql += " AND "
        try write(high, besideRow: row)
    }

    private func write(_ side: Expression, besideRow other: Expression) throws {
        switch (side.node, other.node) {
        case (.problem(let error), _), (_, .problem(let error)): throw error
        case (.row(let parts), .row(let others)):
            guard parts.count == others.count else { throw otherWidth(parts.count, others.count) }
            sql += "("
            for (index, part) in parts.enumerated() {
                if index > 0 { sql += ", " }
                try write(part, at: .any, beside: others[index])
            }
            sql += ")"
        case (.row(let parts), .scalar(let select)): try write(row: parts, with: select)
        case (.scalar(let select), .row): try write(subquery: select)
        default:
            throw CormorantError(
                .misuse, "a row of \(max(side.rowWidth, other.rowWidth)) values is compared with one value",
                hint: "give a row of as many, or a query of as many columns")
        }
    }

    func write(_ operand: Expression, in select: Select) throws {
        if case .row(let parts) = operand.node {
            try write(row: parts, with: select)
        } else {
            try write(matched: operand, with: select, 0, isInRow: false)
        }
        sql += " IN "
        try write(subquery: select)
    }

    /// Writes the row that is compared with what a SELECT gives.
    private func write(row parts: [Expression], with select: Select) throws {
        if let width = select.width, width != parts.count { throw otherWidth(parts.count, width) }
        sql += "("
        for (index, part) in parts.enumerated() {
            if index > 0 { sql += ", " }
            try write(matched: part, with: select, index, isInRow: true)
        }
        sql += ")"
    }

    /// Writes what is looked for in a column of a SELECT.
    private func write(matched part: Expression, with select: Select, _ place: Int, isInRow: Bool) throws {
        let inner = within(select.compared)
        guard let column = select.compared.resultColumn(at: place) else { return try write(matched: part) }
        if areMoments(part, column, in: inner) { return try write(momentSoughtBy: part) }
        let (start, before) = (sql.count, collations)
        let isColumn = if case .column = column.bare.node { select.compounds.isEmpty } else { false }
        let isSaid = isInRow || !isColumn
        try write(given: part, at: isSaid ? .collate : .comparison, as: inner.form(beside: column))
        if comparesAsDecimal(part, besideGiven: column, in: inner) { return write(collation: dialect.decimalCollation) }
        if case .collate = part.node { return }
        // SQLite takes a collation from anywhere inside of both, and where rows hold NULL from the left side alone.
        guard isSaid || collations > before, mayBeText(part), inner.mayBeText(column) else { return }
        if !isSaid {
            sql.insert("(", at: start)
            sql += ")"
        }
        write(collation: quoteIdentifier(collation(of: part, column, in: inner) ?? "BINARY"))
    }

    /// Whether what is looked for compares as a decimal: a value that is given does as what it is looked for in says.
    private func comparesAsDecimal(
        _ part: Expression, besideGiven other: Expression, in inner: StatementCompiler
    ) -> Bool {
        guard part.isGivenValue else { return comparesAsDecimal(part) }
        if case .collate = other.node { return false }
        return comparesAsDecimal(part) || inner.comparesAsDecimal(other)
    }

    /// Writes what is compared with several: a value that is given as the first of them that is none.
    func write(matched operand: Expression, among others: [Expression]) throws {
        guard operand.isGivenValue, let other = others.first(where: { !$0.isGivenValue }) else {
            return try write(matched: operand)
        }
        if areMoments(operand, other) { return try write(momentSoughtBy: operand) }
        try write(given: operand, at: .collate, as: form(beside: other))
        if comparesAsDecimal(operand, besideGiven: other, in: self) { write(collation: dialect.decimalCollation) }
    }

    /// Writes an expression, a value that is given in a form.
    func write(given expression: Expression, at level: Precedence, as form: @autoclosure () -> ParameterForm) throws {
        switch expression.node {
        case .value(let value, nil): bind(.value(try form().apply(value)))
        case .value(let value, .decimal):
            if case .plain = form() { return try write(expression, at: level) }
            bind(.value(try form().apply(value)))
        case .parameter(let name): bindParameter(name, form())
        default: try write(expression, at: level)
        }
    }

    private func mayBeText(_ expression: Expression) -> Bool { type(of: expression)?.type.isText ?? true }

    private func write(momentSoughtBy part: Expression) throws {
        switch part.node {
        case .value(let value, let type):
            guard let moment = try Moment(value, type) else { return sql += "NULL" }
            bind(.value(.text(moment.text(.start))))
        case .parameter(let name): bindParameter(name, .moment(.start))
        default: try write(part, at: .collate)
        }
        write(collation: dialect.momentCollation)
    }

    func otherWidth(_ width: Int, _ other: Int) -> CormorantError {
        CormorantError(
            .misuse, "a row of \(width) values is compared with one of \(other)", hint: "give both as many values")
    }

    func misplaced(row width: Int) -> CormorantError {
        CormorantError(
            .misuse, "a row of \(width) values stands where one value is wanted",
            hint: "compare it with another row or with a query, or ask whether it is IN rows")
    }
}

/// How many columns `corm_values` has.
package let greatestRowWidth = 8

extension Expression {
    var isRow: Bool { rowWidth > 0 }

    fileprivate var rowWidth: Int {
        if case .row(let parts) = node { return parts.count }
        return 0
    }
}

extension Select {
    /// How many columns its rows have; nil where a model does not tell.
    var width: Int? { resultColumns?.count }

    /// The columns of its rows; nil where a model does not tell.
    var resultColumns: [Expression]? {
        if !columns.isEmpty { return columns }
        guard case .table(let table)? = source?.kind else { return nil }
        return table.columns.indices.map { Expression(.column(ColumnReference(table, $0))) }
    }

    /// nil also where there are not so many, which the engine refuses.
    func resultColumn(at place: Int) -> Expression? {
        guard let columns = resultColumns, columns.indices.contains(place) else { return nil }
        return columns[place]
    }
}
