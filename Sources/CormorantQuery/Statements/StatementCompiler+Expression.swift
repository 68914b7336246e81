import CormorantBase

extension StatementCompiler {
    /// Writes an expression, in parentheses where what surrounds it holds together more tightly.
    func write(_ expression: Expression, at outer: Precedence) throws {
        if dialect == .postgres { return try write(postgres: expression, at: outer) }
        try checkSides(of: expression)
        switch expression.node {
        case .column(let reference): try write(reference)
        case .name(let source, let name):
            if let upserted, source == "excluded" { return try writeExcluded(name, of: upserted) }
            if let source {
                sql += try written(source) + "."
            } else if let label = hiddenLabel(name) {
                scopes[scopes.count - 1].seesLabels = false
                try write(label, at: outer)
                return scopes[scopes.count - 1].seesLabels = true
            }
            sql += quoteIdentifier(name)
        case .value(let value, let type): try bind(value, type)
        case .parameter(let name): bindParameter(name, .plain)
        case .unary(let op, let operand): try write(op, operand, outer)
        case .binary(let op, let left, let right): try write(op, left, right, outer)
        case .list(let isAny, let parts): try write(list: parts, isAny, outer)
        case .row(let parts): throw misplaced(row: parts.count)
        case .between(let operand, let low, let high) where operand.isRow:
            try parenthesized(.equality < outer) { try $0.write(row: operand, between: low, high) }
        case .between(let operand, let low, let high):
            if isMoment(operand) {
                // Each bound is another one for it.
                let bounds = [
                    Expression.binary(.greaterOrEqual, operand, low), .binary(.lessOrEqual, operand, high),
                ]
                return try write(.all(bounds), at: outer)
            }
            try parenthesized(.equality < outer) { compiler in
                try compiler.write(compared: operand, at: .comparison)
                compiler.sql += " BETWEEN "
                try compiler.write(low, at: .comparison, beside: operand)
                compiler.sql += " AND "
                try compiler.write(high, at: .comparison, beside: operand)
            }
        case .inValues(let operand, let values):
            try parenthesized(.equality < outer) { try $0.write(operand, in: values) }
        case .inRows(let operands, let rows):
            try parenthesized(.equality < outer) { try $0.write(operands, inRows: rows) }
        case .inParameter(let operand, let name): try write(operand, inParameter: name, outer)
        case .inSelect(let operand, let select):
            try parenthesized(.equality < outer) { try $0.write(operand, in: select) }
        case .cases(let base, let cases, let otherwise): try write(base, cases, otherwise)
        case .present(let operands, let equalities):
            try write(nil, [(when: .arePresent(operands), then: equalities)], nil)
        case .cast(let operand, let type):
            sql += "CAST("
            try write(operand, at: .any)
            sql += " AS \(dialect.castName(type)))"
        case .collate(let operand, let collation):
            try parenthesized(.collate < outer) { compiler in
                try compiler.write(operand, at: .collate)
                compiler.sql += " COLLATE " + quoteIdentifier(collation)
            }
        case .call(let call): try write(call)
        case .scalar(let select): try write(subquery: select)
        case .exists(let select):
            sql += "EXISTS "
            try write(subquery: select)
        case .raw(let text, let values):
            try checkRaw(text, values.count)
            parenthesized(outer > .any) { $0.sql += text }
            for value in values { bindings.append(.value(value)) }
        case .ordered(let operand, let direction):
            try write(compared: operand, at: .any)
            if comparesAsMoment(operand) { write(collation: dialect.momentCollation) }
            sql += dialect.direction(
                descending: direction.descending,
                nullsFirst: direction.nulls == .first ? true : direction.nulls == .last ? false : nil)
        case .labelled(let operand, _): try write(operand, at: outer)
        case .problem(let error): throw error
        }
    }

    func parenthesized(_ wanted: Bool, _ body: (StatementCompiler) throws -> Void) rethrows {
        if wanted { sql += "(" }
        try body(self)
        if wanted { sql += ")" }
    }

