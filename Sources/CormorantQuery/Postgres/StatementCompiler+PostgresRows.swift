import CormorantBase

/// IN, and rows of values, as PostgreSQL has them.
extension StatementCompiler {
    func write(postgres operand: Expression, in values: [Value], _ outer: Precedence) throws {
        guard !values.isEmpty else { return sql += dialect.truth(false) }
        let type = postgresType(of: operand)
        if type == .element {
            return try write(postgres: .any(values.map { .binary(.equal, operand, .value($0)) }), at: outer)
        }
        let form = self.form(beside: operand)
        let stored = comparable(try values.map { try form.apply($0) }, with: type)
        if stored.isEmpty {
            // None of them is equal to it: false, but NULL where it is.
            return try parenthesized(outer > .not) { compiler in
                try compiler.write(postgres: operand, at: .atom)
                compiler.sql += " <> "
                try compiler.write(postgres: operand, at: .atom)
            }
        }
        guard stored.count <= 100 else {
            return try parenthesized(outer > .not) { try $0.write([operand], in: .list(stored, width: 1)) }
        }
        // All are of one type: that of the operand or, where one is beyond it, a wider one.
        let isBeyond = stored.contains { !$0.isHeld(by: type) }
        let wide: PostgresType? = isBeyond ? (stored.contains { $0.isReal } ? .double : .bigint) : nil
        try parenthesized(outer > .not) { compiler in
            try compiler.write(matched: operand, as: isBeyond && type == .boolean ? .bigint : nil)
            let key = compiler.textKey(of: operand)
            compiler.sql += " IN ("
            for (index, value) in stored.enumerated() {
                if index > 0 { compiler.sql += ", " }
                try compiler.write(key: type == .text ? key : nil, collates: key != nil) { compiler in
                    if let cast = wide ?? (type == nil ? PostgresType(value) : key == nil ? nil : .text) {
                        compiler.bind(.value(value.asReal(cast == .double)), as: cast)
                    } else {
                        compiler.bindNumbered(.value(value), type)
                    }
                }
            }
            compiler.sql += ")"
        }
    }

    func write(postgres operands: [Expression], inRows rows: [Value], _ outer: Precedence) throws {
        guard !rows.isEmpty else { return sql += dialect.truth(false) }
        let forms = operands.map { self.form(beside: $0) }
        let stored = try rows.enumerated().map { try forms[$0 % forms.count].apply($1) }
        try parenthesized(outer > .not) { try $0.write(operands, in: .list(stored, width: operands.count)) }
    }

    /// A NULL in the list is found by IS NULL, where there can be one.
    func write(postgres operand: Expression, inParameter name: String, _ outer: Precedence) throws {
        if case .row(let parts) = operand.node {
            let forms = parts.map { self.form(beside: $0) }
            return try parenthesized(outer > .not) { try $0.write(parts, in: .listParameter(name, forms)) }
        }
        let form = self.form(beside: operand)
        let isPart = outer > .not
        guard canBeNull(operand) else {
            return try parenthesized(isPart) {
                try $0.write([operand], in: .listParameter(name, [form]), isPart: isPart)
            }
        }
        try parenthesized(outer > .or) { compiler in
            try compiler.write([operand], in: .listParameter(name, [form]), isPart: isPart)
            compiler.sql += " OR "
            try compiler.write(postgres: operand, at: .atom)
            compiler.sql += " IS NULL AND "
            compiler.bind(.listHasNull(name), as: .boolean)
        }
    }

