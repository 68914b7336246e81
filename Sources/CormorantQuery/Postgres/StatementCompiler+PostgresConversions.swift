import CormorantBase

/// What makes a value of one type of PostgreSQL that of another, as SQLite would have it.
extension StatementCompiler {
    typealias Writer = (StatementCompiler) throws -> Void

    /// Writes an expression as a value of that type; nil: as it is.
    func write(_ expression: Expression, as target: PostgresType?, at outer: Precedence = .any) throws {
        guard let target else { return try write(postgres: expression, at: outer) }
        switch expression.node {
        case .labelled(let inner, _), .collate(let inner, _): return try write(inner, as: target, at: outer)
        case .value(.null, _): return sql += "CAST(NULL AS \(target.name))"
        case .value(let value, nil): if try write(value: value, as: target) { return }
        case .parameter(let name):
            let form: ParameterForm = target == .numeric ? .decimal : target.timeType.map { .stored($0) } ?? .plain
            return bind(.parameter(name, form), as: target)
        case .raw(let text, let values):
            guard let portable = portable(text, values) else { return try write(postgres: expression, at: .atom) }
            return try write(portable, as: target, at: outer)
        case .binary(.jsonValueAt, _, _) where target != .element:
            return try convert(from: .element, to: target) { try $0.write(json: expression, at: .atom) }
        default: break
        }
        guard let own = postgresType(of: expression), own != target else {
            return try write(postgres: expression, at: outer)
        }
        try convert(from: own, to: target) { try $0.write(postgres: expression, at: .atom) }
    }

    /// Writes a value that takes the type of what stands beside it. False where it must be converted from its own.
    private func write(value: Value, as target: PostgresType) throws -> Bool {
        switch (target, value) {
        case (.text, .text), (.bytea, .blob), (.double, .real), (.real, .real): bind(.value(value), as: target)
        case (.double, .integer), (.real, .integer): bind(.value(value.asReal(true)), as: target)
        case (.boolean, .integer(0)), (.boolean, .integer(1)): bind(.value(value), as: target)
        case (.smallint, .integer(let integer)), (.integer, .integer(let integer)), (.bigint, .integer(let integer)):
            bind(.value(value), as: target.integers.contains(integer) ? target : .bigint)
        case (.numeric, .integer), (.numeric, .text): bind(.value(try value.exactDecimal()), as: .numeric)
        case (.timestamptz, _), (.date, _), (.time, _), (.uuid, _):
            guard let type = target.timeType, let stored = try value.stored(as: type) else {
                throw CormorantError(
                    .type, "\(target.title) is mixed with \(value.kindName)", hint: "give a value of its type")
            }
            bind(.value(stored), as: target)
        case (.jsonb, .text): bind(.value(value), as: .jsonb)
        default: return false
        }
        return true
    }

    /// - Parameter write: writes the value, in parentheses where it has parts.
    func convert(from own: PostgresType, to target: PostgresType, _ write: Writer) throws {
        switch (own, target) {
        case (_, .text): try asText(own, write)
        case (.boolean, .integer): try cast(to: .integer, write)
        case (.boolean, _) where target.isNumber: try cast(to: target) { try $0.cast(to: .integer, write) }
        case (_, .boolean) where own.isNumber:
            sql += "("
            try write(self)
            sql += " <> 0)"
        case (.real, _) where target.isInteger, (.double, _) where target.isInteger,
            (.numeric, _) where target.isInteger:
            sql += "CAST(trunc("
            try write(self)
            sql += ") AS \(target.name))"
        case (_, _) where own.isNumber && target.isNumber: try cast(to: target, write)
        case (.jsonb, .element): try canonical(write)
        case (_, .element):
            sql += "to_jsonb("
            try own == .boolean
                ? cast(to: .integer, write) : own.isTime || own == .uuid ? asText(own, write) : write(self)
            sql += ")"
        case (.element, .boolean):
            try asNumber(.numeric, write)
            sql += " <> 0"
        case (.element, _) where target.isReal: try asNumber(.double, write)
        case (.element, .numeric): try asNumber(.numeric, write)
        case (.element, _) where target.isInteger:
            sql += "CAST(trunc("
            try asNumber(.numeric, write)
            sql += ") AS \(target.name))"
        case (.text, .jsonb), (.element, .jsonb), (.text, .uuid), (.text, .date), (.text, .time):
            try cast(to: target, write)
        case (.text, .timestamptz):
            sql += "("
            sql += "CAST("
            try write(self)
            sql += " AS timestamp) AT TIME ZONE 'UTC')"
        case (.text, .bytea):
            sql += "convert_to("
            try write(self)
            sql += ", 'UTF8')"
        default: throw mixed(own, target)
        }
    }

