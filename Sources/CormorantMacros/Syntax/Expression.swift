/// An expression, known as far as macros' arguments and initial values are read here.
struct Expression {
    indirect enum Kind {
        case null
        case boolean
        case integer
        case float
        case string
        /// With `-` before it.
        case negative(Expression)
        case array([Expression])
        case name
        /// `.unique` has no base.
        case member(base: Expression?, name: String)
        case call(Expression, arguments: [Argument])
        /// `ToOne<Artist>`
        case specialized
        case other
    }

    let kind: Kind
    let range: SourceRange

    var text: String { range.text }

    var isNull: Bool {
        if case .null = kind { true } else { false }
    }

    /// Those of an array.
    var elements: [Expression]? {
        if case .array(let elements) = kind { elements } else { nil }
    }
}

struct Argument {
    /// Empty where there is none.
    let label: String
    let value: Expression
}
