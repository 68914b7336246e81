import CormorantBase

/// What a statement that writes has otherwise in PostgreSQL.
extension StatementCompiler {
    func checkNames(of table: TableReference) throws {
        if dialect == .postgres, let name = table.longName { try checkPostgresName(name) }
    }

    func insertion(_ change: Change) throws -> String {
        guard dialect == .postgres else { return dialect.insert(change.policy) }
        guard change.policy == .abort || change.policy == .ignore && change.upsert == nil else {
            throw lacksPolicy(change.policy)
        }
        return "INSERT INTO "
    }

    func lacksPolicy(_ policy: ConflictPolicy) -> CormorantError {
        let (name, hint) =
            switch policy {
            case .replace: ("OR REPLACE", "save the record, or make it an upsert, which updates the row in the way")
            case .ignore: ("OR IGNORE here", "make it an upsert that does nothing, or find the rows by a condition")
            default:
                (
                    "OR \(policy == .fail ? "FAIL" : "ROLLBACK")",
                    "an error undoes the statement; roll back the transaction"
                )
            }
        return lacksInPostgres(name, hint: hint)
    }

    /// The condition of a model's scope, which may stand in any statement.
    func written(scope: String, of table: TableReference) throws -> String {
        guard dialect == .postgres else { return scope }
        return try PortableSQL.condition(scope, of: table)
    }

    func rows(of table: TableReference) throws -> String {
        guard dialect == .postgres, let scope = table.scope else { return table.rows }
        return "(SELECT * FROM \(table.quoted) WHERE \(try written(scope: scope, of: table)))"
    }

    /// The columns of a key or unique index, as that compares them.
    func write(conflictTarget columns: [Int], of table: TableReference) throws {
        try refuseTwice(columns, of: table)
        sql +=
            " (" + columns.map { dialect.key(table.columns[$0].quoted, table.columns[$0]) }.joined(separator: ", ")
            + ")"
    }

    /// Writes a value into a column, whose type takes what it holds and refuses all else.
    func write(_ value: Expression, into reference: ColumnReference) throws {
        let start = sql.count
        let column = reference.column
        let type = PostgresType(column)
        let number: Writer? =
            switch value.node {
            case .value(let value, nil):
                { [value = try value.comparable(with: reference).held(by: reference, type)] compiler in
                    if column.scale == nil, !value.isReal || type.isReal {
                        compiler.bindNumbered(.value(value))
                    } else {
                        compiler.bind(.value(value), as: value.isReal ? .double : type)
                    }
                }
            case .parameter(let name) where column.textSize == 0:
                { compiler in
                    let binding = CompiledStatement.Binding.parameter(name, .comparedWith(reference))
                    if column.scale == nil { compiler.bindNumbered(binding) } else { compiler.bind(binding, as: type) }
                }
            default:
                { try $0.write(value, storedAs: type, in: reference) }
            }
        if let number {
            if let digits = column.scale { try write(scale: digits, number) } else { try number(self) }
        }
        assigned.append((reference, start..<sql.count))
    }

