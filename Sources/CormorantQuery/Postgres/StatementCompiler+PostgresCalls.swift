import CormorantBase

/// Functions that SQLite has, as PostgreSQL has them or refused; any other is the server's own.
extension StatementCompiler {
    func write(postgres call: Call, _ outer: Precedence) throws {
        guard isFunctionName(call.name) else { throw notAFunction(call.name) }
        let name = foldIdentifier(call.name)
        let (call, kind) = try alike(call)
        if try write(aggregate: call, name, kind) { return }
        guard call.window == nil, call.filter == nil, !call.isDistinct, call.order.isEmpty else {
            return try write(plain: call, call.name)
        }
        if dateFunctions.contains(name) { return try write(date: call, name) }
        if try write(jsonCall: call, name) { return }
        if try write(textCall: call, name) { return }
        if try write(numberCall: call, name) { return }
        if try write(choice: call, name, kind) { return }
        if functionsOfSQLite.contains(name) || name.hasPrefix("corm_") {
            throw lacksInPostgres(
                "\(name)() as SQLite has it",
                hint: "do that in the program, or call a function of the server in raw SQL")
        }
        try write(plain: call, call.name)
    }

    func postgresType(of call: Call) -> PostgresType? {
        let arguments = call.arguments
        var first: PostgresType? { arguments.first.flatMap { postgresType(of: $0) } }
        switch foldIdentifier(call.name) {
        case "count", "row_number", "rank", "dense_rank", "length", "instr", "unicode", "unixepoch", "random", "sign",
            "json_array_length", "octet_length":
            return .bigint
        case "ntile": return .integer
        case "percent_rank", "cume_dist", "avg", "total", "julianday", "round", "sqrt", "exp", "ln", "log", "log10",
            "log2", "pow", "power", "pi", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "degrees", "radians",
            "mod":
            return .double
        case "sum":
            return first == .element ? .element : first?.calculated
        case "abs": return first?.calculated
        case "ceil", "ceiling", "floor", "trunc": return first?.calculated
        case "min" where arguments.count == 1, "max" where arguments.count == 1:
            return first == .boolean ? .integer : first == .uuid ? .text : first
        case "min", "max":
            // As they are written to be ordered.
            let type = try? unite(arguments)
            return type == .boolean ? .integer : type
        case "coalesce", "ifnull", "nullif": return try? unite(arguments)
        case "iif": return try? unite(Array(arguments.dropFirst()))
        case "lag", "lead": return try? unite(arguments.first.map { [$0] + arguments.dropFirst(2) } ?? [])
        case "first_value", "last_value", "nth_value", "likely", "unlikely", "likelihood": return first
        case "group_concat", "string_agg", "lower", "upper", "trim", "ltrim", "rtrim", "replace", "hex", "char",
            "date", "time", "datetime", "strftime", "json_type", "concat", "quote", "format", "printf", "typeof":
            return .text
        case "substr", "substring": return first == .bytea ? .bytea : .text
        case "json", "json_array", "json_object", "json_group_array", "json_group_object", "json_set", "json_insert",
            "json_replace", "json_remove":
            return .jsonb
        case "json_extract": return arguments.count == 2 ? .element : .jsonb
        case "json_valid": return .boolean
        default: return nil
        }
    }

    private func write(plain call: Call, _ name: String) throws {
        _ = try write("", name, call, "") { compiler in
            for (index, argument) in call.arguments.enumerated() {
                if index > 0 { compiler.sql += ", " }
                try compiler.write(postgres: argument, at: .any)
            }
        }
    }

    // Texts -----------------------------------------------------------------------------------------------------------

    private func write(textCall call: Call, _ name: String) throws -> Bool {
        let arguments = call.arguments
        guard let first = arguments.first else { return false }
        let type = postgresType(of: first)
        switch (name, arguments.count) {
        case ("lower", 1), ("upper", 1):
            sql += name + "("
            try write(first, as: .text, at: .atom)
            sql += isBytewise(first) ? ")" : #" COLLATE "C")"#
        case ("length", 1) where type == .bytea:
            sql += "octet_length("
            try write(postgres: first, at: .any)
            sql += ")"
        case ("length", 1):
            sql += "length("
            try write(first, as: .text)
            sql += ")"
        case ("replace", 3) where canBeNull(arguments[2]):
            // Nothing is replaced, not even by NULL.
            sql += "CASE WHEN "
            try write(arguments[1], as: .text, at: .atom)
            sql += " = '' THEN "
            try write(first, as: .text)
            sql += " ELSE replace("
            try write(arguments, as: .text)
            sql += ") END"
        case ("trim", 1...2), ("ltrim", 1...2), ("rtrim", 1...2), ("replace", 3):
            sql += (name == "trim" ? "btrim" : name) + "("
            for (index, argument) in arguments.enumerated() {
                if index > 0 { sql += ", " }
                try write(argument, as: .text)
            }
            sql += ")"
        case ("instr", 2):
            sql += "strpos("
            try write(first, as: .text)
            sql += ", "
            try write(arguments[1], as: .text)
            sql += ")"
        case ("substr", 2...3), ("substring", 2...3): try write(part: arguments, type)
        case ("hex", 1):
            sql += "coalesce(upper(encode("
            try write(first, as: .bytea)
            sql += ", 'hex')), '')"
        case ("unicode", 1):
            sql += "nullif(ascii("
            try write(first, as: .text)
            sql += "), 0)"
        case ("char", 1...):
            for (index, argument) in arguments.enumerated() {
                if index > 0 { sql += " || " }
                sql += "chr("
                try write(argument, as: .integer)
                sql += ")"
            }
        default: return false
        }
        return true
    }

