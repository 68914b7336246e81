import CormorantBase

/// Comparisons: each side as what the other one is.
extension StatementCompiler {
    /// How one side is written.
    private enum Side {
        case asIs
        case converted(PostgresType)
        /// Of the type that PostgreSQL finds in the other one.
        case bound(Value)
        case cast(Value, PostgresType)
        case parameter(String, ParameterForm, PostgresType?)

        var isText: Bool {
            switch self {
            case .converted(let type), .cast(_, let type): type == .text
            case .bound(.text): true
            case .parameter: true
            default: false
            }
        }

        var isCast: Bool { if case .cast = self { true } else { false } }

        /// Whether it is text only where the other side is.
        var isBare: Bool {
            switch self {
            case .bound, .parameter: true
            default: false
            }
        }
    }

    func write(comparison op: BinaryOperator, _ left: Expression, _ right: Expression) throws {
        if left.isRow || right.isRow { return try write(postgresRows: op, left, right) }
        if op == .is || op == .isNot {
            let isNull = { (side: Expression) in if case .value(.null, _) = side.node { true } else { false } }
            if isNull(right) { return try write(postgres: .unary(op == .is ? .isNull : .isNotNull, left), at: .any) }
            if isNull(left) { return try write(postgres: .unary(op == .is ? .isNull : .isNotNull, right), at: .any) }
        }
        if try write(postgresMoments: op, left, right) { return }
        if postgresType(of: left) == .element {
            if isText(right), takesForm(left, of: right) { return try write(comparison: op, .cast(left, .text), right) }
            return try write(element: left, op, right)
        }
        if postgresType(of: right) == .element {
            if isText(left), takesForm(right, of: left) { return try write(comparison: op, left, .cast(right, .text)) }
            return try write(element: right, op.changedOver, left)
        }
        let key = textKey(of: left, right)
        let isRow = mixesExactly(left, right)
        if isRow { sql += "ROW(" }
        try write(one: left, beside: right, op, by: key)
        sql += (isRow ? ")" : "") + postgresInfix(op, left, right) + (isRow ? "ROW(" : "")
        try write(one: right, beside: left, op, by: key)
        if isRow { sql += ")" }
    }

    /// Equality finds rows by an index, which IS NOT DISTINCT FROM does not.
    private func postgresInfix(_ op: BinaryOperator, _ left: Expression, _ right: Expression) -> String {
        switch op {
        case .is: canBeNull(left) || canBeNull(right) ? " IS NOT DISTINCT FROM " : " = "
        case .isNot: canBeNull(left) || canBeNull(right) ? " IS DISTINCT FROM " : " <> "
        default: dialect.infix(op)
        }
    }

    /// Writes one side of a comparison.
    /// - Parameter both: how the texts of both are compared.
    func write(
        one expression: Expression, beside other: Expression, _ op: BinaryOperator, by both: TextKey?
    ) throws {
        if mixesExactly(expression, other) { return try write(exactly: expression) }
        let side = try side(expression, beside: other, op)
        let isTextual = side.isText ? isText(other) || !side.isBare : !side.isCast && isText(expression)
        let key = isTextual ? both : nil
        let needsCollation =
            (op != .equal && op != .notEqual && op != .is && op != .isNot || key != nil) && !isBytewise(expression)
            && (key != nil || !isBytewise(other)) && isTextual
        try write(key: key, collates: needsCollation) { compiler in
            switch side {
            case .asIs: try compiler.write(postgres: expression, at: .atom)
            case .converted(let type): try compiler.write(expression, as: type, at: .atom)
            case .bound(let value):
                if key == nil {
                    compiler.bindNumbered(.value(value), compiler.postgresType(of: other))
                } else {
                    compiler.bind(.value(value), as: .text)
                }
            case .cast(let value, let type): compiler.bind(.value(value), as: type)
            case .parameter(let name, let form, let type):
                if let type = type ?? (key == nil ? nil : .text) {
                    compiler.bind(.parameter(name, form), as: type)
                } else {
                    compiler.bindNumbered(.parameter(name, form), compiler.postgresType(of: other))
                }
            }
        }
    }