    private func write(_ op: UnaryOperator, _ operand: Expression, _ outer: Precedence) throws {
        switch op {
        case .not:
            try parenthesized(.not < outer) { compiler in
                compiler.sql += "NOT "
                try compiler.write(operand, at: .not)
            }
        case .negate where isDecimal(operand):
            sql += dialect.decimalNegation + "("
            try write(operand, at: .any)
            sql += ")"
        case .negate, .bitNot:
            try requireNumbers([operand], in: op == .negate ? "-" : "~")
            try parenthesized(.sign < outer) { compiler in
                // A space, so that two of them do not begin a comment.
                compiler.sql += op == .negate ? "- " : "~ "
                try compiler.write(operand, at: .sign)
            }
        case .isNull, .isNotNull:
            try parenthesized(.equality < outer) { compiler in
                try compiler.write(operand, at: .comparison)
                compiler.sql += op == .isNull ? " IS NULL" : " IS NOT NULL"
            }
        }
    }

    private func write(
        _ op: BinaryOperator, _ left: Expression, _ right: Expression, _ outer: Precedence
    ) throws {
        if op.calculates { try requireNumbers([left, right], in: dialect.infix(op).filter { $0 != " " }) }
        if try write(decimal: op, left, right) { return }
        if left.isRow || right.isRow {
            return try parenthesized(op.precedence < outer) { try $0.write(rows: op, left, right) }
        }
        let own = op.precedence
        // Equality and comparisons group from the left, which nobody reads right: they get parentheses.
        let operandLevel = op.isCondition ? own.next : own
        try parenthesized(own < outer) { compiler in
            if try compiler.write(moments: op, left, right, own.next) { return }
            let folded = op.ignoresCase ? compiler.caseless(left) : nil
            if let folded {
                try compiler.write(folded: folded)
            } else {
                try compiler.write(left, at: operandLevel, beside: op.compares ? right : nil)
            }
            compiler.sql += compiler.dialect.infix(op)
            switch op {
            case .hasPrefix, .hasSuffix, .contains: try compiler.write(pattern: right, op, folds: folded != nil)
            case .like, .notLike, .glob, .notGlob:
                try compiler.write(wholePattern: right, op, at: own.next, folds: folded != nil)
            case .jsonAt, .jsonValueAt: try compiler.write(given: right, at: own.next, as: .path)
            default: try compiler.write(right, at: own.next, beside: op.compares ? left : nil)
            }
        }
    }

    /// Writes an expression that is ordered or compared: decimals by their numbers, not their texts.
    /// - Parameter other: what it is compared with.
    func write(compared operand: Expression, at level: Precedence, beside other: Expression? = nil) throws {
        let (start, before) = (sql.count, collations)
        try write(operand, at: level)
        if comparesAsDecimal(operand) {
            write(collation: dialect.decimalCollation)
        } else if collations > before, !operand.hasCollation {
            // SQLite takes a collation from anywhere inside of it (https://www.sqlite.org/datatype3.html#collation).
            // What the other side is compared by stays.
            sql.insert("(", at: start)
            sql += ")"
            write(collation: other.flatMap { collation(of: $0) }.map { quoteIdentifier($0) } ?? "BINARY")
        }
    }

    /// Writes a collation that nobody asked for.
    func write(collation: String) {
        sql += " COLLATE " + collation
        collations += 1
    }

    /// Writes an expression whose value, if it is one, is of the type of the column beside it.
    func write(_ expression: Expression, at level: Precedence, beside other: Expression?) throws {
        guard let other else { return try write(expression, at: level) }
        if try write(moment: expression, beside: other) { return }
        let made = other.typeHint == nil ? type(of: other) : nil
        if let form = other.typeHint.map({ .comparedWith($0) }) ?? made.flatMap({ $0.type.hasTextForm ? $0.form : nil })
        {
            switch expression.node {
            case .value(let value, nil), .value(let value, .decimal): return bind(.value(try form.apply(value)))
            case .parameter(let name): return bindParameter(name, form)
            default: break
            }
        }
        if case .parameter(let name) = expression.node, let form = storage(beside: other) {
            return bindParameter(name, form)
        }
        // SQLite takes the left one's collation, and the right one's where that has none.
        // Where the other side is a value, nothing else says so.
        let isBesideValue = if case .value = other.node { true } else { false }
        if case .value = expression.node, !isBesideValue, isDecimal(expression) {
            return try write(expression, at: level)
        }
        guard (made?.type ?? other.typeHint?.column.type) == .decimal, !isDecimal(expression) else {
            return try write(compared: expression, at: level, beside: other)
        }
        try write(exact: expression)
        if isBesideValue { write(collation: dialect.decimalCollation) }
    }

    private func bind(_ value: Value, _ type: ColumnType?) throws {
        guard let type else { return bind(.value(value)) }
        guard let stored = try value.stored(as: type) else {
            throw CormorantError(
                .type, "a value of type \(type.name) is given as \(value.kindName)",
                hint: "give a value of type \(type.name)")
        }
        bind(.value(stored))
    }