    /// substr(), whose places count from the end where they are negative.
    private func write(part arguments: [Expression], _ type: PostgresType?) throws {
        let text: Writer = { try $0.write(arguments[0], as: type == .bytea ? .bytea : .text, at: .atom) }
        guard case .value(.integer(let start), _) = arguments[1].node else {
            guard arguments.count == 2, type != .bytea, postgresType(of: arguments[1])?.isInteger ?? false else {
                throw lacksInPostgres(
                    "substr() from a place that is not known before", hint: "give the place as a value")
            }
            let place: Writer = { try $0.write(arguments[1], as: .integer, at: .atom) }
            sql += "(CASE WHEN "
            try place(self)
            sql += " > 0 THEN substr("
            try text(self)
            sql += ", "
            try place(self)
            sql += ") WHEN "
            try place(self)
            sql += " = 0 THEN "
            try text(self)
            sql += " ELSE right("
            try text(self)
            sql += ", - "
            try place(self)
            return sql += ") END)"
        }
        if start < 0, arguments.count == 2, type != .bytea {
            sql += "right("
            try text(self)
            sql += ", \(start == .min ? .max : -start))"
            return
        }
        guard start >= 0 else {
            throw lacksInPostgres("substr() from the end", hint: "count the places from the beginning")
        }
        sql += "substr("
        try text(self)
        sql += ", "
        bind(.value(.integer(start)), as: .integer)
        if arguments.count > 2 {
            if case .value(.integer(let count), _) = arguments[2].node {
                guard count >= 0 else {
                    throw lacksInPostgres(
                        "substr() of a negative length", hint: "give where it begins and how long it is")
                }
                sql += ", "
                bind(.value(.integer(count)), as: .integer)
            } else {
                throw lacksInPostgres(
                    "substr() of a length that is not known before", hint: "give the length as a value")
            }
        }
        sql += ")"
    }

    // Numbers ---------------------------------------------------------------------------------------------------------

    private func write(numberCall call: Call, _ name: String) throws -> Bool {
        let arguments = call.arguments
        func requireNumber(_ expression: Expression) throws -> PostgresType {
            let type = postgresType(of: expression)?.calculated ?? .double
            guard type.isNumber else {
                throw lacksInPostgres("\(name)() of \(type.title)", hint: "cast it to a type of numbers")
            }
            return type
        }
        switch (name, arguments.count) {
        case ("abs", 1):
            sql += "abs("
            try write(arguments[0], as: try requireNumber(arguments[0]))
            sql += ")"
        case ("sign", 1):
            sql += "CAST(sign("
            try write(arguments[0], as: try requireNumber(arguments[0]))
            sql += ") AS bigint)"
        case ("round", 1...2):
            if try requireNumber(arguments[0]) == .numeric { throw notExact("round()", [arguments[0]]) }
            try write(round: arguments[0], to: arguments.count > 1 ? arguments[1] : .value(.integer(0)))
        case ("ceil", 1), ("ceiling", 1), ("floor", 1), ("trunc", 1):
            let type = try requireNumber(arguments[0])
            if type == .numeric { throw notExact(name + "()", [arguments[0]]) }
            if type == .bigint {
                try write(arguments[0], as: .bigint, at: .atom)
            } else {
                sql += name + "("
                try write(arguments[0], as: .double)
                sql += ")"
            }
        case ("exp", 1), ("pow", 2), ("power", 2), ("sin", 1), ("cos", 1), ("tan", 1), ("atan", 1), ("atan2", 2),
            ("degrees", 1), ("radians", 1), ("pi", 0):
            sql += (name == "pow" ? "power" : name) + "("
            for (index, argument) in arguments.enumerated() {
                if try requireNumber(argument) == .numeric { throw notExact(name + "()", [argument]) }
                if index > 0 { sql += ", " }
                try write(argument, as: .double)
            }
            sql += ")"
        case ("sqrt", 1), ("ln", 1), ("log", 1), ("log10", 1):
            if try requireNumber(arguments[0]) == .numeric { throw notExact(name + "()", [arguments[0]]) }
            // NULL of what has none.
            sql += "CASE WHEN "
            try write(arguments[0], as: .double, at: .atom)
            sql += (name == "sqrt" ? " >= 0" : " > 0") + " THEN " + (name == "log10" ? "log" : name) + "("
            try write(arguments[0], as: .double)
            sql += ") END"
        case ("random", 0): sql += "CAST(floor((random() - 0.5) * 18446744073709549568) AS bigint)"
        default: return false
        }
        return true
    }

