import CormorantBase

/// Decimals are texts: SQLite's own operators would make floating-point numbers of them. Sums, differences and products are
/// calculated by functions of the connection, exactly; what cannot be exact is refused.
extension StatementCompiler {
    /// Writes arithmetic on decimals. False where it is none.
    func write(decimal op: BinaryOperator, _ left: Expression, _ right: Expression) throws -> Bool {
        guard op.calculates else { return false }
        let types = [type(of: left), type(of: right)]
        guard let decimal = types.first(where: { $0?.type == .decimal }) ?? nil else { return false }
        guard let function = dialect.decimal(op) else {
            throw notExact(dialect.infix(op).filter { $0 != " " }, decimal)
        }
        sql += function + "("
        try write(exact: left, converts: false)
        sql += ", "
        try write(exact: right, converts: false)
        sql += ")"
        return true
    }

    /// Writes an expression that stands where a decimal does.
    /// - Parameter converts: makes what is no decimal one, which functions of decimals do themselves.
    func write(exact expression: Expression, converts: Bool = true) throws {
        switch expression.node {
        case .value(let value, _):
            bind(.value(try value.exactDecimal()))
        case .parameter(let name): bindParameter(name, .decimal)
        case .labelled(let inner, _): try write(exact: inner, converts: converts)
        default:
            let type = type(of: expression)
            if let type, type.isReal { throw realAmongDecimals(type) }
            let isReady = type?.type == .decimal || type?.type == .text || !converts
            if !isReady { sql += dialect.decimal + "(" }
            try write(expression, at: .any)
            if !isReady { sql += ")" }
        }
    }

    /// What a function is called where one of its arguments is a decimal. nil: as it is.
    func exactName(of call: Call, _ name: String) throws -> String? {
        guard let decimal = call.arguments.lazy.compactMap({ self.type(of: $0) }).first(where: { $0.type == .decimal })
        else {
            return nil
        }
        switch name {
        case "sum": return dialect.decimalSum
        case "abs": return dialect.decimalMagnitude
        case _ where calculatingFunctions.contains(name): throw notExact(name + "()", decimal)
        default: return nil
        }
    }

    /// Whether an expression must be told to compare as a number: it is a decimal, and has no collation of its own.
    func comparesAsDecimal(_ expression: Expression) -> Bool {
        switch expression.node {
        // An order term's operand has been told.
        case .collate, .ordered, .parameter: false
        case .value(_, let type): type == .decimal
        case .labelled(let inner, _): comparesAsDecimal(inner)
        default: isDecimal(expression)
        }
    }

    /// Throws where a SELECT's rows go into decimal columns that they would round.
    func checkExact(_ columns: [Int], of table: TableReference, from select: Select) throws {
        guard columns.contains(where: { table.columns[$0].type == .decimal }) else { return }
        let inner = within(select)
        for (column, value) in zip(columns, select.columns) where table.columns[column].type == .decimal {
            if let type = inner.type(of: value), type.isReal { throw realAmongDecimals(type) }
        }
    }

    func notExact(_ what: String, _ parts: [Expression]) -> CormorantError {
        notExact(
            what, parts.lazy.compactMap { self.type(of: $0) }.first { $0.type == .decimal } ?? ExpressionType(.decimal))
    }

    private func notExact(_ what: String, _ decimal: ExpressionType) -> CormorantError {
        let name = decimal.column.map(\.title)
        return CormorantError(
            .type, "\(what) of a decimal is not exact" + (name.map { ": \($0)" } ?? ""),
            hint:
                "add, subtract, multiply, sum and count are: divide and round in the program, or cast the decimal to a "
                + "double to calculate with doubles", columns: decimal.column.map { [$0.column.name] } ?? [])
    }

    func realAmongDecimals(_ real: ExpressionType) -> CormorantError {
        let name = real.column.map { " (\($0.title))" } ?? ""
        return CormorantError(
            DecimalFault.real.code, DecimalFault.real.rawValue + name, hint: DecimalFault.real.hint,
            columns: real.column.map { [$0.column.name] } ?? [])
    }
}

/// What SQLite, or a module of it, calculates with floating-point numbers.
let calculatingFunctions: Set<String> = [
    "avg", "total", "round", "ceil", "ceiling", "floor", "trunc", "sign", "mod", "pow", "power", "sqrt", "exp", "ln",
    "log",
    "log2", "log10", "median", "stddev", "variance", "percentile", "percentile_cont", "percentile_disc",
]

extension ColumnReference {
    /// The property as messages name it.
    var title: String { "\((path.last?.target ?? table).model).\(column.property)" }
}

extension Value {
    /// As a decimal: integers are exact, reals are not.
    func exactDecimal() throws -> Value {
        switch self {
        case .null: return self
        case .integer(let integer): return .text(String(integer))
        case .text(var text):
            if text.withUTF8({ isDecimalText($0) }) { return self }
            throw CormorantError(DecimalFault.text.code, DecimalFault.text.rawValue, hint: DecimalFault.text.hint)
        case .real:
            throw CormorantError(DecimalFault.real.code, DecimalFault.real.rawValue, hint: DecimalFault.real.hint)
        case .blob:
            throw CormorantError(DecimalFault.blob.code, DecimalFault.blob.rawValue, hint: DecimalFault.blob.hint)
        }
    }
}