    func bindParameter(_ name: String, _ form: ParameterForm) { bind(.parameter(name, form)) }

    /// Writes a parameter for a value, and keeps that.
    func bind(_ binding: CompiledStatement.Binding) {
        if dialect == .postgres { return bindNumbered(binding) }
        sql += dialect.nextParameter
        bindings.append(binding)
    }

    /// The expression that a LIKE looks into without regard to case, as its collation says; nil where that says nothing.
    private func caseless(_ operand: Expression) -> Expression? {
        guard case .collate(let inner, let collation) = operand.node,
            sameIdentifier(collation, dialect.caselessCollation)
        else { return nil }
        return inner
    }

    private func write(folded expression: Expression) throws {
        sql += dialect.folded + "("
        try write(expression, at: .any)
        sql += ")"
    }

    private func write(pattern: Expression, _ kind: BinaryOperator, folds: Bool) throws {
        switch pattern.node {
        case .value(let value, _):
            bind(.value(try value.pattern(for: kind, folds: folds)))
        case .parameter(let name): bindParameter(name, .pattern(kind, folds: folds))
        default:
            if kind != .hasPrefix { sql += "'%'" + dialect.infix(.concat) }
            sql += #"replace(replace(replace("#
            if folds { try write(folded: pattern) } else { try write(pattern, at: .any) }
            sql += #", '\', '\\'), '%', '\%'), '_', '\_')"#
            if kind != .hasSuffix { sql += dialect.infix(.concat) + "'%'" }
        }
        sql += #" ESCAPE '\'"#
    }

    private func write(
        wholePattern pattern: Expression, _ kind: BinaryOperator, at level: Precedence, folds: Bool
    ) throws {
        switch pattern.node {
        case .value(let value, let type) where type == nil || folds:
            bind(.value(try value.pattern(for: kind, folds: folds)))
        case .parameter(let name): bindParameter(name, .pattern(kind, folds: folds))
        default: if folds { try write(folded: pattern) } else { try write(pattern, at: level) }
        }
    }

    /// A long list is written as a tree of parentheses, because SQLite counts a chain's length as depth.
    private func write(list parts: [Expression], _ isAny: Bool, _ outer: Precedence) throws {
        guard let first = parts.first else {
            return sql += dialect.truth(!isAny)
        }
        guard parts.count > 1 else { return try write(first, at: outer) }
        let own = isAny ? Precedence.or : .and
        let chunk = 200
        try parenthesized(own < outer) { compiler in
            if parts.count <= chunk {
                for (index, part) in parts.enumerated() {
                    if index > 0 { compiler.sql += isAny ? " OR " : " AND " }
                    try compiler.write(part, at: own.next)
                }
            } else {
                let size = max(chunk, (parts.count + chunk - 1) / chunk)
                for start in stride(from: 0, to: parts.count, by: size) {
                    if start > 0 { compiler.sql += isAny ? " OR " : " AND " }
                    try compiler.write(list: Array(parts[start..<min(parts.count, start + size)]), isAny, own.next)
                }
            }
        }
    }

    private func write(
        _ base: Expression?, _ cases: [(when: Expression, then: Expression)], _ otherwise: Expression?
    ) throws {
        sql += "CASE"
        if let base {
            sql += " "
            try write(matched: base, among: cases.map(\.when))
        }
        let (results, kind) = try alike(cases.map(\.then) + (otherwise.map { [$0] } ?? []))
        for (place, part) in cases.enumerated() {
            sql += " WHEN "
            try write(part.when, at: .any, beside: base)
            sql += " THEN "
            try write(results[place], among: kind)
        }
        if otherwise != nil {
            sql += " ELSE "
            try write(results[cases.count], among: kind)
        }
        sql += " END"
    }

    /// - Parameter compared: they are ordered or compared.
    func write(separated expressions: [Expression], compared: Bool = false) throws {
        for (index, expression) in expressions.enumerated() {
            if index > 0 { sql += ", " }
            if compared { try write(compared: expression, at: .any) } else { try write(expression, at: .any) }
        }
    }

    func write(orderWithin call: Call) throws {
        guard !call.arguments.isEmpty, call.window == nil else {
            throw CormorantError(
                .misuse,
                call.arguments.isEmpty
                    ? "\(call.name)() has nothing to order" : "\(call.name)() over a window is ordered within, too",
                hint: call.arguments.isEmpty ? "leave the order out" : "order the window")
        }
        ordersWithin = true
        sql += " ORDER BY "
        try write(terms: call.order)
    }

