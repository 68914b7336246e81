import CormorantBase

/// Aggregates and window functions, as PostgreSQL has them.
extension StatementCompiler {
    /// False where the call is of no aggregate or window function.
    /// - Parameter kind: of what it chooses among.
    func write(aggregate call: Call, _ name: String, _ kind: ExpressionType?) throws -> Bool {
        let first = call.arguments.first
        let type = first.flatMap { postgresType(of: $0) }
        switch name {
        case "count":
            guard let first else { return try write("", "count", call, "") { $0.sql += "*" } }
            return try write("", "count", call, "") { try $0.write(comparable: first, $0.isDistinct(call)) }
        case "sum", "total", "avg":
            guard let first, call.arguments.count == 1 else { return false }
            return try write(sum: first, type, call, name)
        case "min", "max":
            guard let first, call.arguments.count == 1 else { return false }
            switch type {
            case .boolean, .uuid:
                return try write("", name, call, "") { try $0.write(first, as: type == .boolean ? .integer : .text) }
            case .jsonb, .bytea, .element:
                throw lacksInPostgres(
                    "\(name)() of \(type?.title ?? "")",
                    hint: type == .bytea ? "take it in the program" : "cast it to its type")
            default:
                if type == .text { try refuseTelling(textKey(of: first), "\(name)()") }
                return try write("", name, call, "") { try $0.write(comparable: first, true) }
            }
        case "group_concat", "string_agg":
            guard let first else { return false }
            if call.isDistinct { try refuseTelling(textKey(of: first), "distinct values of \(name)()") }
            let separator: Writer = { compiler in
                guard call.arguments.count > 1 else { return compiler.sql += ", ','" }
                compiler.sql += ", "
                try compiler.write(call.arguments[1], as: .text)
            }
            guard call.isDistinct, let type, type.isReal || type == .numeric || type == .element else {
                return try write("", "string_agg", call, "") { compiler in
                    try compiler.write(first, as: .text)
                    try separator(compiler)
                }
            }
            // Two of them may have one text, and the other way round.
            sql += "(SELECT string_agg("
            try convert(from: type, to: .text) { $0.sql += #""x""# }
            try separator(self)
            sql += ") FROM unnest("
            return try write("", "array_agg", call, #") AS "u" ("x"))"#) { try $0.write(postgres: first, at: .any) }
        case "json_group_array":
            guard let first else { return false }
            if call.isDistinct { try refuseTelling(textKey(of: first), "distinct values of \(name)()") }
            return try write("coalesce(", "jsonb_agg", call, ", '[]')") { try $0.write(inJSON: first) }
        case "json_group_object":
            guard call.arguments.count == 2 else { return false }
            return try write("coalesce(", "jsonb_object_agg", call, ", '{}')") { compiler in
                try compiler.write(call.arguments[0], as: .text)
                compiler.sql += ", "
                try compiler.write(inJSON: call.arguments[1])
            }
        case "lag", "lead", "nth_value", "ntile", "first_value", "last_value":
            let type = try postgresType(of: call) == nil ? unite(call.arguments) : postgresType(of: call)
            return try write("", name, call, "") { compiler in
                for (index, argument) in call.arguments.enumerated() {
                    if index > 0 { compiler.sql += ", " }
                    let isCount = name == "ntile" || index == 1
                    try compiler.write(argument, as: isCount ? .integer : type, among: isCount ? nil : kind)
                }
            }
        default: return false
        }
    }

    private func isDistinct(_ call: Call) -> Bool { call.isDistinct }

    private func write(sum first: Expression, _ type: PostgresType?, _ call: Call, _ name: String) throws
        -> Bool
    {
        if let type, !type.isNumber, type != .boolean, type != .element {
            throw lacksInPostgres("\(name)() of \(type.title)", hint: "cast it to a type of numbers")
        }
        if name != "sum" {
            if type == .numeric { throw notExact(name + "()", [first]) }
            let isTotal = name == "total"
            return try write(isTotal ? "coalesce(" : "", isTotal ? "sum" : "avg", call, isTotal ? ", 0)" : "") {
                try $0.write(first, as: .double)
            }
        }
        switch type?.calculated {
        case .bigint: return try write("CAST(", "sum", call, " AS bigint)") { try $0.write(first, as: .bigint) }
        case .element: return try write("to_jsonb(", "sum", call, ")") { try $0.write(first, as: .numeric) }
        case let type: return try write("", "sum", call, "") { try $0.write(first, as: type) }
        }
    }

    /// Writes a value that is told apart or put in order.
    private func write(comparable expression: Expression, _ compares: Bool) throws {
        guard compares, isText(expression) else { return try write(postgres: expression, at: .any) }
        if case .value = expression.node { return try write(postgres: expression, at: .any) }
        let key = textKey(of: expression)
        try write(key: key, collates: !isBytewise(expression)) { try $0.write(postgres: expression, at: .atom) }
    }

    /// Writes a call with its DISTINCT, order, filter and window. Returns: true.
    func write(_ start: String, _ name: String, _ call: Call, _ end: String, _ arguments: Writer) throws
        -> Bool
    {
        sql += start + name + "("
        if call.isDistinct { sql += "DISTINCT " }
        try arguments(self)
        if !call.order.isEmpty { try write(orderWithin: call) }
        sql += ")"
        try write(tailOf: call)
        sql += end
        return true
    }

    /// Writes values that rows are put together by.
    func write(groups parts: [Expression]) throws {
        for (index, part) in parts.enumerated() {
            if index > 0 { sql += ", " }
            try write(comparable: part, true)
        }
    }
}