    func cast(to type: PostgresType, _ write: Writer) throws {
        sql += "CAST("
        try write(self)
        sql += " AS \(type.name))"
    }

    /// The text that SQLite has of a value.
    private func asText(_ own: PostgresType, _ write: Writer) throws {
        func wrap(_ start: String, _ end: String, _ compiler: StatementCompiler) throws {
            compiler.sql += start
            try write(compiler)
            compiler.sql += end
        }
        switch own {
        case .text: try write(self)
        case .boolean: try wrap("CAST(CAST(", " AS integer) AS text)", self)
        case .real, .double: try asText(real: own, write)
        case .bytea: try wrap("convert_from(", ", 'UTF8')", self)
        case .timestamptz:
            try wrap(
                "regexp_replace(to_char(", #" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '\.0{6}$', '')"#, self)
        case .date: try wrap("to_char(CAST(", " AS timestamp), 'YYYY-MM-DD')", self)
        case .time:
            try wrap("regexp_replace(to_char(CAST(", #" AS interval), 'HH24:MI:SS.US'), '\.0{6}$', '')"#, self)
        case .element: try elementText(write)
        default: try wrap("CAST(", " AS text)", self)
        }
    }

    /// Fifteen digits, as SQLite has them, with a point.
    private func asText(real own: PostgresType, _ write: Writer) throws {
        func number(_ compiler: StatementCompiler) throws {
            if own == .real { try compiler.cast(to: .double, write) } else { try write(compiler) }
        }
        sql += "CASE WHEN abs("
        try number(self)
        sql += ") = 'Infinity' THEN CASE WHEN "
        try number(self)
        sql += " > 0 THEN 'Inf' ELSE '-Inf' END WHEN abs("
        // A numeric has these digits, too.
        try cast(to: .numeric, number)
        sql += ") < 1e15 AND (abs("
        try cast(to: .numeric, number)
        sql += ") >= 1e-4 OR "
        try number(self)
        sql += " = 0) THEN regexp_replace(CAST(CAST("
        try number(self)
        sql += #" AS numeric) AS text), '^([^.]+)$', '\1.0') ELSE regexp_replace(ltrim(to_char(CAST("#
        try number(self)
        sql += #" AS numeric), '9.00000000000000EEEE')), '(\.\d+?)0*e', '\1e') END"#
    }

    // Casts -----------------------------------------------------------------------------------------------------------

    func write(postgres operand: Expression, castTo type: ColumnType) throws {
        let target = PostgresType(castTo: type)
        if case .parameter(let name) = operand.node {
            let form: ParameterForm = type.timeForm != nil || type == .uuid ? .stored(type) : .plain
            return bind(.parameter(name, form), as: target)
        }
        let own = postgresType(of: operand)
        guard target.isNumber || target == .boolean, let own, !own.isNumber, own != .boolean else {
            return try write(operand, as: target)
        }
        guard own == .element else {
            return try write(numberOf: { try $0.write(operand, as: .text, at: .atom) }, target)
        }
        let json: Writer = { try $0.write(json: operand, at: .atom) }
        sql += "CASE WHEN jsonb_typeof("
        try json(self)
        sql += ") IN ('string', 'object', 'array') THEN "
        try write(
            numberOf: { compiler in
                compiler.sql += "("
                try json(compiler)
                compiler.sql += " #>> '{}')"
            }, target)
        sql += " ELSE "
        try convert(from: .element, to: target, json)
        sql += " END"
    }

    /// The number that a text begins with, or 0.
    private func write(numberOf text: Writer, _ target: PostgresType) throws {
        let digits = target.isInteger || target == .boolean ? #"[-+]?\d+"# : #"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"#
        let number: PostgresType = target == .boolean ? .bigint : target
        if target == .boolean { sql += "(" }
        sql += "CASE WHEN "
        try text(self)
        sql += #" ~ '^\s*\#(digits)' THEN CAST(substring("#
        try text(self)
        sql += #" from '^\s*(\#(digits))') AS \#(number.name)) WHEN "#
        try text(self)
        sql += " IS NOT NULL THEN 0 END"
        if target == .boolean { sql += " <> 0)" }
    }
}

extension PostgresType {
    /// The type of a column whose values have one form.
    var timeType: ColumnType? {
        switch self {
        case .timestamptz: .datetime
        case .date: .date
        case .time: .time
        case .uuid: .uuid
        default: nil
        }
    }
}
