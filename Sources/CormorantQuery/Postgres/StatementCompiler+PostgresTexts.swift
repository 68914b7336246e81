import CormorantBase

/// How texts are compared.
enum TextKey: Sendable, Equatable {
    /// Without regard to the case of ASCII letters.
    case folded
    /// Without the spaces at the end.
    case trimmed
    /// As an offset datetime's moment.
    case moment
    /// By a collation of the server's.
    case named(String)

    /// nil: by bytes.
    init?(collation: String) {
        switch foldIdentifier(collation) {
        case "binary", "corm_decimal": return nil
        case "nocase": self = .folded
        case "rtrim": self = .trimmed
        case "corm_offset_datetime": self = .moment
        default: self = .named(collation)
        }
    }
}

// What texts are compared by, and whether that must be said.
extension StatementCompiler {
    /// How its texts are compared; nil: by bytes.
    func textKey(of expression: Expression) -> TextKey? {
        (explicitKey(expression) ?? columnKey(expression)).flatMap { $0 }
    }

    /// A collation that is written counts before that of a column, and the left side before the right one:
    /// https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql
    func textKey(of left: Expression, _ right: Expression) -> TextKey? {
        (explicitKey(left) ?? explicitKey(right) ?? columnKey(left) ?? columnKey(right)).flatMap { $0 }
    }

    /// The same where the right side is a column of a SELECT.
    func textKey(of left: Expression, beside right: Expression, in inner: StatementCompiler) -> TextKey? {
        (explicitKey(left) ?? inner.explicitKey(right) ?? columnKey(left) ?? inner.columnKey(right)).flatMap { $0 }
    }

    /// The collation that is written in it, and goes on to what is made of it; nil: none is.
    private func explicitKey(_ expression: Expression) -> TextKey?? {
        func first(_ parts: some Sequence<Expression>) -> TextKey?? {
            parts.lazy.compactMap { self.explicitKey($0) }.first
        }
        switch expression.node {
        case .collate(let inner, let collation):
            return .some(postgresType(of: inner) == .numeric ? nil : TextKey(collation: collation))
        case .labelled(let inner, _), .ordered(let inner, _), .cast(let inner, _), .unary(_, let inner):
            return explicitKey(inner)
        case .binary(_, let left, let right): return first([left, right])
        case .call(let call): return first(call.arguments)
        case .cases(let base, let cases, let otherwise):
            return first(
                [base].compactMap { $0 } + cases.flatMap { [$0.when, $0.then] } + [otherwise].compactMap { $0 })
        default: return nil
        }
    }

    /// That of a column; nil: it is none.
    private func columnKey(_ expression: Expression) -> TextKey?? {
        switch expression.node {
        case .column(let reference): .some(reference.column.collation.flatMap { TextKey(collation: $0) })
        case .labelled(let inner, _), .ordered(let inner, _), .cast(let inner, _): columnKey(inner)
        case .name(let source, let name):
            switch meaning(of: name, in: source) {
            case .column(let column): .some(column.collation.flatMap { TextKey(collation: $0) })
            case .result(let place, let select, let inner):
                inner.explicitKey(select.columns[place]) ?? inner.columnKey(select.columns[place])
            case .own(let own, let inner): inner.explicitKey(own) ?? inner.columnKey(own)
            case .hiddenKey, .value, nil: nil
            }
        default: nil
        }
    }

    /// Writes a text as what it is compared by.
    func write(key: TextKey?, collates: Bool, _ text: Writer) throws {
        switch key {
        case nil:
            try text(self)
            if collates { sql += #" COLLATE "C""# }
        case .folded:
            sql += "lower("
            try text(self)
            sql += collates ? #" COLLATE "C")"# : ")"
        case .trimmed:
            sql += "rtrim("
            try text(self)
            sql += ", ' ')"
            if collates { sql += #" COLLATE "C""# }
        case .moment:
            sql += "substr("
            try text(self)
            sql += ", 1, \(OffsetTimestamp.momentSize))"
            if collates { sql += #" COLLATE "C""# }
        case .named(let name):
            guard !sameIdentifier(name, "corm_nocase") else {
                throw lacksInPostgres(
                    "collation corm_nocase",
                    hint: "collate by NOCASE, of ASCII letters, or compare a column of folded texts")
            }
            try text(self)
            sql += " COLLATE " + quoteIdentifier(name)
        }
    }

    /// Whether PostgreSQL compares it by its bytes without being told: a text of a column, and what is made of one.
    func isBytewise(_ expression: Expression) -> Bool {
        switch expression.node {
        case .column(let reference): PostgresType(reference.column) == .text
        case .name(let source, let name):
            if case .column(let column)? = meaning(of: name, in: source) {
                PostgresType(column) == .text
            } else {
                false
            }
        case .collate(let inner, _), .labelled(let inner, _), .ordered(let inner, _): isBytewise(inner)
        case .binary(.concat, let left, let right): isBytewise(left) || isBytewise(right)
        case .call(let call):
            [
                "lower", "upper", "trim", "ltrim", "rtrim", "substr", "substring", "replace", "coalesce", "ifnull",
                "nullif",
            ]
            .contains(foldIdentifier(call.name)) && call.arguments.first.map { isBytewise($0) } == true
        default: false
        }
    }
}