    /// Writes what goes into a column: what SQLite would not store there as it is, is refused, when the statement is made or when it runs.
    func write(_ value: Expression, storedAs type: PostgresType, in reference: ColumnReference) throws {
        let own = postgresType(of: value)
        if reference.column.textSize > 0, type == .text {
            let text: Writer = { try $0.write(value, as: .text, at: .atom) }
            return try write(type, in: reference, orFault: .range, text) { compiler in
                compiler.sql += "octet_length("
                try text(compiler)
                compiler.sql += ") < \(reference.column.textSize)"
            }
        }
        if reference.column.type == .offsetDatetime, own != nil {
            return try write(value, own, asOffsetDatetimeIn: reference)
        }
        switch (own, type) {
        case (let own?, .numeric) where own.isReal:
            throw realAmongDecimals(self.type(of: value) ?? ExpressionType(.double))
        case (.element?, _) where type.isNumber || type == .boolean: try write(element: value, type, in: reference)
        case (let own?, _) where type.isInteger && (own.isReal || own == .numeric):
            let number: PostgresType = own == .numeric ? .numeric : .double
            try write(whole: number, as: type, in: reference) { try $0.write(value, as: number, at: .atom) }
        case (let own?, .boolean) where own.isNumber:
            // Of other integers than 0 and 1 this fails.
            sql += "CAST(CAST("
            try write(value, as: own)
            sql += " AS text) AS boolean)"
        case (nil, _), (.element?, _), (_, .element): try write(value, as: type)
        case (let own?, _) where own == type || own.isInteger && type.isInteger: try write(value, as: nil)
        case (.bigint?, .double) where isWideInteger(value):
            let number: Writer = { try $0.write(value, as: nil, at: .atom) }
            try write(type, in: reference, orFault: .range, number) { compiler in
                compiler.sql += "CAST(CAST("
                try number(compiler)
                compiler.sql += " AS double precision) AS bigint) = "
                try number(compiler)
            }
        case (.numeric?, _) where type.isReal: throw refused(own, type, in: reference)
        case (let own?, _) where own.isNumber && type.isNumber || own == .boolean && type.isNumber:
            try write(value, as: type)
        case (.text?, _) where type.timeType != nil || type == .jsonb: try write(value, as: type)
        case (let own?, .text) where own.timeType != nil || own == .jsonb: try write(value, as: .text)
        case (let own?, _) where value.isPlainValue || own == .text && type == .text: try write(value, as: type)
        case (let own?, _): throw refused(own, type, in: reference)
        }
    }

    private func refused(_ own: PostgresType?, _ type: PostgresType, in reference: ColumnReference) -> CormorantError {
        let holds = reference.column.type == .offsetDatetime ? "a datetime with its offset" : type.title
        return CormorantError(
            .type, "\(reference.column.property) is set to \(own?.title ?? "a value"), and holds \(holds)",
            hint: "make a value of the column's type, with a CAST for example")
    }

    /// A number that is an integer as that; another fails.
    private func write(
        whole own: PostgresType, as type: PostgresType, in reference: ColumnReference, _ number: Writer
    ) throws {
        sql += "CAST(CASE WHEN "
        try number(self)
        sql += " <> trunc("
        try number(self)
        sql += ") THEN "
        try write(faultOf: number, .range, in: reference, as: .numeric)
        sql += " WHEN abs("
        try number(self)
        sql += ") < 1e19 THEN "
        // As a numeric a double has fifteen digits, as an integer all.
        try own == .double ? cast(to: .numeric) { try $0.cast(to: .bigint, number) } : number(self)
        sql += " WHEN "
        try number(self)
        sql += " IS NOT NULL THEN 1e19 END AS \(type.name))"
    }