    /// Halves go away from zero: of the fifteen digits that a double tells, as in SQLite. What has no more than these behind the
    /// point stays as it is.
    private func write(round number: Expression, to digits: Expression) throws {
        let value: Writer = { try $0.write(number, as: .double, at: .atom) }
        let whole: Writer = { compiler in
            // As SQLite does it, of reals that may have a fraction. No zero has a sign.
            compiler.sql += "CASE WHEN abs("
            try value(compiler)
            compiler.sql += ") < 4503599627370496 THEN trunc("
            try value(compiler)
            compiler.sql += " + 0.5 * sign("
            try value(compiler)
            compiler.sql += ")) + 0.0 ELSE "
            try value(compiler)
            compiler.sql += " END"
        }
        func rounded(_ limit: Writer, _ digits: Writer) throws {
            sql += "CASE WHEN abs("
            try value(self)
            sql += ") < "
            try limit(self)
            sql += " THEN CAST(round(CAST("
            try value(self)
            sql += " AS numeric), "
            try digits(self)
            sql += ") AS double precision) ELSE "
            try value(self)
            sql += " END"
        }
        if case .value(.integer(let count), _) = digits.node {
            if count <= 0 { return try whole(self) }
            let count = min(count, 30)
            return try rounded({ $0.sql += "1e\(15 - count)" }, { $0.sql += String(count) })
        }
        let count: Writer = { compiler in
            compiler.sql += "least("
            try compiler.write(digits, as: .integer, at: .atom)
            compiler.sql += ", 30)"
        }
        sql += "CASE WHEN "
        try write(digits, as: .integer, at: .atom)
        sql += " > 0 THEN "
        try rounded(
            { compiler in
                compiler.sql += "power(CAST(10 AS double precision), 15 - "
                try count(compiler)
                compiler.sql += ")"
            }, count)
        sql += " WHEN "
        try write(digits, as: .integer, at: .atom)
        sql += " <= 0 THEN "
        try whole(self)
        sql += " END"
    }

    // Choosing --------------------------------------------------------------------------------------------------------

    /// - Parameter kind: of what it chooses among.
    private func write(choice call: Call, _ name: String, _ kind: ExpressionType?) throws -> Bool {
        let arguments = call.arguments
        switch (name, arguments.count) {
        case ("coalesce", 1...), ("ifnull", 2):
            let type = try unite(arguments)
            sql += "coalesce("
            try write(arguments, as: type, among: kind)
            sql += ")"
        case ("nullif", 2):
            // As it compares, with what the first one is.
            let type = postgresType(of: call)
            sql += "CASE WHEN "
            if type == .numeric {
                try write(arguments[0], as: type, at: .atom)
                sql += " = "
                try write(arguments[1], as: type, at: .atom)
            } else {
                try write(comparison: .equal, arguments[0], arguments[1])
            }
            sql += " THEN NULL ELSE "
            try write(arguments[0], as: type, among: kind)
            sql += " END"
        case ("iif", 2...3):
            let type = try unite(Array(arguments.dropFirst()))
            sql += "CASE WHEN "
            try write(condition: arguments[0], at: .any)
            sql += " THEN "
            try write(arguments[1], as: type, among: kind)
            if arguments.count > 2 {
                sql += " ELSE "
                try write(arguments[2], as: type, among: kind)
            }
            sql += " END"
        case ("likely", 1), ("unlikely", 1), ("likelihood", 2): try write(postgres: arguments[0], at: .atom)
        case ("min", 2...), ("max", 2...): try write(extreme: arguments, name == "max", kind)
        default: return false
        }
        return true
    }

    private func write(_ parts: [Expression], as type: PostgresType?, among kind: ExpressionType? = nil) throws {
        for (index, part) in parts.enumerated() {
            if index > 0 { sql += ", " }
            try write(part, as: type, among: kind)
        }
    }

    /// Writes one of several expressions that are alike.
    func write(
        _ expression: Expression, as type: PostgresType?, among kind: ExpressionType?, at outer: Precedence = .any
    )
        throws
    {
        // A text to PostgreSQL, in a form of its own.
        if let kind, kind.type == .offsetDatetime, type == .text, case .parameter(let name) = expression.node {
            return bind(.parameter(name, .among(kind)), as: .text)
        }
        try write(expression, as: type, at: outer)
    }