    func isText(_ expression: Expression) -> Bool { postgresType(of: expression) == .text }

    private func side(_ expression: Expression, beside other: Expression, _ op: BinaryOperator) throws -> Side {
        let otherType = postgresType(of: other)
        switch expression.bare.node {
        case .value(.null, _): return .asIs
        case .value(let value, let type):
            // As a plain value where it takes the form of the column beside it.
            guard type == nil || type == .decimal || otherType != nil else { return .asIs }
            if case .value(_, let its) = other.bare.node {
                // What stands beside a decimal is one.
                if type == nil, its == .decimal { return .cast(try value.exactDecimal(), .numeric) }
                if case .real(let real) = value, otherType?.isInteger == true { return besideInteger(real) }
                return .asIs
            }
            return try side(value, typed: type, beside: other, otherType, op)
        case .parameter(let name): return try side(name, beside: other, otherType)
        default: break
        }
        switch other.bare.node {
        case .value(.null, _), .parameter: return .asIs
        case .value(let value, _): return converted(besideValue: value, postgresType(of: expression))
        default: break
        }
        guard let own = postgresType(of: expression), let otherType, own != otherType else {
            if postgresType(of: expression) == .jsonb { try refuseOrder(of: .jsonb, op) }
            return .asIs
        }
        let (mine, its) = (own.calculated, otherType.calculated)
        if mine == its || [mine, its].allSatisfy(\.isNumber) {
            let types: [PostgresType] = [mine, its]
            if types.contains(.numeric), types.contains(.double) {
                throw realAmongDecimals(type(of: mine == .double ? expression : other) ?? ExpressionType(.double))
            }
            return own == .boolean ? .converted(.integer) : .asIs
        }
        // SQLite compares their texts.
        if (own == .text || own.isTime || own == .uuid)
            && (otherType == .text || otherType.isTime || otherType == .uuid)
        {
            return .converted(.text)
        }
        throw mixed(own, otherType)
    }

    /// A truth value beside an integer that is none.
    private func converted(besideValue value: Value, _ own: PostgresType?) -> Side {
        switch (own, value) {
        case (.boolean, .integer(0)), (.boolean, .integer(1)): .asIs
        case (.boolean, .integer), (.boolean, .real): .converted(.integer)
        default: .asIs
        }
    }

    private func side(
        _ given: Value, typed type: ColumnType?, beside other: Expression, _ otherType: PostgresType?,
        _ op: BinaryOperator
    ) throws -> Side {
        guard let otherType else {
            guard let own = type.map({ PostgresType($0) }) ?? PostgresType(given) else { return .asIs }
            return .cast(given, own)
        }
        var value = given
        if let type, type != .decimal, let stored = try given.stored(as: type) { value = stored }
        if let hint = hint(of: other) { value = try value.comparable(with: hint) }
        switch (otherType, value) {
        case (.boolean, .integer(0)), (.boolean, .integer(1)): return .bound(value)
        case (.boolean, .integer): return .cast(value, .bigint)
        case (.smallint, .integer(let integer)), (.integer, .integer(let integer)), (.bigint, .integer(let integer)):
            return otherType.integers.contains(integer) ? .bound(value) : .cast(value, .bigint)
        case (.real, .real(let real)) where Double(Float(real)) != real: return .cast(value, .double)
        case (.real, .real), (.double, .real): return .bound(value)
        case (.real, .integer(let integer)), (.double, .integer(let integer)):
            return .cast(.real(Double(integer)), .double)
        case (.bigint, .real(let real)): return besideInteger(real)
        case (.numeric, _): return .bound(try value.exactDecimal())
        case (.text, .text), (.bytea, .blob): return .bound(value)
        case (.jsonb, .text):
            try refuseOrder(of: .jsonb, op)
            return .bound(value)
        case (_, .text) where type == .decimal && otherType.isInteger: return .cast(value, .numeric)
        case (_, .real) where otherType.isInteger || otherType == .boolean: return .cast(value, .double)
        case (_, _) where otherType.timeType != nil:
            if let type = otherType.timeType, let stored = try value.stored(as: type) { return .bound(stored) }
        default: break
        }
        throw mixed(otherType, PostgresType(value) ?? .text)
    }

