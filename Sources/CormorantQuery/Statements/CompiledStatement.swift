import CormorantBase

/// A statement as SQL text and what to bind to its parameters, in order.
package struct CompiledStatement: Sendable {
    package enum Binding: Sendable {
        case value(Value)
        /// Given when the statement runs; made into what the expression needs.
        case parameter(String, ParameterForm)
        /// All of them in one parameter, for `corm_values(?)`, which gives rows of so many.
        case list([Value], width: Int)
        /// The values of a list that is given when the statement runs, as above: each but NULL, one row after the other, made
        /// into what the expression needs.
        case listParameter(String, [ParameterForm])
        /// Whether that list has a NULL.
        case listHasNull(String)
    }

    package let sql: String
    /// What runs: the SQL with the functions that check what it writes.
    package let checkedSQL: String
    package let bindings: [Binding]
    /// The first table that it selects from, or the one that it changes; nil where that is of no model.
    package let table: TableReference?
    /// The model whose columns the rows have, all and in order; nil for other rows.
    package let records: TableReference?
    /// The models' columns that the rows of a SELECT with columns of its own hold; nil for other expressions. May be empty.
    package let columns: [ColumnReference?]
    /// The types of those columns, and of times and decimals that are made of them.
    package let types: [ColumnType?]
    /// The tables whose datetime columns it names or reads.
    package let timeTables: [TableReference]
    /// The columns that it writes, and where in the checked SQL their values stand; nil for those that come from a SELECT.
    package let assigned: [(column: ColumnReference, range: Range<Int>?)]
    /// Whether it changes no data.
    package let isSelect: Bool

    /// Whether an aggregate in it takes its rows in an order of its own, which not every SQLite knows.
    package let ordersWithin: Bool

    /// Of a change of a view: a statement that SQLite refuses as it does this one where the view has no trigger. With RETURNING it
    /// does not, up to 3.40, but changes nothing.
    package let viewProbe: String?
    package let hasParameters: Bool

    package init(
        _ sql: String, checked: String? = nil, _ bindings: [Binding], of table: TableReference? = nil,
        records: TableReference? = nil,
        columns: [ColumnReference?] = [], types: [ColumnType?] = [], timeTables: [TableReference] = [],
        assigned: [(column: ColumnReference, range: Range<Int>?)] = [], isSelect: Bool = false,
        viewProbe: String? = nil, ordersWithin: Bool = false
    ) {
        self.ordersWithin = ordersWithin
        self.viewProbe = viewProbe
        self.sql = sql
        checkedSQL = checked ?? sql
        self.bindings = bindings
        self.table = table
        self.records = records
        self.columns = columns
        self.types = types
        self.timeTables = timeTables
        self.assigned = assigned
        self.isSelect = isSelect
        hasParameters = bindings.contains { $0.parameterName != nil }
    }

    /// The names of the parameters that are given when it runs.
    package var parameterNames: [String] { bindings.compactMap(\.parameterName) }
}

extension CompiledStatement.Binding {
    /// The parameter that gives the value.
    package var parameterName: String? {
        switch self {
        case .value, .list: nil
        case .parameter(let name, _), .listParameter(let name, _), .listHasNull(let name): name
        }
    }

    /// The values of the SQL's next parameter as a program is shown them; nil for what is given when it runs.
    package var values: [Value]? {
        switch self {
        case .value(let value): [value]
        case .list(let values, _): values
        case .parameter, .listParameter, .listHasNull: nil
        }
    }
}

/// What is made of a parameter's value before it is bound.
package enum ParameterForm: Sendable {
    case plain
    /// As a value of this column's type.
    case comparedWith(ColumnReference)
    /// As a value of that type among others of it.
    case among(ExpressionType)
    /// As a decimal among decimals.
    case decimal
    /// As a number among numbers, if it is one.
    case number
    /// As it is, of a kind that is compared with what is beside it; else the error.
    case only(StorageKind, CormorantError)
    /// As the moment of an offset datetime.
    case moment(Moment.Bound)
    /// A LIKE pattern in which the value stands for itself; where it `folds`, without regard to case.
    case pattern(BinaryOperator, folds: Bool)
    /// As a path into JSON.
    case path
    /// As a value of that type.
    case stored(ColumnType)
    /// As a limit or an offset, by which name it is told.
    case count(String)
    /// A pattern of GLOB or REGEXP as PostgreSQL's regular expression.
    case expression(BinaryOperator)

    package func apply(_ value: Value) throws -> Value {
        switch self {
        case .plain: value
        case .only(let kind, let refusal): try value.required(as: kind, refusal)
        case .path: try value.pathIntoJSON()
        case .stored(let type): try value.required(as: type)
        case .count(let name): try value.count(name)
        case .expression(let kind): try value.postgresExpression(kind)
        case .comparedWith(let column): try value.comparable(with: column)
        case .among(let kind): try value.stored(among: kind.type) ?? kind.form.apply(value)
        case .decimal: try value.exactDecimal()
        case .number: value.asNumber
        case .moment(let bound): try Moment(value, nil).map { .text($0.text(bound)) } ?? .null
        case .pattern(let kind, let folds): try value.pattern(for: kind, folds: folds)
        }
    }
}