    /// NULL where one of them is, which greatest() passes over.
    private func write(extreme arguments: [Expression], _ isGreatest: Bool, _ kind: ExpressionType?) throws {
        let type = try unite(arguments)
        guard type != .jsonb, type != .element else {
            throw lacksInPostgres("order of \(type?.title ?? "")", hint: "cast it to the type that it has")
        }
        if type == .text {
            for argument in arguments { try refuseTelling(textKey(of: argument), isGreatest ? "max()" : "min()") }
        }
        let nullable = arguments.filter { canBeNull($0) }
        if !nullable.isEmpty {
            sql += "CASE WHEN "
            for (index, argument) in nullable.enumerated() {
                if index > 0 { sql += " AND " }
                try write(argument, as: type, among: kind, at: .atom)
                sql += " IS NOT NULL"
            }
            sql += " THEN "
        }
        sql += isGreatest ? "greatest(" : "least("
        for (index, argument) in arguments.enumerated() {
            if index > 0 { sql += ", " }
            try write(argument, as: type == .boolean ? .integer : type, among: kind, at: .atom)
            if index == 0, type == .text, !isBytewise(argument) { sql += #" COLLATE "C""# }
        }
        sql += ")"
        if !nullable.isEmpty { sql += " END" }
    }

    // JSON ------------------------------------------------------------------------------------------------------------

    private func write(jsonCall call: Call, _ name: String) throws -> Bool {
        let arguments = call.arguments
        switch (name, arguments.count) {
        case ("json", 1): try write(document: arguments[0])
        case ("json_extract", 2): try write(element: .call(call))
        case ("json_array", _), ("json_object", _):
            sql += name == "json_array" ? "jsonb_build_array(" : "jsonb_build_object("
            for (index, argument) in arguments.enumerated() {
                if index > 0 { sql += ", " }
                if name == "json_object", index % 2 == 0 {
                    try write(argument, as: .text)
                } else {
                    try write(inJSON: argument)
                }
            }
            sql += ")"
        case ("json_array_length", 1...2):
            let json: Writer = { try $0.write(json: arguments[0], arguments.count > 1 ? arguments[1] : nil) }
            sql += "CASE WHEN jsonb_typeof("
            try json(self)
            sql += ") = 'array' THEN jsonb_array_length("
            try json(self)
            sql += ") WHEN "
            try json(self)
            sql += " IS NOT NULL THEN 0 END"
        case ("json_type", 1...2):
            let json: Writer = { try $0.write(json: arguments[0], arguments.count > 1 ? arguments[1] : nil) }
            try write(typeOf: json)
        case ("json_valid", 1):
            guard postgresType(of: arguments[0]) == .jsonb else { return false }
            sql += "("
            try write(postgres: arguments[0], at: .atom)
            sql += " IS NOT NULL)"
        default: return false
        }
        return true
    }

    private func write(json document: Expression, _ path: Expression?) throws {
        sql += "("
        if let path { try write(json: document, at: path, takesKeys: false) } else { try write(document: document) }
        sql += ")"
    }

    /// A value as a part of JSON.
    func write(inJSON expression: Expression) throws {
        switch postgresType(of: expression) {
        case .boolean: try write(expression, as: .integer)
        case .jsonb where expression.typeHint != nil: try write(expression, as: .text)
        case .timestamptz, .date, .time, .uuid, .numeric: try write(expression, as: .text)
        default: try write(postgres: expression, at: .any)
        }
    }
}

/// What SQLite has, and PostgreSQL has otherwise or not at all: https://www.sqlite.org/lang_corefunc.html
private let functionsOfSQLite: Set<String> = [
    "abs", "changes", "char", "concat", "concat_ws", "format", "glob", "hex", "if", "iif", "instr", "last_insert_rowid",
    "length", "like", "likelihood", "load_extension", "lower", "ltrim", "max", "min", "nullif", "octet_length",
    "printf",
    "quote", "random", "randomblob", "replace", "round", "rtrim", "sign", "soundex", "sqlite_compileoption_get",
    "sqlite_compileoption_used", "sqlite_offset", "sqlite_source_id", "sqlite_version", "substr", "substring",
    "total_changes", "trim", "typeof", "unhex", "unicode", "upper", "zeroblob", "regexp", "match", "highlight",
    "snippet",
    "bm25", "acos", "acosh", "asin", "asinh", "atanh", "ceil", "cosh", "floor", "log", "log2", "mod", "sinh", "tanh",
    "json_insert", "json_replace", "json_set", "json_remove", "json_patch", "json_quote", "json_valid", "json_extract",
    "json_array_length", "json_error_position", "json_pretty", "median", "percentile", "percentile_cont",
    "percentile_disc", "timediff",
]
