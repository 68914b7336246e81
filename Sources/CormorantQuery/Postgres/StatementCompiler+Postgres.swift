import CormorantBase

/// Expressions as PostgreSQL has them, of the same values as SQLite's. It knows types, so that each operand is written as what its
/// operator takes; what would give another answer is refused.
extension StatementCompiler {
    /// Writes an expression as what it is by itself, in parentheses where it has parts and something stands around it.
    func write(postgres expression: Expression, at outer: Precedence) throws {
        try checkSides(of: expression)
        switch expression.node {
        case .column(let reference): try write(reference)
        case .name(let source, let name): try write(name: name, of: source)
        case .value(let value, let type): try write(value: value, type)
        case .parameter(let name): throw untyped(name)
        case .unary(let op, let operand): try write(postgres: op, operand, outer)
        case .binary(let op, let left, let right): try write(postgres: op, left, right, outer)
        case .list(let isAny, let parts): try write(conditions: parts, isAny, outer)
        case .row(let parts): throw misplaced(row: parts.count)
        case .between(let operand, let low, let high):
            let bounds = [Expression.binary(.greaterOrEqual, operand, low), .binary(.lessOrEqual, operand, high)]
            try write(conditions: bounds, false, outer)
        case .inValues(let operand, let values): try write(postgres: operand, in: values, outer)
        case .inRows(let operands, let rows): try write(postgres: operands, inRows: rows, outer)
        case .inParameter(let operand, let name): try write(postgres: operand, inParameter: name, outer)
        case .inSelect(let operand, let select):
            try parenthesized(outer > .not) { try $0.write(postgres: operand, in: select) }
        case .cases(let base, let cases, let otherwise): try write(postgres: base, cases, otherwise)
        case .present(let operands, let equalities):
            try write(postgres: nil, [(when: .arePresent(operands), then: equalities)], nil)
        case .cast(let operand, let type): try write(postgres: operand, castTo: type)
        case .collate(let inner, _), .labelled(let inner, _): try write(postgres: inner, at: outer)
        case .call(let call): try write(postgres: call, outer)
        case .scalar(let select): try write(subquery: select.ofOneRow)
        case .exists(let select):
            sql += "EXISTS "
            try write(subquery: select)
        case .raw(let text, let values):
            try checkRaw(text, values.count)
            // A number is the place of a result column, too.
            if text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return sql += text }
            if let portable = portable(text, values) { return try write(postgres: portable, at: outer) }
            try parenthesized(outer > .any) { try $0.write(raw: text, values) }
        case .ordered: try write(orderTerm: expression)
        case .problem(let error): throw error
        }
    }

    private func write(name: String, of source: String?) throws {
        if let upserted, source == "excluded" { return try writeExcluded(name, of: upserted) }
        if let source {
            sql += try written(source) + "."
        } else if let scope = scopes.last, scope.seesLabels, let label = scope.select?.labelled(name) {
            // PostgreSQL knows labels as whole terms of an order only.
            scopes[scopes.count - 1].seesLabels = false
            defer { scopes[scopes.count - 1].seesLabels = true }
            return try write(postgres: label.expression, at: .atom)
        }
        sql += quoteIdentifier(name)
    }

    private func write(value: Value, _ type: ColumnType?) throws {
        guard value != .null else { return sql += "NULL" }
        guard let type else {
            guard let own = PostgresType(value) else { return }
            return bind(.value(value), as: own)
        }
        guard let stored = try value.stored(as: type) else {
            throw CormorantError(
                .type, "a value of type \(type.name) is given as \(value.kindName)",
                hint: "give a value of type \(type.name)")
        }
        bind(.value(stored.asReal(type == .double || type == .float)), as: PostgresType(type))
    }

    /// The fragment with its parameters numbered as all others are.
    private func write(raw text: String, _ values: [Value]) throws {
        guard !values.isEmpty else { return sql += text }
        var text = text
        var number = bindings.count
        let numbered = text.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            var result: [UInt8] = []
            while let token = lexer.scan() {
                if token.kind == .parameter {
                    number += 1
                    result += "?\(number)".utf8
                } else {
                    result += bytes[token.range]
                }
            }
            return String(decoding: result, as: UTF8.self)
        }
        sql += numbered
        for value in values { note(.value(value), nil) }
    }

    // Parameters ------------------------------------------------------------------------------------------------------

    /// Writes a parameter whose type PostgreSQL finds in what stands beside it.
    /// - Parameter type: the type that it finds.
    func bindNumbered(_ binding: CompiledStatement.Binding, _ type: PostgresType? = nil) {
        if writesOut, case .value(let value) = binding { return sql += writtenOut(value, type) }
        sql += dialect.parameter(note(binding, type))
    }

    func bind(_ binding: CompiledStatement.Binding, as type: PostgresType) {
        if writesOut, case .value(let value) = binding {
            let isPlain = type == .boolean || type == .text || type.isInteger && value != .null
            return sql += isPlain ? writtenOut(value, type) : "CAST(\(writtenOut(value, type)) AS \(type.name))"
        }
        sql += "CAST("
        sql += dialect.parameter(note(binding, type))
        sql += " AS " + type.name + ")"
    }

    /// The number of the parameter: where a SELECT groups, one for all equal values, so that what is selected is what is grouped.
    @discardableResult
    private func note(_ binding: CompiledStatement.Binding, _ type: PostgresType?) -> Int {
        if sharesParameters, let type,
            let found = bindings.indices.first(where: { boundAs[$0] == type && bindings[$0].isSame(as: binding) })
        {
            return found + 1
        }
        bindings.append(binding)
        boundAs.append(type)
        return bindings.count
    }

    func untyped(_ name: String) -> CormorantError {
        CormorantError(
            .unsupported, "PostgreSQL cannot tell the type of parameter \"\(name)\"",
            hint: "compare it with a column, or cast it to its type")
    }

    // Conditions ------------------------------------------------------------------------------------------------------

    /// Writes an expression that is true or false.
    func write(condition expression: Expression, at outer: Precedence) throws {
        switch expression.node {
        case .raw(let text, let values):
            try checkRaw(text, values.count)
            if let portable = portable(text, values) { return try write(condition: portable, at: outer) }
        case .parameter(let name): return bind(.parameter(name, .plain), as: .boolean)
        case .value(.null, _): return sql += "CAST(NULL AS boolean)"
        default: break
        }
        guard let type = postgresType(of: expression), type != .boolean else {
            return try write(postgres: expression, at: outer)
        }
        guard type.isNumber || type == .element else {
            // What is wrong with it comes first.
            try write(postgres: expression, at: .atom)
            throw lacksInPostgres("conditions that are \(type.title)", hint: "compare it with something")
        }
        try parenthesized(outer > .not) { compiler in
            if type == .element {
                try compiler.write(expression, as: .numeric, at: .atom)
            } else {
                try compiler.write(postgres: expression, at: .atom)
            }
            compiler.sql += " <> 0"
        }
    }

    private func write(conditions parts: [Expression], _ isAny: Bool, _ outer: Precedence) throws {
        guard let first = parts.first else { return sql += dialect.truth(!isAny) }
        guard parts.count > 1 else { return try write(condition: first, at: outer) }
        let own = isAny ? Precedence.or : .and
        try parenthesized(own < outer) { compiler in
            for (index, part) in parts.enumerated() {
                if index > 0 { compiler.sql += isAny ? " OR " : " AND " }
                try compiler.write(condition: part, at: own.next)
            }
        }
    }

    // Operators -------------------------------------------------------------------------------------------------------

    private func write(postgres op: UnaryOperator, _ operand: Expression, _ outer: Precedence) throws {
        switch op {
        case .not:
            try parenthesized(.not < outer) { compiler in
                compiler.sql += "NOT "
                try compiler.write(condition: operand, at: .not)
            }
        case .negate, .bitNot:
            try parenthesized(outer > .any) { compiler in
                let type = op == .bitNot ? .bigint : try compiler.number(operand, "-")
                compiler.sql += op == .negate ? "- " : "~ "
                try compiler.write(operand, as: type, at: .atom)
            }
        case .isNull, .isNotNull:
            try parenthesized(outer > .not) { compiler in
                if case .parameter(let name) = operand.node {
                    compiler.bind(.parameter(name, .plain), as: .text)
                } else {
                    try compiler.write(postgres: operand, at: .atom)
                }
                compiler.sql += op == .isNull ? " IS NULL" : " IS NOT NULL"
            }
        }
    }

    private func write(
        postgres op: BinaryOperator, _ left: Expression, _ right: Expression, _ outer: Precedence
    ) throws {
        switch op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .is, .isNot:
            try parenthesized(outer > .not) { try $0.write(comparison: op, left, right) }
        case .add, .subtract, .multiply, .divide, .remainder:
            try parenthesized(outer > .any) { try $0.write(arithmetic: op, left, right) }
        case .bitAnd, .bitOr:
            try parenthesized(outer > .any) { compiler in
                try compiler.write(left, as: compiler.integer(left, op), at: .atom)
                compiler.sql += compiler.dialect.infix(op)
                try compiler.write(right, as: compiler.integer(right, op), at: .atom)
            }
        case .shiftLeft, .shiftRight: try parenthesized(outer > .any) { try $0.write(shift: op, left, right) }
        case .concat:
            try parenthesized(outer > .any) { compiler in
                try compiler.write(left, as: .text, at: .atom)
                compiler.sql += " || "
                try compiler.write(right, as: .text, at: .atom)
            }
        case .like, .notLike, .hasPrefix, .hasSuffix, .contains, .glob, .notGlob, .regexp:
            try parenthesized(outer > .not) { try $0.write(matching: op, left, right) }
        case .match:
            throw lacksInPostgres("MATCH", hint: "full-text search is SQLite's; look for parts of texts by contains")
        case .jsonAt: try parenthesized(outer > .any) { try $0.write(json: left, at: right) }
        case .jsonValueAt: try write(element: .binary(op, left, right))
        case .isIn: throw misplaced(row: 1)
        }
    }

    /// The type that is calculated with; an error for what is no number.
    private func number(_ operand: Expression, _ op: String) throws -> PostgresType? {
        guard let type = postgresType(of: operand)?.calculated else { return nil }
        guard type.isNumber else { throw noNumber(type, op) }
        return type
    }

    private func integer(_ operand: Expression, _ op: BinaryOperator) throws -> PostgresType {
        if let type = postgresType(of: operand)?.calculated, type != .bigint {
            throw noNumber(type, dialect.infix(op).filter { $0 != " " })
        }
        return .bigint
    }

    private func noNumber(_ type: PostgresType, _ op: String) -> CormorantError {
        lacksInPostgres(
            "\(op) of \(type.title)",
            hint: type == .element ? "cast it to the type that it has" : "cast it to a type of numbers")
    }

    private func write(arithmetic op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        let name = dialect.infix(op).filter { $0 != " " }
        let types = [left, right].map { postgresType(of: $0)?.calculated }
        for type in types.compactMap({ $0 }) where !type.isNumber { throw noNumber(type, name) }
        // NULL, and parameters, are of the type of the other.
        let (first, last) = (types[0] ?? types[1] ?? .bigint, types[1] ?? types[0] ?? .bigint)
        guard let common = first.united(with: last) ?? (first.isReal || last.isReal ? .double : nil) else {
            throw mixed(first, last)
        }
        if types.contains(.numeric) {
            for (part, type) in zip([left, right], types) where type?.isReal == true {
                throw realAmongDecimals(self.type(of: part) ?? ExpressionType(.double))
            }
            if op == .divide || op == .remainder { throw notExact(name, [left, right]) }
        }
        if op == .remainder, common == .double { return try write(realRemainder: left, right) }
        try write(left, as: wide(left, beside: right, common), at: .atom)
        sql += dialect.infix(op)
        guard op == .divide || op == .remainder, !right.isNonzero else {
            return try write(right, as: wide(right, beside: left, common), at: .atom)
        }
        // Division by zero is NULL.
        sql += "nullif("
        try write(right, as: wide(right, beside: left, common), at: .any)
        sql += ", 0)"
    }

    /// The type that an operand is written as: as it is, where the other one makes the result wide.
    private func wide(_ operand: Expression, beside other: Expression, _ common: PostgresType) -> PostgresType? {
        guard case .column = operand.node, let own = postgresType(of: operand), own != .boolean, !other.isNullOrGiven,
            postgresType(of: other) == common
        else { return common }
        return nil
    }

    /// SQLite takes the integers of both.
    private func write(realRemainder left: Expression, _ right: Expression) throws {
        sql += "CAST(CAST(trunc("
        try write(left, as: .double)
        sql += ") AS bigint) % nullif(CAST(trunc("
        try write(right, as: .double)
        sql += ") AS bigint), 0) AS double precision)"
    }

    /// PostgreSQL shifts by so many bits modulo 64.
    private func write(shift op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        _ = try (integer(left, op), integer(right, op))
        if case .value(.integer(let count), _) = right.node, count > -64, count < 64 {
            try write(left, as: .bigint, at: .atom)
            sql += (op == .shiftLeft) == (count >= 0) ? " << " : " >> "
            return bind(.value(.integer(abs(count))), as: .integer)
        }
        func count(_ compiler: StatementCompiler) throws { try compiler.write(right, as: .bigint, at: .atom) }
        sql += "CASE WHEN "
        try count(self)
        // What is shifted out to the right leaves the sign.
        sql += op == .shiftLeft ? " >= 64 THEN " : " <= -64 THEN "
        try write(left, as: .bigint, at: .atom)
        sql += " & 0 WHEN "
        try count(self)
        sql += op == .shiftLeft ? " <= -64 THEN " : " >= 64 THEN "
        try write(left, as: .bigint, at: .atom)
        sql += " >> 63 WHEN "
        try count(self)
        sql += " >= 0 THEN "
        try write(left, as: .bigint, at: .atom)
        sql += dialect.infix(op) + "CAST("
        try count(self)
        sql += " AS integer) ELSE "
        try write(left, as: .bigint, at: .atom)
        sql += (op == .shiftLeft ? " >> " : " << ") + "CAST(- "
        try count(self)
        sql += " AS integer) END"
    }

    private func write(
        postgres base: Expression?, _ cases: [(when: Expression, then: Expression)], _ otherwise: Expression?
    ) throws {
        let (results, kind) = try alike(cases.map(\.then) + (otherwise.map { [$0] } ?? []))
        let type = try unite(results)
        // What is given on both sides is what it is compared with besides.
        let areMoments =
            if let base, base.isGivenValue, let other = cases.first(where: { !$0.when.isGivenValue })?.when {
                areMoments(base, other)
            } else { false }
        sql += "CASE"
        for (place, part) in cases.enumerated() {
            sql += " WHEN "
            if let base, areMoments, part.when.isGivenValue {
                try write(postgresMomentSoughtBy: base)
                sql += " = "
                try write(postgresMomentSoughtBy: part.when)
            } else if let base {
                try write(comparison: .equal, base, part.when)
            } else {
                try write(condition: part.when, at: .any)
            }
            sql += " THEN "
            try write(results[place], as: type, among: kind)
        }
        if otherwise != nil {
            sql += " ELSE "
            try write(results[cases.count], as: type, among: kind)
        }
        sql += " END"
    }
}