    /// A real beside integers of 64 bits, all of which it is compared with exactly.
    private func besideInteger(_ real: Double) -> Side {
        if let integer = Int64(exactly: real) { return .cast(.integer(integer), .bigint) }
        // No other double is next to an integer.
        return real == 0x1p63 ? .cast(.text("9223372036854775808"), .numeric) : .cast(.real(real), .double)
    }

    private func side(_ name: String, beside other: Expression, _ otherType: PostgresType?) throws -> Side {
        guard let otherType else { throw untyped(name) }
        let form: ParameterForm =
            hint(of: other).map { .comparedWith($0) } ?? otherType.timeType.map { .stored($0) }
            ?? (otherType == .numeric ? .decimal : storage(beside: other) ?? .plain)
        switch otherType {
        case .smallint, .integer: return .parameter(name, form, .bigint)
        case .real: return .parameter(name, form, .double)
        default: return .parameter(name, form, nil)
        }
    }

    /// The column whose form a value takes.
    func hint(of expression: Expression) -> ColumnReference? {
        if let hint = expression.typeHint { return hint }
        let made = type(of: expression)
        return made?.type.timeForm != nil ? made?.column : nil
    }

    func refuseOrder(of type: PostgresType, _ op: BinaryOperator) throws {
        guard op == .equal || op == .notEqual || op == .is || op == .isNot else {
            throw lacksInPostgres("order of JSON", hint: "compare what stands at a path, cast to its type")
        }
    }

    // Elements of JSON ------------------------------------------------------------------------------------------------

    private func write(element: Expression, _ op: BinaryOperator, _ other: Expression) throws {
        if case .parameter(let name) = other.bare.node { throw untyped(name) }
        let equates = op == .equal || op == .notEqual || op == .is || op == .isNot
        let type = postgresType(of: other)
        switch type {
        case nil, .boolean?, .smallint?, .integer?, .bigint?, .real?, .double?, .numeric?:
            let number: PostgresType = type?.isReal == true ? .double : .numeric
            if hasForm(other) {
                try asNumber(number, reads: true) { try $0.write(json: element, at: .atom) }
            } else {
                try write(element, as: number, at: .atom)
            }
            sql += postgresInfix(op, element, other)
            try write(other, as: number, at: .atom)
        case .element? where equates:
            try write(postgres: element, at: .atom)
            sql += postgresInfix(op, element, other)
            try write(postgres: other, at: .atom)
        case .element?, .jsonb?, .bytea?:
            throw lacksInPostgres(
                "comparison of a value in JSON with \((type ?? .jsonb).title)", hint: "cast it to the type that it has")
        case _ where equates:
            try write(postgres: element, at: .atom)
            sql += postgresInfix(op, element, other)
            sql += "to_jsonb("
            try write(other, as: .text)
            sql += ")"
        default:
            // Numbers are less than all texts.
            sql += "CASE WHEN jsonb_typeof("
            try write(json: element, at: .atom)
            sql += ") IN ('number', 'boolean') THEN "
            sql += op == .less || op == .lessOrEqual ? "TRUE ELSE (" : "FALSE ELSE ("
            try write(json: element, at: .atom)
            sql += #" #>> '{}') COLLATE "C""#
            sql += dialect.infix(op)
            try write(other, as: .text, at: .atom)
            sql += " END"
        }
    }

    /// Whether what has no affinity on SQLite takes that of the expression: a column or a cast.
    /// https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison
    private func hasForm(_ expression: Expression) -> Bool {
        switch expression.bare.node {
        case .column, .cast: return true
        case .raw(let text, let values): return portable(text, values).map { hasForm($0) } ?? false
        case .scalar(let select): return select.columns.first.map { within(select).hasForm($0) } ?? false
        case .name(let source, let name):
            switch meaning(of: name, in: source) {
            case .column, .hiddenKey: return true
            case .result(let place, let select, let inner): return inner.hasForm(select.columns[place])
            case .own(let own, let inner): return inner.hasForm(own)
            case .value, nil: return false
            }
        default: return false
        }
    }