    /// A number of JSON, or a text there that is one.
    private func write(element value: Expression, _ type: PostgresType, in reference: ColumnReference) throws {
        let json: Writer = { try $0.write(json: value, at: .atom) }
        let text: Writer = { compiler in
            compiler.sql += "("
            try json(compiler)
            compiler.sql += " #>> '{}')"
        }
        let isWhole = type.isInteger || type == .boolean
        let number: PostgresType = type.isReal ? .double : .numeric
        let form = isWhole ? #"[-+]?\d+"# : #"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"#
        func write(_ compiler: StatementCompiler) throws {
            compiler.sql += "CASE "
            if type == .double {
                // An integer that a double does not hold; those above the bound become 2^63.
                compiler.sql += "WHEN CASE WHEN "
                try text(compiler)
                compiler.sql += #" ~ '^-?\d{16,19}$' AND jsonb_typeof("#
                try json(compiler)
                compiler.sql += ") = 'number' THEN CASE WHEN abs(CAST("
                try text(compiler)
                compiler.sql += " AS numeric)) < 9223372036854775296 THEN CAST(CAST("
                try text(compiler)
                compiler.sql += " AS double precision) AS bigint) <> CAST("
                try text(compiler)
                compiler.sql += " AS bigint) ELSE CAST("
                try text(compiler)
                compiler.sql += " AS numeric) BETWEEN -9223372036854775807 AND 9223372036854775807 END END THEN "
                try compiler.write(faultOf: text, .range, in: reference, as: type)
                compiler.sql += " "
            }
            compiler.sql += "WHEN jsonb_typeof("
            try json(compiler)
            compiler.sql += ") NOT IN ('string', 'object', 'array') THEN "
            try compiler.convert(from: .element, to: number, json)
            compiler.sql += " WHEN "
            try text(compiler)
            compiler.sql += " ~ '^\\s*\(form)\\s*$' THEN CAST("
            try text(compiler)
            compiler.sql += " AS \(number.name)) WHEN "
            try text(compiler)
            compiler.sql += " IS NOT NULL THEN "
            try compiler.write(faultOf: text, .type, in: reference, as: number)
            compiler.sql += " END"
        }
        guard isWhole else { return try cast(to: type, write) }
        let integer: PostgresType = type == .boolean ? .bigint : type
        // Of other integers than 0 and 1 this fails.
        if type == .boolean { sql += "CAST(CAST(" }
        try self.write(whole: number, as: integer, in: reference) { compiler in
            compiler.sql += "("
            try write(compiler)
            compiler.sql += ")"
        }
        if type == .boolean { sql += " AS text) AS boolean)" }
    }

    /// What is none, and has the form of one, is; all else fails.
    private func write(
        _ value: Expression, _ own: PostgresType?, asOffsetDatetimeIn reference: ColumnReference
    ) throws {
        guard own == .text || own == .element else { throw refused(own, .text, in: reference) }
        if case .column(let column) = value.bare.node, column.column.type == .offsetDatetime {
            return try write(value, as: .text)
        }
        let text: Writer = { try $0.write(value, as: .text, at: .atom) }
        try write(.text, in: reference, orFault: .type, text) { compiler in
            try text(compiler)
            compiler.sql += " ~ \(textLiteral(OffsetTimestamp.textPattern))"
        }
    }

    /// A value as the column's type where it meets a condition; another one fails.
    private func write(
        _ type: PostgresType, in reference: ColumnReference, orFault fault: StoredFault, _ value: Writer,
        where condition: Writer
    ) throws {
        sql += "CASE WHEN "
        try condition(self)
        sql += " THEN "
        try cast(to: type, value)
        sql += " WHEN "
        try value(self)
        sql += " IS NOT NULL THEN "
        try write(faultOf: value, fault, in: reference, as: type)
        sql += " END"
    }

    /// Writes what fails with the message that SQLite's statements have: a cast of it to a number, whose error the engine reads.
    private func write(
        faultOf value: Writer, _ fault: StoredFault, in reference: ColumnReference, as type: PostgresType
    ) throws {
        let isText = fault == .type || type == .text
        let quote = isText ? "'" : ""
        let start = "\(reference.titled) is set to \(isText ? "the text '" : "")"
        let end = "\(quote), which its type "
        sql += "CAST(CAST(CAST(" + textLiteral(fault.marker + start) + " || left(CAST("
        try value(self)
        sql += " AS text), 100) || " + textLiteral(end + reference.column.typeName + StoredFault.end)
        sql += " AS bigint) AS text) AS \(type.name))"
    }

    /// With as many digits behind the point; one with more stays as it is, and is refused by the table.
    private func write(scale digits: Int, _ number: Writer) throws {
        sql += "CASE WHEN round("
        try number(self)
        sql += ", \(digits)) = "
        try number(self)
        sql += " THEN round("
        try number(self)
        sql += ", \(digits)) ELSE "
        try number(self)
        sql += " END"
    }