    /// The list crosses as JSON, an array of texts or of arrays of them, whose statement stays the same whatever it holds.
    /// - Parameter isPart: whether it is no condition by itself. PostgreSQL takes `(x = ANY (a)) IS NOT NULL` for false where x is
    ///   NULL, and an outer join for an inner one, though x is in no empty list; of a subquery it does not.
    private func write(_ operands: [Expression], in list: CompiledStatement.Binding, isPart: Bool = false) throws {
        let isArray = operands.count == 1 && !isPart
        guard operands.count <= greatestRowWidth else {
            throw CormorantError(
                .misuse, "\(operands.count) columns are compared at once", hint: "compare \(greatestRowWidth) at most")
        }
        if operands.count > 1 { sql += "(" }
        for (index, operand) in operands.enumerated() {
            if index > 0 { sql += ", " }
            let type = postgresType(of: operand)
            try write(matched: operand, as: type == .boolean ? .bigint : type == .element ? .element : nil)
        }
        if operands.count > 1 { sql += ")" }
        sql += isArray ? " = ANY (ARRAY(SELECT " : " IN (SELECT "
        var filters: [String] = []
        for (index, operand) in operands.enumerated() {
            if index > 0 { sql += ", " }
            let text = operands.count == 1 ? "\"value\"" : "(\"value\" ->> \(index))"
            let type = postgresType(of: operand)
            guard type != .element, type != nil else {
                throw lacksInPostgres(
                    "lists of values beside what has no type", hint: "cast it to the type of the values")
            }
            let key = type == .text ? textKey(of: operand) : nil
            if type?.isInteger == true || type == .boolean, list.mayHold(realsAt: index, of: operands.count) {
                // A number with a fraction, or beyond 64 bits, equals no integer.
                let number = "CAST(\(text) AS numeric)"
                let bounds = "-9223372036854775808 AND 9223372036854775807"
                filters.append("\(number) = trunc(\(number)) AND \(number) BETWEEN \(bounds)")
                sql += "CAST(\(number) AS bigint)"
            } else {
                try write(key: key, collates: key != nil) { $0.sql += (type ?? .text).unpacked(text) }
            }
        }
        sql += operands.count == 1 ? " FROM jsonb_array_elements_text(" : " FROM jsonb_array_elements("
        bind(list, as: .jsonb)
        sql += ") AS \"list\" (\"value\")"
        if !filters.isEmpty { sql += " WHERE " + filters.joined(separator: " AND ") }
        sql += isArray ? "))" : ")"
    }

    func write(postgres operand: Expression, in select: Select) throws {
        let parts = if case .row(let parts) = operand.node { parts } else { [operand] }
        if let width = select.width, width != parts.count { throw otherWidth(parts.count, width) }
        try write(parts, beside: select, " IN ")
    }

    /// Compares values with the columns of a query.
    private func write(_ parts: [Expression], beside select: Select, _ infix: String) throws {
        let inner = within(select.compared)
        let united = select.compounds.isEmpty ? nil : try memberTypes(of: select)
        var types: [PostgresType?] = []
        // What each column is compared by; nil: as it is.
        var keys: [Writer?] = []
        if parts.count > 1 { sql += "(" }
        for (index, part) in parts.enumerated() {
            if index > 0 { sql += ", " }
            let column = select.compared.resultColumn(at: index)
            let its = united?[index] ?? column.flatMap { inner.postgresType(of: $0) }
            let own = postgresType(of: part)
            // A text that is given takes the form of the column.
            let common = part.isPlainValue && own == .text && its?.timeType != nil ? its : try meet(own, its)
            let name = "\"v\(index)\""
            if let column, areMoments(part, column, in: inner) {
                let isTime = its == .timestamptz
                types.append(isTime || its == .text ? united?[index] : .text)
                keys.append { try $0.write(momentOf: { $0.sql += name }, isTime) }
                try write(postgresMomentSoughtBy: part)
                continue
            }
            types.append(its == common ? united?[index] : common)
            let key = common == .text ? column.flatMap { textKey(of: part, $0, in: inner) } : nil
            keys.append(key == nil ? nil : { try $0.write(key: key, collates: true) { $0.sql += name } })
            try write(key: key, collates: key != nil && !isBytewise(part)) { compiler in
                if let column, part.isGivenValue {
                    try inner.checkGiven(part, beside: column)
                    try compiler.write(part, as: common ?? own)
                } else {
                    try compiler.write(part, as: own == common ? nil : common, at: .atom)
                }
            }
        }
        if parts.count > 1 { sql += ")" }
        sql += infix
        if select.columns.count == types.count, types.contains(where: { $0 != nil }) { resultTypes = types }
        guard keys.contains(where: { $0 != nil }) else { return try write(subquery: select) }
        let names = parts.indices.map { "\"v\($0)\"" }
        sql += "(SELECT "
        for (index, key) in keys.enumerated() {
            if index > 0 { sql += ", " }
            if let key { try key(self) } else { sql += names[index] }
        }
        sql += " FROM "
        try write(subquery: select)
        sql += " AS \"list\" (\(names.joined(separator: ", "))))"
    }

    func write(postgresMomentSoughtBy part: Expression) throws {
        switch part.node {
        case .value(let value, let type):
            guard let moment = try Moment(value, type) else { return sql += "CAST(NULL AS text)" }
            bind(.value(.text(moment.text(.start))), as: .text)
        case .parameter(let name): bind(.parameter(name, .moment(.start)), as: .text)
        default: try write(momentOf: part)
        }
    }