    /// What json_each() gives are columns themselves, without a form.
    private func takesForm(_ element: Expression, of other: Expression) -> Bool {
        if case .name(let source, let name) = element.bare.node, case .value? = meaning(of: name, in: source) {
            return false
        }
        return hasForm(other)
    }

    // Offset datetimes ------------------------------------------------------------------------------------------------

    private func write(postgresMoments op: BinaryOperator, _ left: Expression, _ right: Expression) throws
        -> Bool
    {
        guard op.compares else { return false }
        if left.isGivenValue, !right.isGivenValue {
            return try write(postgresMoments: op.changedOver, right, left)
        }
        guard areMoments(left, right) else { return false }
        let start, end: CompiledStatement.Binding
        switch try MomentOperand(right) {
        case .null: return false
        case .calculated:
            try write(momentOf: left)
            sql += postgresInfix(op, left, right)
            try write(momentOf: right)
            return true
        case .given(let first, let last): (start, end) = (first, last)
        }
        switch op {
        case _ where !isOffsetDatetime(left):
            try write(momentOf: left)
            sql += postgresInfix(op, left, right)
            bindNumbered(start, .text)
        case .less, .greaterOrEqual, .greater, .lessOrEqual:
            try write(postgres: left, at: .atom)
            sql += dialect.infix(op)
            bindNumbered(op == .less || op == .greaterOrEqual ? start : end, .text)
        case .equal:
            try write(postgres: left, at: .atom)
            sql += " BETWEEN "
            bindNumbered(start, .text)
            sql += " AND "
            bindNumbered(end, .text)
        default:
            try write(momentOf: left)
            sql += postgresInfix(op, left, right)
            bindNumbered(start, .text)
        }
        return true
    }

    /// As a text, that of a datetime as long as that of an offset datetime.
    func write(momentOf expression: Expression) throws {
        let isTime = postgresType(of: expression) == .timestamptz
        try write(momentOf: { try $0.write(expression, as: isTime ? nil : .text, at: isTime ? .atom : .any) }, isTime)
        if isTime || !isBytewise(expression) { sql += #" COLLATE "C""# }
    }

    /// - Parameter isTime: of a datetime.
    func write(momentOf time: Writer, _ isTime: Bool) throws {
        sql += isTime ? "to_char(" : "substr("
        try time(self)
        sql += isTime ? " AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')" : ", 1, \(OffsetTimestamp.momentSize))"
    }

    // Nullability -----------------------------------------------------------------------------------------------------

    /// Whether it may be NULL, as far as models tell.
    func canBeNull(_ expression: Expression) -> Bool {
        switch expression.node {
        case .column(let reference):
            let column = reference.column
            guard reference.path.isEmpty else { return true }
            let isKey = reference.table.key.contains(reference.index) && !reference.table.isView
            return !(column.isNotNull || isKey)
                || scopes.contains { $0.select?.joins.contains { $0.kind.isOuter } ?? false }
        case .value(let value, _): return value == .null
        case .labelled(let inner, _), .collate(let inner, _), .ordered(let inner, _), .cast(let inner, _):
            return canBeNull(inner)
        case .exists: return false
        case .unary(.isNull, _), .unary(.isNotNull, _): return false
        case .unary(_, let operand): return canBeNull(operand)
        case .binary(let op, let left, let right)
        where op != .divide && op != .remainder && op != .jsonAt && op != .jsonValueAt:
            return op != .is && op != .isNot && (canBeNull(left) || canBeNull(right))
        case .call(let call):
            let name = foldIdentifier(call.name)
            if ["count", "total", "row_number", "rank", "dense_rank", "ntile"].contains(name) { return false }
            if name == "coalesce" || name == "ifnull" { return call.arguments.allSatisfy { canBeNull($0) } }
            return true
        default: return true
        }
    }
}

extension Expression {
    /// Without its label and collation.
    var bare: Expression {
        switch node {
        case .labelled(let inner, _), .collate(let inner, _): inner.bare
        default: self
        }
    }
}