extension Value {
    /// The value as the file holds it in a column of that type, so that comparing means what it says.
    func comparable(with reference: ColumnReference) throws -> Value {
        let column = reference.column
        let isNaN = if case .real(let real) = self { real.isNaN } else { false }
        if !isNaN, let stored = try stored(as: column.type) { return stored }
        let model = (reference.path.last?.target ?? reference.table).model
        if isNaN {
            throw CormorantError(
                .range, "the value for \(model).\(column.property) is NaN, which cannot be stored",
                hint: "give NULL where a number is missing", columns: [column.name])
        }
        if let form = column.type.timeForm, case .text(var text) = self {
            throw CormorantError(
                .type,
                "\(model).\(column.property) is compared with a text that is \(text.withUTF8(form.fault))",
                hint: form.formHint, columns: [column.name])
        }
        throw CormorantError(
            .type, "\(model).\(column.property) is of type \(column.type.name) and is compared with \(kindName)",
            hint: "give a value of type \(column.type.name)", columns: [column.name])
    }

    /// The number that a decimal is, which crosses as a text.
    fileprivate var asNumber: Value {
        guard case .text(var text) = self, text.withUTF8({ isDecimalText($0) }) else { return self }
        if let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text) else { return self }
        return Int64(exactly: real).map { .integer($0) } ?? .real(real)
    }

    fileprivate func count(_ name: String) throws -> Value {
        switch self {
        case .null: throw noCount(name, "NULL")
        case .integer(let integer) where integer < 0: throw noCount(name, "\(integer)")
        default: return self
        }
    }

    /// As a parameter of that type is bound.
    fileprivate func required(as type: ColumnType) throws -> Value {
        if let stored = try stored(as: type) { return stored }
        throw CormorantError(
            .type, "a value of type \(type.name) is given as \(kindName)", hint: "give a value of type \(type.name)"
        )
    }

    /// As the file holds a value of that type; nil where the two do not go together.
    package func stored(as type: ColumnType) throws -> Value? {
        switch (type, self) {
        case (_, .null): return self
        case (.int64, .integer), (.int32, .integer), (.bool, .integer), (.double, .integer), (.int64, .real),
            (.int32, .real), (.double, .real), (.text, .text), (.varchar, .text), (.json, .text), (.blob, .blob):
            return self
        // One that no float is stays as it is, so that none is equal to it.
        case (.float, .integer(let integer)): return Float(exactly: integer).map { .real(Double($0)) } ?? self
        case (.float, .real(let real)): return Float(rounding: real).map { .real(Double($0)) } ?? self
        case (.duration, .integer): return self
        case (.datetime, .text(var text)):
            return try text.withUTF8 { Timestamp(parsing: $0) }.map {
                try .text(TimeForm.datetime.text(of: $0.microseconds, "a time"))
            }
        case (_, .integer(let integer)):
            return try type.timeForm.map { try .text($0.text(of: integer, "a \($0.name)")) }
        case (.date, .text(var text)), (.time, .text(var text)), (.offsetDatetime, .text(var text)):
            guard let form = type.timeForm else { return nil }
            return text.withUTF8(form.stored(parsing:)).map { .text($0) }
        case (.decimal, .text(var text)):
            return text.withUTF8 { isDecimalText($0) } ? self : nil
        case (.uuid, .text(var text)):
            return text.withUTF8 { UUIDBytes(parsing: $0) }.map { .text($0.description) }
        default: return nil
        }
    }

    /// What LIKE or GLOB is given: the pattern itself, or the one that finds this text as it stands, with `\\` as its escape
    /// character.
    func pattern(for kind: BinaryOperator, folds: Bool = false) throws -> Value {
        let isWhole = [.like, .notLike, .glob, .notGlob].contains(kind)
        guard case .text(var text) = self else {
            if isWhole || self == .null { return self }
            throw CormorantError(
                .type, "a prefix, suffix or part of a text is \(kindName)", hint: "give text")
        }
        // LIKE and GLOB read both sides as far as a NUL.
        guard !text.utf8.contains(0) else {
            let what = isWhole ? "a pattern" : "a prefix, suffix or part of a text"
            throw CormorantError(
                .encoding, "\(what) holds a NUL, at which \(kind == .glob || kind == .notGlob ? "GLOB" : "LIKE") ends",
                hint: "call instr(), which looks at all bytes and minds the case")
        }
        if folds { text = foldedCase(text) }
        if isWhole { return .text(text) }
        var pattern = kind == .hasPrefix ? "" : "%"
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        if kind != .hasSuffix { pattern += "%" }
        return .text(pattern)
    }
}