    private func checkGiven(_ part: Expression, beside column: Expression) throws {
        if case .value(let value, nil) = part.node, let hint = column.typeHint { _ = try value.comparable(with: hint) }
    }

    /// What two sides are made for comparing; nil: nothing.
    private func meet(_ one: PostgresType?, _ other: PostgresType?) throws -> PostgresType? {
        guard let one, let other else { return one ?? other }
        if one == other || one.isNumber && other.isNumber { return one.united(with: other) ?? one }
        if let both = one.united(with: other), both != .element { return both }
        let texts: [PostgresType] = [.text, .timestamptz, .date, .time, .uuid]
        if texts.contains(one), texts.contains(other) { return .text }
        throw mixed(one, other)
    }

    /// Writes what IN looks for.
    private func write(matched operand: Expression, as type: PostgresType?) throws {
        if isMoment(operand) { return try write(momentOf: operand) }
        let key = isText(operand) ? textKey(of: operand) : nil
        try write(key: key, collates: key != nil && !isBytewise(operand)) { compiler in
            try compiler.write(operand, as: type, at: .atom)
        }
    }

    // Rows ------------------------------------------------------------------------------------------------------------

    func write(postgresRows op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        guard op.compares else { throw misplaced(row: 2) }
        let isNullSafe = op == .is || op == .isNot
        switch (left.node, right.node) {
        case (.problem(let error), _), (_, .problem(let error)): throw error
        case (.row(let parts), .row(let others)):
            guard parts.count == others.count else {
                throw CormorantError(
                    .misuse, "a row of \(parts.count) values is compared with one of \(others.count)",
                    hint: "give both as many values")
            }
            try write(row: parts, beside: others, op, isLeft: true)
            sql += isNullSafe ? (op == .is ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ") : dialect.infix(op)
            try write(row: others, beside: parts, op, isLeft: false)
        case (.row(let parts), .scalar(let select)), (.scalar(let select), .row(let parts)):
            let isTurned = if case .scalar = left.node { true } else { false }
            let columns = select.columns
            if !columns.isEmpty, columns.count != parts.count {
                throw CormorantError(
                    .misuse, "a row of \(parts.count) values is compared with one of \(columns.count)",
                    hint: "give both as many values")
            }
            try write(parts, beside: select.ofOneRow, dialect.infix(isTurned ? op.changedOver : op))
        default:
            throw CormorantError(
                .misuse, "a row of values is compared with one value",
                hint: "give a row of as many, or a query of as many columns")
        }
    }

    private func write(
        row parts: [Expression], beside others: [Expression], _ op: BinaryOperator, isLeft: Bool
    ) throws {
        sql += op == .is || op == .isNot ? "ROW(" : "("
        for (index, part) in parts.enumerated() {
            if index > 0 { sql += ", " }
            let other = others[index]
            if areMoments(part, other) {
                try write(postgresMomentSoughtBy: part)
            } else {
                let key = isLeft ? textKey(of: part, other) : textKey(of: other, part)
                try write(one: part, beside: other, op, by: key)
            }
        }
        sql += ")"
    }
}

extension CompiledStatement.Binding {
    /// Whether a list may hold reals at that place of each row.
    fileprivate func mayHold(realsAt place: Int, of width: Int) -> Bool {
        guard case .list(let values, _) = self else { return true }
        return stride(from: place, to: values.count, by: width).contains { values[$0].isReal }
    }
}

extension PostgresType {
    /// The SQL of a value of it that is a text within a list.
    fileprivate func unpacked(_ text: String) -> String {
        switch self {
        case .text: text
        case .timestamptz: "(CAST(\(text) AS timestamp) AT TIME ZONE 'UTC')"
        case .bytea: "decode(\(text), 'base64')"
        case .boolean, .smallint, .integer: "CAST(\(text) AS bigint)"
        case .real: "CAST(\(text) AS double precision)"
        default: "CAST(\(text) AS \(name))"
        }
    }
}

extension Value {
    var isReal: Bool {
        if case .real = self { return true }
        return false
    }

    /// Whether a parameter of the type takes it.
    fileprivate func isHeld(by type: PostgresType?) -> Bool {
        switch (type, self) {
        case (let type?, .integer(let integer)) where type.isInteger || type == .boolean:
            type.integers.contains(integer)
        case (let type?, .real) where type.isInteger || type == .boolean: false
        case (.real, .real(let real)): Double(Float(real)) == real
        default: true
        }
    }
}