    /// Writes terms of an order.
    private func write(terms: [Expression]) throws {
        if dialect == .postgres { try write(orderTerms: terms) } else { try write(separated: terms, compared: true) }
    }

    private func write(_ given: Call) throws {
        guard isFunctionName(given.name) else { throw notAFunction(given.name) }
        let (call, kind) = try alike(given)
        let name = foldIdentifier(call.name)
        try requireNumbers(in: call, name)
        sql += (try exactName(of: call, name) ?? call.name) + "("
        if call.isDistinct { sql += "DISTINCT " }
        if call.arguments.isEmpty, name == "count" { sql += "*" }
        let compares = call.isDistinct || ["min", "max", "nullif"].contains(name)
        let alike = kind == nil ? [] : call.alike
        let amongNumbers = compares && kind == nil && areNumbers(call.arguments)
        let areMoments =
            name == "nullif" && call.arguments.count == 2 && areMoments(call.arguments[0], call.arguments[1])
        for (index, argument) in call.arguments.enumerated() {
            if index > 0 { sql += ", " }
            if name == "likelihood", index == 1, case .value(.real(let part), _) = argument.node, 0...1 ~= part {
                // SQLite takes a constant alone.
                sql += "\(part)"
            } else if let kind, alike.contains(index),
                kind.type == .decimal ? !isDecimal(argument) : argument.isGivenValue
            {
                try write(argument, among: kind)
            } else if amongNumbers, case .parameter(let parameter) = argument.node {
                bindParameter(parameter, .number)
            } else if compares {
                try write(compared: argument, at: .any)
            } else if dateFunctions.contains(name), isOffsetDatetime(argument) {
                sql += dialect.moment.start
                try write(argument, at: .any)
                sql += dialect.moment.end
            } else {
                try write(argument, at: .any)
            }
            // It compares as its first argument says.
            if areMoments, index == 0 { write(collation: dialect.momentCollation) }
        }
        if !call.order.isEmpty { try write(orderWithin: call) }
        sql += ")"
        try write(tailOf: call)
    }

    /// Writes which rows an aggregate takes, and over which window.
    func write(tailOf call: Call) throws {
        if let filter = call.filter {
            sql += " FILTER (WHERE "
            try write(truth: filter)
            sql += ")"
        }
        guard let window = call.window else { return }
        sql += " OVER ("
        var gap = ""
        if !window.partition.isEmpty {
            sql += "PARTITION BY "
            if dialect == .postgres {
                try write(groups: window.partition)
            } else {
                try write(separated: window.partition, compared: true)
            }
            gap = " "
        }
        if !window.order.isEmpty {
            sql += gap + "ORDER BY "
            try write(terms: window.order)
            gap = " "
        }
        if let frame = window.frame { try write(frame: frame, after: gap) }
        sql += ")"
    }

    func write(frame: String, after gap: String) throws {
        guard isFrame(frame) else {
            throw CormorantError(
                .misuse, "\"\(frame)\" is no window frame",
                hint: "write it as ROWS BETWEEN 2 PRECEDING AND CURRENT ROW")
        }
        sql += gap + frame
    }
}

func notAFunction(_ name: String) -> CormorantError {
    CormorantError(.misuse, "\"\(name)\" cannot name a function", hint: "use letters, digits and _")
}

func isFunctionName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first), name.utf8.count <= 200 else { return false }
    return name.utf8.allSatisfy { byte in
        byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80
    }
}

/// Whether every word is one that a frame may have: https://www.sqlite.org/windowfunctions.html#frame_specifications
func isFrame(_ text: String) -> Bool {
    let words: Set<String> = [
        "rows", "range", "groups", "between", "and", "unbounded", "preceding", "following", "current", "row",
        "exclude", "no", "others", "group", "ties",
    ]
    return text.split(separator: Character(" ")).allSatisfy { word in
        words.contains(foldIdentifier(String(word))) || word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension Expression {
    /// Whether it says itself by which collation it compares, or is a SELECT, out of which none comes.
    fileprivate var hasCollation: Bool {
        switch node {
        // An order term's operand has been told.
        case .collate, .scalar, .ordered: true
        case .labelled(let inner, _): inner.hasCollation
        default: false
        }
    }
}