extension CompiledStatement.Binding {
    /// Whether both are bound to the same.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.value(let one), .value(let two)): one == two
        case (.list(let one, let width), .list(let two, let other)): width == other && one == two
        case (.listHasNull(let one), .listHasNull(let two)): one == two
        case (.listParameter(let one, let forms), .listParameter(let two, let others)):
            one == two && forms.count == others.count && zip(forms, others).allSatisfy { $0.isSame(as: $1) }
        case (.parameter(let one, let form), .parameter(let two, let other)): one == two && form.isSame(as: other)
        default: false
        }
    }
}

extension ParameterForm {
    /// Whether both make the same of a value.
    fileprivate func isSame(as other: ParameterForm) -> Bool {
        switch (self, other) {
        case (.plain, .plain), (.decimal, .decimal), (.number, .number): true
        case (.comparedWith(let one), .comparedWith(let two)): one.column === two.column
        case (.only(let one, _), .only(let two, _)): one == two
        case (.among(let one), .among(let two)): one.type == two.type && one.column?.column === two.column?.column
        case (.moment(let one), .moment(let two)): one == two
        case (.pattern(let one, let folds), .pattern(let two, let other)): one == two && folds == other
        case (.stored(let one), .stored(let two)): one == two
        case (.expression(let one), .expression(let two)): one == two
        default: false
        }
    }
}

extension Expression {
    /// A number that is not zero.
    fileprivate var isNonzero: Bool {
        switch node {
        case .value(.integer(let integer), _): integer != 0
        case .value(.real(let real), _): real != 0
        default: false
        }
    }

    /// What has no type by itself.
    fileprivate var isNullOrGiven: Bool {
        switch node {
        case .parameter, .value(.null, _): true
        default: false
        }
    }
}

extension Value {
    /// An integer as a real, where one is wanted.
    func asReal(_ isReal: Bool) -> Value {
        if isReal, case .integer(let integer) = self { return .real(Double(integer)) }
        return self
    }
}
