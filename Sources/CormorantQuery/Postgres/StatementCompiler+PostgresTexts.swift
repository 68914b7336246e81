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
    func textKey(of expression: Expression) -> TextKey? { collation(of: expression).flatMap { TextKey(collation: $0) } }

    /// The same of two that are compared.
    /// - Parameter inner: where the right one stands; nil: beside the left one.
    func textKey(of left: Expression, _ right: Expression, in inner: StatementCompiler? = nil) -> TextKey? {
        collation(of: left, right, in: inner).flatMap { TextKey(collation: $0) }
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