    /// The SELECT whose rows are inserted.
    func write(_ select: Select, into targets: [ColumnReference]) throws {
        assigned += targets.map { ($0, nil) }
        if !select.columns.isEmpty, select.columns.count == targets.count {
            resultTypes = targets.map { PostgresType($0.column) }
            inserted = targets
        }
        try write(select)
    }

    // Compounds -------------------------------------------------------------------------------------------------------

    /// Its operators all hold together alike, where INTERSECT holds more tightly for PostgreSQL.
    func write(postgresCompound select: Select) throws {
        var first = select
        first.commonTables = []
        first.compounds = []
        first.order = []
        first.limit = nil
        first.offset = nil
        let (types, targets) = (try resultTypes ?? memberTypes(of: select), inserted)
        let isMixed = select.compounds.count > 1 && select.compounds.dropFirst().contains { $0.operation == .intersect }
        let isDistinct = select.compounds.contains { $0.operation != .unionAll }
        if isMixed { sql += String(repeating: "(", count: select.compounds.count - 1) }
        resultTypes = types
        try write(core: first, isDistinct: isDistinct)
        for (index, compound) in select.compounds.enumerated() {
            let member = compound.select
            sql += compound.operation.keyword
            (resultTypes, inserted) = (types, targets)
            let isCore =
                member.compounds.isEmpty && member.order.isEmpty && member.limit == nil && member.offset == nil
                && member.commonTables.isEmpty
            if isCore { try write(core: member, isDistinct: isDistinct) } else { try write(subquery: member) }
            if isMixed, index < select.compounds.count - 1 { sql += ")" }
        }
        (resultTypes, inserted) = (nil, nil)
        if !select.order.isEmpty {
            sql += " ORDER BY "
            try write(orderOfCompound: select.order.map(\.namingResult), of: first)
        }
        try writeLimit(select)
    }
}

extension Value {
    /// As a parameter of the column's type, which would else make another number of it.
    fileprivate func held(by reference: ColumnReference, _ type: PostgresType) throws -> Value {
        switch self {
        case .real(let real) where type.isInteger || type == .boolean:
            guard let integer = Int64(exactly: real) else { throw tooGreat("\(real)", for: reference) }
            return .integer(integer)
        case .integer(let integer) where type.isReal:
            guard integer.isDouble else { throw tooGreat("\(integer)", for: reference) }
            return asReal(true)
        case .text(let text) where reference.column.textSize > 0:
            guard fits(reference.column) else { throw tooGreat("the text '\(text.prefix(100))'", for: reference) }
            return self
        default: return self
        }
    }
}

private func tooGreat(_ value: String, for reference: ColumnReference) -> CormorantError {
    CormorantError(
        StoredFault.range.code,
        "\(reference.titled) is set to \(value), which its type \(reference.column.typeName) cannot hold",
        hint: StoredFault.range.hint)
}

extension Join {
    /// PostgreSQL wants a condition of every join but a cross join, of which it takes none.
    var postgresKeyword: String {
        if condition == nil { return " CROSS JOIN " }
        return kind == .cross ? " JOIN " : kind.keyword
    }
}

extension Dialect {
    /// A column as a key compares it.
    func key(_ column: String, _ of: TableReference.Column) -> String {
        guard self == .postgres, PostgresType(of) == .text, let collation = of.collation else { return column }
        return folded(column, collation: collation)
    }

    /// A text as a collation of SQLite compares it.
    func folded(_ text: String, collation: String) -> String {
        switch TextKey(collation: collation) {
        case .folded: "lower(\(text))"
        case .trimmed: "rtrim(\(text), ' ')"
        default: text
        }
    }

    func matches(_ key: String, _ other: String, collation: String?) -> String {
        guard self == .postgres, let collation else { return "\(key) = \(other)" }
        return "\(folded(key, collation: collation)) = \(folded(other, collation: collation))"
    }
}
